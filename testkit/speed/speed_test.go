package speed

import (
	"io"
	"strings"
	"testing"
)

// judged is a test that remembers whether it was failed, and what it was told.
type judged struct {
	testing.TB
	said   strings.Builder
	failed bool
}

func (j *judged) Helper()               {}
func (j *judged) Errorf(string, ...any) { j.failed = true }
func (j *judged) Output() io.Writer     { return &j.said }

// TestCompare compares something with itself, which is neither twice as fast nor
// ten times as slow.
func TestCompare(t *testing.T) {
	sum := 0
	work := func() {
		for i := range 20_000 {
			sum += i * sum
		}
	}
	for _, c := range []struct {
		row    Row
		failed bool
	}{
		{Row{Name: "a", Ours: work, Peer: work, Against: "itself", Faster: 100}, true},
		{Row{Name: "a", Ours: work, Peer: work, Against: "itself", Within: 0.01}, true},
		{Row{Name: "a", Ours: work, Peer: work, Against: "itself", Faster: 0.01}, false},
		{Row{Name: "a", Ours: work, Peer: work, Against: "itself", Within: 100}, false},
	} {
		j := &judged{TB: t}
		Compare(j, c.row)
		if said := j.said.String(); j.failed != c.failed || !strings.HasPrefix(said, "speed\ta\t") {
			t.Errorf("Compare(faster %v, within %v) failed = %v, want %v; it said %q", c.row.Faster, c.row.Within,
				j.failed, c.failed, said)
		}
	}
	j := &judged{TB: t}
	if Absolute(j, "b", 1, work); j.failed || !strings.HasSuffix(j.said.String(), "\tno\n") {
		t.Errorf("Absolute(1 ns) failed = %v and said %q, want an aim that is missed without failing",
			j.failed, j.said.String())
	}
}

func TestFigure(t *testing.T) {
	for _, c := range []struct {
		f       Figure
		line    string
		reached bool
		half    bool
	}{
		{Figure{Name: "a", Ours: "1 ms", Limit: "x 20 ms", Ratio: 20, Aim: 10, AtLeast: true},
			"a\t1 ms\tx 20 ms\t20×\t≥ 10×\tyes", true, true},
		{Figure{Name: "a", Ours: "1", Limit: "x", Ratio: 99.6, Aim: 1.2, AtLeast: true},
			"a\t1\tx\t100×\t≥ 1.2×\tyes", true, true},
		{Figure{Name: "a", Ours: "1", Limit: "x", Ratio: 9.9, Aim: 10, AtLeast: true},
			"a\t1\tx\t9.9×\t≥ 10×\tno", false, true},
		{Figure{Name: "a", Ours: "1", Limit: "x", Ratio: 4.9, Aim: 10, AtLeast: true},
			"a\t1\tx\t4.9×\t≥ 10×\tno", false, false},
		{Figure{Name: "a", Ours: "1", Limit: "x", Ratio: 0.04, Aim: 0.05, Percent: true},
			"a\t1\tx\t4 %\t≤ 5 %\tyes", true, true},
		{Figure{Name: "a", Ours: "1", Limit: "x", Ratio: 0.09, Aim: 0.05, Percent: true},
			"a\t1\tx\t9 %\t≤ 5 %\tno", false, true},
		{Figure{Name: "a", Ours: "1", Limit: "x", Ratio: 0.11, Aim: 0.05, Percent: true},
			"a\t1\tx\t11 %\t≤ 5 %\tno", false, false},
	} {
		if got := c.f.String(); got != c.line {
			t.Errorf("String(%+v) = %q, want %q", c.f, got, c.line)
		}
		if c.f.Reached() != c.reached || c.f.within(halfway) != c.half {
			t.Errorf("%+v: reached %v, half of it %v, want %v, %v", c.f, c.f.Reached(),
				c.f.within(halfway), c.reached, c.half)
		}
	}
}

func TestAFigureFails(t *testing.T) {
	for _, c := range []struct {
		f    Figure
		want bool
	}{
		{Figure{Ratio: 0.6, Aim: 1.2, AtLeast: true}, false},
		{Figure{Ratio: 0.59, Aim: 1.2, AtLeast: true}, true},
		{Figure{Ratio: 0.59, Aim: 1.2, AtLeast: true, Timed: true}, false},
		{Figure{Ratio: 0.97, Aim: 1.2, AtLeast: true, Slack: 1.25}, false},
		{Figure{Ratio: 0.95, Aim: 1.2, AtLeast: true, Slack: 1.25}, true},
		{Figure{Ratio: 1.4, Aim: 1.1, Slack: 1.25}, true},
	} {
		if got := c.f.failed(); got != c.want {
			t.Errorf("failed(%+v) = %v, want %v", c.f, got, c.want)
		}
	}
}

func TestTook(t *testing.T) {
	for ns, want := range map[float64]string{2: "2 ns", 1500: "1.5 µs", 12_340_000: "12.3 ms", 2.5e9: "2.5 s"} {
		if got := Took(ns); got != want {
			t.Errorf("Took(%v) = %q, want %q", ns, got, want)
		}
	}
}
