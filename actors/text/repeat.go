package text

import "strings"

// RepeatRules say which lines of a burst say the same. Lengths are characters
// without white space and punctuation. The zero value wants equal lines.
type RepeatRules struct {
	// Shortest line that is the same as one it stands in, or that stands in it, 1 to
	// 1000. Default 6.
	Min int `yaml:"min" min:"1" max:"1000"`

	// Percent of the longer line that the shorter covers, 1 to 100. Default 82.
	Cover int `yaml:"cover" min:"1" max:"100"`

	// Or similarity by groups of three characters, 0.01 to 1. Default 0.9.
	Similar float64 `yaml:"similar" min:"0.01" max:"1"`
}

// DefaultRepeats returns the rules that both profiles start from.
func DefaultRepeats() RepeatRules { return RepeatRules{Min: 6, Cover: 82, Similar: 0.90} }

// Repeats reports whether two lines say the same, judged by their compact forms: equal;
// or the shorter, of at least Min characters, is contained in the longer and covers at
// least Cover percent of it; or the trigram similarity, at any length, is at least
// Similar. Lines that [Compact] empties (…, ！？) repeat each other if they are equal
// without white space; an empty line repeats nothing. It is looser than [LineRules.Equal]
// and overlooks a digit in a long line, so use it only where nothing but text tells
// readings apart.
func (r RepeatRules) Repeats(a, b string) bool {
	return r.RepeatsForm(RepeatFormOf(a), RepeatFormOf(b))
}

// RepeatForm is a line prepared for [RepeatRules.RepeatsForm].
type RepeatForm struct {
	said  string // compact, or without white space where that is empty
	n     int    // characters of said
	bare  bool   // nothing but punctuation
	grams Grams
}

// RepeatFormOf prepares a line.
func RepeatFormOf(line string) RepeatForm {
	f := RepeatForm{said: Compact(line)}
	if f.said == "" {
		f.said, f.bare = withoutSpace(Normalize(line)), true
	}
	f.n, f.grams = runes(f.said), GramsOf(f.said)
	return f
}

// RepeatsForm is [RepeatRules.Repeats] of prepared lines.
func (r RepeatRules) RepeatsForm(a, b RepeatForm) bool {
	if a.bare || b.bare || a.said == b.said {
		return a.said == b.said && a.said != ""
	}
	if a.n > b.n {
		a, b = b, a
	}
	if r.Min > 0 && a.n >= r.Min && a.n*100 >= r.Cover*b.n && strings.Contains(b.said, a.said) {
		return true
	}
	return r.Similar > 0 && a.grams.Similarity(b.grams) >= r.Similar
}
