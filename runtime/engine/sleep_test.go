package engine_test

import (
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
	} {
		r := newRig(t, func(turn *actors.Turn, m messages.Message) error {
			if n, ok := m.(number); ok && n.N == 1 && c.turn != nil {
				c.turn(turn)
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
