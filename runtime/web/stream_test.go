package web

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

func TestStreamDeliversAndResumes(t *testing.T) {
	h := &host{}
	s := serve(t, h)
	h.deliver(s, 10, "a")
	f := follow(t, s, "")
	if ev := f.next(); ev.name != "hello" || !strings.Contains(ev.data, s.boot) {
		t.Errorf("first event = %v, want hello of this process", ev)
	}
	ev := f.until("resync", "messages")
	if got := texts(decode[[]control.Entry](t, ev.data)); ev.name != "resync" || got != "a" || ev.id != s.eventID(10) {
		t.Errorf("first messages = %s %q id %s, want resync a id %s", ev.name, got, ev.id, s.eventID(10))
	}
	h.deliver(s, 12, "b")
	ev = f.until("resync", "messages")
	if got := texts(decode[[]control.Entry](t, ev.data)); ev.name != "messages" || got != "b" ||
		ev.id != s.eventID(12) {
		t.Errorf("next messages = %s %q id %s, want messages b id %s", ev.name, got, ev.id, s.eventID(12))
	}
	f.stop()
	h.deliver(s, 13, "c")
	h.deliver(s, 17, "d")

	f = follow(t, s, ev.id)
	ev = f.until("resync", "messages")
	if got := texts(decode[[]control.Entry](t, ev.data)); ev.name != "messages" || got != "c d" {
		t.Errorf("messages after a reconnect = %s %q, want messages c d", ev.name, got)
	}
}

// The event of one message may come before that of an earlier one: the store
// decides what is sent.
func TestStreamSendsInOrderOfTheStore(t *testing.T) {
	h := &host{}
	s := serve(t, h)
	f := follow(t, s, s.eventID(0))
	f.until("status")
	for i := range 5 {
		h.deliver(nil, uint64(i+1), fmt.Sprint(i))
	}
	s.Listen(engine.Published{Seq: 5, Message: messages.MessageDelivered{}})
	s.Listen(engine.Published{Seq: 2, Message: messages.MessageDelivered{}})
	if got := texts(decode[[]control.Entry](t, f.until("messages").data)); got != "0 1 2 3 4" {
		t.Errorf("messages = %q, want 0 1 2 3 4", got)
	}
}

func TestStreamOfAnotherProcessResyncs(t *testing.T) {
	h := &host{}
	s := serve(t, h)
	h.deliver(s, 3, "a")
	for _, id := range []string{"0badcafe.900", s.boot, s.boot + ".x", s.boot + ".-1", ".", "900"} {
		ev := follow(t, s, id).until("resync", "messages")
		if got := texts(decode[[]control.Entry](t, ev.data)); ev.name != "resync" || got != "a" {
			t.Errorf("stream after %q = %s %q, want resync a", id, ev.name, got)
		}
	}
}

func TestStreamOfAClientFarBehindResyncs(t *testing.T) {
	h := &host{}
	s := serve(t, h)
	for i := range 500 {
		h.deliver(nil, uint64(i+1), fmt.Sprint(i+1))
	}
	ev := follow(t, s, s.eventID(5)).until("resync", "messages")
	list := decode[[]control.Entry](t, ev.data)
	if ev.name != "resync" || len(list) != pageMessages || list[0].Seq != 401 || list[99].Seq != 500 {
		t.Errorf("stream far behind = %s with %d messages from %d, want a resync with 401 to 500", ev.name, len(list),
			list[0].Seq)
	}
}

// A client that does not read must hold nobody up, and when it reads again it
// must come to the same page as everybody.
func TestSlowClient(t *testing.T) {
	h := &host{}
	s := serve(t, h)
	slow := follow(t, s, s.eventID(0))
	const n = 3000
	long := strings.Repeat("長い話", 700)
	for i := range n {
		h.deliver(s, uint64(i+1), long)
		s.Listen(frameOf("a", uint8(i), "x"))
	}
	held := map[uint64]bool{}
	var last uint64
	for last < n {
		ev := slow.until("messages", "resync")
		list := decode[[]control.Entry](t, ev.data)
		if ev.name == "resync" {
			held = map[uint64]bool{}
		} else if list[0].Seq != last+1 {
			t.Fatalf("messages go on at %d after %d, want no gap without resync", list[0].Seq, last)
		}
		for _, m := range list {
			held[m.Seq] = true
			last = m.Seq
		}
	}
	for seq := uint64(n - pageMessages + 1); seq <= n; seq++ {
		if !held[seq] {
			t.Errorf("the slow client's page lacks message %d", seq)
		}
	}
}

func TestStreamShowsFramesAndCapture(t *testing.T) {
	h := &host{}
	s := serve(t, h)
	f := follow(t, s, "")
	f.until("status")
	s.Listen(frameOf("line@a", 10, "おはよう"))
	v := decode[windowView](t, f.until("window").data)
	if v.ID != "line@a" || v.Frame == nil || v.Frame.W != 40 || v.Frame.H != 30 || v.Frame.TookMS != 12 ||
		v.Capture != nil {
		t.Fatalf("window = %+v, want line@a with a frame of 40 by 30", v)
	}
	b := v.Frame.Bubbles[0]
	if string(b.Text) != "おはよう" || b.Box != (messages.Rect{X: 4, Y: 5, W: 20, H: 10}) || b.Confidence != .5 {
		t.Errorf("bubble = %q %v %v, want おはよう at 4,5 20×10 with 0.5", string(b.Text), b.Box, b.Confidence)
	}
	s.Listen(engine.Published{Message: events.CaptureState{Window: "line@a", Code: "minimised", Detail: "hidden",
		At: t0}})
	v = decode[windowView](t, f.until("window").data)
	if v.Capture == nil || v.Capture.Code != "minimised" || v.Frame == nil {
		t.Errorf("window = %+v, want the last frame and why there is no newer", v)
	}
	// A frame that was read before the window went does not mean that it is back.
	s.Listen(frameOf("line@a", 11, "x"))
	if v = decode[windowView](t, f.until("window").data); v.Capture == nil {
		t.Error("a late frame clears the capture state, want it to stay")
	}
	s.Listen(engine.Published{Message: events.CaptureState{Window: "line@a"}})
	if v = decode[windowView](t, f.until("window").data); v.Capture != nil {
		t.Errorf("capture after recovery = %+v, want none", v.Capture)
	}
}

func TestStreamShowsStatus(t *testing.T) {
	h := &host{status: Status{Version: "v1", Windows: []messages.WindowID{"b", "a"}, DeadLetters: 2}}
	s := serve(t, h)
	f := follow(t, s, "")
	v := decode[statusView](t, f.until("status").data)
	if v.Version != "v1" || fmt.Sprint(v.Windows) != "[a b]" || v.DeadLetters != 2 || len(v.Problems) != 0 {
		t.Errorf("status = %+v, want v1 with windows a b, 2 dead letters and no problem", v)
	}
	h.set(func(h *host) { h.health = errors.New("dedup/a fails again and again") })
	s.Listen(engine.Published{Message: events.ActorUnhealthy{Actor: "dedup/a"}})
	if v = decode[statusView](t, f.until("status").data); len(v.Problems) != 1 {
		t.Errorf("problems = %q, want one", v.Problems)
	}
	h.set(func(h *host) { h.health = errors.Join(h.health, errors.New("durable work is paused")) })
	s.Listen(engine.Published{Message: events.StoreLow{Free: 1, Need: 2}})
	if v = decode[statusView](t, f.until("status").data); len(v.Problems) != 2 {
		t.Errorf("problems = %q, want two", v.Problems)
	}
	h.set(func(h *host) { h.health = nil })
	s.Listen(engine.Published{Message: events.StoreRecovered{}})
	if v = decode[statusView](t, f.until("status").data); len(v.Problems) != 0 {
		t.Errorf("problems after recovery = %q, want none", v.Problems)
	}
	// Depths change without an event.
	h.set(func(h *host) { h.status.Actors = []engine.ActorInfo{{Address: "dedup/a", Mailbox: 7}} })
	if v = decode[statusView](t, f.until("status").data); len(v.Actors) != 1 || v.Actors[0].Mailbox != 7 {
		t.Errorf("actors = %+v, want dedup/a with 7 messages", v.Actors)
	}
}

// What the status tells of is sent when it happens, and not with the next look.
func TestTroubleChangesTheStatusAtOnce(t *testing.T) {
	s := serve(t, &host{})
	for _, m := range []messages.Message{
		events.CommitFailed{Turns: 1, Reason: "disk"}, events.StoreLow{}, events.StoreRecovered{},
		events.ActorUnhealthy{Actor: "dedup/a"}, events.IdentityState{Window: "line@a"},
		events.SidesState{Window: "line@a"}, events.CaptureState{Window: "line@a", Code: "minimised"},
	} {
		_, before := s.hub.changed(0)
		s.Listen(engine.Published{Message: m})
		if _, now := s.hub.changed(0); now.status <= before.status {
			t.Errorf("after %T the status is that of version %d as before, want a newer one", m, now.status)
		}
	}
}

func TestStreamSurvivesABrokenStore(t *testing.T) {
	h := &host{}
	s := serve(t, h)
	h.deliver(s, 1, "a")
	h.set(func(h *host) { h.broken = errBroken })
	f := follow(t, s, "")
	f.until("status")
	h.set(func(h *host) { h.broken = nil })
	h.deliver(s, 2, "b")
	ev := f.until("messages", "resync")
	if got := texts(decode[[]control.Entry](t, ev.data)); ev.name != "resync" || got != "a b" {
		t.Errorf("first messages after the store came back = %s %q, want resync a b", ev.name, got)
	}
}

// The server's limit for one answer is no limit for a stream.
func TestStreamOutlivesTheWriteTimeout(t *testing.T) {
	h := &host{}
	s := serve(t, h, func(s *Server) { s.http.WriteTimeout = 1 })
	f := follow(t, s, s.eventID(0))
	f.until("status")
	for i := range 3 {
		h.deliver(s, uint64(i+1), fmt.Sprint(i))
		if got := texts(decode[[]control.Entry](t, f.until("messages").data)); got != fmt.Sprint(i) {
			t.Errorf("messages = %q, want %d", got, i)
		}
	}
}

func TestTooManyStreams(t *testing.T) {
	s := serve(t, &host{})
	var open []*follower
	for range maxClients {
		f := follow(t, s, "")
		f.next()
		open = append(open, f)
	}
	if resp, _ := do(t, request(t, s, "/events")); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("one stream too many = %d, want 503", resp.StatusCode)
	}
	for _, f := range open {
		f.stop()
	}
}
