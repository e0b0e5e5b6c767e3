package fusion

import (
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

func TestProof(t *testing.T) {
	for _, c := range []struct {
		filled, bare int
		usual        float64
		insufficient bool
	}{
		{0, 0, 0, false}, {6, 0, 0, false}, {0, 1, 0, true}, {0, 9, 0.9, true},
		{5, 1, 0, false}, {2, 1, 0, false}, {3, 2, 0, true}, {1, 6, 0, true},
		{3, 2, 0.4, false}, {1, 3, 0.4, false}, {1, 4, 0.4, true}, // a window that always writes on bare ground
	} {
		if got := (proof{c.filled, c.bare}).insufficient(c.usual); got != c.insufficient {
			t.Errorf("proof{%d, %d}.insufficient(%v) = %v, want %v", c.filled, c.bare, c.usual, got, c.insufficient)
		}
	}
}

// TestTextInNoBubble: a window loses the focus, and most of its bubbles lose their
// fill. Nothing is passed on until they have it again. That is reported after five
// seconds, again after a crash, and once when it is over.
func TestTextInNoBubble(t *testing.T) {
	h := spawn(t)
	deferred := func(m messages.FrameRead) actortest.Sent {
		return actortest.To("poller/line@mac", messages.FrameHeld{Window: "line@mac", Hash: m.Hash})
	}
	paled := func(title messages.Text, words string, bare int) messages.FrameRead {
		m := read(title, words)
		m.Bare, m.Hash = bare, m.Hash+messages.FrameHash(bare)
		return send(h, m)
	}
	said := func(want ...events.SidesState) {
		t.Helper()
		var got []events.SidesState
		for _, e := range h.Published() {
			if s, ok := e.(events.SidesState); ok {
				s.At = time.Time{}
				got = append(got, s)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("published %+v, want %+v", got, want)
		}
	}
	first := send(h, read("Hana", "a b c d"))
	h.WantSent(detection(first, "Hana"), settled(first))
	h.WantCommits(1)
	m := paled("Hana", "d", 3)
	h.WantSent(deferred(m))
	h.WantDropped(events.StageFusion, events.RuleBare, events.Detail{Count: 3})
	h.WantCommits(0)
	said()
	h.Advance(5 * time.Second)
	said(events.SidesState{Window: "line@mac", Unknown: true, Bubbles: 1, Bare: 3})
	m = paled("Ken", "", 8) // a list of chats: no new conversation either
	h.WantSent(deferred(m))
	h.WantCommits(0)
	said()
	h.Crash()
	m = paled("Hana", "d", 4)
	h.WantSent(deferred(m))
	h.Advance(5 * time.Second)
	said(events.SidesState{Window: "line@mac", Unknown: true, Bubbles: 1, Bare: 4})
	again := send(h, read("Hana", "b c d e"))
	h.WantSent(detection(again, "Hana"), settled(again))
	said(events.SidesState{Window: "line@mac", Bubbles: 4})
	paled("Hana", "d", 3) // for a moment only
	h.Advance(3 * time.Second)
	send(h, read("Hana", "b c d e"))
	h.Advance(time.Minute)
	said()
}

// TestOneBareText: for a notice in an empty conversation nothing is passed on and
// nothing reported.
func TestOneBareText(t *testing.T) {
	h := spawn(t)
	m := read("Hana", "")
	m.Bare = 1
	m = send(h, m)
	h.WantSent(actortest.To("poller/line@mac", messages.FrameHeld{Window: "line@mac", Hash: m.Hash}))
	h.Advance(time.Minute)
	for _, e := range h.Published() {
		if _, ok := e.(events.SidesState); ok {
			t.Errorf("published %+v, want nothing", e)
		}
	}
}
