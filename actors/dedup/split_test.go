package dedup

import (
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// TestSplitLedger: a part goes once, whichever commit fails; windows have to compare anew,
// and each of the two knows its own messages.
func TestSplitLedger(t *testing.T) {
	o := DefaultOptions()
	o.FirstSight = "all"
	from := actortest.Spawn(t, New(o), actortest.Address("dedup/c-1"))
	view := seenAs("c-1", "<aaaa <bbbb <cccc")
	from.Send(view)
	from.Sent()
	from.CrashBeforeCommit()
	from.Send(messages.SplitLedger{Conversation: "c-1", Into: "c-2", Occurrences: []messages.Occurrence{2, 3},
		App: "line", Moves: 2})
	sent := from.Sent()
	if len(sent) != 2 || sent[0].To != "dedup/c-2" || sent[1] != actortest.To(
		messages.To(messages.ActorFusion, string(view.Window)), messages.ForgetView{Conversation: "c-1"}) {
		t.Fatalf("sent %v, want a part of the ledger to dedup/c-2, and the window told", sent)
	}
	from.Crash()
	from.Send(seenAs("c-1", "<aaaa <bbbb <cccc <eeee")) // whose it is was told before
	from.WantSent(actortest.To(messages.To(messages.ActorFusion, string(view.Window)),
		messages.ForgetView{Conversation: "c-1"}))
	from.WantDropped(events.StageDedup, events.RuleDivided)
	next := seenAs("c-1", "<aaaa <dddd")
	next.Moves = 2
	from.Send(next)
	if heard := from.Sent(); len(heard) != 1 || heard[0].Message.(messages.IncomingBubble).Text != "dddd" {
		t.Errorf("what stays: sent %v, want the one message that is new", heard)
	}

	into := actortest.Spawn(t, New(o), actortest.Address("dedup/c-2"))
	into.CrashBeforeCommit()
	into.Send(sent[0].Message)
	into.WantSent(actortest.To("conversation/c-1", messages.SplitTalk{Conversation: "c-1", Into: "c-2",
		Occurrences: []messages.Occurrence{2, 3}}),
		actortest.To("directory/line", messages.LedgerMoved{Conversation: "c-2", Split: true}))
	into.Crash()
	into.Send(seenAs("c-2", "<bbbb <cccc <eeee"))
	if heard := into.Sent(); len(heard) != 1 || heard[0].Message.(messages.IncomingBubble).Text != "eeee" ||
		heard[0].Message.(messages.IncomingBubble).Occurrence != 4 {
		t.Errorf("what went: sent %v, want the one message that is new, in the next place", heard)
	}
}
