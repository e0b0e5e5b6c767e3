package text

import (
	"slices"
	"strings"
	"unicode"
)

// Numerals of kanji, and what may be counted by them. In a name such as 一郎 nothing is.
const (
	numerals   = "〇一二三四五六七八九十百千万億"
	magnitudes = "十百千万億" // behind another numeral they count by themselves, as in 三万で
	counters   = "つ個人名日月年週時分秒円番号回階度歳才本枚冊台匹杯件箱袋泊点倍割部組通行列席丁条章位等" +
		"晩夜限曲話巻品皿缶社軒棟室校期色種班勝敗戦世票頭羽着足周畳拍食"
)

// units are counters of more than one letter, in the form in which look-alikes are equal.
var units = func() (list [][]rune) {
	for _, u := range []string{
		"キロ", "メートル", "センチ", "ミリ", "グラム", "トン", "リットル", "ドル", "ユーロ", "パーセント", "ページ",
		"ポイント", "セット", "パック", "カ月", "ケ月", "か月", "カ所", "ケ所", "か所", "カ国", "ケ国", "か国",
	} {
		list = append(list, appendLookalike(nil, u))
	}
	return list
}()

// weekdays stand before 曜.
const weekdays = "月火水木金土日"

// otherCounts reports whether two texts count, date or choose something differently: in kanji, by a
// weekday, by 午前 and 午後, by 半 behind an hour, or by a letter, as in プランA. What is not counted in
// both may be misread, and tells nothing.
func otherCounts(a, b []rune) bool {
	ca, cb := counts(a), counts(b)
	return len(ca) == len(cb) && !slices.Equal(ca, cb)
}

// counts lists the numerals that count, and what else tells two of a kind apart, in the form in which
// look-alikes are equal: ニ時 is 二時 where no katakana stands before it.
func counts(s []rune) (list []string) {
	for i := 0; i < len(s); i++ {
		from := i
		for i < len(s) && numeral(s[i]) {
			i++
		}
		if from < i && number(s, from, i) {
			list = append(list, string(appendLookalike(nil, string(s[from:i])))+half(s[i:]))
		}
		if i < len(s) {
			if kind := kindOf(s, i); kind != "" {
				list = append(list, kind)
			}
		}
	}
	return list
}

// number reports whether the numerals s[from:to] count something: what stands behind them, 第 before
// them, or a magnitude at their end says so.
func number(s []rune, from, to int) bool {
	certain := strings.ContainsRune(numerals, s[from])
	switch {
	case !certain && from > 0 && unicode.Is(unicode.Katakana, s[from-1]):
		return false
	case from > 0 && s[from-1] == '第':
		return true
	case certain && to-from > 1 && strings.ContainsRune(magnitudes, s[to-1]):
		return true
	case to == len(s):
		return false
	case strings.ContainsRune(counters, s[to]):
		return true
	}
	rest := appendLookalike(nil, string(s[to:min(to+5, len(s))]))
	return slices.ContainsFunc(units, func(u []rune) bool {
		return len(rest) >= len(u) && slices.Equal(rest[:len(u)], u)
	})
}

// half is 半 where it stands behind 時, and "" elsewhere.
func half(s []rune) string {
	if len(s) > 1 && s[0] == '時' && s[1] == '半' {
		return "半"
	}
	return ""
}

// kindOf is what s[i], which is no numeral of kanji, tells: which day of the week, which half of the day,
// whether an hour in digits is a full one, or which of some is chosen. It is "" if it tells nothing.
func kindOf(s []rune, i int) string {
	var before, behind rune
	if i > 0 {
		before = s[i-1]
	}
	if i+1 < len(s) {
		behind = s[i+1]
	}
	kanji := func(r rune) bool { return unicode.In(r, unicode.Katakana, unicode.Han) || r == 'ー' }
	letter := func(r rune) bool { return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	switch r := s[i]; {
	case behind == '曜' && strings.ContainsRune(weekdays, r):
		return string(r)
	case r == '午' && (behind == '前' || behind == '後'):
		return string(behind)
	case r == '時' && before < unicode.MaxASCII && unicode.IsDigit(before):
		return "時" + half(s[i:])
	case 'a' <= r && r <= 'f' && !letter(before) && !letter(behind) && (kanji(before) || kanji(behind)):
		return string(r)
	}
	return ""
}

// numeral reports whether a letter is a numeral of kanji or looks like one.
func numeral(r rune) bool { return strings.ContainsRune(numerals+"ーニミハチ", r) }
