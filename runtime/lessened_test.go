package runtime_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit"
)

// bubblesRead changes which bubbles are read in a frame.
func bubblesRead(as func([]messages.Bubble) []messages.Bubble) testkit.Option {
	return framesRead(func(m *messages.FrameRead) { m.Bubbles = as(slices.Clone(m.Bubbles)) })
}

// raised are the bubbles when a panel below has moved them up; the header hides the upper ones.
func raised(list []messages.Bubble, by int) []messages.Bubble {
	for i := range list {
		list[i].Box.Y -= by
	}
	return slices.DeleteFunc(list, func(b messages.Bubble) bool { return b.Box.Y < 52 })
}

// without are the bubbles when one was deleted, without a notice.
func without(list []messages.Bubble, said string) []messages.Bubble {
	i := slices.IndexFunc(list, func(b messages.Bubble) bool { return string(b.Text) == said })
	if i < 0 {
		return list
	}
	for j := range list[i:] {
		list[i+j].Box.Y -= 48
	}
	return slices.Delete(list, i, i+1)
}

// TestALessenedChat: a chat that shows less than before, because a panel stands below or its last message was
// deleted while nobody watched, is no namesake's: nothing of it comes a second time, and nothing is lost.
func TestALessenedChat(t *testing.T) {
	for name, c := range map[string]struct {
		lessened func([]messages.Bubble) []messages.Bubble
		said     int  // before
		away     bool // it is lessened while the window shows another chat
		held     int  // bubbles at the end
	}{
		"a panel": {func(list []messages.Bubble) []messages.Bubble { return raised(list, 300) }, 8, false, 0},
		"a panel in a long chat": {func(list []messages.Bubble) []messages.Bubble { return raised(list, 300) },
			40, false, 0},
		"pictures below that are no bubbles": {func(list []messages.Bubble) []messages.Bubble {
			return raised(list, 360)
		}, 20, false, 0},
		"deleted": {func(list []messages.Bubble) []messages.Bubble { return without(list, text("one", 8)) },
			8, true, 0},
		"deleted early": {func(list []messages.Bubble) []messages.Bubble { return without(list, text("one", 3)) },
			3, true, 4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				now := func(list []messages.Bubble) []messages.Bubble { return list }
				s := together(t, bubblesRead(func(list []messages.Bubble) []messages.Bubble { return now(list) }))
				s.call("one", "Hana")
				s.says("one", c.said)
				if c.away {
					s.says("two", 2)
				}
				now = c.lessened
				if err := s.Window.Apply(drawn.Change{Op: drawn.OpRerender}); err != nil {
					t.Fatal(err)
				}
				s.show("one", 20*time.Second)
				s.says("one", 2)
				if !c.away { // the panel is closed
					now = func(list []messages.Bubble) []messages.Bubble { return list }
					s.says("one", 2)
				}
				s.Advance(20 * time.Second)
				came := map[string]messages.ConversationID{}
				for _, m := range s.Messages() {
					for _, p := range m.Parts {
						if before, ok := came[string(p.Text)]; ok {
							t.Errorf("%q came in %s and in %s", string(p.Text), before, m.Conversation)
						}
						came[string(p.Text)] = m.Conversation
					}
				}
				held := 0
				list, err := s.Runtime.Held(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				for _, h := range list {
					held += h.Count
				}
				if held != c.held {
					t.Errorf("%d bubbles are held, want %d: %+v", held, c.held, list)
				}
			})
		})
	}
}
