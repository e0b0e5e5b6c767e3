package fusion

import (
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// TestPageFor: what two might have said under a new header is passed on with the page that shows all of it under that
// header, if both are shown under other ones. It is known after a crash.
func TestPageFor(t *testing.T) {
	c1, c2, c3 := messages.ConversationID("c-1"), messages.ConversationID("c-2"), messages.ConversationID("c-3")
	for _, c := range []struct {
		what  string
		names [2]messages.PixelKey // of the headers of c-1 and c-2
		name  messages.PixelKey    // of the page that is known
		why   events.UnknownReason
		page  string // that is held
		shown string
		held  bool
	}{
		{"others", [2]messages.PixelKey{5, 6}, 7, events.UnknownUnsure, "OK", "OK", false},
		{"others, and more", [2]messages.PixelKey{5, 6}, 7, events.UnknownUnsure, "OK", "OK x", false},
		{"not all of it", [2]messages.PixelKey{5, 6}, 7, events.UnknownUnsure, "OK", "x", true},
		{"a part of it", [2]messages.PixelKey{5, 6}, 7, events.UnknownUnsure, "x please-yes", "please-yes y", true},
		{"one of them has this header", [2]messages.PixelKey{5, 7}, 7, events.UnknownUnsure, "OK", "OK", true},
		{"the header of one is unknown", [2]messages.PixelKey{5, 0}, 7, events.UnknownUnsure, "OK", "OK", true},
		{"the page has another header", [2]messages.PixelKey{5, 6}, 8, events.UnknownUnsure, "OK", "OK", true},
		{"a namesake's", [2]messages.PixelKey{5, 6}, 7, events.UnknownNamesake, "OK", "OK", true},
	} {
		h := actortest.Spawn(t, New(DefaultOptions()), actortest.Address("fusion/line@mac"))
		shows := func(title messages.Text, words string, name messages.PixelKey, a messages.Identified) {
			for range 3 {
				m := read(title, words)
				m.Name = name
				m = send(h, m)
				a.Window, a.Frame, a.At = m.Window, m.Hash, m.At
				h.Send(a)
			}
		}
		shows("Hana", "a b", c.names[0], messages.Identified{Conversation: c1, Name: "Hana"})
		shows("Hama", "c d", c.names[1], messages.Identified{Conversation: c2, Name: "Hama"})
		shows("Hanako", c.page, 7, messages.Identified{Why: c.why, Of: []messages.ConversationID{c1, c2}})
		if got := heldOf(t, h); len(got) != 1 {
			t.Fatalf("%s: held %v, want one page", c.what, got)
		}
		h.Crash()
		shows("Hanako", c.shown, c.name, messages.Identified{Conversation: c3, Name: "Hanako"})
		if got := heldOf(t, h); (len(got) > 0) != c.held {
			t.Errorf("%s: held %v, want something: %v", c.what, got, c.held)
		}
	}
}
