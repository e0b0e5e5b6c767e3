package dedup

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/dedup/ledger"
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

// TestClockTimeIsNoEdit: a window of few bubbles may be read with its clock times, and later
// without, when more bubbles show where the times stand. That changes no message, also after
// a crash, and is no new one; a bubble that has grown by a time is an edited one.
func TestClockTimeIsNoEdit(t *testing.T) {
	for _, c := range []struct {
		before, after string
		grown         bool
		want          []string
	}{
		{before: "OK 12:07", after: "OK"},
		{before: "OK", after: "OK 12:07 v/"},
		{before: "See you tomorrow 午後3:05", after: "See you tomorrow"},
		{before: "OK", after: "OK 12:07", grown: true, want: []string{"edited OK 12:07"}},
		{before: "OK 12:07", after: "No, never", want: []string{"edited No, never"}},
	} {
		view := func(text string) ledger.View {
			v := chatview.Chat(">zzzz <x <mmmm")
			v.Bubbles[1].Text, v.Bubbles[1].Box.W = messages.Text(text), 120
			return v
		}
		h := spawn(t, DefaultOptions())
		h.Send(chatview.Detection(view(c.before)))
		h.Advance(time.Minute)
		h.Sent()
		h.Crash()
		after := view(c.after)
		for i := range after.Bubbles {
			after.Bubbles[i].Key += 7 // drawn anew
		}
		if c.grown {
			after.Bubbles[0].Key, after.Bubbles[1].Box.W = view("").Bubbles[0].Key, 180
		}
		for range 2 {
			h.Send(chatview.Detection(after))
			h.Advance(time.Minute)
		}
		var got []string
		for _, s := range h.Sent() {
			switch m := s.Message.(type) {
			case messages.Revised:
				got = append(got, string(m.Change)+" "+string(m.Text))
			case messages.IncomingBubble:
				got = append(got, "new")
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q, then %q, grown %v: passed on %q, want %q", c.before, c.after, c.grown, got, c.want)
		}
	}
}

func TestGapIsPublishedOnce(t *testing.T) {
	h := spawn(t, DefaultOptions())
	h.Send(detection(">aaaa <bbbb"))
	h.CrashBeforeCommit()
	h.Send(chatview.Detection(chatview.Chat("<xxxx >yyyy <oooo - <zzzz")))
	h.WantPublished(messages.TranscriptGap{Conversation: "line:Hana", Window: "w", Visible: 4, Passed: 1, After: 2,
		Screens: 1, SeenAt: chatview.Start})
	h.WantDropped(events.StageDedup, events.RuleGap, events.Detail{Count: 2, Match: events.BorderDate})
	actortest.Stored(h, Heads, HeadRow)
}
