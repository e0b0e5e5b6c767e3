package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit"
)

// importedByName is a store in which an older version has left what it imported under
// the name of somebody who was never seen.
func importedByName(t *testing.T) *mem.Store {
	t.Helper()
	var store *mem.Store
	synctest.Test(t, func(t *testing.T) {
		first := mem.New()
		s := testkit.Start(t, over(first))
		ctx := context.Background()
		at := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
		var list []messages.Event
		for i, text := range []messages.Text{"where is it?", "the bank at the corner", "which corner?"} {
			list = append(list, messages.Event{ID: messages.MessageID(fmt.Sprint("e", 3-i)), Speaker: "Zoe", Text: text,
				At: at.Add(time.Duration(i) * time.Minute), Own: i != 1})
		}
		for _, c := range []messages.ConversationID{"line:Zoe", "c-host", "line:Hana"} {
			m := messages.Remember{Conversation: c, Events: list}
			if err := s.Runtime.Inject(ctx, messages.To(messages.ActorRecall, string(c)), m, ""); err != nil {
				t.Fatal(err)
			}
		}
		s.Advance(time.Second)
		store = first.Clone()
	})
	unset(t, store, "imported")
	return store
}

// wantMoved checks that it is theirs under an id, in the order in which it was said, and
// that no key in the store has the name.
func wantMoved(t *testing.T, store *mem.Store) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t, over(store))
		s.Advance(5 * time.Second)
		m := s.Runtime.Backend().(control.MemoryBackend)
		ctx := context.Background()
		for name, want := range map[string]int{"Zoe": 3, "Hana": 3} {
			found, err := m.Recall(ctx, control.RecallQuery{Text: "corner bank where", Conversation: s.ID(name),
				At: time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC), K: control.DefaultRecalled})
			if err != nil || len(found.Found) != want {
				t.Errorf("Recall() in the conversation of %s = %+v, %v, want %d messages", name, found.Found, err, want)
			}
			if r, err := m.Remembered(ctx, s.ID(name), "e2"); err != nil || r.ReplyTo != "e3" {
				t.Errorf("the second message of %s is %+v, %v, want an answer to the first", name, r, err)
			}
		}
		if stats, err := m.MemoryStats(ctx); err != nil || stats.Events != 9 || stats.Conversations != 3 {
			t.Errorf("MemoryStats() = %+v, %v, want 9 events of 3 conversations", stats, err)
		}
		if _, err := m.Remembered(ctx, "c-host", "e2"); err != nil {
			t.Errorf("a conversation with an id of its own: %v, want it as it was", err)
		}
		err := store.Scan(nil, nil, func(k, _ []byte) bool {
			if bytes.Contains(k, []byte("Zoe")) || bytes.Contains(k, []byte("Hana")) {
				t.Errorf("the key %q has a name", k)
			}
			return true
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestImportedByName: what an older version imported under a name goes to an id at the
// next start, whichever commit of that is the last before a kill.
func TestImportedByName(t *testing.T) {
	store := &commits{Store: importedByName(t)}
	store.watch(true)
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t, over(store))
		s.Advance(5 * time.Second)
		store.watch(false)
	})
	for n, left := range store.left(t, 4) {
		t.Logf("killed after commit %d", n)
		wantMoved(t, left)
	}
}
