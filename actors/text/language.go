package text

import "unicode"

// Language is a language in which Kehai has its own texts.
type Language string

// Languages.
const (
	Japanese Language = "ja"
	English  Language = "en"
)

// LanguageOf returns Japanese for a text with kana or Chinese characters, otherwise
// English for one with Latin letters. A text with neither, such as an emoji, has the
// language before it, or Japanese if that is "".
func LanguageOf(s string, before Language) Language {
	latin := false
	for _, r := range s {
		switch {
		case r >= 0x3040 && r <= 0x30FF, r >= 0x3400 && r <= 0x9FFF, r >= 0xFF66 && r <= 0xFF9D:
			return Japanese
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= 'Ａ' && r <= 'ｚ':
			latin = true
		}
	}
	switch {
	case latin:
		return English
	case before == "":
		return Japanese
	}
	return before
}

// LatinBalance is how many more Latin letters than Japanese ones and full-width signs a text has.
func LatinBalance(s string) (n int) {
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Latin, r):
			n++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han), r == 'ー', r >= 0x3000 && r <= 0x303F,
			r >= 0xFF01 && r <= 0xFF65:
			n--
		}
	}
	return n
}
