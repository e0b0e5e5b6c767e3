package runtime_test

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/testkit"
)

// watchedSealer notes for whom a name is sealed.
type watchedSealer struct {
	engine.Sealer
	name  string
	mu    sync.Mutex
	under map[string]int // rows by subject
}

func (w *watchedSealer) Seal(to []byte, subject string, place, plain []byte) ([]byte, error) {
	if bytes.Contains(plain, []byte(w.name)) || bytes.Contains(place, []byte(w.name)) {
		w.mu.Lock()
		w.under[subject]++
		w.mu.Unlock()
	}
	return w.Sealer.Seal(to, subject, place, plain)
}

// want checks that the name went under the keys of these conversations only, which
// forgetting them destroys.
func (w *watchedSealer) want(t *testing.T, ids ...messages.ConversationID) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for subject, n := range w.under {
		known := false
		for _, id := range ids {
			known = known || subject == string(id)
		}
		if !known {
			t.Errorf("%d rows with the name are sealed for %q, want all of them for %v", n, subject, ids)
		}
	}
	for _, id := range ids {
		if w.under[string(id)] == 0 {
			t.Errorf("no row with the name is sealed for %s, want some", id)
		}
	}
}

// TestNamesOfTheNew: the name of somebody whom the host introduces, or whose held
// messages a person settles, is nowhere but under the key of their own conversation.
func TestNamesOfTheNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &watchedSealer{Sealer: keyring.Memory(nil), name: "Wakatsuki", under: map[string]int{}}
		s := testkit.Start(t, testkit.WithRuntime(runtime.WithSealer(w)))
		ctx := context.Background()
		one, err := s.Runtime.Conversation(ctx, "line", "Wakatsuki")
		if err != nil {
			t.Fatal(err)
		}
		w.want(t, one)

		c := &chats{System: s, t: t, said: map[string]int{}}
		c.call("one", "Wakatsuki")
		c.call("two", "Wakatsuki")
		c.says("one", 14)
		for i := range 14 {
			if err := c.Window.Apply(drawn.Change{Op: drawn.OpAppend, Conversation: "two", Who: drawn.Friend,
				Text: messages.Text(text("two", i+1))}); err != nil {
				t.Fatal(err)
			}
		}
		c.show("two", 10*time.Second)
		w.mu.Lock()
		clear(w.under) // what is held is the window's until somebody says whose it is
		w.mu.Unlock()
		list, err := s.Runtime.Held(ctx)
		if err != nil || len(list) != 1 {
			t.Fatalf("Held() = %+v, %v, want one page", list, err)
		}
		if err := s.Runtime.SettleHeld(ctx, list[0].ID, ""); err != nil {
			t.Fatal(err)
		}
		c.Advance(20 * time.Second)
		known, err := s.Runtime.Conversations(ctx)
		if err != nil || len(known) != 2 {
			t.Fatalf("Conversations() = %+v, %v, want two", known, err)
		}
		other := known[0].ID
		if other == one {
			other = known[1].ID
		}
		w.want(t, other)
	})
}
