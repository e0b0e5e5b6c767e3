package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit"
)

// mixedUp is a store in which two people of one name have become one conversation: a
// person merged them, who was wrong. It returns their id, and the messages of all and of
// the second one.
func mixedUp(t *testing.T, opts ...testkit.Option) (store *mem.Store, hana messages.ConversationID,
	all, theirs []messages.MessageID) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		first := mem.New()
		s := testkit.Start(t, append(opts, over(first), drafts())...)
		s.Friend("Hana", "Good morning from Hana", "How are you today?")
		s.Advance(20 * time.Second)
		s.Me("Hana", "well, thank you")
		s.Advance(20 * time.Second)
		s.Friend("Kenji", "Wakatsuki says hello", "When does Wakatsuki meet us?")
		s.Advance(20 * time.Second)
		if err := s.Runtime.Merge(context.Background(), "Kenji", "Hana"); err != nil {
			t.Fatal(err)
		}
		s.Advance(5 * time.Second)
		for _, m := range s.Messages() {
			all = append(all, m.ID)
			if bytes.Contains([]byte(m.Parts[0].Text), []byte("Wakatsuki")) {
				theirs = append(theirs, m.ID)
			}
		}
		hana, store = s.ID("Hana"), first.Clone()
	})
	return store, hana, all, theirs
}

func drafts() testkit.Option {
	return testkit.WithConfig(func(c *config.Config) { c.Replies.Policy = "draft" })
}

// wantApart checks that each has what is theirs: messages, drafts, memory; and that
// forgetting the new one leaves nothing of it, and all of the other.
func wantApart(t *testing.T, store *mem.Store, one, into messages.ConversationID) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t, over(store), drafts())
		s.Advance(10 * time.Second)
		ctx := context.Background()
		hana := []string{"Good morning from Hana", "How are you today?"}
		wakatsuki := []string{"Wakatsuki says hello", "When does Wakatsuki meet us?"}
		if got := listed(t, s, one); !slices.Equal(got, hana) {
			t.Errorf("messages of Hana: %q, want %q", got, hana)
		}
		if got := listed(t, s, into); !slices.Equal(got, wakatsuki) {
			t.Errorf("messages of the new one: %q, want %q", got, wakatsuki)
		}
		drafts, err := s.Runtime.Drafts(ctx)
		if err != nil || len(drafts) != 1 || drafts[0].Conversation != into {
			t.Errorf("Drafts() = %+v, %v, want one, of the new conversation", drafts, err)
		}
		memory := s.Runtime.Backend().(control.MemoryBackend)
		for c, want := range map[messages.ConversationID]int{one: 2, into: 1} {
			found, err := memory.Recall(ctx, control.RecallQuery{Text: "Wakatsuki Hana today thank", Conversation: c,
				At: time.Now().Add(24 * time.Hour), K: control.DefaultRecalled})
			if err != nil || len(found.Found) != want {
				t.Errorf("Recall() in %s = %+v, %v, want %d", c, found.Found, err, want)
			}
		}
		if sum, err := s.Runtime.Forget(ctx, into); err != nil || sum.Events == 0 {
			t.Errorf("Forget() of the new one = %+v, %v, want what was said gone", sum, err)
		}
		if got := listed(t, s, into); len(got) > 0 {
			t.Errorf("once forgotten: %q, want nothing", got)
		}
		if got := listed(t, s, one); !slices.Equal(got, hana) {
			t.Errorf("messages of Hana, once the other is forgotten: %q, want %q", got, hana)
		}
	})
}

// TestSplit: messages that a person takes out are another conversation's, with all that
// hangs on them, whichever commit of that is the last before a kill.
func TestSplit(t *testing.T) {
	before, hana, all, theirs := mixedUp(t)
	store := &commits{Store: before}
	var into messages.ConversationID
	var first int
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t, over(store), drafts())
		s.Advance(time.Second)
		ctx := context.Background()
		for _, wrong := range []control.Split{
			{Conversation: "Nobody", Messages: theirs},
			{Conversation: "Hana"},
			{Conversation: "Hana", Messages: []messages.MessageID{"nothing"}},
			{Conversation: "Hana", Messages: all, Onwards: true},
		} {
			if id, err := s.Runtime.Split(ctx, wrong); !errors.Is(err, runtime.ErrNoConversation) &&
				!errors.Is(err, control.ErrNoMessage) {
				t.Errorf("Split(%+v) = %q, %v, want an error", wrong, id, err)
			}
		}
		store.watch(true)
		var err error
		if into, err = s.Runtime.Split(ctx, control.Split{Conversation: "Hana", Messages: theirs}); err != nil {
			t.Fatal(err)
		}
		store.mu.Lock()
		first = len(store.after)
		store.mu.Unlock()
		s.Advance(5 * time.Second)
		store.watch(false)
	})
	for n, left := range store.left(t, 10) {
		if n < first-1 {
			continue // it was not stored, and Split had not returned
		}
		t.Run(fmt.Sprintf("killed after commit %d", n), func(t *testing.T) { wantApart(t, left, hana, into) })
	}
}

// TestSplitSeals: what went to the new conversation is sealed under its key and no other.
func TestSplitSeals(t *testing.T) {
	keys := keyring.Memory(nil)
	sealed := testkit.WithRuntime(runtime.WithSealer(keys))
	store, _, _, theirs := mixedUp(t, sealed)
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t, over(store), drafts(), sealed)
		s.Advance(time.Second)
		into, err := s.Runtime.Split(context.Background(), control.Split{Conversation: "Hana", Messages: theirs,
			Name: "the other one"})
		if err != nil {
			t.Fatal(err)
		}
		s.Advance(5 * time.Second)
		if called := s.Runtime.Called(into); called != "line:the other one" {
			t.Errorf("the new one is called %s, want by the name that was given", called)
		}
		found := 0
		err = store.Scan(nil, nil, func(k, v []byte) bool {
			plain, err := engine.OpenRow(keys, k, v)
			if err != nil {
				t.Errorf("row %q: %v", k, err)
			}
			if bytes.Contains(plain, []byte("Wakatsuki")) || bytes.Contains(plain, []byte("the other one")) {
				found++
				if !keys.Under(string(into), v[len("\x00ks\x01"):]) {
					t.Errorf("row %q holds what went to another conversation, and is not sealed for it: %s", k, plain)
				}
			}
			return true
		})
		if err != nil || found < 5 {
			t.Errorf("%d rows hold what went to another conversation, %v, want some", found, err)
		}
	})
}

// TestSplitIsLearnt: once two people of one name were told apart, what each writes is
// theirs, whoever is shown after whom, also after a crash.
func TestSplitIsLearnt(t *testing.T) {
	for _, crash := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			c := together(t)
			ctx := context.Background()
			c.call("one", "Hana")
			c.call("two", "Hana")
			c.says("one", 4)
			c.Me("one", "well, one")
			c.says("two", 3)
			c.Advance(20 * time.Second)
			ids := map[messages.ConversationID]bool{}
			var one messages.ConversationID
			var theirs []messages.MessageID
			for _, m := range c.Messages() {
				ids[m.Conversation] = true
				if strings.HasPrefix(string(m.Parts[0].Text), "two") {
					theirs = append(theirs, m.ID)
				} else {
					one = m.Conversation
				}
			}
			for id := range ids {
				if id != one {
					if err := c.Runtime.Merge(ctx, id, one); err != nil {
						t.Fatal(err)
					}
				}
			}
			c.Advance(5 * time.Second)
			two, err := c.Runtime.Split(ctx, control.Split{Conversation: one, Messages: theirs})
			if err != nil {
				t.Fatal(err)
			}
			if crash {
				c.Crash()
			}
			c.Advance(5 * time.Second)
			before := len(c.Messages())
			c.says("two", 2)
			c.says("one", 2)
			if crash {
				c.Crash()
			}
			c.says("two", 1)
			c.says("one", 1)
			c.Advance(20 * time.Second)
			heard := map[string]int{}
			for _, m := range c.Messages()[before:] {
				want := one
				if strings.HasPrefix(string(m.Parts[0].Text), "two") {
					want = two
				}
				for _, p := range m.Parts {
					heard[string(p.Text)]++
				}
				if m.Conversation != want {
					t.Errorf("%q came in %s, want %s", string(m.Parts[0].Text), m.Conversation, want)
				}
			}
			for text, n := range heard {
				if n != 1 {
					t.Errorf("%q came %d times, want once", text, n)
				}
			}
			if len(heard) != 6 {
				t.Errorf("%d messages came after the split, want 6: %v", len(heard), heard)
			}
		})
	}
}

// TestForgettingTheOldOneLeavesTheNewOne: what a person took out of a conversation is not forgotten with it.
func TestForgettingTheOldOneLeavesTheNewOne(t *testing.T) {
	store, hana, _, theirs := mixedUp(t)
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t, over(store), drafts())
		s.Advance(time.Second)
		ctx := context.Background()
		into, err := s.Runtime.Split(ctx, control.Split{Conversation: hana, Messages: theirs, Name: "Wakatsuki"})
		if err != nil {
			t.Fatal(err)
		}
		s.Advance(time.Minute)
		if _, err := s.Runtime.Forget(ctx, hana); err != nil {
			t.Fatal(err)
		}
		if got := listed(t, s, hana); len(got) > 0 {
			t.Errorf("once forgotten: %q, want nothing", got)
		}
		want := []string{"Wakatsuki says hello", "When does Wakatsuki meet us?"}
		if got := listed(t, s, into); !slices.Equal(got, want) {
			t.Errorf("messages of the new one, once the old one is forgotten: %q, want %q", got, want)
		}
	})
}
