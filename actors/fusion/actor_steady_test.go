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

// tell shows a frame, and says whose it is; "" is nobody's.
func tell(h *actortest.Harness, title messages.Text, words string, c messages.ConversationID) {
	m := send(h, read(title, words))
	answer := messages.Identified{Window: "line@mac", Frame: m.Hash, At: m.At, Conversation: c, Name: title}
	if c == "" {
		answer.Why = "title_ambiguous"
	}
	h.Send(answer)
	h.Sent()
}
