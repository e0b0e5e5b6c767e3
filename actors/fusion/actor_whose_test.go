package fusion

import (
	"testing"

	"github.com/kehai-run/kehai/messages"
)

// TestANamesakeIsNotWrittenTo: a page under a known title that does not go on from
// what its conversation has shown may be a stranger's of that name. Nobody is told
// to type there, before and after it was read, until the two are seen to meet.
func TestANamesakeIsNotWrittenTo(t *testing.T) {
	h := spawn(t)
	asked := func(words string) messages.ConversationID {
		t.Helper()
		h.Sent()
		m := read("Hana", words)
		m.At = h.Now()
		h.Send(messages.AskWhose{Key: "k", Read: m})
		for _, s := range h.Sent() {
			if w, ok := s.Message.(messages.Whose); ok {
				return w.Conversation
			}
		}
		t.Fatal("no answer")
		return ""
	}
	settle := func(words string) {
		for range 2 * maxInconsistentKnown { // a page of others takes some frames to be believed
			send(h, read("Hana", words))
		}
	}
	for _, c := range []struct {
		what, shown, asked string
		want               messages.ConversationID
	}{
		{"nobody was seen", "", "a", "line:Hana"},
		{"the same page", "a b c", "a b c", "line:Hana"},
		{"it goes on", "a b c", "b c d", "line:Hana"},
		{"a namesake", "a b c", "x y z", ""},
		{"a namesake without a word", "a b c", "", ""},
		{"a namesake who was read", "x y z", "x y z", ""},
		{"who goes on", "y z w", "y z w v", ""},
		{"scrolled back until both are in view", "b c x y", "b c x y", "line:Hana"},
		{"and down again", "x y z", "x y z", "line:Hana"},
	} {
		settle(c.shown)
		h.Crash()
		h.Start()
		if got := asked(c.asked); got != c.want {
			t.Errorf("%s: %q after %q is %q, want %q", c.what, c.asked, c.shown, got, c.want)
		}
	}
}

// TestLinked: what is short enough must all be in view, of the rest a run that proves.
func TestLinked(t *testing.T) {
	for _, c := range []struct {
		before, now string
		anchored    bool
	}{
		{"", "a", false}, {"a", "", true}, {"OK", "OK x", false}, {"OK", "x", true}, {"OK a b", "OK x", true},
		{"a b c", "c d", false}, {"OK はい", "OK", true},
	} {
		before := viewOf("c", read("", c.before).Bubbles)
		if got := before.linked(viewOf("c", read("", c.now).Bubbles)); len(got.Anchor) > 0 != c.anchored {
			t.Errorf("%q after %q: the anchor is %v, want one: %v", c.now, c.before, got.Anchor, c.anchored)
		}
	}
}
