package pii

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
)

// labelled is one message of a corpus: its text, and where its private data is.
type labelled struct {
	line  int
	text  string
	spans []Span
}

// readCorpus reads testdata: one message a line, {kind|text} labels a span, \n is a
// line break, # begins a comment.
func readCorpus(t testing.TB, name string) (list []labelled) {
	t.Helper()
	file, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		line := strings.ReplaceAll(lines.Text(), `\n`, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		m, err := parseLabelled(line)
		if err != nil {
			t.Fatalf("%s:%d: %v", name, n, err)
		}
		m.line = n
		list = append(list, m)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

func parseLabelled(line string) (m labelled, err error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(line, "{")
		b.WriteString(before)
		if !found {
			m.text = b.String()
			return m, nil
		}
		label, rest, ok := strings.Cut(rest, "|")
		value, after, closed := strings.Cut(rest, "}")
		if !ok || !closed || value == "" {
			return m, fmt.Errorf("want {kind|text} at %q", rest)
		}
		known := false
		for _, k := range Kinds() {
			known = known || k == Kind(label)
		}
		if !known {
			return m, fmt.Errorf("no kind %q", label)
		}
		m.spans = append(m.spans, Span{Kind: Kind(label), Start: b.Len(), End: b.Len() + len(value)})
		b.WriteString(value)
		line = after
	}
}

// score counts spans of one kind.
type score struct{ right, found, labelled, touched, covered int }

func (s score) precision() float64 { return share(s.right, s.found) }
func (s score) recall() float64    { return share(s.right, s.labelled) }
func (s score) f1() float64        { return f1(s.precision(), s.recall()) }

// Overlapping: a finding counts when it shares a letter with a label of its kind.
func (s score) loosePrecision() float64 { return share(s.touched, s.found) }
func (s score) looseRecall() float64    { return share(s.covered, s.labelled) }
func (s score) looseF1() float64        { return f1(s.loosePrecision(), s.looseRecall()) }

func share(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}

func f1(p, r float64) float64 {
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

// scores compares what Find says of a corpus with its labels. Each difference goes
// to miss.
func scores(t testing.TB, corpus []labelled, miss func(m labelled, what string)) map[Kind]score {
	t.Helper()
	all := map[Kind]score{}
	for _, m := range corpus {
		got, err := Find(m.text)
		if err != nil {
			t.Fatalf("line %d: %v", m.line, err)
		}
		compare(m, got, all, miss)
	}
	return all
}

func compare(m labelled, got []Span, all map[Kind]score, miss func(m labelled, what string)) {
	same := func(a, b Span) bool { return a.Kind == b.Kind && a.Start == b.Start && a.End == b.End }
	touch := func(a, b Span) bool { return a.Kind == b.Kind && a.Start < b.End && b.Start < a.End }
	found := func(list []Span, s Span, by func(a, b Span) bool) bool {
		for _, o := range list {
			if by(o, s) {
				return true
			}
		}
		return false
	}
	for _, g := range got {
		s := all[g.Kind]
		s.found++
		if found(m.spans, g, same) {
			s.right++
		} else {
			miss(m, fmt.Sprintf("+%s(%s) %q", g.Kind, g.Rule, m.text[g.Start:g.End]))
		}
		if found(m.spans, g, touch) {
			s.touched++
		}
		all[g.Kind] = s
	}
	for _, w := range m.spans {
		s := all[w.Kind]
		s.labelled++
		if found(got, w, touch) {
			s.covered++
		}
		if !found(got, w, same) {
			miss(m, fmt.Sprintf("-%s %q", w.Kind, m.text[w.Start:w.End]))
		}
		all[w.Kind] = s
	}
}

// printScores writes the lines that `make bench-pii` makes a table of.
func printScores(corpus string, all map[Kind]score) {
	var sum score
	row := func(name string, s score) {
		fmt.Printf("pii\t%s\t%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\n", corpus, name, s.labelled,
			s.precision(), s.recall(), s.f1(), s.loosePrecision(), s.looseRecall(), s.looseF1())
	}
	for _, k := range Kinds() {
		s := all[k]
		if s.labelled+s.found > 0 {
			row(string(k), s)
		}
		sum.right += s.right
		sum.found += s.found
		sum.labelled += s.labelled
		sum.touched += s.touched
		sum.covered += s.covered
	}
	row("all", sum)
}
