package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
)

func verdicts(t *testing.T, e *engine.Engine) (list []events.Verdict) {
	t.Helper()
	if err := e.ReadVerdicts(func(v events.Verdict) bool { list = append(list, v); return true }); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestVerdictsAreKeptWithTheTurn(t *testing.T) {
	detail := events.Detail{Occurrences: []messages.Occurrence{7}}
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		turn.Pass("gate", "r", detail)
		turn.Drop("gate", "too_much", detail)
		if n, ok := m.(number); ok {
			counts.Put(turn, "n", n.N)
		}
		return nil
	})
	h.Send(hint{1}) // commits nothing, and so keeps nothing
	if got := verdicts(t, h.Engine()); len(got) != 0 {
		t.Errorf("verdicts of a fleeting turn = %+v, want none", got)
	}
	h.Send(number{1})
	got := verdicts(t, h.Engine())
	if len(got) != 2 || !got[0].Passed() || got[1].Passed() || got[1].Detail.Rule != "too_much" {
		t.Fatalf("verdicts = %+v, want a pass and a drop, as the turn made them", got)
	}
	for _, v := range got {
		if !slices.Equal(v.Detail.Occurrences, detail.Occurrences) || v.Trace == "" || v.Seq == 0 {
			t.Errorf("verdict %+v, want the detail %+v, a trace and a number", v, detail)
		}
	}
}

func TestATimerThatSetsItselfAgainHasShortIDsAndItsOwnTraces(t *testing.T) {
	var ids, traces []string
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		ids, traces = append(ids, turn.Cause().ID), append(traces, turn.Cause().Trace)
		turn.After("poll", time.Second, hint{1})
		return nil
	})
	h.Send(hint{1})
	for range 50 {
		h.Advance(time.Second)
	}
	if len(ids) < 50 {
		t.Fatalf("%d turns ran, want at least 50", len(ids))
	}
	if last := ids[len(ids)-1]; len(last) > 20 {
		t.Errorf("id of turn %d = %q, want a short one", len(ids), last)
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(traces)))); n != len(traces) {
		t.Errorf("%d turns have %d traces, want one each", len(traces), n)
	}
}

func TestADurableTimerThatSetsItselfAgainHasShortIDs(t *testing.T) {
	var ids []string
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		ids = append(ids, turn.Cause().ID)
		turn.After("tick", time.Second, number{1})
		return nil
	})
	h.Send(number{1})
	for range 50 {
		h.Advance(time.Second)
	}
	if last := ids[len(ids)-1]; len(ids) < 50 || len(last) > 60 {
		t.Errorf("id of turn %d = %q, want a short one after 50 turns", len(ids), last)
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(ids)))); n != len(ids) {
		t.Errorf("%d turns have %d ids, want one each", len(ids), n)
	}
}
