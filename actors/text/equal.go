package text

import (
	"strings"
	"unicode/utf8"
)

// Limits of [OCREqual].
const (
	maxEdits  = 8  // edits that OCREqual forgives in the longest line
	perEdit   = 6  // characters per forgiven edit
	minEdited = 4  // characters of the shorter line below which no edit is forgiven
	lastFixed = 12 // below this length the last character must agree
)

// LineRules say when two lines are the same though they are not equal. In the
// zero value only equal ones are; start with [DefaultLines].
type LineRules struct {
	// Shortest line in characters that need not be equal, 3 to 1000. Default 8.
	Min int `yaml:"min" min:"3" max:"1000"`

	// Percent of the longer line that a contained one covers, 1 to 100. Default 84.
	Cover int `yaml:"cover" min:"1" max:"100"`

	// Or similarity by groups of three characters, 0.01 to 1. Default 0.88.
	Similar float64 `yaml:"similar" min:"0.01" max:"1"`
}

// DefaultLines returns the rules that both profiles use.
func DefaultLines() LineRules { return LineRules{Min: 8, Cover: 84, Similar: 0.88} }

// Equal reports whether two lines are the same, both normalised: equal; or the
// shorter, of at least Min characters, is contained in the longer and covers at
// least Cover percent of it; or both have at least Min characters and a trigram
// similarity of at least Similar. It is symmetric, not transitive. Two empty
// lines are equal.
func (r LineRules) Equal(a, b string) bool { return r.equal(Normalize(a), Normalize(b)) }

func (r LineRules) equal(a, b string) bool {
	if a == b {
		return true
	}
	short, long := a, b
	n, m := runes(a), runes(b)
	if n > m {
		short, long, n, m = b, a, m, n
	}
	if r.Min <= 0 || n < r.Min {
		return false
	}
	if n*100 >= r.Cover*m && strings.Contains(long, short) {
		return true
	}
	// A line of m characters has at most m-2 3-grams; far apart lengths are
	// not ruled out by that alone, because sets forget repetition.
	return Similarity(short, long) >= r.Similar
}

// OCREqual reports whether two lines may be readings of the same pixels. It judges lines
// of any length: a short answer read twice is recognised, and two different short answers
// stay apart:
//
//  1. equal after [Compact] and after folding letters that look alike (small
//     and large kana, ー and 一, ロ and 口, 0 and o, 1, i and l): same;
//  2. otherwise the digits of both must be the same in the same order, because
//     10時 and 11時 are two messages, and so must what is counted in kanji, as in
//     九時 and 十時, and what a weekday, 午前, 午後, 半 or one letter tells, where both
//     tell equally much;
//  3. [LineRules.Equal] by the default rules: same;
//  4. both have at least 4 characters and an edit distance of at most one per
//     6 characters (at least 1, at most 8): same. Below 12 characters the last
//     character must agree, because よ, ね and か change what is said.
//
// Lines that Compact empties (…, ！？) are the same if they are equal without
// white space.
func OCREqual(a, b string) bool {
	a, b = Normalize(a), Normalize(b)
	if a == b {
		return true
	}
	ca, cb := Compact(a), Compact(b)
	if ca == "" || cb == "" {
		return strings.ReplaceAll(a, " ", "") == strings.ReplaceAll(b, " ", "")
	}
	var bufA, bufB [128]rune
	ra, rb := appendLookalike(bufA[:0], ca), appendLookalike(bufB[:0], cb)
	if string(ra) == string(rb) {
		return true
	}
	same := sameDigits(ca, cb) && (DefaultLines().equal(a, b) || fewEdits(ra, rb))
	return same && !otherCounts([]rune(ca), []rune(cb))
}

// fewEdits is the fourth rule of [OCREqual].
func fewEdits(ra, rb []rune) bool {
	n, m := len(ra), len(rb)
	if min(n, m) < minEdited {
		return false
	}
	if max(n, m) < lastFixed && ra[n-1] != rb[m-1] {
		return false
	}
	limit := min(max(1, max(n, m)/perEdit), maxEdits)
	return distance(ra, rb, limit) <= limit
}

// sameDigits compares the sequences of ASCII digits.
func sameDigits(a, b string) bool {
	i, j := 0, 0
	for {
		for i < len(a) && !isDigit(a[i]) {
			i++
		}
		for j < len(b) && !isDigit(b[j]) {
			j++
		}
		if i == len(a) || j == len(b) {
			return i == len(a) && j == len(b)
		}
		if a[i] != b[j] {
			return false
		}
		i++
		j++
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// lookalikes maps letters that OCR confuses to one of them.
var lookalikes = func() map[rune]rune {
	m := map[rune]rune{}
	for _, group := range []string{
		"l1i|", "o0〇", "ー一-―", "ロ口", "ニ二", "カ力", "エ工", "ト卜", "ハ八", "タ夕", "チ千", "ミ三",
		"ヘへ", "ベべ", "ペぺ", "リり", "ぁあ", "ぃい", "ぅう", "ぇえ", "ぉお", "っつ", "ゃや", "ゅゆ", "ょよ", "ゎわ",
		"ァア", "ィイ", "ゥウ", "ェエ工", "ォオ", "ッツ", "ャヤ", "ュユ", "ョヨ", "ヮワ", "ヵカ力", "ヶケ",
	} {
		first, _ := utf8.DecodeRuneInString(group)
		if known, ok := m[last(group)]; ok {
			first = known
		}
		for _, r := range group {
			m[r] = first
		}
	}
	return m
}()

func last(s string) rune { r, _ := utf8.DecodeLastRuneInString(s); return r }

func appendLookalike(dst []rune, s string) []rune {
	for _, r := range s {
		if to, ok := lookalikes[r]; ok {
			r = to
		}
		dst = append(dst, r)
	}
	return dst
}
