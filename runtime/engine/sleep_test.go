package engine_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Sleep takes nothing away: who has something that only memory knows stays awake.
func TestWhoStaysAwake(t *testing.T) {
	for name, c := range map[string]struct {
		turn   func(*actors.Turn) // of the message
		before func(*rig)         // Sleep, after the turn has committed
		sleeps bool
	}{
		"nothing to do": {turn: func(*actors.Turn) {}, sleeps: true},
		"a durable timer": {turn: func(turn *actors.Turn) { turn.After("k", time.Hour, number{}) },
			sleeps: true},
		"a durable call": {turn: func(turn *actors.Turn) {
			turn.Call("calc", ask{}, actors.CallOptions{Deadline: actors.DefaultDeadline})
		},
			sleeps: true},
		"a fleeting timer": {turn: func(turn *actors.Turn) { turn.After("k", time.Hour, messages.PollDue{}) }},
		"a fleeting call": {turn: func(turn *actors.Turn) {
			turn.Call("calc", messages.PollDue{},
				actors.CallOptions{Deadline: actors.DefaultDeadline})
		}},
		"mail":          {before: func(r *rig) { r.Post("", "actor/b", number{2}, ""); r.Commit(100) }},
		"fleeting mail": {before: func(r *rig) { r.Post("", "actor/b", messages.PollDue{}, "") }},
		"a turn not yet written": {before: func(r *rig) {
			r.Post("", "actor/b", number{2}, "")
			r.Commit(100)
			r.Step(r.act)
		}},
		"a row of failures": {before: func(r *rig) {
			for range 11 {
				r.Post("", "actor/b", messages.PollDue{}, "")
				r.run()
			}
		}},
	} {
		r := newRig(t, func(turn *actors.Turn, m messages.Message) error {
			switch m := m.(type) {
			case messages.PollDue:
				return errors.New("no window")
			case number:
				if m.N == 1 && c.turn != nil {
					c.turn(turn)
				}
			}
			return nil
		})
		r.run()
		if _, err := r.Post("", "actor/b", number{1}, ""); err != nil {
			t.Fatal(err)
		}
		r.run()
		if c.before != nil {
			c.before(r)
		}
		act := r.act
		if got := r.Sleep(act, 0); got != c.sleeps {
			t.Errorf("with %s: Sleep() = %v, want %v", name, got, c.sleeps)
		}
		if act.Asleep() != c.sleeps {
			t.Errorf("with %s: Asleep() = %v, want %v", name, act.Asleep(), c.sleeps)
		}
		if progress, _ := r.Step(act); c.sleeps && progress != engine.Idle {
			t.Errorf("with %s: a sleeper takes a step", name)
		}
	}
}

// An inbox of many small messages that waited for a start is read window by window.
func TestSmallMessagesAreReadInWindows(t *testing.T) {
	const window, many = 256, 300
	var got []int
	receive := func(_ *actors.Turn, m messages.Message) error {
		if n, ok := m.(number); ok {
			got = append(got, n.N)
		}
		return nil
	}
	r := newRig(t, receive)
	for n := range many {
		if _, err := r.Post("", "actor/b", number{n}, ""); err != nil {
			t.Fatal(err)
		}
	}
	r.Commit(many)
	again := rigOn(t, r.disk, receive) // a new process
	again.disk.most = 0
	if err := again.Activate("actor/b"); err != nil {
		t.Fatal(err)
	}
	for range many {
		again.run()
	}
	if again.disk.most > window+1 {
		t.Errorf("a scan read %d messages, want at most %d and a look at the next", again.disk.most, window)
	}
	if len(got) != many || !slices.IsSorted(got) {
		t.Errorf("%d messages came, want %d in order: %v", len(got), many, got)
	}
}
