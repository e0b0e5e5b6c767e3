package engine

import (
	"fmt"
	"slices"
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
				if n := tm.fire(now); n != len(want) || !slices.Equal(fired, want) {
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
	if n := tm.fire(goldenTime); n != 2 || fmt.Sprint(got) != "[a c]" {
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
