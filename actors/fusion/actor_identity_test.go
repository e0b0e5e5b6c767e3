package fusion

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// TestAFrameWaitsForItsConversation: what is asked, in which order, and that
// nothing goes out before the answer, whatever crashes.
func TestAFrameWaitsForItsConversation(t *testing.T) {
	h := actortest.Spawn(t, New(DefaultOptions()), actortest.Address("fusion/line@mac"))
	question := func(m messages.FrameRead) messages.Identify {
		return messages.Identify{Window: "line@mac", Frame: m.Hash, At: m.At, Title: m.Title, Readings: 1}
	}
	asks := func(q messages.Identify) actortest.Sent { return actortest.To("directory/line", q) }
	answer := func(m messages.FrameRead, c messages.ConversationID) {
		h.Send(messages.Identified{Window: "line@mac", Frame: m.Hash, At: m.At, Conversation: c, Name: "Hana"})
	}
	first := send(h, read("Hana", "a b"))
	h.WantSent(asks(question(first)))
	h.WantCommits(0)
	h.Crash()
	answer(first, "c-1") // to nobody: the frame is still on the window, and read again
	h.WantSent()
	again := send(h, first)
	h.Send(again) // the poller is not patient
	h.WantSent(asks(question(again)), asks(question(again)))
	answer(first, "c-2") // of the frame before
	h.WantSent()
	h.CrashBeforeCommit()
	answer(again, "c-1")
	again = send(h, again)
	answer(again, "c-1")
	want := detection(again, "Hana")
	d := want.Message.(messages.Detection)
	d.Conversation = "c-1"
	h.WantSent(asks(question(again)), actortest.To("dedup/c-1", d), settled(again))
	answer(again, "c-1") // twice
	h.WantSent()

	next := send(h, read("Hena", "b c"))
	next.Bubbles[0].Box = messages.Rect{Y: 60, H: 340}
	next.Bubbles[1].Box = messages.Rect{Y: 410, H: 340} // they fill the window
	next.Watched = h.Now()
	next = send(h, next)
	h.Sent()
	h.Send(messages.Identified{Window: "line@mac", Frame: next.Hash, At: next.At,
		Compare: []messages.ConversationID{"c-1", "c-9"}})
	about := messages.AskOverlap{Window: "line@mac", Frame: next.Hash, At: next.At, Bubbles: next.Bubbles,
		Size: next.Size, Scale: next.Scale, Watched: true}
	stranger := about
	stranger.Watched = false
	h.WantSent(actortest.To("dedup/c-1", about), actortest.To("dedup/c-9", stranger))
	told := func(c messages.ConversationID, o messages.Overlap) {
		h.Send(messages.OverlapAnswer{Frame: next.Hash, At: next.At, Conversation: c, Overlap: o})
	}
	told("c-9", messages.OverlapOther)
	told("c-9", messages.OverlapSame) // twice
	h.WantSent()
	told("c-1", messages.OverlapSame)
	q := question(next)
	q.Shows, q.Compared = "c-1", true
	// Those of the window are not c-9's: its title may have been drawn first.
	q.Shared = []messages.Shared{{Conversation: "c-9", Overlap: messages.OverlapApart},
		{Conversation: "c-1", Overlap: messages.OverlapSame}}
	h.WantSent(asks(q))
	answer(next, "c-1")
	d.Bubbles, d.SeenAt, d.Watched = next.Bubbles, next.At, next.Watched
	h.WantSent(actortest.To("dedup/c-1", d), settled(next))
}

// TestNothingIsKeptOfWhatIsNotListed: no row, and another conversation after it is
// still looked at with care.
func TestNothingIsKeptOfWhatIsNotListed(t *testing.T) {
	h := spawn(t)
	m := send(h, read("Not listed", "a b"))
	h.WantSent(settled(m))
	h.WantDropped(events.StageFusion, events.RuleUnlisted)
	m = send(h, read("Not listed", "a b c"))
	h.WantSent(settled(m))
	h.WantNothingDropped() // reported once
	send(h, read("Ken", "a b c"))
	h.WantSent(readAgain) // inconsistent: the header came first
	h.WantDropped(events.StageFusion, events.RuleTorn)
	h.WantCommits(0)
	send(h, read("Ken", "x y"))
	h.WantSent(readAgain)
	m = send(h, read("Ken", "x y"))
	h.WantSent(detection(m, "Ken"), settled(m))
	m = send(h, read("Not listed", "a b c d"))
	h.WantSent(settled(m))
	h.WantDropped(events.StageFusion, events.RuleUnlisted)
	actortest.WantRows(h, lastViews, map[string]View{"line:Ken": seenAt(viewOf("line:Ken", read("", "x y").Bubbles),
		h.Now().Add(-time.Second))})
}

func seenAt(v View, at time.Time) View { v.At = at; return v }

// TestViewsOfAnOlderVersion: what it has passed on last, and what waited, counts
// under the ids that it made of names.
func TestViewsOfAnOlderVersion(t *testing.T) {
	store := mem.New()
	h := actortest.Spawn(t, func(messages.Address) actors.Actor {
		return actors.Func(func(turn *actors.Turn, _ messages.Message) error {
			namedViews.Put(turn, "Hana", viewOf("", read("", "a b").Bubbles))
			namedNow.Put(turn, "current", "Hana")
			old := actors.NewTable[json.RawMessage]("held")
			old.Put(turn, "held", json.RawMessage(`{"view":{"name":"Hana","digest":1},`+
				`"detection":{"conversation":"line:Hana","title":"Hana"}}`))
			return nil
		})
	}, actortest.Address("fusion/line@mac"), actortest.Store(store))
	h.Start()
	h = spawnWith(t, DefaultOptions(), actortest.Store(store))
	h.Start()
	h.Crash()
	send(h, read("Ken", "a b")) // Hana's bubbles
	h.WantSent(readAgain)
	h.WantDropped(events.StageFusion, events.RuleTorn)
	if p, ok := actortest.Stored(h, pendings, "held"); !ok || p.View.Conversation != "line:Hana" {
		t.Errorf("what waited is of %q, %v, want line:Hana", p.View.Conversation, ok)
	}
	m := send(h, read("Hana", "b c"))
	h.WantSent(detection(m, "Hana"), settled(m))
	actortest.WantRows(h, namedViews, nil)
}
