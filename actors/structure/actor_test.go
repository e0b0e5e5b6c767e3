package structure_test

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/structure"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

const second = time.Second

var ask = actortest.Ask("structure", messages.CountRows{Window: "w"}, actors.CallOptions{Deadline: 30 * second})

func spawn(t *testing.T) *actortest.Harness {
	t.Helper()
	h := actortest.Spawn(t, structure.New(structure.Options{
		Interval: second, Deadline: 30 * second, Backoff: 30 * second}), actortest.Address("structure/w"))
	h.Start()
	h.WantCalls(ask)
	return h
}

// count answers the open call.
func count(h *actortest.Harness, n int) time.Time {
	h.Answer(messages.RowsCounted{Window: "w", Rows: n, At: h.Now()})
	return h.Now()
}

func signal(rows, delta int, since, at time.Time) actortest.Sent {
	return actortest.To("fusion/w", messages.StructureSignal{Window: "w", Rows: rows, Delta: delta,
		Since: since, At: at})
}

func state(h *actortest.Harness, code string) events.StructureState {
	return events.StructureState{Window: "w", Code: code, At: h.Now()}
}

func TestSignals(t *testing.T) {
	h := spawn(t)
	first := count(h, 10)
	h.WantSent() // nothing to compare with
	h.WantPublished(state(h, ""))
	last := first
	for _, c := range []struct{ rows, delta int }{{10, 0}, {12, 2}, {11, -1}, {0, -11}} {
		h.Advance(second)
		h.WantCalls(ask)
		at := count(h, c.rows)
		h.WantSent(signal(c.rows, c.delta, last, at))
		last = at
	}
	h.WantPublished()
	h.WantCommits(0)
	h.Crash()
	h.Start()
	h.WantCalls(ask)
	count(h, 5)
	h.WantSent()
}

func TestNeverOverlaps(t *testing.T) {
	h := spawn(t)
	h.Advance(2 * second)
	h.WantCalls()
	h.WantDropped(events.StageStructure, events.RuleCountBusy)
	h.WantDropped(events.StageStructure, events.RuleCountBusy)
	count(h, 3)
	h.Advance(second)
	h.WantCalls(ask)

	h.Advance(61 * second) // the answer is lost
	h.WantCalls(ask)
}

func TestFailures(t *testing.T) {
	h := spawn(t)
	count(h, 3)
	since := h.Now()
	h.WantPublished(state(h, ""))
	for i, pause := range []time.Duration{second, 2 * second, 4 * second} {
		h.Advance(map[bool]time.Duration{true: second, false: pause / 2}[i == 0])
		h.WantCalls(ask)
		h.FailCall(messages.FailureError, messages.CodePermission, "")
		if i == 0 {
			h.WantPublished(state(h, messages.CodePermission))
		}
		h.WantPublished() // once per change
		h.WantTimer("poll", pause)
	}
	h.Advance(4 * second)
	h.WantCalls(ask)
	at := count(h, 5)
	h.WantPublished(state(h, ""))
	h.WantSent(signal(5, 2, since, at))
	h.WantTimer("poll", second)

	h.Advance(second)
	h.FailCall(messages.FailureTimeout, "", "slow")
	h.WantPublished(events.StructureState{Window: "w", Code: "timeout", Detail: "slow", At: h.Now()})
	h.Calls()
	h.Advance(second)
	h.FailCall(messages.FailureError, messages.CodeWindowGone, "")
	h.Advance(2 * second)
	count(h, 50) // another window's list
	h.WantSent()
}

func TestBackoffHasALimit(t *testing.T) {
	h := spawn(t)
	for range 12 {
		h.FailCall(messages.FailureError, messages.CodePermission, "")
		h.Calls()
		h.Advance(30 * second)
		h.WantCalls(ask)
	}
}

func TestUnexpected(t *testing.T) {
	h := spawn(t)
	h.WantFailure("structure: unexpected text_sent")
	h.Send(messages.TextSent{})
}
