package fusion

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

func heldBack(m messages.FrameRead) actortest.Sent {
	return actortest.To("poller/line@mac", messages.FrameHeld{Window: "line@mac", Hash: m.Hash})
}

func TestUnknownConversation(t *testing.T) {
	h := spawn(t)
	m, other := read("", "a b"), read(" ", "a c")
	send(h, m)
	h.WantDropped(events.StageFusion, events.RuleUnknown)
	send(h, m) // the same frame is reported once
	h.WantNothingDropped()
	send(h, other)
	h.WantDropped(events.StageFusion, events.RuleUnknown)
	h.WantSent(heldBack(m), heldBack(m), heldBack(other))
	h.WantCommits(2) // what stays is held
}

// TestUnknownConversationIsReported: after five seconds, and only once until the
// conversation is known, even with a crash in between or in the middle of the
// report.
func TestUnknownConversationIsReported(t *testing.T) {
	h := spawn(t)
	blank := read("", "a b")
	for range 5 {
		send(h, blank)
	}
	h.WantPublished()
	h.WantCommits(1) // what it shows is held
	h.CrashBeforeCommit()
	send(h, blank)
	h.WantPublished()
	first := send(h, blank) // the stretch begins anew
	for range 4 {
		send(h, blank)
	}
	h.WantPublished()
	send(h, blank)
	want := events.ConversationUnknown{Window: "line@mac", Why: events.UnknownTitle, Bubbles: 2,
		SeenAt: first.At, At: h.Now()}
	state := events.IdentityState{Window: "line@mac", Why: events.UnknownTitle, At: h.Now()}
	h.WantPublished(state, want)
	h.WantCommits(1)
	h.Crash()
	for range 20 {
		send(h, blank)
	}
	state.At = h.Now().Add(-14 * time.Second)
	h.WantPublished(state) // of the new activation
	h.Crash()
	hana := send(h, read("Hana", "a b"))
	h.WantPublished(events.IdentityState{Window: "line@mac", At: h.Now()})
	send(h, hana)
	if got := h.Published(); len(got) != 1 { // text_unchanged
		t.Errorf("published %v when the conversation was known for the second time, want text_unchanged alone", got)
	}
	for range 6 {
		send(h, blank)
	}
	want.SeenAt, want.At = h.Now().Add(-5*time.Second), h.Now()
	state.At = h.Now()
	h.WantPublished(state, want)
}

// TestUnknownWithoutBubbles: a window without bubbles has nothing to miss.
func TestUnknownWithoutBubbles(t *testing.T) {
	h := spawn(t)
	for range 20 {
		send(h, read("", ""))
	}
	h.WantPublished()
	h.WantCommits(0)
}

func TestUnknownNamesNobody(t *testing.T) {
	h := spawn(t)
	for range 10 {
		send(h, read("Somebody", "x y"))
	}
	got := h.Published()
	if len(got) != 2 {
		t.Fatalf("published %v for a title like two others, want identity_state and conversation_unknown", got)
	}
	unknown, ok := got[1].(events.ConversationUnknown)
	if !ok || unknown.Why != events.UnknownAlike {
		t.Fatalf("published %v for a title like two others, want conversation_unknown because of that", got)
	}
	if s := fmt.Sprintf("%+v", got); strings.Contains(s, "Somebody") {
		t.Errorf("published %s, want no name in it", s)
	}
}
