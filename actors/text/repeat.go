package text

import "strings"

// DefaultRepeats returns the rules of [LineRules.Repeats].
func DefaultRepeats() LineRules { return LineRules{Min: 6, Cover: 82, Similar: 0.90} }

// Repeats reports that two lines say the same, judged by their compact forms:
// equal; or the shorter, of at least Min characters, is contained in the longer
// and covers at least Cover percent of it; or the trigram similarity, at any
// length, is at least Similar. Lines that [Compact] empties (…, ！？) repeat
// each other if they are equal without white space; an empty line repeats
// nothing. It is looser than [LineRules.Equal] and overlooks a digit in a long
// line, so it is for readings that are not told apart by anything but text.
func (r LineRules) Repeats(a, b string) bool {
	x, y := Compact(a), Compact(b)
	if x == "" || y == "" {
		x, y = withoutSpace(Normalize(a)), withoutSpace(Normalize(b))
		return x == y && x != ""
	}
	if x == y {
		return true
	}
	n, m := runes(x), runes(y)
	if n > m {
		x, y, n, m = y, x, m, n
	}
	if r.Min > 0 && n >= r.Min && n*100 >= r.Cover*m && strings.Contains(y, x) {
		return true
	}
	return r.Similar > 0 && Similarity(x, y) >= r.Similar
}
