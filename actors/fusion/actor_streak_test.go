package fusion

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// TestUnbroken: which frames come after the one before without a break.
func TestUnbroken(t *testing.T) {
	for _, c := range []struct {
		what    string
		between func(h *actortest.Harness, last *messages.FrameRead)
		want    bool
	}{
		{"at once", func(*actortest.Harness, *messages.FrameRead) {}, true},
		{"a slow reading", func(h *actortest.Harness, _ *messages.FrameRead) { h.Advance(15 * time.Second) }, true},
		{"nobody has looked", func(h *actortest.Harness, _ *messages.FrameRead) { h.Advance(time.Minute) }, false},
		{"it has stood there", func(h *actortest.Harness, last *messages.FrameRead) {
			h.Advance(time.Minute)
			last.Watched = h.Now()
		}, true},
		{"the window was gone", func(_ *actortest.Harness, last *messages.FrameRead) { last.Away = true }, false},
		{"another title", func(_ *actortest.Harness, last *messages.FrameRead) { last.Title.Text = "Hama" }, false},
		{"somebody else", func(h *actortest.Harness, _ *messages.FrameRead) { tell(h, "Ken", "x y", "c-2") }, false},
		{"an empty window", func(h *actortest.Harness, _ *messages.FrameRead) { tell(h, "Hana", "", "c-1") }, false},
		{"nobody knows who", func(h *actortest.Harness, _ *messages.FrameRead) { tell(h, "Ken", "x", "") }, false},
		{"nobody knows if it is", func(h *actortest.Harness, _ *messages.FrameRead) { tell(h, "Hana", "x", "") }, true},
		{"a crash", func(h *actortest.Harness, _ *messages.FrameRead) { h.Crash() }, false},
	} {
		h := actortest.Spawn(t, New(Options{}), actortest.Address("fusion/line@mac"))
		tell(h, "Hana", "a b", "c-1")
		last := read("Hana", "z")
		last.Bubbles[0].Box.H = 20
		c.between(h, &last)
		last = send(h, last)
		h.Sent()
		h.Send(messages.Identified{Window: "line@mac", Frame: last.Hash, At: last.At,
			Compare: []messages.ConversationID{"c-1"}})
		sent := h.Sent()
		if len(sent) != 1 {
			t.Fatalf("%s: sent %v, want one question", c.what, sent)
		}
		if got := sent[0].Message.(messages.AskOverlap).Unbroken; got != c.want {
			t.Errorf("%s: Unbroken = %v, want %v", c.what, got, c.want)
		}
	}
}

// tell shows a frame and gives its conversation, "" for an unknown one.
func tell(h *actortest.Harness, title messages.Text, words string, c messages.ConversationID) {
	m := send(h, read(title, words))
	answer := messages.Identified{Window: "line@mac", Frame: m.Hash, At: m.At, Conversation: c, Name: title}
	if c == "" {
		answer.Why = "title_ambiguous"
	}
	h.Send(answer)
	h.Sent()
}

// TestBlank: an empty pane tells that what follows under its title is not what was shown
// before; one that stays empty, that nothing was said there.
func TestBlank(t *testing.T) {
	at := func(s float64) time.Time { return noon.Add(time.Duration(s * float64(time.Second))) }
	frame := func(title messages.Text, words string, s, watched float64) messages.FrameRead {
		m := read(title, words)
		m.At, m.Watched = at(s), at(watched)
		return m
	}
	for _, c := range []struct {
		what         string
		frames       []messages.FrameRead
		before, long bool
	}{
		{"never", []messages.FrameRead{frame("Hana", "a", 0, 0)}, false, false},
		{"for a moment", []messages.FrameRead{frame("Hana", "", 0, 0), frame("Hana", "a", 1, 0.5)}, true, false},
		{"for long", []messages.FrameRead{frame("Hana", "", 0, 0), frame("Hana", "a", 3, 2)}, true, true},
		{"since long, and then on", []messages.FrameRead{frame("Hana", "", 0, 0), frame("Hana", "a", 1, 0.5),
			frame("Hana", "a b", 9, 8)}, true, false},
		{"under another title", []messages.FrameRead{frame("Ken", "", 0, 0), frame("Hana", "a", 3, 2)}, false, false},
		{"read twice", []messages.FrameRead{frame("Hana", "", 0, 0), frame("Hana", "", 2, 0),
			frame("Hana", "a", 3, 0)}, true, true},
	} {
		var b blank
		for _, m := range c.frames {
			b.note(m)
		}
		last := c.frames[len(c.frames)-1]
		if got, long := b.before(last), b.long(last); got != c.before || long != c.long {
			t.Errorf("%s: before, long = %v, %v, want %v, %v", c.what, got, long, c.before, c.long)
		}
	}
}
