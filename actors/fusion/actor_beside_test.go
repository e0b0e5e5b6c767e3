package fusion

import (
	"slices"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// TestBeside: who is shown under a header that is known for theirs, after a page under another one was
// held that might be theirs, has not come to be called so. That is known after a crash, and of a page
// that goes on.
func TestBeside(t *testing.T) {
	for _, c := range []struct {
		what string
		ken  messages.PixelKey // of the header under which Ken is shown in the end
		late bool              // Ken was shown before the page, which is known only then
		of   []messages.ConversationID
		want []messages.ConversationID
	}{
		{"as ever", 8, false, []messages.ConversationID{"c-2"}, []messages.ConversationID{"c-2"}},
		{"under the header of the page", 7, false, []messages.ConversationID{"c-2"}, nil},
		{"under a header never seen", 9, false, []messages.ConversationID{"c-2"}, nil},
		{"under one whose pixels are unknown", 0, false, []messages.ConversationID{"c-2"}, nil},
		{"before that page", 8, true, []messages.ConversationID{"c-2"}, nil},
		{"and the page is none of theirs", 8, false, []messages.ConversationID{"c-3"}, nil},
	} {
		h := actortest.Spawn(t, New(DefaultOptions()), actortest.Address("fusion/line@mac"))
		answered := func(title messages.Text, words string, name messages.PixelKey, a messages.Identified) {
			m := read(title, words)
			m.Name = name
			m = send(h, m)
			a.Window, a.Frame, a.At = m.Window, m.Hash, m.At
			h.Send(a)
		}
		ken := messages.Identified{Conversation: "c-2", Name: "Ken"}
		unsure := messages.Identified{Why: events.UnknownUnsure, Of: c.of}
		for range 2 {
			answered("Ken", "please-answer", 8, ken)
		}
		if c.late {
			answered("Ken", "q r", c.ken, ken) // waits for what comes next
		}
		asked := func(words string) []messages.ConversationID {
			h.Sent()
			answered("Hana", words, 7, unsure)
			for _, s := range h.Sent() {
				if q, ok := s.Message.(messages.Identify); ok {
					return q.Beside
				}
			}
			return nil
		}
		for range 3 {
			if got := asked("please-answer a"); len(got) > 0 {
				t.Errorf("%s: before Ken is shown again %v are beside Hana", c.what, got)
			}
		}
		if c.late {
			answered("Aoi", "z w", 5, messages.Identified{Conversation: "c-5", Name: "Aoi"})
		} else {
			answered("Ken", "please-answer", c.ken, ken)
		}
		h.Crash()
		for _, more := range []string{"", "", " b", " b c"} {
			words := "please-answer a" + more
			if got := asked(words); !slices.Equal(got, c.want) {
				t.Errorf("%s, then %q: %v are beside Hana, want %v", c.what, words, got, c.want)
			}
		}
		if got := heldOf(t, h); len(got) != 1 {
			t.Errorf("%s: held %v, want one page that has grown", c.what, got)
		}
	}
	rows := []heldRow{{Held: Held{Name: 7, Not: []messages.ConversationID{"c-2"}}}}
	if got := beside(rows, 6); len(got) > 0 || len(beside(rows, 7)) != 1 || len(beside(rows, 0)) > 0 {
		t.Errorf("beside another header: %v, want nobody", got)
	}
}
