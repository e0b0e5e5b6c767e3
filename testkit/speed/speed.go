// Package speed measures how fast something is against a peer, in one run and by
// turns, so that a busy machine slows both. Its main functions are [Compare],
// which measures, and [Report], which takes a figure measured otherwise. Each adds
// a [Figure] to the output of its test; `make bench` makes one table of them.
//
// A test fails only when a figure misses half of its aim; the rest is for the reader of
// the table to judge. Figures in absolute time never fail a test.
package speed

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"
)

// Row is a comparison to be made. One of Faster and Within is the aim.
type Row struct {
	Name string
	Ours func()
	Peer func()
	// Against says what the peer is.
	Against string
	// Faster is how many times as long the peer must take, at least.
	Faster float64
	// Within is how many times as long as the peer ours may take.
	Within float64
}

// rounds is how often each side is measured; slow sides are measured less.
const (
	rounds     = 21
	slowRounds = 5
	slow       = 100 * time.Millisecond
	sample     = time.Millisecond // what one measurement takes at least
)

// attempts is how often a comparison is repeated before it fails: a busy machine spoils
// some attempts, slow code all of them.
const attempts = 4

// Compare measures both sides alternately and reports the ratio of their medians.
func Compare(t testing.TB, r Row) {
	t.Helper()
	f := compare(r)
	for n := 1; n < attempts && !f.within(halfway); n++ {
		f = compare(r)
	}
	Report(t, f)
}

func compare(r Row) Figure {
	ours, peer := newSide(r.Ours), newSide(r.Peer)
	n := rounds
	if ours.once > slow || peer.once > slow {
		n = slowRounds
	}
	for i := range n {
		if i%2 == 0 {
			ours.measure()
			peer.measure()
		} else {
			peer.measure()
			ours.measure()
		}
	}
	f := Figure{Name: r.Name, Ours: Took(ours.median()), Limit: r.Against + " " + Took(peer.median())}
	if r.Faster > 0 {
		f.Ratio, f.Aim, f.AtLeast = peer.median()/ours.median(), r.Faster, true
	} else {
		f.Ratio, f.Aim = ours.median()/peer.median(), r.Within
	}
	return f
}

// Absolute measures one thing against a limit in time.
func Absolute(t testing.TB, name string, limit time.Duration, ours func()) {
	t.Helper()
	s := newSide(ours)
	for range rounds {
		s.measure()
	}
	Report(t, Figure{
		Name: name, Ours: Took(s.median()), Limit: limit.String(),
		Ratio: s.median() / float64(limit), Aim: 1, Timed: true,
	})
}

// side is one side of a comparison.
type side struct {
	run   func()
	once  time.Duration
	times int       // calls of one measurement
	took  []float64 // nanoseconds a call
}

// newSide warms up, and finds how many calls a measurement needs.
func newSide(run func()) *side {
	s := &side{run: run, times: 1}
	run()
	for {
		began := time.Now()
		s.calls()
		took := time.Since(began)
		if s.once = took / time.Duration(s.times); took >= sample {
			return s
		}
		s.times *= 2
	}
}

func (s *side) calls() {
	for range s.times {
		s.run()
	}
}

func (s *side) measure() {
	began := time.Now()
	s.calls()
	s.took = append(s.took, float64(time.Since(began))/float64(s.times))
}

func (s *side) median() float64 { return median(s.took) }

// median is the middle one of an odd number of values.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// Took formats nanoseconds with three digits.
func Took(ns float64) string {
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%.3g ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	case ns < 1e9:
		return fmt.Sprintf("%.3g ms", ns/1e6)
	}
	return fmt.Sprintf("%.3g s", ns/1e9)
}

// Figure is one line of the table.
type Figure struct {
	Name  string
	Ours  string
	Limit string // the peer, or a limit
	Ratio float64
	Aim   float64
	// AtLeast makes Aim a lower bound; otherwise it is an upper one.
	AtLeast bool
	// Percent shows ratio and aim as shares.
	Percent bool
	// Slack is how many times away from its aim a figure may be before its test fails. 0 means 2.
	Slack float64
	// Timed figures depend on the machine: they never fail a test.
	Timed bool
}

// Reached reports whether the aim is.
func (f Figure) Reached() bool { return f.within(1) }

// within reports whether the ratio is within slack times the aim.
func (f Figure) within(slack float64) bool {
	if f.AtLeast {
		return f.Ratio*slack >= f.Aim
	}
	return f.Ratio <= f.Aim*slack
}

func (f Figure) failed() bool { return !f.Timed && !f.within(f.slack()) }

func (f Figure) slack() float64 { return cmp.Or(f.Slack, halfway) }

// halfway is the slack of figures that have none of their own.
const halfway = 2

// String is the line, its columns separated by tabs.
func (f Figure) String() string {
	sign, reached := "≤", "yes"
	if f.AtLeast {
		sign = "≥"
	}
	if !f.Reached() {
		reached = "no"
	}
	number := func(v float64) string {
		if f.Percent {
			return fmt.Sprintf("%.2g %%", 100*v)
		}
		if v >= 99.5 { // which %.2g would round to 1e+02
			return fmt.Sprintf("%.0f×", v)
		}
		return fmt.Sprintf("%.2g×", v)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s %s\t%s", f.Name, f.Ours, f.Limit, number(f.Ratio), sign,
		number(f.Aim), reached)
}

// Report writes a figure to the test's output, and fails the test if it is further from its aim
// than its slack.
func Report(t testing.TB, f Figure) {
	t.Helper()
	fmt.Fprintf(t.Output(), "speed\t%s\n", f)
	if f.failed() {
		t.Errorf("%s: %s, against %s: further from the aim than %.3g times; `make bench` shows the figure",
			f.Name, f.Ours, f.Limit, f.slack())
	}
}
