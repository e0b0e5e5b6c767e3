package dedup

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
	"github.com/kehai-run/kehai/testkit/chatview"
)

// with changes the default options.
func with(change func(*Options)) Options {
	o := DefaultOptions()
	change(&o)
	return o
}

func spawn(t *testing.T, o Options) *actortest.Harness {
	t.Helper()
	return actortest.Spawn(t, New(o), actortest.Address("dedup/line:Hana"), actortest.Start(chatview.Start))
}

func detection(words string) messages.Detection { return chatview.Detection(chatview.Stack(words)) }

// wantHeard takes what was sent and expects these texts, unreadable ones as "?".
func wantHeard(t *testing.T, h *actortest.Harness, want string) {
	t.Helper()
	var got []string
	for _, s := range h.Sent() {
		switch s.Message.(type) {
		case messages.ReadNow, messages.OwnMessage:
			continue
		}
		m, ok := s.Message.(messages.IncomingBubble)
		if !ok || s.To != "ingress/line:Hana" || m.Conversation != "line:Hana" || m.Window != "w" ||
			m.Side != messages.SideIncoming || m.Sender != "Hana" || m.SeenAt != chatview.Start {
			t.Errorf("sent %+v to %s, want what Hana said in window w at %v to the gate", s.Message, s.To,
				chatview.Start)
		}
		if m.Kind == messages.KindUnreadable {
			m.Text = "?"
		}
		got = append(got, string(m.Text))
	}
	if g := strings.Join(got, " "); g != want {
		t.Errorf("heard %q, want %q", g, want)
	}
}

func TestActor(t *testing.T) {
	h := spawn(t, DefaultOptions())
	h.Send(detection("<aaaa >bbbb <cccc <dddd"))
	wantHeard(t, h, "cccc dddd")
	h.WantDropped(events.StageDedup, events.RuleFirstSight, events.Detail{Count: 1})
	h.Crash()
	h.Send(detection(">bbbb <cccc <dddd <dddd"))
	wantHeard(t, h, "dddd")
	h.WantNothingDropped()
	h.Send(detection(">bbbb <cccc <dddd")) // scrolled back
	wantHeard(t, h, "")
	h.CrashBeforeCommit()
	h.Send(detection("<dddd <dddd <eeee"))
	wantHeard(t, h, "eeee")
	h.FailNextCommit()
	h.Send(detection("<dddd <dddd <eeee <ffff"))
	h.Advance(time.Minute)
	wantHeard(t, h, "ffff")
	h.WantDeadLetters(0)
}

func TestFresh(t *testing.T) {
	h := spawn(t, DefaultOptions())
	fresh := func(want bool) {
		t.Helper()
		sent := h.Sent()
		if len(sent) != 1 || sent[0].To != "ingress/line:Hana" ||
			sent[0].Message.(messages.IncomingBubble).Fresh != want {
			t.Errorf("sent %v, want one message to ingress with Fresh = %v", sent, want)
		}
	}
	h.Send(detection(">aaaa <bbbb"))
	fresh(false)
	h.Send(detection(">aaaa <bbbb <cccc"))
	fresh(true)
	h.Send(detection(">xxxx <yyyy"))
	fresh(false) // after a gap nothing is proved
}

func TestTheSameViewChangesNothing(t *testing.T) {
	h := spawn(t, DefaultOptions())
	h.Send(detection("<aaaa >bbbb <cccc"))
	before, _ := actortest.Stored(h, Views, "w")
	rows := rowsOf(h)
	for range 3 {
		h.Send(detection("<aaaa >bbbb <cccc"))
	}
	actortest.WantStored(h, Views, "w", before)
	actortest.WantRows(h, Tail, rows)
	wantHeard(t, h, "cccc")
}

func rowsOf(h *actortest.Harness) map[string]ledger.Entry {
	rows := map[string]ledger.Entry{}
	for i := range int64(3) {
		if e, ok := actortest.Stored(h, Tail, actors.PlaceKey(i*spacing)); ok {
			rows[actors.PlaceKey(i*spacing)] = e
		}
	}
	return rows
}

func TestGap(t *testing.T) {
	h := spawn(t, DefaultOptions())
	h.Send(detection(">aaaa <bbbb"))
	h.Send(detection("<xxxx >yyyy <zzzz"))
	wantHeard(t, h, "bbbb zzzz")
	h.WantPublished(messages.TranscriptGap{Conversation: "line:Hana", Window: "w", Visible: 3, Passed: 1, After: 2,
		Screens: 1, SeenAt: chatview.Start})
	h.WantDropped(events.StageDedup, events.RuleGap, events.Detail{Count: 1, Match: events.BorderOwn})
}

// TestOwn: each own message is reported once. History is not reported, nor is a message that
// is only shown again.
func TestOwn(t *testing.T) {
	want := func(t *testing.T, h *actortest.Harness, want string) {
		t.Helper()
		var got []string
		for _, s := range h.Sent() {
			m, ok := s.Message.(messages.OwnMessage)
			if !ok {
				continue
			}
			if s.To != "ingress/line:Hana" || m.Conversation != "line:Hana" || m.Window != "w" || m.Trace != "" ||
				m.SeenAt != chatview.Start {
				t.Errorf("sent %+v to %s, want what was seen in window w at %v to the gate", m, s.To, chatview.Start)
			}
			got = append(got, fmt.Sprintf("%d:%s%s", m.Occurrence, string(m.Text),
				map[messages.Kind]string{messages.KindUnreadable: "?", messages.KindSticker: "#"}[m.Kind]))
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("own messages %q, want %q", g, want)
		}
	}
	for _, policy := range []ledger.FirstSight{ledger.All, ledger.Unanswered, ledger.None} {
		h := spawn(t, with(func(o *Options) { o.FirstSight = policy }))
		h.Send(detection("<aaaa >bbbb >cccc"))
		want(t, h, "")
		h.CrashBeforeCommit()
		h.Send(detection("<aaaa >bbbb >cccc >dddd <eeee >ffff"))
		want(t, h, "4:dddd 6:ffff")
		h.Crash()
		h.Send(detection("<aaaa >bbbb >cccc >dddd <eeee >ffff"))
		h.Send(detection(">cccc >dddd <eeee >ffff >ffff >#s"))
		want(t, h, "7:ffff 8:#")
		h.Send(detection("~>0000 <aaaa >bbbb >cccc >dddd")) // scrolled back
		want(t, h, "")
	}

	h := spawn(t, DefaultOptions())
	h.Send(detection("<aaaa >bbbb"))
	h.Send(detection("<aaaa >bbbb >?1"))
	want(t, h, "")
	h.Crash()
	h.Send(detection("<aaaa >bbbb >cccc"))
	want(t, h, "3:cccc") // it could be read by then
	h.Send(detection("<aaaa >bbbb >cccc >?2 <dddd"))
	for _, s := range h.Sent() {
		if m, ok := s.Message.(messages.OwnMessage); ok {
			t.Errorf("told %+v at once, want it to wait to be read", m)
		}
	}
	h.Crash()
	h.Advance(2 * time.Second)
	want(t, h, "4:?")

	// After a gap what stands above the newest date is history.
	h = spawn(t, DefaultOptions())
	h.Send(detection("<aaaa >bbbb"))
	h.Send(chatview.Detection(chatview.Chat("<xxxx >yyyy - <zzzz >wwww")))
	want(t, h, "6:wwww")
}

func TestUnreadable(t *testing.T) {
	h := spawn(t, DefaultOptions())
	h.Send(detection(">aaaa <?1 <cccc"))
	wantHeard(t, h, "")
	h.WantTimer("release", 666_666_667)
	h.Crash()
	h.Advance(1999 * time.Millisecond)
	wantHeard(t, h, "")
	h.Advance(time.Millisecond)
	wantHeard(t, h, "? cccc")
	h.Send(detection(">aaaa <bbbb <cccc"))
	wantHeard(t, h, "")

	h = spawn(t, DefaultOptions())
	h.Send(detection(">aaaa <?1"))
	h.Advance(time.Second)
	h.Send(detection(">aaaa <bbbb"))
	wantHeard(t, h, "bbbb")
	h.Advance(time.Minute)
	wantHeard(t, h, "")
}

// TestCrashesAnywhere plays a transcript with a crash or a failed commit at each
// step in turn; every view also comes twice.
func TestCrashesAnywhere(t *testing.T) {
	const n = 12
	for fault := range 2 * n {
		h := spawn(t, with(func(o *Options) { o.Keep = 5 }))
		var got, want []string
		for i := range n {
			if i == fault/2 {
				if fault%2 == 0 {
					h.CrashBeforeCommit()
				} else {
					h.FailNextCommit()
				}
			}
			words := fmt.Sprintf("<m%d_say <OK <m%d_say <OK", i, i+1)
			h.Send(detection(words))
			h.Advance(time.Minute)
			h.Send(detection(words))
			h.Crash()
			if i == 0 {
				want = append(want, "m0 say", "OK")
			}
			want = append(want, fmt.Sprintf("m%d say", i+1), "OK")
			for _, s := range h.Sent() {
				got = append(got, string(s.Message.(messages.IncomingBubble).Text))
			}
		}
		if g, w := strings.Join(got, ", "), strings.Join(want, ", "); g != w {
			t.Errorf("with fault %d heard %s, want %s", fault, g, w)
		}
	}
}

// spacing is the distance of entries that follow each other.
const spacing = 1 << 32

func TestRowKeysKeepTheOrder(t *testing.T) {
	places := []int64{-1 << 63, -spacing, -1, 0, 1, spacing, 1<<63 - 1}
	for i := 1; i < len(places); i++ {
		if a, b := actors.PlaceKey(places[i-1]), actors.PlaceKey(places[i]); a >= b {
			t.Errorf("PlaceKey(%d) = %s, PlaceKey(%d) = %s, want a rising order", places[i-1], a, places[i], b)
		}
	}
}
