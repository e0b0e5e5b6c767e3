// Package recent remembers the texts that one conversation has let through lately
// and says whether another was seen a moment ago. It decides by text alone; package
// dedup asks it where places tell nothing. It is pure: the actor stores its rows.
package recent

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Rules say which texts count as seen a moment ago. Ages below a window are inside;
// a hit extends nothing.
type Rules struct {
	// How long an equal text counts as a repeat, 1ms to 24h. Default 8s, in profile
	// seed 20s.
	Fingerprint time.Duration `yaml:"fingerprint" min:"1ms" max:"24h"`

	// How long a text counts as a repeat if all its lines were seen, 1s to 24h.
	// Default 1m15s.
	Lines time.Duration `yaml:"lines" min:"1s" max:"24h"`

	// Shortest line in characters that counts, 1 to 1000. Default 2, in profile seed 4.
	MinLine int `yaml:"min_line" min:"1" max:"1000"`

	// Lines and texts of each conversation that are remembered, 1 to 10000. Default
	// 240.
	Entries int `yaml:"entries" min:"1" max:"10000"`

	// By which a line is known again.
	Same text.LineRules `yaml:"-"`

	// A text without a line that counts has no new line, so it is a duplicate.
	NeedsLine bool `yaml:"-"`

	// A line that one view shows twice was said twice.
	TwicePerView bool `yaml:"-"`
}

// SeedRules returns the rules of profile seed: text alone decides.
func SeedRules() Rules {
	return Rules{
		Fingerprint: 20 * time.Second, Lines: 75 * time.Second, MinLine: 4, Entries: 240,
		Same: text.DefaultLines(), NeedsLine: true,
	}
}

// DefaultRules returns the rules of profile default: text is the last resort.
func DefaultRules() Rules {
	return Rules{
		Fingerprint: 8 * time.Second, Lines: 75 * time.Second, MinLine: 2, Entries: 240,
		Same: text.DefaultLines(), TwicePerView: true,
	}
}

// Of returns the given rules with the NeedsLine and TwicePerView of their profile.
func (r Rules) Of(profile Rules) Rules {
	r.NeedsLine, r.TwicePerView = profile.NeedsLine, profile.TwicePerView
	return r
}

// Fingerprint is equal for equal texts of a conversation.
func Fingerprint(c messages.ConversationID, t messages.Text) messages.Text {
	return messages.Text(string(c) + "|" + text.Normalize(string(t)))
}

// lineEnds are the marks at which a line is split further.
const lineEnds = "・•。！？!?"

// LinesOf returns the lines of a text and their parts between marks,
// normalised, each once and in order, of at least so many characters.
func LinesOf(t messages.Text, least int) []string {
	var out []string
	known := map[string]bool{}
	add := func(s string) {
		if s = text.Normalize(s); utf8.RuneCountInString(s) >= max(least, 1) && !known[s] {
			known[s] = true
			out = append(out, s)
		}
	}
	for line := range strings.Lines(string(t)) {
		add(line)
		for part := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(lineEnds, r) }) {
			add(part)
		}
	}
	return out
}

// Row is the stored form of a remembered line or fingerprint.
type Row struct {
	Text messages.Text `json:"text"`
	At   time.Time     `json:"at"`
}

// Texts remembers what one conversation has shown lately. It is for one goroutine.
type Texts struct {
	rules  Rules
	lines  *lines
	order  []int // slots of lines, oldest first
	prints []numbered
	lineNo uint64 // the last row's
	noted  Changes
}

type numbered struct {
	no uint64
	Row
}

// Changes are the rows to write and to delete, by number.
type Changes struct {
	Lines, Prints         map[uint64]Row
	LinesGone, PrintsGone []uint64
}

// New makes an empty memory.
func New(r Rules) *Texts { return &Texts{rules: r, lines: newLines(r.Same)} }

// LoadLine and LoadPrint restore stored rows, in the order of their numbers.
func (w *Texts) LoadLine(no uint64, r Row) {
	if _, ok := w.lines.exact[string(r.Text)]; !ok && no > w.lineNo {
		w.order = append(w.order, w.lines.add(string(r.Text), r.At, no))
	}
	w.lineNo = max(w.lineNo, no)
}

// LoadPrint is described with LoadLine.
func (w *Texts) LoadPrint(no uint64, r Row) { w.prints = append(w.prints, numbered{no, r}) }

// Finding says whether a text was seen a moment ago.
type Finding struct {
	Rule  events.Rule   // RuleFingerprint or RuleLineMemory; "" if it was not
	Age   time.Duration // of the earlier text, or of the newest line for RuleLineMemory
	Lines int           // that count
	Fuzzy []FuzzyHit    // lines recognised although they are not equal
}

// FuzzyHit is a line recognised although it is not equal.
type FuzzyHit struct{ Query, Matched messages.Text }

// Check judges a text of a view. It changes nothing.
func (w *Texts) Check(c messages.ConversationID, t messages.Text, at time.Time) Finding {
	print := Fingerprint(c, t)
	for _, p := range slices.Backward(w.prints) {
		if p.Text == print && w.inside(p.At, at, w.rules.Fingerprint) {
			return Finding{Rule: events.RuleFingerprint, Age: at.Sub(p.At)}
		}
	}
	list := LinesOf(t, w.rules.MinLine)
	v := Finding{Lines: len(list)}
	if len(list) == 0 && !w.rules.NeedsLine {
		return v
	}
	seen := true
	for i, line := range list {
		slot := w.seen(line, at)
		if slot < 0 {
			seen = false
			continue
		}
		s := w.lines.slots[slot]
		if s.text != line {
			v.Fuzzy = append(v.Fuzzy, FuzzyHit{messages.Text(line), messages.Text(s.text)})
		}
		if age := at.Sub(s.at); i == 0 || age < v.Age {
			v.Age = age
		}
	}
	if !seen {
		v.Age = 0
		return v
	}
	v.Rule = events.RuleLineMemory
	return v
}

func (w *Texts) seen(line string, at time.Time) int {
	return w.lines.find(line, func(s slot) bool { return w.inside(s.at, at, w.rules.Lines) })
}

// inside reports whether something seen at one time is evidence at another.
func (w *Texts) inside(seen, at time.Time, window time.Duration) bool {
	age := at.Sub(seen)
	return text.Inside(age, window) && !(w.rules.TwicePerView && age == 0)
}

// Remember records a text that was let through. Lines seen again within their window keep
// their time.
func (w *Texts) Remember(c messages.ConversationID, t messages.Text, at time.Time) {
	w.forget(at)
	for _, line := range LinesOf(t, w.rules.MinLine) {
		if w.seen(line, at) >= 0 {
			continue
		}
		if i, ok := w.lines.exact[line]; ok {
			w.drop(slices.Index(w.order, i))
		}
		for len(w.order) >= max(w.rules.Entries, 1) {
			w.drop(0)
		}
		w.lineNo++
		w.order = append(w.order, w.lines.add(line, at, w.lineNo))
		put(&w.noted.Lines, w.lineNo, Row{messages.Text(line), at})
	}
	for len(w.prints) >= max(w.rules.Entries, 1) {
		w.dropPrint()
	}
	no := uint64(1)
	if n := len(w.prints); n > 0 {
		no = w.prints[n-1].no + 1
	}
	row := Row{Fingerprint(c, t), at}
	w.prints = append(w.prints, numbered{no, row})
	put(&w.noted.Prints, no, row)
}

func put(rows *map[uint64]Row, no uint64, r Row) {
	if *rows == nil {
		*rows = map[uint64]Row{}
	}
	(*rows)[no] = r
}

// forget deletes the oldest lines and texts that no window reaches any more.
func (w *Texts) forget(at time.Time) {
	for len(w.order) > 0 && at.Sub(w.lines.slots[w.order[0]].at) >= w.rules.Lines {
		w.drop(0)
	}
	for len(w.prints) > 0 && at.Sub(w.prints[0].At) >= w.rules.Fingerprint {
		w.dropPrint()
	}
}

func (w *Texts) drop(k int) {
	i := w.order[k]
	no := w.lines.slots[i].row
	w.lines.remove(i)
	w.order = slices.Delete(w.order, k, k+1)
	if _, fresh := w.noted.Lines[no]; fresh {
		delete(w.noted.Lines, no)
	} else {
		w.noted.LinesGone = append(w.noted.LinesGone, no)
	}
}

func (w *Texts) dropPrint() {
	no := w.prints[0].no
	w.prints = slices.Delete(w.prints, 0, 1)
	if _, fresh := w.noted.Prints[no]; fresh {
		delete(w.noted.Prints, no)
	} else {
		w.noted.PrintsGone = append(w.noted.PrintsGone, no)
	}
}

// Passed reports whether a text of the same view was let through.
func (w *Texts) Passed(at time.Time) bool {
	return slices.ContainsFunc(w.prints, func(p numbered) bool { return p.At.Equal(at) })
}

// Changes returns what a store must write and delete, and clears its list of it.
func (w *Texts) Changes() Changes {
	c := w.noted
	w.noted = Changes{}
	return c
}
