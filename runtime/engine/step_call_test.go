package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// asking asks a worker for each number, and passes answers on with what they
// were told about the call.
func asking(turn *actors.Turn, m messages.Message) error {
	switch m := m.(type) {
	case number:
		turn.Call("calc", ask(m), actors.CallOptions{Deadline: actors.DefaultDeadline, Tag: "tag", Retries: 1})
	case hint:
		turn.Call("calc", m, actors.CallOptions{Deadline: actors.DefaultDeadline, Tag: "tag"})
	case twice:
		c := turn.Cause()
		n, _ := counts.Get(turn, "answers")
		counts.Put(turn, "answers", n+1)
		turn.Send("other/a", m)
		if c.Tag != "tag" || c.Call == "" || c.From != "calc/pool" {
			return errors.New("the cause does not tell the call")
		}
	case messages.CallFailed:
		turn.Send("other/a", m)
	}
	return nil
}

func TestDurableCallIsAskedAgainAndAnsweredOnce(t *testing.T) {
	store := mem.New()
	h := step(t, asking, actortest.Store(store))
	h.Send(number{1})
	h.WantCalls(actortest.Ask("calc", ask{1},
		actors.CallOptions{Deadline: actors.DefaultDeadline, Tag: "tag", Retries: 1}))
	for range 3 {
		h.Crash()
		h.WantCalls(actortest.Ask("calc", ask{1},
			actors.CallOptions{Deadline: actors.DefaultDeadline, Tag: "tag", Retries: 1}))
	}
	h.CrashBeforeCommit()
	h.Answer(twice{2}) // runs and dies
	h.WantSent()
	h.WantCalls(actortest.Ask("calc", ask{1}))
	h.FailNextCommit()
	h.Answer(twice{2}) // runs and is taken back
	h.Restart()
	h.WantSent()
	h.WantCalls(actortest.Ask("calc", ask{1}))
	h.Answer(twice{2})
	h.WantSent(actortest.To("other/a", twice{2}))
	h.Crash()
	h.WantCalls()
	h.WantSent()
	actortest.WantStored(h, counts, "answers", 1)
	if got := keys(t, store, "c/"); len(got) > 0 {
		t.Errorf("the store holds %q, want no call", got)
	}
}

func TestAnswerThatFailsIsTriedAgainAndQuarantined(t *testing.T) {
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		if _, ok := m.(twice); ok {
			return errors.New("no answer wanted")
		}
		return asking(turn, m)
	})
	h.Send(number{1})
	for range 5 {
		h.WantFailure("no answer wanted")
	}
	h.Answer(twice{2})
	h.Advance(time.Minute)
	h.WantDeadLetters(1)
	h.WantCalls(actortest.Ask("calc", ask{1}))
	h.Crash()
	h.WantCalls()
	if d := h.DeadLetters()[0]; d.Type != "test_twice" || d.From != "calc/pool" {
		t.Errorf("DeadLetters() = %+v, want the answer test_twice of calc", d)
	}
}

func TestFailedCallTellsWhatItWas(t *testing.T) {
	h := step(t, asking)
	h.Send(number{1})
	id := h.Calls()[0].ID
	h.FailCall(messages.FailureTimeout, "", "too slow\nwith a second line")
	h.WantSent(actortest.To("other/a", messages.CallFailed{
		Call: id, Tag: "tag", Worker: "calc", Request: "test_ask", Kind: messages.FailureTimeout, Detail: "too slow",
		Attempts: 2,
	}))
	h.Send(number{2})
	id = h.Calls()[0].ID
	h.FailCall(messages.FailureError, "gone", "nobody is there")
	h.WantSent(actortest.To("other/a", messages.CallFailed{
		Call: id, Tag: "tag", Worker: "calc", Request: "test_ask", Kind: messages.FailureError, Code: "gone",
		Detail: "nobody is there", Attempts: 1,
	}))
}

// The answer to a fleeting call is for the activation that asked, even if the
// question left late, after a restart.
func TestFleetingAnswerOfAnOldActivationIsVoid(t *testing.T) {
	space := &volume{Store: mem.New(), free: 1 << 40}
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		switch m {
		case messages.Message(number{0}):
			counts.Put(turn, "n", 1)
			turn.Call("calc", hint{1}, actors.CallOptions{Deadline: actors.DefaultDeadline})
		case messages.Message(hint{0}):
			return errors.New("restart")
		default:
			turn.Send("other/a", m)
		}
		return nil
	}, actortest.Store(space))
	h.Send(hint{2})
	h.WantSent(actortest.To("other/a", hint{2}))
	// The first turn of the old activation waits for its commit over a restart.
	h.Send(number{9})
	h.WantSent(actortest.To("other/a", number{9}))
	h.Send(number{0})
	h.WantCalls(actortest.Ask("calc", hint{1}))
	h.Answer(hint{3})
	h.WantSent(actortest.To("other/a", hint{3}))

	space.hold = func() { space.free = 0 } // from the next turn on
	h.Send(number{0})
	h.WantCalls()
	h.WantFailure("restart")
	h.Send(hint{0})
	h.Restart()
	space.hold, space.free = nil, 1<<40
	h.Settle()
	h.WantCalls(actortest.Ask("calc", hint{1}))
	h.Answer(hint{3})
	h.WantSent()
}
