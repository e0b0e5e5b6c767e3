package text

// Language is a language that Kehai has texts of its own in.
type Language string

// Languages.
const (
	Japanese Language = "ja"
	English  Language = "en"
)

// LanguageOf is Japanese for a text with kana or Chinese characters, and English for
// another one with Latin letters. A text with neither, such as an emoji, is in the
// language that was spoken before, or Japanese if that is "".
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
