package fusion

import (
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// TestFlooded: pages of a flood that were held, as a namesake's may be, are passed on in their order before the page
// that is known to go on after a gap, after a short stop too. They stay held where something else was or may have been
// shown in between, under another header, where somebody else may have that name, and where the conversation shows
// again what is known.
func TestFlooded(t *testing.T) {
	const c = "c-1"
	hers := []messages.ConversationID{c}
	for name, change := range map[string]struct {
		header  messages.PixelKey // of the page that is held
		between messages.Text     // title of a page after it
		of      []messages.ConversationID
		overlap messages.Overlap // of the last page
		passed  int
		crash   time.Duration // before the last page, that long
	}{
		"a flood":          {header: 7, of: hers, overlap: messages.OverlapGap, passed: 3},
		"another header":   {header: 8, of: hers, overlap: messages.OverlapGap, passed: 1},
		"no header":        {of: hers, overlap: messages.OverlapGap, passed: 1},
		"somebody else":    {header: 7, between: "Ken", of: hers, overlap: messages.OverlapGap, passed: 1},
		"two of that name": {header: 7, of: append(hers, "c-2"), overlap: messages.OverlapGap, passed: 1},
		"what is known":    {header: 7, of: hers, overlap: messages.OverlapSame, passed: 1},
		"texts in place":   {header: 7, of: hers, overlap: messages.OverlapWeak, passed: 3},
		"a restart":        {header: 7, of: hers, overlap: messages.OverlapGap, passed: 3, crash: time.Second},
		"a long stop":      {header: 7, of: hers, overlap: messages.OverlapGap, passed: 1, crash: maxUnseen},
	} {
		t.Run(name, func(t *testing.T) {
			h := actortest.Spawn(t, New(DefaultOptions()), actortest.Address("fusion/line@mac"))
			answered := func(title messages.Text, words string, header messages.PixelKey, overlap messages.Overlap,
				a messages.Identified) time.Time {
				m := read(title, words)
				m.Name = header
				for i := range m.Bubbles { // they fill the window
					n := len(m.Bubbles)
					m.Bubbles[i].Box = messages.Rect{X: 60, Y: 60 + 700*i/n, W: 200, H: 600 / n}
				}
				m = send(h, m)
				tell := func(a messages.Identified) {
					a.Window, a.Frame, a.At = m.Window, m.Hash, m.At
					h.Send(a)
				}
				if overlap != "" {
					tell(messages.Identified{Compare: []messages.ConversationID{c}})
					h.Send(messages.OverlapAnswer{Frame: m.Hash, At: m.At, Conversation: c, Overlap: overlap})
				}
				tell(a)
				return m.At
			}
			hana := messages.Identified{Conversation: c, Name: "Hana"}
			for range 3 {
				answered("Hana", "a b", 7, "", hana)
			}
			var want []time.Time
			for _, words := range []string{"c d e f", "g h i j"} {
				at := answered("Hana", words, change.header, messages.OverlapGap,
					messages.Identified{Why: events.UnknownNamesake, Of: change.of})
				want = append(want, at)
			}
			if change.between != "" {
				answered(change.between, "q r", 9, "", messages.Identified{Conversation: "c-3", Name: change.between})
			}
			if change.crash > 0 {
				h.Crash()
				h.Advance(change.crash)
			}
			h.Sent()
			h.Advance(5 * time.Second) // as many as its messages
			answered("Hana", "k l m n", 7, change.overlap, hana)
			last := answered("Hana", "k l m n", 7, change.overlap, hana)
			var got []time.Time
			for _, s := range h.Sent() {
				if d, ok := s.Message.(messages.Detection); ok && d.Conversation == c {
					got = append(got, d.SeenAt)
				}
			}
			if want = append(want, last)[3-change.passed:]; !slices.EqualFunc(got, want, time.Time.Equal) {
				t.Errorf("passed on the pages of %v, want those of %v", got, want)
			}
			if n := len(heldOf(t, h)); n != 3-change.passed {
				t.Errorf("%d readings are held, want %d", n, 3-change.passed)
			}
		})
	}
}
