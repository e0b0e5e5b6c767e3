package text

import (
	"strings"
	"time"
	"unicode"
)

// EchoRules say when a text that was read is one that was sent. The zero value
// matches nothing; start with [DefaultEcho]. Lengths are characters of the
// normal form without white space, shares are percent.
type EchoRules struct {
	// Shortest text that is an echo if it is equal, 1 to 1000. Default 2.
	MinEqual int `yaml:"equal" min:"1" max:"1000"`

	// Shortest text that is one inside the other, 1 to 1000. Default 6.
	MinPart int `yaml:"part" min:"1" max:"1000"`

	// Percent of what is read that was sent, if it stands in it, 1 to 100. Default
	// 70.
	Contains int `yaml:"contains" min:"1" max:"100"`

	// Percent of what was sent that is read, if it stands in it, 1 to 100. Default
	// 85.
	Contained int `yaml:"contained" min:"1" max:"100"`

	// Shortest line that counts where lines are compared, 1 to 1000. Default 6.
	MinLine int `yaml:"line" min:"1" max:"1000"`

	// Fewest such lines, 1 to 100. Default 2.
	MinLines int `yaml:"lines" min:"1" max:"100"`

	// Percent of them that are the same or stand in what was sent, 1 to 100.
	// Default 60.
	LinesMatch int `yaml:"match" min:"1" max:"100"`

	// By which two lines are the same.
	Lines LineRules `yaml:"-"`
}

// DefaultEcho returns the rules that both profiles use.
func DefaultEcho() EchoRules {
	return EchoRules{MinEqual: 2, MinPart: 6, Contains: 70, Contained: 85, MinLine: 6, MinLines: 2, LinesMatch: 60,
		Lines: DefaultLines()}
}

// Echo says how a text matched.
type Echo string

// Ways to match.
const (
	EchoNone      Echo = ""
	EchoEqual     Echo = "equal"
	EchoContains  Echo = "contains"
	EchoContained Echo = "contained"
	EchoLines     Echo = "lines"
)

// EchoForm is a text prepared for comparison.
type EchoForm struct {
	flat  string // normal form without white space: a window breaks lines where it likes
	n     int    // characters of flat
	lines []echoLine
}

type echoLine struct {
	text  string // normal form
	flat  string
	n     int // characters of text
	short bool
	grams Grams
}

// EchoFormOf prepares a text.
func (r EchoRules) EchoFormOf(s string) EchoForm {
	var f EchoForm
	for l := range strings.Lines(s) {
		l = Normalize(l)
		if l == "" {
			continue
		}
		flat := withoutSpace(l)
		f.lines = append(f.lines, echoLine{text: l, flat: flat, n: runes(l), short: runes(flat) < r.MinLine,
			grams: GramsOf(l)})
	}
	f.flat = withoutSpace(Normalize(s))
	f.n = runes(f.flat)
	return f
}

func withoutSpace(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// Match compares what was read with one text that was sent, but not line by line.
func (r EchoRules) Match(read, sent EchoForm) Echo {
	switch {
	case r.MinEqual <= 0:
		return EchoNone
	case read.flat == sent.flat:
		if read.n >= r.MinEqual {
			return EchoEqual
		}
	case min(read.n, sent.n) < r.MinPart:
	case sent.n < read.n && sent.n*100 >= r.Contains*read.n && strings.Contains(read.flat, sent.flat):
		return EchoContains
	case read.n < sent.n && read.n*100 >= r.Contained*sent.n && strings.Contains(sent.flat, read.flat):
		return EchoContained
	}
	return EchoNone
}

// matchLines judges a text of several lines: a line matches if it is the same
// ([EchoRules.Lines]) as a line of any of the texts sent, or is part of one.
func (r EchoRules) matchLines(read EchoForm, sent []*EchoForm) bool {
	judged, matched := 0, 0
	for _, l := range read.lines {
		if l.short {
			continue
		}
		judged++
		for _, s := range sent {
			if s.has(r.Lines, l) {
				matched++
				break
			}
		}
	}
	return r.MinLines > 0 && judged >= r.MinLines && matched*100 >= r.LinesMatch*judged
}

func (f *EchoForm) has(r LineRules, l echoLine) bool {
	if strings.Contains(f.flat, l.flat) {
		return true
	}
	for _, m := range f.lines {
		if m.same(r, l) {
			return true
		}
	}
	return false
}

// same is LineRules.Equal of prepared lines.
func (a echoLine) same(r LineRules, b echoLine) bool {
	if a.text == b.text {
		return true
	}
	if a.n > b.n {
		a, b = b, a
	}
	if r.Min <= 0 || a.n < r.Min {
		return false
	}
	if a.n*100 >= r.Cover*b.n && strings.Contains(b.text, a.text) {
		return true
	}
	g, h := len(a.grams), len(b.grams)
	return 2*float64(min(g, h)) >= r.Similar*float64(g+h) && a.grams.Similarity(b.grams) >= r.Similar
}

// Send is a text that was sent, as [EchoRules.Find] needs it.
type Send struct {
	Form EchoForm
	At   time.Time
}

// EchoFound is the answer of [EchoRules.Find].
type EchoFound struct {
	How    Echo          // EchoNone: no echo
	Age    time.Duration // of the text that matched; of the newest one for EchoLines
	Active int           // texts within the window
	Newest time.Duration // age of the newest of them, 0 if there is none
}

// Find looks for a text, read at a time, among those sent within the window before it;
// the newest match counts. An age equal to the window is outside. Texts recorded up to
// one window after the reading count too, because they may be recorded late or by a fast
// clock.
func (r EchoRules) Find(read EchoForm, at time.Time, window time.Duration, sends []Send) EchoFound {
	var found EchoFound
	var active []*EchoForm
	for i := len(sends) - 1; i >= 0; i-- {
		age := at.Sub(sends[i].At)
		if !Inside(age, window) {
			continue
		}
		if len(active) == 0 || age < found.Newest {
			found.Newest = age
		}
		active = append(active, &sends[i].Form)
		if found.How == EchoNone {
			if how := r.Match(read, sends[i].Form); how != EchoNone {
				found.How, found.Age = how, age
			}
		}
	}
	found.Active = len(active)
	if found.How == EchoNone && r.matchLines(read, active) {
		found.How, found.Age = EchoLines, found.Newest
	}
	return found
}
