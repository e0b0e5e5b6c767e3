package replay

import (
	"crypto/hmac"
	"crypto/sha256"
	"regexp"
	"strings"
	"unicode"
)

// words replaces the words of texts by others of the same shape: equal ones by equal ones, and nobody
// without the key can tell which they were.
type words struct {
	key   []byte
	keeps func(string) bool // words of the application itself
}

// alphabets are what letters are replaced by: each by one of its own alphabet. Punctuation is kept.
var alphabets = []struct {
	of *unicode.RangeTable
	by []rune
}{
	{unicode.Hiragana, []rune("あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわ")},
	{unicode.Katakana, []rune("アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワ")},
	{unicode.Han, []rune("山川田水火木金土日月人口手目耳足花草虫犬猫鳥魚石空雨雪風音色赤青白黒大小中上下左右東西南北")},
	{unicode.Digit, []rune("0123456789")},
	{unicode.Lu, []rune("ABCDEFGHIJKLMNOPQRSTUVWXYZ")},
	{unicode.Letter, []rune("abcdefghijklmnopqrstuvwxyz")},
	{unicode.Number, []rune("①②③④⑤⑥⑦⑧⑨")},
	{unicode.So, []rune("🍎🍊🍋🍇🍓🍒🍑🍍🥝")},
	{unicode.Mark, []rune("\u0301\u0300\u0302")},
}

// alphabet is the number of a letter's alphabet; that of the mark of a long vowel is the one before.
func alphabet(r rune, before int) int {
	if r == 'ー' && before >= 0 {
		return before
	}
	for i, a := range alphabets {
		if unicode.Is(a.of, r) {
			return i
		}
	}
	return -1
}

// aClock is the time beside a message: another time in its place could not be read as one.
var aClock = regexp.MustCompile(`^[0-9]{1,2}:[0-9]{2}$`)

// replace gives a text of the same shape.
func (w words) replace(text string) string {
	if w.keeps(text) || aClock.MatchString(strings.TrimSpace(text)) {
		return text
	}
	letters := []rune(text)
	for from := 0; from < len(letters); {
		kind := alphabet(letters[from], -1)
		to := from + 1
		for to < len(letters) && class(alphabet(letters[to], kind)) == class(kind) {
			to++
		}
		if kind >= 0 {
			w.word(letters[from:to])
		}
		from = to
	}
	return string(letters)
}

// class joins the alphabets that stand in one word.
func class(alphabet int) int {
	if alphabet == 4 {
		return 5
	}
	return alphabet
}

func (w words) word(letters []rune) {
	mac := hmac.New(sha256.New, w.key)
	mac.Write([]byte(string(letters)))
	sum, kind := mac.Sum(nil), -1
	for i, r := range letters {
		if i > 0 && i%len(sum) == 0 {
			mac.Write(sum)
			sum = mac.Sum(nil)
		}
		if kind = alphabet(r, kind); r != 'ー' {
			by := alphabets[kind].by
			letters[i] = by[int(sum[i%len(sum)])%len(by)]
		}
	}
}
