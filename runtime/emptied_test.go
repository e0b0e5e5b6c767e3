package runtime_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
)

// TestEmptiedChat: an application that keeps no history is started anew, and shows the same person's chat without
// what was said before, beginning with words that were said there once. It is the same conversation, nothing in it
// was taken back or edited, and what is said now comes out.
func TestEmptiedChat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := together(t)
		apply := func(change drawn.Change) {
			t.Helper()
			if err := c.Window.Apply(change); err != nil {
				t.Fatal(err)
			}
		}
		apply(drawn.Change{Op: drawn.OpTitle, Conversation: "Hana", Text: "Hana"})
		apply(drawn.Change{Op: drawn.OpTitle, Conversation: "Ken", Text: "Hana"}) // the emptied chat
		c.show("Hana", time.Second)
		said := []string{"good evening, it is Hana"}
		for i := range 30 {
			said = append(said, fmt.Sprintf("what was said before, number %d", i+1))
		}
		for _, text := range said {
			c.Friend("Hana", text)
			c.Advance(3 * time.Second)
		}
		apply(drawn.Change{Op: drawn.OpHide})
		c.Advance(5 * time.Second)
		if err := c.Window.Switch("Ken"); err != nil {
			t.Fatal(err)
		}
		c.Friend("Ken", "good evening, it is Hana")
		apply(drawn.Change{Op: drawn.OpShow})
		apply(drawn.Change{Op: drawn.OpResize, W: 500, H: 700}) // it opens in another size
		c.Advance(10 * time.Second)
		for i := range 6 {
			c.Friend("Ken", fmt.Sprintf("after the start, number %d", i+1))
			c.Advance(3 * time.Second)
		}
		c.Advance(20 * time.Second)
		ids, count := map[messages.ConversationID]bool{}, map[messages.Text]int{}
		for _, m := range c.Messages() {
			ids[m.Conversation] = true
			for _, p := range m.Parts {
				if count[p.Text]++; p.Unsent || p.Edited != "" {
					t.Errorf("%q was edited or taken back, want it as it was", string(p.Text))
				}
			}
		}
		for i := range 6 {
			if text := messages.Text(fmt.Sprintf("after the start, number %d", i+1)); count[text] != 1 {
				t.Errorf("%q came out %d times, want once", string(text), count[text])
			}
		}
		if len(ids) != 1 {
			t.Errorf("messages came out of %d conversations, want one", len(ids))
		}
	})
}
