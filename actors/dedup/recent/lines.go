package recent

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/text"
)

// lines remembers lines and finds those that text.LineRules takes for the same as a
// given one, without comparing each. A line that is the same but not equal must
// share grams with it, so the search starts from the grams of the given line. Not
// safe for concurrent use, looking included.
type lines struct {
	rules   text.LineRules
	slots   []slot
	free    []int
	exact   map[string]int
	posting map[uint64][]int // slots by gram
	count   []int            // grams shared with the line that is looked for, all 0 between two
	met     []int            // slots with a count
}

// slot holds one remembered line; the texts of two are never equal.
type slot struct {
	text  string // normalised
	runes int
	grams text.Grams // none if too short to be similar to another
	at    time.Time
	row   uint64 // grows from line to line; 0: the slot is free
}

func newLines(rules text.LineRules) *lines {
	return &lines{rules: rules, exact: map[string]int{}, posting: map[uint64][]int{}}
}

// add remembers a normalised line that is not there yet.
func (l *lines) add(line string, at time.Time, row uint64) int {
	i := len(l.slots)
	if n := len(l.free); n > 0 {
		i, l.free = l.free[n-1], l.free[:n-1]
	} else {
		l.slots, l.count = append(l.slots, slot{}), append(l.count, 0)
	}
	s := slot{text: line, runes: utf8.RuneCountInString(line), at: at, row: row}
	if l.fuzzy(s.runes) {
		s.grams = text.GramsOf(line)
	}
	for _, g := range s.grams {
		l.posting[g] = append(l.posting[g], i)
	}
	l.slots[i], l.exact[line] = s, i
	return i
}

// fuzzy reports whether a line is long enough to be the same as one that is not
// equal.
func (l *lines) fuzzy(runes int) bool { return l.rules.Min > 0 && runes >= l.rules.Min }

// remove forgets the line in a slot.
func (l *lines) remove(i int) {
	for _, g := range l.slots[i].grams {
		p := l.posting[g]
		for k, other := range p {
			if other == i {
				p[k] = p[len(p)-1]
				p = p[:len(p)-1]
				break
			}
		}
		if len(p) == 0 {
			delete(l.posting, g)
		} else {
			l.posting[g] = p
		}
	}
	delete(l.exact, l.slots[i].text)
	l.slots[i] = slot{}
	l.free = append(l.free, i)
}

// find returns the slot of a line that is the same as a normalised one and
// that counts: the equal one, or else the newest; -1 if there is none.
func (l *lines) find(line string, counts func(slot) bool) int {
	if i, ok := l.exact[line]; ok && counts(l.slots[i]) {
		return i
	}
	n := utf8.RuneCountInString(line)
	if !l.fuzzy(n) {
		return -1
	}
	grams := text.GramsOf(line)
	for _, g := range grams {
		for _, i := range l.posting[g] {
			if l.count[i]++; l.count[i] == 1 {
				l.met = append(l.met, i)
			}
		}
	}
	best := -1
	for _, i := range l.met {
		s, common := &l.slots[i], l.count[i]
		l.count[i] = 0
		if (best < 0 || s.row > l.slots[best].row) && s.same(l.rules, line, n, len(grams), common) && counts(*s) {
			best = i
		}
	}
	l.met = l.met[:0]
	return best
}

// same is LineRules.Equal for two lines that are not equal, of at least Min
// characters, that have so many grams in common. Every gram of a line
// stands in the one that contains it, so its text is searched only then.
func (s *slot) same(r text.LineRules, line string, runes, grams, common int) bool {
	if 2*float64(common)/float64(grams+len(s.grams)) >= r.Similar {
		return true
	}
	short, long, n, m, g := line, s.text, runes, s.runes, grams
	if n > m {
		short, long, n, m, g = long, short, m, n, len(s.grams)
	}
	return n*100 >= r.Cover*m && common == g && strings.Contains(long, short)
}
