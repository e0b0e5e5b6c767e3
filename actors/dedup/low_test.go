package dedup

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// doubtful makes the last bubble of a view one whose text is doubtful.
func doubtful(m messages.Detection) messages.Detection {
	m.Bubbles[len(m.Bubbles)-1].Low = true
	return m
}

// TestDoubtfulTexts: a text that is doubtful waits for a better reading, as one
// that could not be read does.
func TestDoubtfulTexts(t *testing.T) {
	begin := func() *actortest.Harness {
		h := spawn(t, DefaultOptions())
		h.Send(detection(">aaaa <bbbb"))
		h.Send(doubtful(detection(">aaaa <bbbb <cxxy")))
		wantHeard(t, h, "bbbb")
		h.Crash()
		return h
	}
	h := begin()
	h.Send(detection(">aaaa <bbbb <cccc"))
	wantHeard(t, h, "cccc")

	h = begin() // nothing better in two seconds
	h.Advance(1999 * time.Millisecond)
	wantHeard(t, h, "")
	h.Crash()
	h.Advance(time.Millisecond)
	wantHeard(t, h, "cxxy")

	h = begin() // nor in three views
	h.Send(doubtful(detection(">aaaa <bbbb <cxxz")))
	wantHeard(t, h, "")
	h.Send(doubtful(detection(">aaaa <bbbb <cxyz")))
	wantHeard(t, h, "cxxy")
	h.Send(detection(">aaaa <bbbb <cxyz <dddd"))
	wantHeard(t, h, "dddd")
}

// TestDoubtfulTextsProveNoChange: what was read well stays as it was.
func TestDoubtfulTextsProveNoChange(t *testing.T) {
	h := spawn(t, DefaultOptions())
	h.Send(detection(">aaaa <something"))
	h.Send(detection(">aaaa <something"))
	wantHeard(t, h, "something")
	h.Send(doubtful(detection(">aaaa <xqzwvkjpy")))
	h.Crash()
	h.Advance(time.Minute)
	h.Send(detection(">aaaa <something <dddd"))
	h.Advance(time.Minute)
	for _, s := range h.Sent() {
		if heard, ok := s.Message.(messages.IncomingBubble); !ok || heard.Text != "dddd" {
			t.Errorf("passed on %v, want dddd alone", s)
		}
	}
}

// TestTheWindowIsReadAgainWhileSomethingWaits: twice before the time is over,
// and no more once it is known better.
func TestTheWindowIsReadAgainWhileSomethingWaits(t *testing.T) {
	look := actortest.To("poller/w", messages.ReadNow{Window: "w"})
	h := spawn(t, DefaultOptions())
	h.Send(detection(">aaaa <?1"))
	h.WantSent()
	h.Advance(667 * time.Millisecond)
	h.WantSent(look)
	h.Crash()
	h.Advance(667 * time.Millisecond)
	h.WantSent(look)
	h.Send(detection(">aaaa <?2"))
	h.WantSent()
	h.Advance(time.Minute)
	wantHeard(t, h, "?")

	h = spawn(t, DefaultOptions())
	h.Send(detection(">aaaa <?1"))
	h.Advance(time.Second)
	h.WantSent(look)
	h.Send(detection(">aaaa <bbbb"))
	wantHeard(t, h, "bbbb")
	h.Advance(time.Minute)
	h.WantSent()
}
