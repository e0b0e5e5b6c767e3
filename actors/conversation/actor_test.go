package conversation_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// keeping are options with which few messages are kept.
func keeping(n int) conversation.Options {
	o := conversation.DefaultOptions()
	o.Keep = n
	return o
}

func spawn(t *testing.T, o conversation.Options) *actortest.Harness {
	t.Helper()
	return actortest.Spawn(t, conversation.New(o), actortest.Address("conversation/line:Hana"))
}

func inbound(n int) messages.InboundMessage {
	seen := time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC)
	text := messages.Text(fmt.Sprintf("message %d", n))
	return messages.InboundMessage{
		ID: messages.MessageID(fmt.Sprintf("id%d", n)), Conversation: "line:Hana", Sender: "Hana",
		Kind: messages.KindText, Text: text,
		Parts: []messages.Part{{Kind: messages.KindText, Text: text, Occurrence: messages.Occurrence(n),
			SeenAt: seen}}, SeenAt: seen,
	}
}

func TestDelivers(t *testing.T) {
	h := spawn(t, conversation.DefaultOptions())
	h.Send(inbound(1))
	first := messages.MessageDelivered{InboundMessage: inbound(1), DeliveredAt: h.Now()}
	h.WantPublished(first)
	h.WantCommits(1)
	h.Advance(time.Second)
	h.CrashBeforeCommit()
	h.Send(inbound(2))
	second := messages.MessageDelivered{InboundMessage: inbound(2), DeliveredAt: h.Now()}
	h.WantPublished(second)
	actortest.WantStored(h, conversation.Heads, "head", conversation.Head{Count: 2, LastID: "id2", LastAt: h.Now()})
	actortest.WantRows(h, conversation.Messages, map[string]messages.MessageDelivered{
		conversation.RowKey(1): first, conversation.RowKey(2): second,
	})
}

func TestRefusesAKnownID(t *testing.T) {
	h := spawn(t, conversation.DefaultOptions())
	h.Send(inbound(1))
	h.Published()
	h.Crash()
	h.Send(inbound(1))
	h.WantDropped(events.StageConversation, events.RuleRepeat, events.Detail{Message: "id1"})
	h.WantPublished()
}

func TestKeepsTheNewest(t *testing.T) {
	h := spawn(t, keeping(3))
	for n := 1; n <= 10; n++ {
		h.Send(inbound(n))
		h.Crash()
	}
	for n := int64(1); n <= 10; n++ {
		if _, ok := actortest.Stored(h, conversation.Messages, conversation.RowKey(n)); ok != (n > 7) {
			t.Errorf("message %d kept = %v, want %v", n, ok, n > 7)
		}
	}
	h.Published()
	h.Send(inbound(9))
	h.WantDropped(events.StageConversation, events.RuleRepeat, events.Detail{Message: "id9"})
}

func TestTrims(t *testing.T) {
	h := spawn(t, conversation.DefaultOptions())
	began := h.Now()
	for n := 1; n <= 4; n++ {
		h.Send(inbound(n))
		h.Advance(time.Hour)
	}
	h.Published()
	h.CrashBeforeCommit()
	h.Send(messages.TrimDue{Before: began.Add(2 * time.Hour)})
	h.Send(messages.TrimDue{Before: began.Add(2 * time.Hour)}) // as the next maintenance does
	h.Crash()
	for n := int64(1); n <= 4; n++ {
		if _, ok := actortest.Stored(h, conversation.Messages, conversation.RowKey(n)); ok != (n > 2) {
			t.Errorf("message %d kept = %v, want %v", n, ok, n > 2)
		}
	}
	h.Send(inbound(4))
	h.WantDropped(events.StageConversation, events.RuleRepeat, events.Detail{Message: "id4"})
	h.Send(inbound(5))
	if _, ok := actortest.Stored(h, conversation.Messages, conversation.RowKey(5)); !ok {
		t.Error("the message after a trim has no row, want number 5")
	}
}
