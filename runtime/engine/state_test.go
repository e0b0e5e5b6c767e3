package engine

import (
	"errors"
	"testing"
)

// nobody is a driver that does nothing.
type nobody struct{}

func (nobody) Wake(*Activation)   {}
func (nobody) WakeWorkers(string) {}

// TestMovesOfAnActivation plays every move in every state. A move that the table
// in state.go lacks changes nothing.
func TestMovesOfAnActivation(t *testing.T) {
	why := errors.New("disk says no")
	type after [stopped + 1]state // by the state before
	moves := []struct {
		name string
		do   func(*Activation)
		want after
	}{
		{"becomeRunning", (*Activation).becomeRunning, after{running, running, failed, stale, frozen, asleep, stopped}},
		{"becomeFailed", (*Activation).becomeFailed, after{failed, failed, failed, stale, frozen, asleep, stopped}},
		{"becomeStale", func(a *Activation) { a.becomeStale(why) },
			after{stale, stale, stale, stale, frozen, asleep, stopped}},
		{"becomeStarting", func(a *Activation) { a.becomeStarting(4) },
			after{starting, starting, starting, starting, frozen, asleep, stopped}},
		{"becomeFrozen", (*Activation).becomeFrozen, after{frozen, frozen, frozen, frozen, frozen, asleep, stopped}},
		{"becomeThawed", (*Activation).becomeThawed, after{stale, stale, stale, stale, stale, asleep, stopped}},
		{"becomeStopped", func(a *Activation) { a.becomeStopped() },
			after{stopped, stopped, stopped, stopped, stopped, asleep, stopped}},
		{"becomeAsleep", func(a *Activation) { a.becomeAsleep() },
			after{starting, asleep, failed, stale, frozen, asleep, stopped}},
	}
	for _, m := range moves {
		for before := starting; before <= stopped; before++ {
			act := &Activation{state: before}
			if before == stale {
				act.why = why
			}
			if m.do(act); act.state != m.want[before] {
				t.Errorf("%s in state %d leads to %d, want %d", m.name, before, act.state, m.want[before])
			}
			if (act.why != nil) != (act.state == stale) {
				t.Errorf("%s in state %d: reason %v in state %d, want one in state %d alone",
					m.name, before, act.why, act.state, stale)
			}
		}
	}
}

// Only a restart of a stale activation reads the inbox again, and only the first
// stop counts.
func TestWhatMovesReport(t *testing.T) {
	for before := starting; before <= stopped; before++ {
		act := &Activation{state: before, incarnation: 3}
		if got := act.becomeStarting(4); got != (before == stale) || act.incarnation != 4 {
			t.Errorf("becomeStarting() in state %d = %v in incarnation %d, want %v in 4",
				before, got, act.incarnation, before == stale)
		}
		act = &Activation{state: before}
		if got := act.becomeStopped(); got != (before < asleep) {
			t.Errorf("becomeStopped() in state %d = %v, want %v", before, got, before < asleep)
		}
	}
}

// Turns that wait for their commit are void once they were taken back.
func TestTakeBackMakesTurnsVoid(t *testing.T) {
	for name, do := range map[string]func(*Activation){
		"becomeFrozen": (*Activation).becomeFrozen, "becomeThawed": (*Activation).becomeThawed,
		"a failed commit": func(a *Activation) {
			a.pending[0].refused(&Engine{driver: nobody{}}, Refused, errors.New("disk says no"))
		},
	} {
		act := &Activation{state: running}
		waiting := &turn{effect: effect{act: act}}
		act.pending, act.view = []*turn{waiting}, map[string]overlay{"k": {by: waiting}}
		if waiting.void() {
			t.Fatalf("a turn is void before %s", name)
		}
		do(act)
		if !waiting.void() || len(act.pending)+len(act.view) > 0 {
			t.Errorf("after %s: void = %v, %d turns wait, want void and none", name, waiting.void(), len(act.pending))
		}
	}
}
