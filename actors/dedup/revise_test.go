package dedup

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
	"github.com/kehai-run/kehai/testkit/chatview"
)

// A change is passed on once, whatever crashes.
func TestChangeAndCrashes(t *testing.T) {
	detect := func(words string) messages.Detection { return chatview.Detection(chatview.Chat(words)) }
	for fault := range 7 {
		h := spawn(t, DefaultOptions())
		crash := func(at int) {
			switch {
			case fault != at:
			case fault%2 == 0:
				h.CrashBeforeCommit()
			default:
				h.FailNextCommit()
			}
		}
		crash(0)
		h.Send(detect(">zzzz <aaaa <m <b"))
		h.Advance(time.Minute)
		h.Sent()
		seen := h.Now()
		crash(1)
		crash(2)
		h.Send(detect(">zzzz <xxxx <m !"))
		if fault == 3 || fault == 4 {
			h.Crash()
		}
		if fault == 4 || fault == 5 {
			h.CrashBeforeCommit()
		}
		h.Advance(time.Minute)
		if fault == 6 {
			h.Crash()
			h.Send(detect(">zzzz <xxxx <m !"))
			h.Advance(time.Minute)
		}
		var got []string
		for _, s := range h.Sent() {
			r, ok := s.Message.(messages.Revised)
			if !ok || s.To != "ingress/line:Hana" || r.Conversation != "line:Hana" || r.Window != "w" ||
				r.SeenAt.Before(seen) {
				t.Fatalf("fault %d: sent %+v to %s, want a change to the gate, seen after %v", fault, s.Message, s.To,
					seen)
			}
			got = append(got, fmt.Sprintf("%s %d %s", r.Change, r.Occurrence, string(r.Text)))
		}
		if want := []string{"edited 2 xxxx", "unsent 4 "}; !slices.Equal(got, want) {
			t.Errorf("fault %d: changes %q, want %q", fault, got, want)
		}
	}
}

func TestGapIsPublishedOnce(t *testing.T) {
	h := spawn(t, DefaultOptions())
	h.Send(detection(">aaaa <bbbb"))
	h.CrashBeforeCommit()
	h.Send(chatview.Detection(chatview.Chat("<xxxx >yyyy <oooo - <zzzz")))
	h.WantPublished(messages.TranscriptGap{Conversation: "line:Hana", Window: "w", Visible: 4, Passed: 1, After: 2,
		SeenAt: chatview.Start})
	h.WantDropped(events.StageDedup, events.RuleGap, events.Detail{Count: 2, Match: events.BorderDate})
	actortest.Stored(h, Heads, HeadRow)
}
