package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// script is an actor that does with each number what a list says, and passes
// hints and flushes on.
func script(steps ...func(*actors.Turn)) receive {
	return func(turn *actors.Turn, m messages.Message) error {
		if n, ok := m.(number); ok {
			steps[n.N](turn)
			return nil
		}
		turn.Send("other/a", m)
		return nil
	}
}

func TestCancelledTimerStaysSilentEvenWhenItIsUnderWay(t *testing.T) {
	for _, msg := range []messages.Message{flush{}, hint{}} {
		h := step(t, func(turn *actors.Turn, m messages.Message) error {
			switch m {
			case messages.Message(number{0}):
				// Both fire at once; the first cancels the second.
				turn.After("a", time.Second, number{1})
				turn.After("b", time.Second, msg)
			case messages.Message(number{1}):
				turn.Cancel("b")
			default:
				turn.Send("other/a", m)
			}
			return nil
		})
		h.Send(number{0})
		h.Advance(time.Minute)
		h.WantSent()
		h.WantNoTimer("b")
		h.Crash()
		h.Advance(time.Minute)
		h.WantSent()
	}
}

func TestTimerSetAgainWhileItIsUnderWay(t *testing.T) {
	for _, msg := range []messages.Message{flush{}, hint{}} {
		h := step(t, func(turn *actors.Turn, m messages.Message) error {
			switch m {
			case messages.Message(number{0}):
				turn.After("a", time.Second, number{1})
				turn.After("b", time.Second, msg)
			case messages.Message(number{1}):
				turn.After("b", 2*time.Second, msg)
			default:
				turn.Send("other/a", m)
			}
			return nil
		})
		h.Send(number{0})
		h.Advance(time.Second)
		h.WantSent()
		h.WantTimer("b", 2*time.Second)
		h.Advance(2 * time.Second)
		h.WantSent(actortest.To("other/a", msg))
		h.Advance(time.Hour)
		h.WantSent()
	}
}

func TestTimerOfTheSameKeyIsReplaced(t *testing.T) {
	durable := func(d time.Duration) func(*actors.Turn) {
		return func(turn *actors.Turn) { turn.After("k", d, flush{}) }
	}
	fleeting := func(d time.Duration) func(*actors.Turn) {
		return func(turn *actors.Turn) { turn.After("k", d, hint{}) }
	}
	cancel := func(turn *actors.Turn) { turn.Cancel("k") }
	both := func(a, b func(*actors.Turn)) func(*actors.Turn) {
		return func(turn *actors.Turn) { a(turn); b(turn) }
	}
	type turns []func(*actors.Turn)
	for name, c := range map[string]struct {
		steps turns
		want  messages.Message // after 2 s and not before; nil: nothing
		crash messages.Message // the same after a crash
	}{
		"durable by durable":    {turns{durable(time.Second), durable(2 * time.Second)}, flush{}, flush{}},
		"fleeting by fleeting":  {turns{fleeting(time.Second), fleeting(2 * time.Second)}, hint{}, nil},
		"durable by fleeting":   {turns{durable(time.Second), fleeting(2 * time.Second)}, hint{}, nil},
		"fleeting by durable":   {turns{fleeting(time.Second), durable(2 * time.Second)}, flush{}, flush{}},
		"longer by shorter":     {turns{durable(time.Hour), durable(2 * time.Second)}, flush{}, flush{}},
		"in one turn":           {turns{both(durable(time.Second), durable(2*time.Second))}, flush{}, flush{}},
		"in one turn, fleeting": {turns{both(durable(time.Second), fleeting(2*time.Second))}, hint{}, nil},
		"cancelled":             {turns{durable(time.Second), cancel}, nil, nil},
		"cancelled in one turn": {turns{both(durable(time.Second), cancel)}, nil, nil},
		"set after cancel":      {turns{durable(time.Second), both(cancel, durable(2*time.Second))}, flush{}, flush{}},
	} {
		for _, crash := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, crash %v", name, crash), func(t *testing.T) {
				store := mem.New()
				h := step(t, script(c.steps...), actortest.Store(store))
				for n := range c.steps {
					h.Send(number{n})
				}
				want := c.want
				if want == nil {
					h.WantNoTimer("k")
				} else {
					h.WantTimer("k", 2*time.Second)
				}
				if crash {
					h.Crash()
					want = c.crash
				}
				h.Advance(2*time.Second - 1)
				h.WantSent()
				h.Advance(1)
				if want == nil {
					h.WantSent()
				} else {
					h.WantSent(actortest.To("other/a", want))
				}
				h.Advance(24 * time.Hour)
				h.WantSent()
				if got := keys(t, store, "t/"); len(got) > 0 {
					t.Errorf("the store holds %q, want no timer", got)
				}
			})
		}
	}
}

func TestDurableTimerIsLateRatherThanNever(t *testing.T) {
	store := mem.New()
	set := script(func(turn *actors.Turn) { turn.After("k", time.Minute, flush{}) })
	step(t, set, actortest.Store(store)).Send(number{0})
	later := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	h := step(t, set, actortest.Store(store), actortest.Start(later))
	h.WantTimer("k", 0)
	h.Advance(0)
	h.WantSent(actortest.To("other/a", flush{}))
	h.Crash()
	h.Advance(time.Hour)
	h.WantSent()
}

// A clock that was set back makes no timer wait longer than it was set for.
func TestClockSetBack(t *testing.T) {
	store := mem.New()
	set := script(func(turn *actors.Turn) { turn.After("k", time.Minute, flush{}) })
	h := step(t, set, actortest.Store(store))
	h.Send(number{0})
	h.Advance(30 * time.Second)
	h.SetClock(h.Now().Add(-365 * 24 * time.Hour))
	h.Crash()
	h.WantTimer("k", time.Minute)
	h.Advance(time.Minute)
	h.WantSent(actortest.To("other/a", flush{}))

	h.Send(number{0}) // and turns still work before what the store has seen
	h.WantTimer("k", time.Minute)
	h.Advance(time.Minute)
	h.WantSent(actortest.To("other/a", flush{}))
}

// A timer whose message fails is tried as often as any message. Its failures
// are its own: they do not count against what is later set under its key.
func TestFailuresOfATimerAreItsOwn(t *testing.T) {
	for name, settle := range map[string]func(*actors.Turn){
		"set again": func(turn *actors.Turn) { turn.After("k", time.Second, flush{}) },
		"cancelled": func(turn *actors.Turn) { turn.Cancel("k") },
	} {
		t.Run(name, func(t *testing.T) {
			store := mem.New()
			var attempts []int
			h := step(t, func(turn *actors.Turn, m messages.Message) error {
				switch m {
				case messages.Message(number{0}):
					turn.After("k", time.Second, flush{})
				case messages.Message(hint{}):
					settle(turn)
				case messages.Message(flush{}):
					attempts = append(attempts, turn.Cause().Attempt)
					return errors.New("no flush")
				}
				return nil
			}, actortest.Store(store))
			h.Send(number{0})
			h.WantFailure("no flush")
			h.Advance(time.Second)
			for range 3 {
				h.WantFailure("no flush")
				h.Restart()
			}
			// The next restart hands the failed message out again before the hint,
			// so a crash lets the hint come first.
			attempts = nil
			h = again(t, h, store, &attempts, settle)
			h.WantFailure("no flush")
			if name == "cancelled" {
				h.Send(number{0})
			}
			h.Crash() // the failures are read from the store, if there are any
			h.Advance(time.Second)
			if got, want := fmt.Sprint(attempts), "[1]"; got != want {
				t.Errorf("attempts of the later timer = %s, want %s", got, want)
			}
			h.WantDeadLetters(0)
			if name == "cancelled" {
				return
			}
			for range 4 {
				h.WantFailure("no flush")
				h.Restart()
			}
			h.WantDeadLetters(1)
			if got := keys(t, store, "a/"); len(got) > 0 {
				t.Errorf("the store holds %q, want no attempts of what is gone", got)
			}
		})
	}
}

// again starts over the store at a time before the timer is due, and lets a
// hint settle it.
func again(
	t *testing.T, old *actortest.Harness, store *mem.Store, attempts *[]int, settle func(*actors.Turn),
) *actortest.Harness {
	t.Helper()
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		switch m {
		case messages.Message(number{0}):
			turn.After("k", time.Second, flush{})
		case messages.Message(hint{}):
			settle(turn)
		case messages.Message(flush{}):
			*attempts = append(*attempts, turn.Cause().Attempt)
			return errors.New("no flush")
		}
		return nil
	}, actortest.Store(store), actortest.Start(old.Now().Add(-time.Minute)))
	h.Send(hint{})
	return h
}

func TestFleetingTurnsCommitNothing(t *testing.T) {
	store := mem.New()
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		counts.Get(turn, "n")
		turn.Cancel("durable")
		turn.After("fleeting", time.Second, hint{9})
		turn.Cancel("other")
		turn.Send("other/a", hint{1})
		turn.Call("calc", hint{2}, actors.CallOptions{Deadline: actors.DefaultDeadline})
		turn.Drop("test", "dropped", events.Detail{})
		turn.Publish(hint{3})
		return nil
	}, actortest.Store(store))
	before := fmt.Sprint(keys(t, store, ""))
	h.Send(hint{0})
	h.Answer(hint{4})
	h.FailCall(messages.FailureError, "", "no")
	h.Advance(3 * time.Second)
	if got := len(h.Sent()); got != 6 {
		t.Errorf("%d messages were sent, want 6: one a turn", got)
	}
	h.WantCommits(0)
	if got := fmt.Sprint(keys(t, store, "")); got != before {
		t.Errorf("the store holds %s, want %s as before", got, before)
	}
}
