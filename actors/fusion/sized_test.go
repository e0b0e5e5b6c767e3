package fusion

import (
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// TestANewSize: what a window shows right after it got another size is read again, as long as it may not be
// drawn yet; also the last size of several. After a crash the first frame has the size of the window.
func TestANewSize(t *testing.T) {
	h := spawn(t)
	first := send(h, read("Hana", "a b c"))
	h.WantSent(detection(first, "Hana"), settled(first))
	torn := read("Hana", "x y z")
	torn.Size = messages.Rect{W: 700, H: 800}
	held := func(m messages.FrameRead) {
		t.Helper()
		m = send(h, m)
		h.WantSent(actortest.To("poller/line@mac", messages.FrameHeld{Window: "line@mac", Hash: m.Hash}))
		h.WantDropped(events.StageFusion, events.RuleResized, events.Detail{})
	}
	held(torn)
	held(torn) // a second later
	again := read("Hana", "b c d")
	again.Size = messages.Rect{W: 600, H: 800}
	held(again)
	held(again)
	again = send(h, again)
	h.WantSent(detection(again, "Hana"), settled(again))
	h.Crash()
	next := read("Hana", "c d e")
	next.Size = messages.Rect{W: 500, H: 800}
	next = send(h, next)
	h.WantSent(detection(next, "Hana"), settled(next))
}
