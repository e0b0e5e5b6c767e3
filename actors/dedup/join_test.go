package dedup

import (
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
	"github.com/kehai-run/kehai/testkit/chatview"
)

func seenAs(c messages.ConversationID, words string) messages.Detection {
	v := chatview.Stack(words)
	return messages.Detection{Window: v.Window, Conversation: c, Title: v.Title, Bubbles: v.Bubbles, Size: v.Size,
		Scale: v.Scale, SeenAt: v.SeenAt}
}

// TestJoinLedger: the ledger goes once, whichever commit fails, what comes later is
// forwarded, and the other one knows what is shown then.
func TestJoinLedger(t *testing.T) {
	o := DefaultOptions()
	o.FirstSight = "all"
	from := actortest.Spawn(t, New(o), actortest.Address("dedup/c-2"))
	from.Send(seenAs("c-2", "<aaaaaaaa <bbbb"))
	from.Sent()
	from.CrashBeforeCommit()
	from.Send(messages.JoinLedger{Conversation: "c-2", Into: "c-1", App: "line"})
	sent := from.Sent()
	if len(sent) != 2 || sent[0].To != "dedup/c-1" ||
		sent[1] != actortest.To("ingress/c-2", messages.JoinSent{Conversation: "c-2", Into: "c-1"}) {
		t.Fatalf("sent %v, want the ledger to dedup/c-1, and that what was sent goes there too", sent)
	}
	from.Crash()
	from.Send(messages.JoinLedger{Conversation: "c-2", Into: "c-1"}) // again
	from.WantSent()
	later := seenAs("c-2", "<bbbb <cccc")
	from.Send(later)
	later.Conversation, later.Moves = "c-1", newest
	from.WantSent(actortest.To("dedup/c-1", later))
	actortest.WantRows(from, Tail, nil)

	into := actortest.Spawn(t, New(o), actortest.Address("dedup/c-1"))
	into.Send(seenAs("c-1", "<xxxx <aaaaaaaa"))
	into.Sent()
	into.CrashBeforeCommit()
	into.Send(sent[0].Message)
	into.WantSent(actortest.To("conversation/c-2", messages.JoinTalk{Conversation: "c-2", Into: "c-1", Offset: 2,
		Twice: []messages.Occurrence{1}}),
		actortest.To("directory/line", messages.LedgerMoved{Conversation: "c-2"}))
	into.Crash()
	into.Send(later)
	heard := into.Sent()
	if len(heard) != 1 || heard[0].Message.(messages.IncomingBubble).Text != "cccc" {
		t.Errorf("after both: sent %v, want the one message that is new", heard)
	}
}
