package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// listening asks calc, durably for a number, and keeps what it is told of the
// call; a flush gives up the last call.
func listening(told *[]messages.Message) receive {
	var call string
	return func(turn *actors.Turn, m messages.Message) error {
		switch m := m.(type) {
		case number:
			if m.N == 0 { // a mail of its own
				turn.Send("other/a", m)
				return nil
			}
			call = turn.Call("calc", ask(m),
				actors.CallOptions{Deadline: actors.DefaultDeadline, Tag: "tag", Retries: 1})
		case peek:
			call = turn.Call("calc", m, actors.CallOptions{Deadline: actors.DefaultDeadline, Tag: "tag", Retries: 1})
		case flush:
			turn.CancelCall(call)
		default:
			if c := turn.Cause(); c.Call != call || c.Tag != "tag" || c.From != "calc/pool" {
				turn.Send("other/wrong", number{})
			}
			*told = append(*told, m)
		}
		return nil
	}
}

func wantTold(t *testing.T, told *[]messages.Message, want ...messages.Message) {
	t.Helper()
	if !slices.Equal(*told, want) {
		t.Errorf("told of the call: %v, want %v", *told, want)
	}
	*told = nil
}

func TestReportsComeBeforeTheAnswer(t *testing.T) {
	for name, request := range map[string]messages.Message{"durable": number{1}, "fleeting": peek{N: 1}} {
		t.Run(name, func(t *testing.T) {
			var told []messages.Message
			h := step(t, listening(&told), actortest.WithMessages(reportTypes))
			h.Send(request)
			h.Report(part{1, 1})
			h.Report(part{1, 2})
			h.Answer(twice{2})
			wantTold(t, &told, part{1, 1}, part{1, 2}, twice{2})
			h.WantSent()
		})
	}
}

// A durable call starts over after a crash; its reports are lost.
func TestReportsAfterACrash(t *testing.T) {
	var told []messages.Message
	h := step(t, listening(&told), actortest.WithMessages(reportTypes))
	h.Send(number{1})
	h.CrashBeforeCommit()
	h.Report(part{1, 1})
	wantTold(t, &told, part{1, 1}) // that turn never happened
	h.Calls()
	told = nil
	h.Answer(twice{2})
	wantTold(t, &told, twice{2})
}

func TestCancelledCallIsSilent(t *testing.T) {
	for name, request := range map[string]messages.Message{"durable": number{1}, "fleeting": peek{N: 1}} {
		t.Run(name, func(t *testing.T) {
			var told []messages.Message
			store := mem.New()
			h := step(t, listening(&told), actortest.WithMessages(reportTypes), actortest.Store(store))
			h.Send(request)
			h.Report(part{1, 1})
			asked := h.Calls()
			h.Send(flush{})
			h.WantCancelled(asked...)
			wantTold(t, &told, part{1, 1})
			if got := keys(t, store, "c/"); len(got) > 0 {
				t.Errorf("the store holds %q, want no call", got)
			}
			h.Send(flush{}) // of a call that is gone
			h.Advance(time.Hour)
			h.WantCancelled()
			h.Crash()
			h.WantCalls()
			wantTold(t, &told)
		})
	}
}

// A cancellation that is not committed has not happened.
func TestCancellationIsTakenBackWithItsTurn(t *testing.T) {
	var told []messages.Message
	h := step(t, listening(&told), actortest.WithMessages(reportTypes))
	h.Send(number{1})
	h.Calls()
	h.FailNextCommit()
	h.Send(flush{})
	h.WantCancelled()
	h.Restart()
	h.WantCancelled(actortest.Ask("calc", ask{1}))
	wantTold(t, &told)
	h.Crash()
	h.WantCalls()
}

func TestACallOfTheSameTurnIsCancelled(t *testing.T) {
	store := mem.New()
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		turn.CancelCall(turn.Call("calc", ask(m.(number)), actors.CallOptions{Deadline: actors.DefaultDeadline}))
		return nil
	}, actortest.Store(store))
	h.Send(number{1})
	h.WantCalls(actortest.Ask("calc", ask{1}))
	h.WantCancelled(actortest.Ask("calc", ask{1}))
	if got := keys(t, store, "c/"); len(got) > 0 {
		t.Errorf("the store holds %q, want no call", got)
	}
	h.Crash()
	h.WantCalls()
}

func TestCancelCallWantsAnID(t *testing.T) {
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		turn.CancelCall("")
		return nil
	})
	h.WantFailure("want an id that Call has returned")
	h.Send(hint{1})
}

var reportTypes = messages.Table{messages.Fleeting[part](), messages.Fleeting[peek]()}
