package directory

import (
	"slices"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// TestMoving: a ledger on its way is not whole on either side, wherever it goes meanwhile.
func TestMoving(t *testing.T) {
	line := func(k Known) Known { k.App = "line"; return k }
	for _, c := range []struct {
		what  string
		known map[messages.ConversationID]Known
		want  []messages.ConversationID
	}{
		{"nothing moves", map[messages.ConversationID]Known{"a": line(Known{Into: "b"}), "b": line(Known{})}, nil},
		{"merged", map[messages.ConversationID]Known{"a": line(Known{Into: "b", Moving: true}), "b": line(Known{}),
			"c": line(Known{})}, []messages.ConversationID{"b"}},
		{"merged on", map[messages.ConversationID]Known{"a": line(Known{Into: "b", Moving: true}),
			"b": line(Known{Into: "c"}), "c": line(Known{})}, []messages.ConversationID{"c"}},
		{"divided", map[messages.ConversationID]Known{"a": line(Known{}), "b": line(Known{From: "a", Coming: true})},
			[]messages.ConversationID{"a", "b"}},
		{"divided, then both merged", map[messages.ConversationID]Known{"a": line(Known{Into: "c"}),
			"b": line(Known{From: "a", Into: "d", Coming: true}), "c": line(Known{}), "d": line(Known{})},
			[]messages.ConversationID{"c", "d"}},
		{"what it came from is forgotten", map[messages.ConversationID]Known{
			"b": line(Known{From: "a", Coming: true})}, nil},
		{"what it went to is forgotten", map[messages.ConversationID]Known{
			"a": line(Known{Into: "b", Moving: true})}, nil},
	} {
		if got := moving(c.known); !slices.Equal(got, c.want) {
			t.Errorf("%s: moving(...) = %v, want %v", c.what, got, c.want)
		}
	}
}

// TestHeldWhileMoving: from a merge on until its ledger has arrived nothing that a window
// shows is given to either, whatever crashes; nor does a person's decision about it go out.
func TestHeldWhileMoving(t *testing.T) {
	h := spawn(t, Options{})
	hana, ken := id(t, h, "Hana"), id(t, h, "Ken")
	shows := func(c messages.ConversationID, moves int) func(*messages.Identify) {
		return func(q *messages.Identify) { q.Shows, q.Still, q.Moves = c, true, moves }
	}
	if a := ask(t, h, "Hana", shows(hana, 0)); a.Conversation != hana {
		t.Fatalf("before: %+v, want %s", a, hana)
	}
	h.CrashBeforeCommit()
	h.Send(messages.Merge{Conversation: ken, Into: hana})
	h.Crash()
	for name, q := range map[string]func(*messages.Identify){
		"Hana": shows(hana, 0), "Ken": shows(ken, 0), "Hana ": sharing(messages.OverlapOther, hana),
	} {
		if a := ask(t, h, name, q); a.Why != events.UnknownMoving || !slices.Equal(a.Of,
			[]messages.ConversationID{hana}) {
			t.Errorf("%s, while the ledger is on its way: %+v, want it held", name, a)
		}
	}
	h.Sent()
	settle := messages.SettleHeld{Window: "line@mac", Held: 3, Title: "Ken", Conversation: ken}
	h.Send(settle)
	h.Advance(3 * settleAgain)
	h.Crash()
	h.WantSent()
	before := ask(t, h, "Ren", sharing(messages.OverlapOther, hana)).Asked
	h.Sent()
	for range 2 { // nor does it come twice
		h.CrashBeforeCommit()
		h.Send(messages.LedgerMoved{Conversation: ken})
	}
	h.Crash()
	h.Advance(2 * settleAgain)
	moves := 2 // its begin and its end
	h.WantSent(actortest.To("fusion/line@mac",
		messages.HeldSettled{Held: 3, Conversation: hana, Name: "Hana", Moves: moves}))
	if a := ask(t, h, "Hana", shows(hana, moves)); a.Conversation != hana || a.Moves != moves {
		t.Errorf("after: %+v, want %s", a, hana)
	}
	if a := ask(t, h, "Hana", func(q *messages.Identify) {
		sharing(messages.OverlapOther, hana)(q)
		q.Asked = before
	}); len(a.Compare) != 1 || a.Compare[0] != hana {
		t.Errorf("compared before the ledger was there: %+v, want to compare again", a)
	}
	if a := ask(t, h, "Ken", shows(hana, 1)); len(a.Compare) != 1 {
		t.Errorf("seen before the ledger was there: %+v, want to compare", a)
	}
}

// TestHeldWhileDivided is the same of one of which a person took messages out. Until the
// title of the new one is read, it is whatever the other's is.
func TestHeldWhileDivided(t *testing.T) {
	h := spawn(t, Options{})
	hana, ken := id(t, h, "Hana"), id(t, h, "Ken")
	h.Send(messages.Merge{Conversation: ken, Into: hana})
	h.Send(messages.LedgerMoved{Conversation: ken})
	h.Sent()
	h.CrashBeforeCommit()
	h.Send(messages.Split{Conversation: "c-new", From: hana, Name: "Ken", Occurrences: []messages.Occurrence{3}})
	h.WantSent(actortest.To(messages.To("dedup", string(hana)), messages.SplitLedger{Conversation: hana,
		Into: "c-new", Occurrences: []messages.Occurrence{3}, App: "line", Moves: 3}))
	h.Crash()
	if a := ask(t, h, "Hana", func(q *messages.Identify) { q.Shows, q.Still, q.Moves = hana, true, 3 }); a.Why !=
		events.UnknownMoving || len(a.Of) != 1 {
		t.Errorf("while a part of the ledger is on its way: %+v, want it held", a)
	}
	h.Send(messages.LedgerMoved{Conversation: "c-new"}) // of a merge
	if a := ask(t, h, "Hana"); a.Why != events.UnknownMoving {
		t.Errorf("another ledger has arrived: %+v, want it held", a)
	}
	h.Send(messages.LedgerMoved{Conversation: "c-new", Split: true})
	for _, name := range []string{"Hana", "Ken"} {
		if a := ask(t, h, name); len(a.Compare) != 2 || !slices.Contains(a.Compare, "c-new") {
			t.Errorf("%s, after that: %+v, want to compare with both", name, a)
		}
	}
	a := ask(t, h, "Hana", func(q *messages.Identify) { q.Shows, q.Still, q.Moves = hana, true, 3 })
	if len(a.Compare) != 2 {
		t.Errorf("what was seen before the end: %+v, want to compare with both", a)
	}
}
