package ingress

import (
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// TestJoinSent: what was sent into a conversation that goes into another one is no news
// there when it is read back, whichever commit fails, and neither is what is sent later.
func TestJoinSent(t *testing.T) {
	o := DefaultRules()
	from := spawn(t, o)
	from.Send(told("be there at nine", "t1"))
	from.CrashBeforeCommit()
	from.Send(messages.JoinSent{Conversation: "line:Hana", Into: "c-1"})
	sent := from.Sent()
	if len(sent) != 1 || sent[0].To != "ingress/c-1" {
		t.Fatalf("sent %v, want what was sent to ingress/c-1", sent)
	}
	from.Crash()
	from.Send(messages.JoinSent{Conversation: "line:Hana", Into: "c-1"}) // once more
	from.WantSent()
	later := told("or at ten", "t2")
	from.Send(later)
	later.Conversation = "c-1"
	from.WantSent(actortest.To("ingress/c-1", later))
	heard := said(1, "I am late", start)
	from.Send(heard) // it was on its way
	wantPassed(t, from, heard)

	into := actortest.Spawn(t, New(o), actortest.Address("ingress/c-1"), actortest.Start(start))
	into.CrashBeforeCommit()
	into.Send(sent[0].Message)
	into.Crash()
	into.Send(sent[0].Message) // its number is known: twice is once
	into.Send(later)
	for n, text := range []messages.Text{"be there at nine", "or at ten"} {
		echo := said(messages.Occurrence(n+1), text, start)
		echo.Conversation, echo.Side = "c-1", ""
		into.Send(echo)
		into.WantDropped(events.StageIngress, events.RuleEcho)
	}
	if n := len(into.Sent()); n != 0 {
		t.Errorf("%d messages went on, want none", n)
	}
	actortest.WantRows(from, intos, map[string]messages.ConversationID{"into": "c-1"})
}
