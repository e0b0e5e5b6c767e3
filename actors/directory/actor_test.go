package directory

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit/actortest"
)

func spawn(t *testing.T, o Options, opts ...actortest.Option) *actortest.Harness {
	t.Helper()
	return actortest.Spawn(t, New(o), append(opts, actortest.Address("directory/line"))...)
}

// following answers what a first answer asks, as a window does whose only conversation
// of that title may have gone on unseen.
func following(h *actortest.Harness, q *messages.Identify, answer messages.Identified) bool {
	switch {
	case answer.Search:
		q.Searched = true
	case len(answer.Compare) == 1 && !q.Compared:
		k, _ := actortest.Stored(h, Conversations, string(answer.Compare[0]))
		if title, _ := DefaultRules().Read(q.Title); k.Title != title {
			return false
		}
		q.Compared, q.Asked = true, answer.Asked
		q.Shared = []messages.Shared{{Conversation: answer.Compare[0], Overlap: messages.OverlapGap}}
	default:
		return false
	}
	return true
}

// ask returns the answer about a frame with a title.
func ask(t *testing.T, h *actortest.Harness, title string, change ...func(*messages.Identify)) messages.Identified {
	t.Helper()
	h.Sent()
	q := messages.Identify{Window: "line@mac", Frame: 7, At: h.Now(), Title: line(title, 0.9)}
	for _, fn := range change {
		fn(&q)
	}
	h.Send(q)
	sent := h.Sent()
	if len(sent) == 1 && following(h, &q, sent[0].Message.(messages.Identified)) {
		h.Send(q)
		sent = h.Sent()
	}
	if len(sent) != 1 || sent[0].To != "fusion/line@mac" {
		t.Fatalf("asked about %q: sent %v, want an answer to fusion/line@mac", title, sent)
	}
	answer := sent[0].Message.(messages.Identified)
	if answer.Window != q.Window || answer.Frame != q.Frame || !answer.At.Equal(q.At) {
		t.Errorf("asked about %q: the answer %+v is about another frame", title, answer)
	}
	return answer
}

func id(t *testing.T, h *actortest.Harness, title string, change ...func(*messages.Identify)) messages.ConversationID {
	t.Helper()
	a := ask(t, h, title, change...)
	if a.Conversation == "" {
		t.Fatalf("asked about %q: %+v, want an id", title, a)
	}
	return a.Conversation
}

// sharing is a title that is read again and again over what conversations have shown so.
func sharing(o messages.Overlap, with ...messages.ConversationID) func(*messages.Identify) {
	return func(q *messages.Identify) {
		q.Compared, q.Readings = true, consensus
		for _, c := range with {
			q.Shared = append(q.Shared, messages.Shared{Conversation: c, Overlap: o})
		}
	}
}

// compared is a comparison that was asked for after so many moves of ledgers.
func compared(asked int) func(*messages.Identify) {
	return func(q *messages.Identify) { q.Asked = asked }
}

// TestIDs: issued at first sight, opaque, the same ever after, and never before
// they are stored.
func TestIDs(t *testing.T) {
	h := spawn(t, Options{})
	h.CrashBeforeCommit()
	h.Send(messages.Identify{Window: "line@mac", Title: line("Hana", 0.9)})
	h.WantSent() // lost: nobody has heard of an id that is not stored
	hana := id(t, h, "Hana")
	h.WantPublished(events.ConversationNamed{Conversation: hana, App: "line", Name: "Hana", New: true, At: h.Now()})
	h.Crash()
	if again := id(t, h, "Hana"); again != hana {
		t.Errorf("after a crash Hana is %s, want %s", again, hana)
	}
	ken := id(t, h, "Ken")
	if ken == hana {
		t.Error("Ken is Hana")
	}
	for _, c := range []messages.ConversationID{hana, ken} {
		if len(c) != 2+idDigits || !strings.HasPrefix(string(c), "c-") {
			t.Errorf("the id %q is no c- and %d digits", c, idDigits)
		}
	}
	// The same name somewhere else has another id: it is not made of the name, and
	// neither of the first message alone.
	other := spawn(t, Options{})
	ask(t, other, "Ren")
	if c := id(t, other, "Hana"); c == hana {
		t.Errorf("Hana is %s in two stores, want ids that tell nothing of a name", c)
	}
	seeded := func(seed string) messages.ConversationID {
		return id(t, spawn(t, Options{Seed: func() string { return seed }}), "Hana")
	}
	if a, b, again := seeded("a"), seeded("b"), seeded("a"); a == b || a != again {
		t.Errorf("the first id of a store with seed a is %s and %s, with seed b %s, want the seed to tell", a, again, b)
	}
}

// TestMerge: a merged conversation belongs to the other under both names, whichever commit
// fails. The other's name settles by its own title only.
func TestMerge(t *testing.T) {
	h := spawn(t, Options{})
	hana, ken := id(t, h, "Hana"), id(t, h, "Ken")
	h.Published()
	h.Sent()
	h.CrashBeforeCommit()
	h.Send(messages.Merge{Conversation: ken, Into: hana})
	h.WantSent(actortest.To(messages.To("dedup", string(ken)), messages.JoinLedger{Conversation: ken, Into: hana,
		App: "line"}))
	h.WantPublished(events.ConversationNamed{Conversation: ken, App: "line", Name: "Hana", At: h.Now()},
		events.ConversationNamed{Conversation: hana, App: "line", Name: "Hana", At: h.Now()})
	h.Send(messages.Merge{Conversation: hana, Into: ken}) // they are one
	h.Send(messages.Merge{Conversation: "c-nobody", Into: hana})
	h.WantSent()
	h.Send(messages.LedgerMoved{Conversation: ken})
	h.Crash()
	for range 2 * votesMost {
		a := ask(t, h, "Ken", sharing(messages.OverlapSame, hana), compared(2))
		if a.Conversation != hana || a.Name != "Hana" || len(a.Merged) != 1 || a.Merged[0] != ken {
			t.Fatalf("under the other name: %+v, want %s, called Hana", a, hana)
		}
	}
	if again := id(t, h, "Hana"); again != hana {
		t.Errorf("Hana is %s, want %s", again, hana)
	}
}

// TestSettleHeld: a person assigns a held reading; somebody new gets an id.
func TestSettleHeld(t *testing.T) {
	h := spawn(t, Options{})
	hana := id(t, h, "Hana")
	h.Sent()
	settle := func(c messages.ConversationID) []actortest.Sent {
		h.Send(messages.SettleHeld{Window: "line@mac", Held: 3, Title: "Hana", Conversation: c})
		return h.Sent()
	}
	want := messages.HeldSettled{Held: 3, Conversation: hana, Name: "Hana"}
	if sent := settle(hana); len(sent) != 1 || sent[0].To != "fusion/line@mac" || sent[0].Message != want {
		t.Errorf("settled for Hana: sent %v, want %v", sent, want)
	}
	h.CrashBeforeCommit()
	settle("")
	h.Crash()
	sent := settle("")
	got, _ := sent[0].Message.(messages.HeldSettled)
	if len(sent) != 1 || got.Conversation == hana || got.Conversation == "" || got.Name != "Hana" {
		t.Errorf("settled for somebody new: sent %v, want another id of that title", sent)
	}
	settle("c-nobody")
	h.WantDropped(events.StageDirectory, events.RuleNobody)
	for range 2 { // a proposed id is taken, once
		h.Send(messages.SettleNew{Window: "line@mac", Held: 3, Title: "Hana", Conversation: "c-proposed"})
		want.Conversation = "c-proposed"
		h.WantSent(actortest.To("fusion/line@mac", want))
	}
	h.CrashBeforeCommit() // somebody new has no title yet that could be read
	h.Send(messages.SettleNew{Window: "line@mac", Held: 4, Conversation: "c-unread"})
	h.WantSent(actortest.To("fusion/line@mac", messages.HeldSettled{Held: 4, Conversation: "c-unread", Name: "?"}))
}

// TestMergeOfNamesakes: whoever keeps who is who hears of it though no name changes.
func TestMergeOfNamesakes(t *testing.T) {
	h := spawn(t, Options{})
	one := id(t, h, "Hana")
	other := id(t, h, "Hana", sharing(messages.OverlapOther, one))
	third := id(t, h, "Ken")
	h.Send(messages.Merge{Conversation: third, Into: other})
	h.Published()
	h.Send(messages.Merge{Conversation: other, Into: one})
	named := func(c messages.ConversationID) messages.Message {
		return events.ConversationNamed{Conversation: c, App: "line", Name: "Hana", At: h.Now()}
	}
	list := []messages.ConversationID{other, third}
	slices.Sort(list)
	h.WantPublished(named(list[0]), named(list[1]), named(one))
}

func TestAnotherReading(t *testing.T) {
	h := spawn(t, Options{})
	hana := id(t, h, "Hena")
	a := ask(t, h, "Hana")
	if len(a.Compare) != 1 || a.Compare[0] != hana || a.Conversation != "" {
		t.Fatalf("a title almost like another: %+v, want to compare with %s", a, hana)
	}
	h.Crash() // the question comes again
	for range 2 {
		if a = ask(t, h, "Hana", sharing(messages.OverlapSame, hana)); a.Conversation != hana {
			t.Fatalf("a title almost like another over its bubbles: %+v, want %s", a, hana)
		}
	}
	if a.Name != "Hana" {
		t.Errorf("it is called %q, want what was read twice", string(a.Name))
	}
	if other := ask(t, h, "Hama", sharing(messages.OverlapOther, hana)); other.Conversation == hana ||
		other.Conversation == "" {
		t.Errorf("a title almost like another over other bubbles: %+v, want another id", other)
	}
}

// TestWhatIsNotStored: of an empty window of nobody's, of who is not listed and of
// what is unreadable.
func TestWhatIsNotStored(t *testing.T) {
	h := spawn(t, Options{Only: Only{"line:Ken"}})
	if a := ask(t, h, "Hana"); !a.Unlisted || a.Conversation != "" || a.Name != "Hana" {
		t.Errorf("who is not listed: %+v, want unlisted", a)
	}
	if a := ask(t, h, "Ken", func(q *messages.Identify) { q.Empty = true }); a.Conversation != "" || a.Unlisted ||
		a.Why != "" {
		t.Errorf("an empty window of nobody's: %+v, want nothing", a)
	}
	if a := ask(t, h, ""); a.Why != events.UnknownTitle {
		t.Errorf("no title: %+v, want %s", a, events.UnknownTitle)
	}
	h.WantCommits(0)
	ken := id(t, h, "Ken")
	h = spawn(t, Options{Only: Only{"line:Hana"}})
	h.Send(messages.Introduce{Name: "Ken"})
	if a := ask(t, h, "Ken"); !a.Unlisted || a.Conversation != "" {
		t.Errorf("who is no longer listed: %+v, want unlisted, not %s", a, ken)
	}
}

func TestIntroduceAndRename(t *testing.T) {
	h := spawn(t, Options{})
	h.CrashBeforeCommit()
	h.Send(messages.Introduce{Name: "Hana"}) // lost, so that whoever asked asks again
	h.Send(messages.Introduce{Name: "Hana"})
	h.Send(messages.Introduce{Name: "Hana"})
	called := slices.DeleteFunc(h.Published(), func(m messages.Message) bool {
		_, named := m.(events.ConversationNamed)
		return named
	})
	hana := id(t, h, "Hana")
	if c := (events.ConversationCalled{App: "line", Name: "Hana", Conversations: []messages.ConversationID{hana},
		At: h.Now()}); len(called) != 2 || !reflect.DeepEqual(called[0], c) || !reflect.DeepEqual(called[1], c) {
		t.Errorf("who introduces her is told %v, want twice %v", called, c)
	}
	h.WantPublished()
	h.CrashBeforeCommit()
	h.Send(messages.Rename{Conversation: hana, Name: " Mum\n"})
	h.WantPublished(events.ConversationNamed{Conversation: hana, App: "line", Name: "Mum", At: h.Now()})
	if again := ask(t, h, "Hana"); again.Conversation != hana || again.Name != "Hana" {
		t.Errorf("once she has another name: %+v, want %s and the title of its window", again, hana)
	}
	h.Published()
	h.Send(messages.Rename{Conversation: hana})
	h.WantPublished(events.ConversationNamed{Conversation: hana, App: "line", Name: "Hana", At: h.Now()})
	h.Send(messages.Rename{Conversation: "c-nobody", Name: "Ken"})
	h.WantDropped(events.StageDirectory, events.RuleNobody)
}

// TestAdopt: an older version made ids of names. They stay, once.
func TestAdopt(t *testing.T) {
	store := mem.New()
	o := Options{Adopt: func(app string) []messages.ConversationID {
		return []messages.ConversationID{messages.ConversationID(app + ":Hana"), messages.ConversationID(app + ":家族")}
	}}
	h := spawn(t, o, actortest.Store(store))
	h.CrashBeforeCommit()
	h.Send(messages.Introduce{Name: "Ren"})
	if c := id(t, h, "Hana"); c != "line:Hana" {
		t.Errorf("Hana is %s, want line:Hana", c)
	}
	if c := id(t, h, "家族 (3)"); c != "line:家族" {
		t.Errorf("the family is %s, want line:家族", c)
	}
	h = spawn(t, Options{}, actortest.Store(store))
	if c := id(t, h, "Hana"); c != "line:Hana" {
		t.Errorf("at the next start Hana is %s, want line:Hana", c)
	}
	if c := id(t, h, "家族", sharing(messages.OverlapOther, "line:家族")); c == "line:家族" {
		t.Errorf("a person of the group's name is %s, want another id", c)
	}
}
