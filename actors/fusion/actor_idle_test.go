package fusion

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// TestHeldIdle: a page that somebody else under another header shows word for word may be that of
// somebody who was asked and has answered the same. It stays held, once, makes nobody doubtful, and is
// passed on when its conversation is known.
func TestHeldIdle(t *testing.T) {
	h := actortest.Spawn(t, New(DefaultOptions()), actortest.Address("fusion/line@mac"))
	answered := func(title messages.Text, words string, name messages.PixelKey, a messages.Identified) {
		m := read(title, words)
		m.Name = name
		if m.Bubbles[0].Text == "our-greeting" {
			m.Bubbles[0].Side = messages.SideOwn
		}
		m = send(h, m)
		a.Window, a.Frame, a.At = m.Window, m.Hash, m.At
		h.Send(a)
	}
	passed := func(until time.Time) (n int) {
		for _, s := range h.Sent() {
			if d, ok := s.Message.(messages.Detection); ok && !d.SeenAt.After(until) {
				n++
			}
		}
		return n
	}
	ken := messages.Identified{Conversation: "c-2", Name: "Ken"}
	unsure := messages.Identified{Why: events.UnknownUnsure, Of: []messages.ConversationID{"c-2"}}
	answered("Ken", "our-greeting with-pleasure", 8, ken)
	for range 3 {
		answered("Hana", "our-greeting with-pleasure", 7, unsure)
	}
	h.Sent()
	before := h.Now()
	answered("Ken", "our-greeting with-pleasure", 8, ken)
	if n := passed(before); n != 0 {
		t.Errorf("passed on %d readings of Hana as Ken's", n)
	}
	wantHeld(t, h, "1:title_unsure:2")
	h.Crash()
	answered("Aoi", "with-pleasure x y", 9, messages.Identified{Search: true})
	for _, s := range h.Sent() {
		if q, ok := s.Message.(messages.Identify); ok && len(q.Shared) != 0 {
			t.Errorf("what is held of Hana connects Aoi to %v", q.Shared)
		}
	}
	answered("Somebody", "q r", 6, messages.Identified{Why: events.UnknownAlike})
	for range 3 {
		answered("Hana", "our-greeting with-pleasure", 7, unsure)
	}
	wantHeld(t, h, "1:title_unsure:2", "2:title_ambiguous:2")
	h.Sent()
	since := h.Now()
	for range maxInconsistent + 2 { // another one shows some of it
		answered("Hana", "our-greeting with-pleasure b", 7, messages.Identified{Conversation: "c-1", Name: "Hana"})
	}
	if n := passed(since); n != 1 {
		t.Errorf("passed on %d readings of Hana once she is known, want 1", n)
	}
	wantHeld(t, h, "2:title_ambiguous:2")
	if row, ok := actortest.Stored(h, HeldReadings, actors.RowKey(2)); !ok || row.Idle {
		t.Errorf("the reading of Somebody is idle, stored %v", ok)
	}
}
