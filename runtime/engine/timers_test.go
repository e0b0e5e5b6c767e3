package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Timers fire once each, not before they are due, in the order of due times
// and, among equals, of setting.
func TestTimersAgainstAModel(t *testing.T) {
	type entry struct {
		due   time.Time
		order int
		n     int
	}
	rapid.Check(t, func(t *rapid.T) {
		tm, now := newTimers(), goldenTime
		model := map[string]entry{}
		var fired []int
		order := 0
		key := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
		t.Repeat(map[string]func(*rapid.T){
			"arm": func(t *rapid.T) {
				order++
				k, n := key.Draw(t, "key"), order
				due := now.Add(time.Duration(rapid.IntRange(-2, 5).Draw(t, "in")) * time.Second)
				tm.arm(k, due, n%2 == 0, func() { fired = append(fired, n) })
				model[k] = entry{due, order, n}
			},
			"cancel": func(t *rapid.T) {
				k := key.Draw(t, "key")
				tm.cancel(k)
				delete(model, k)
			},
			"fire": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(-1, 3).Draw(t, "later")) * time.Second)
				var due []entry
				for k, e := range model {
					if !e.due.After(now) {
						due = append(due, e)
						delete(model, k)
					}
				}
				slices.SortFunc(due, func(a, b entry) int {
					if c := a.due.Compare(b.due); c != 0 {
						return c
					}
					return a.order - b.order
				})
				var want []int
				for _, e := range due {
					want = append(want, e.n)
				}
				fired = nil
				if n := tm.fire(now, now); n != len(want) || !slices.Equal(fired, want) {
					t.Fatalf("fire() = %d with %v, want %v", n, fired, want)
				}
			},
			"": func(t *rapid.T) {
				var first time.Time
				durable := 0
				for _, e := range model {
					if first.IsZero() || e.due.Before(first) {
						first = e.due
					}
					if e.n%2 == 0 && !e.due.After(now.Add(2*time.Second)) {
						durable++
					}
				}
				if got, ok := tm.next(); ok != (len(model) > 0) || !got.Equal(first) {
					t.Fatalf("next() = %v, %v, want %v of %d", got, ok, first, len(model))
				}
				if got := tm.durableBefore(now.Add(2 * time.Second)); got != durable {
					t.Fatalf("durableBefore() = %d, want %d", got, durable)
				}
			},
		})
	})
}

func TestTimerMayArmAndCancelOthers(t *testing.T) {
	tm := newTimers()
	var got []string
	tm.arm("a", goldenTime, false, func() {
		got = append(got, "a")
		tm.cancel("b")
		tm.arm("c", goldenTime, false, func() { got = append(got, "c") })
	})
	tm.arm("b", goldenTime, false, func() { got = append(got, "b") })
	if n := tm.fire(goldenTime, goldenTime); n != 2 || fmt.Sprint(got) != "[a c]" {
		t.Errorf("fire() = %d with %v, want 2 with [a c]", n, got)
	}
}

func TestTimersSayWhenTheNextComesNearer(t *testing.T) {
	tm := newTimers()
	told := func() bool {
		select {
		case <-tm.changed:
			return true
		default:
			return false
		}
	}
	for i, step := range []struct {
		in   time.Duration
		want bool
	}{{time.Minute, true}, {time.Hour, false}, {time.Second, true}, {time.Second, false}} {
		tm.arm(fmt.Sprint(i), goldenTime.Add(step.in), false, func() {})
		if got := told(); got != step.want {
			t.Errorf("after timer %d in %v: told %v, want %v", i, step.in, got, step.want)
		}
	}
}

// The machine sleeps, or somebody sets the clock: the calendar goes ahead of the
// time, or falls back.
func TestDurableTimersFollowTheCalendar(t *testing.T) {
	for _, c := range []struct {
		name              string
		gone, calendar    time.Duration // when it is looked at, since the timers were set
		durable, fleeting bool          // which of two timers of an hour have fired
	}{
		{"nothing happened", 59 * time.Minute, 59 * time.Minute, false, false},
		{"an hour went by", time.Hour, time.Hour, true, true},
		{"it slept past the hour", 10 * time.Minute, 2 * time.Hour, true, false},
		{"it slept, not long enough", 10 * time.Minute, 50 * time.Minute, false, false},
		{"the clock fell back", time.Hour, 10 * time.Minute, true, true},
	} {
		tm := newTimers()
		tm.fire(goldenTime, goldenTime)
		var durable, fleeting bool
		due := goldenTime.Add(time.Hour)
		tm.arm("durable", due, true, func() { durable = true })
		tm.arm("fleeting", due, false, func() { fleeting = true })
		tm.fire(goldenTime.Add(c.gone), goldenTime.Add(c.calendar))
		if durable != c.durable || fleeting != c.fleeting {
			t.Errorf("%s: durable fired %v, fleeting %v, want %v and %v", c.name, durable, fleeting, c.durable,
				c.fleeting)
		}
	}
}

// What the machine slept brings a timer nearer to the second.
func TestNextTimerAfterSleep(t *testing.T) {
	tm := newTimers()
	tm.fire(goldenTime, goldenTime)
	tm.arm("fleeting", goldenTime.Add(50*time.Minute), false, func() {})
	tm.arm("durable", goldenTime.Add(time.Hour), true, func() {})
	now := goldenTime.Add(10 * time.Minute)
	if n := tm.fire(now, now.Add(30*time.Minute)); n != 0 {
		t.Fatalf("fire() = %d, want none", n)
	}
	if due, _ := tm.next(); !due.Equal(now.Add(20 * time.Minute)) {
		t.Errorf("next() = %v after the sleep, want in 20m", due.Sub(now))
	}
}

// realTime has what only time.Now gives: time that goes by beside the calendar's.
type realTime struct{}

func (realTime) Now() time.Time { return time.Now() }

// A comparison of two times that both have elapsed time looks at nothing else, so the calendar that
// timers are fired with must have none.
func TestTheCalendarIsNotTheTimeThatGoesBy(t *testing.T) {
	e := &Engine{clock: realTime{}, timers: newTimers()}
	e.Control().FireTimers()
	const elapsed = "m=+"
	if at := e.timers.calendar.String(); strings.Contains(at, elapsed) {
		t.Errorf("the calendar is %s, want no elapsed time in it", at)
	}
	if at := e.timers.time.String(); !strings.Contains(at, elapsed) {
		t.Errorf("the time is %s, want elapsed time in it", at)
	}
}
