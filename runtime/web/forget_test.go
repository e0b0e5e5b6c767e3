package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// hiddenFrame is the event of a frame that nobody is to see.
func hiddenFrame(id messages.WindowID) engine.Published {
	return engine.Published{Message: events.FrameSeen{Read: messages.FrameRead{Window: id, At: t0}}}
}

// lacks fails if anything that a new page is sent holds these words, or a picture.
func lacks(t *testing.T, s *Server, words string) {
	t.Helper()
	f := follow(t, s, "")
	defer f.stop()
	for ev := f.next(); ev.name != "status"; ev = f.next() {
		if strings.Contains(ev.data, words) {
			t.Errorf("the stream's event %s holds %q", ev.name, words)
		}
	}
	if resp, _ := do(t, request(t, s, "/frame?window=line@a")); resp.StatusCode != http.StatusNotFound {
		t.Errorf("GET /frame = %d, want 404", resp.StatusCode)
	}
}

func TestAHiddenFrameTakesThePictureAway(t *testing.T) {
	s := serve(t, &host{})
	f := follow(t, s, s.eventID(0))
	s.Listen(frameOf("line@a", 10, "himitsu"))
	if v := decode[windowView](t, f.until("window").data); v.Frame == nil || v.Hidden {
		t.Fatalf("window = %+v, want its frame", v)
	}
	s.Listen(hiddenFrame("line@a"))
	if v := decode[windowView](t, f.until("window").data); v.Frame != nil || !v.Hidden {
		t.Errorf("window = %+v, want no frame and that it is hidden", v)
	}
	lacks(t, s, "himitsu")
	s.Listen(frameOf("line@a", 10, "yoroshii"))
	if v := decode[windowView](t, f.until("window").data); v.Frame == nil || v.Hidden {
		t.Errorf("window = %+v, want its frame again", v)
	}
}

func TestForgetTakesAllAway(t *testing.T) {
	h := &host{}
	s := serve(t, h)
	h.deliver(s, 3, "himitsu")
	h.deliver(s, 4, "b")
	old := s.eventID(4)
	f := follow(t, s, old)
	s.Listen(frameOf("line@a", 10, "himitsu"))
	f.until("window")

	h.set(func(h *host) { h.timeline = h.timeline[1:] })
	s.Forget()
	ev := f.until("resync", "messages")
	if got := texts(decode[[]control.Entry](t, ev.data)); ev.name != "resync" || got != "b" {
		t.Errorf("messages after Forget = %s %q, want resync b", ev.name, got)
	}
	if v := decode[windowView](t, f.until("window").data); v.Frame != nil || v.Hidden {
		t.Errorf("window after Forget = %+v, want no frame", v)
	}
	lacks(t, s, "himitsu")

	// Who was away when it was forgotten still holds it.
	ev = follow(t, s, old).until("resync", "messages", "status")
	if got := texts(decode[[]control.Entry](t, ev.data)); ev.name != "resync" || got != "b" {
		t.Errorf("messages of who comes back = %s %q, want resync b", ev.name, got)
	}
	h.deliver(s, 5, "c")
	if ev = f.until("resync", "messages"); ev.name != "messages" || texts(decode[[]control.Entry](t, ev.data)) != "c" {
		t.Errorf("messages afterwards = %s %s, want c alone", ev.name, ev.data)
	}
}
