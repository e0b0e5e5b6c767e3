package text

import (
	"slices"
	"strings"
	"unicode"
)

// Numerals of kanji, and what may be counted by them. In a name such as 一郎 nothing is.
const (
	numerals = "〇一二三四五六七八九十百千万億"
	counters = "つ個人名日月年週時分秒円番号回階度歳才本枚冊台匹杯件箱袋泊点倍割部組通台行列席丁条章位等"
)

// otherCounts reports whether two texts count something differently in kanji. What is not counted
// in both may be misread, and tells nothing.
func otherCounts(a, b []rune) bool {
	ca, cb := counts(a), counts(b)
	return len(ca) == len(cb) && !slices.Equal(ca, cb)
}

// counts lists the numerals before counters, in the form in which look-alikes are equal: ニ時 is 二時
// where no katakana stands before it.
func counts(s []rune) (list []string) {
	for i := 0; i < len(s); i++ {
		from := i
		for i < len(s) && numeral(s[i]) {
			i++
		}
		if from == i || i == len(s) || !strings.ContainsRune(counters, s[i]) {
			continue
		}
		if !strings.ContainsRune(numerals, s[from]) && from > 0 && unicode.Is(unicode.Katakana, s[from-1]) {
			continue
		}
		list = append(list, string(appendLookalike(nil, string(s[from:i]))))
	}
	return list
}

// numeral reports whether a letter is a numeral of kanji or looks like one.
func numeral(r rune) bool { return strings.ContainsRune(numerals+"ーニミハチ", r) }
