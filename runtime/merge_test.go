package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
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

// listed are the texts that kehai messages shows of a conversation.
func listed(t *testing.T, s *testkit.System, c messages.ConversationID) (texts []string) {
	t.Helper()
	q := control.Query{Conversation: c}
	err := s.Runtime.Backend().Timeline(context.Background(), q, func(e control.Entry) error {
		if e.Message != nil {
			for _, p := range e.Message.Parts {
				texts = append(texts, p.Text)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// TestMerge: what is stored of the one is the other's, what comes under the name of
// either is too, nothing is repeated or lost, and a draft that waited still waits. A
// crash at once, or soon, changes nothing of it.
func TestMerge(t *testing.T) {
	for crash := range 4 {
		t.Run(fmt.Sprintf("crash %d", crash), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := testkit.Start(t, testkit.WithConfig(func(c *config.Config) { c.Replies.Policy = "draft" }))
				ctx := context.Background()
				s.Friend("Hana", "Good morning from Hana", "How are you today?")
				s.Advance(20 * time.Second)
				s.Friend("Kenji", "Kenji says hello", "When do we meet?")
				s.Advance(20 * time.Second)
				hana, kenji := s.ID("Hana"), s.ID("Kenji")
				if err := s.Runtime.Merge(ctx, "Kenji", "line:Hana"); err != nil {
					t.Fatal(err)
				}
				if crash&1 != 0 {
					s.Crash()
				}
				s.Advance(time.Second)
				if crash&2 != 0 {
					s.Crash()
				}
				s.Advance(20 * time.Second)
				all := []string{"Good morning from Hana", "How are you today?", "Kenji says hello", "When do we meet?"}
				for _, name := range []messages.ConversationID{hana, kenji, "Hana", "Kenji"} {
					if got := listed(t, s, name); !slices.Equal(got, all) {
						t.Errorf("messages of %s: %q, want %q", name, got, all)
					}
				}
				s.Friend("Kenji", "And bring cake")
				s.Advance(20 * time.Second)
				s.Friend("Hana", "Thank you")
				s.Advance(20 * time.Second)
				all = append(all, "And bring cake", "Thank you")
				if got := listed(t, s, hana); !slices.Equal(got, all) {
					t.Errorf("messages of both: %q, want %q", got, all)
				}
				list, err := s.Runtime.Conversations(ctx)
				if err != nil || len(list) != 1 || list[0].ID != hana || list[0].Messages < 4 {
					t.Errorf("Conversations() = %+v, %v, want one with all messages", list, err)
				}
				drafts, err := s.Runtime.Drafts(ctx)
				if err != nil || len(drafts) != 1 || drafts[0].Conversation != hana ||
					!strings.HasPrefix(drafts[0].Called, "line:") {
					t.Errorf("Drafts() = %+v, %v, want one of the conversation that is left", drafts, err)
				}
				if err := s.Runtime.Merge(ctx, kenji, hana); !errors.Is(err, runtime.ErrOneAlready) {
					t.Errorf("Merge() once more = %v, want %v", err, runtime.ErrOneAlready)
				}
				if sum, err := s.Runtime.Forget(ctx, "Kenji"); err != nil || sum.Events < 6 {
					t.Errorf("Forget() = %+v, %v, want what both said gone", sum, err)
				}
				if got := listed(t, s, hana); len(got) > 0 {
					t.Errorf("once forgotten: %q, want nothing", got)
				}
			})
		})
	}
}

// caller is a model elsewhere that promises to call the number it was shown first, by the
// placeholder that it had then.
type caller struct {
	mu    sync.Mutex
	shown string
}

func (m *caller) Generate(_ context.Context, q runtime.LLMQuestion) (runtime.LLMReply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	said := `{"learned": [], "themes": []}`
	switch q.Purpose {
	case "judge":
		said = `{"should_respond": true, "confidence": 0.9, "reason": "wants a call"}`
	case "reply":
		for _, p := range shownPhone.FindAllString(q.Prompt, -1) {
			if m.shown == "" && (strings.Contains(p, "phone") || strings.Contains(p, "電話")) {
				m.shown = p
			}
		}
		said = "I will call " + m.shown
	}
	return runtime.LLMReply{Text: said, Model: "caller"}, nil
}

// twoChats is a store in which two people were heard, with how to open it.
type twoChats struct {
	store       *mem.Store
	keys        *keyring.Ring
	hana, kenji messages.ConversationID
	opts        []testkit.Option
}

var (
	fromHana  = []string{"Good morning from Hana", "How are you today?"}
	fromKenji = []string{"Kenji says hello", "Call 090-8642-1357?"}
)

func heardTwo(t *testing.T) (w twoChats) {
	t.Helper()
	w.keys = keyring.Memory(nil)
	w.opts = []testkit.Option{drafts(), testkit.WithRuntime(runtime.WithSealer(w.keys), runtime.WithLLM(&caller{}))}
	synctest.Test(t, func(t *testing.T) {
		first := mem.New()
		s := testkit.Start(t, append(w.opts, over(first))...)
		s.Friend("Kenji", fromKenji...)
		s.Advance(20 * time.Second)
		s.Friend("Hana", fromHana...)
		s.Advance(20 * time.Second)
		s.Me("Hana", "well, thank you")
		s.Advance(20 * time.Second)
		w.hana, w.kenji, w.store = s.ID("Hana"), s.ID("Kenji"), first.Clone()
		promised(t, s, w.kenji)
	})
	return w
}

// promised checks that the draft of a conversation has the number that no model has seen.
func promised(t *testing.T, s *testkit.System, c messages.ConversationID) {
	t.Helper()
	list, err := s.Runtime.Drafts(context.Background())
	for _, d := range list {
		if d.Conversation == c && d.Text == "I will call 090-8642-1357" {
			return
		}
	}
	t.Errorf("Drafts() = %+v, %v, want one in %s with the number", list, err, c)
}

// killed lets something be done in a store and checks what a kill after each of its commits leaves,
// from the one on which it is promised.
func (w twoChats) killed(t *testing.T, least int, do func(context.Context, *testkit.System) error,
	want func(*testing.T, *testkit.System, *mem.Store)) {
	t.Helper()
	store, first := &commits{Store: w.store}, 0
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t, append(w.opts, over(store))...)
		s.Advance(time.Second)
		store.watch(true)
		if err := do(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		store.mu.Lock()
		first = len(store.after)
		store.mu.Unlock()
		s.Advance(10 * time.Second)
		store.watch(false)
	})
	for n, left := range store.left(t, least) {
		if n < first-1 {
			continue // it was not stored, and nobody was told that it is
		}
		t.Run(fmt.Sprintf("killed after commit %d", n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := testkit.Start(t, append(w.opts, over(left))...)
				s.Advance(10 * time.Second)
				want(t, s, left)
			})
		})
	}
}

// judgedIn are the conversations whose judge has a judgement stored.
func (w twoChats) judgedIn(t *testing.T, store *mem.Store) (in []messages.ConversationID) {
	t.Helper()
	err := store.Scan(nil, nil, func(k, v []byte) bool {
		plain, err := engine.OpenRow(w.keys, k, v)
		if err != nil {
			t.Errorf("row %q: %v", k, err)
		}
		for _, c := range []messages.ConversationID{w.hana, w.kenji} {
			if bytes.Contains(k, []byte("judge/"+c)) && bytes.Contains(plain, []byte("wants a call")) {
				in = append(in, c)
			}
		}
		return true
	})
	if err != nil {
		t.Error(err)
	}
	return in
}

// wantNothingAgain shows a conversation as it was, and wants what is known of it to stay.
func wantNothingAgain(t *testing.T, s *testkit.System, name string, shown []string, c messages.ConversationID) {
	t.Helper()
	before := listed(t, s, c)
	s.Friend(name, shown...)
	s.Advance(20 * time.Second)
	if got := listed(t, s, c); !slices.Equal(got, before) {
		t.Errorf("shown again, the messages of %s are %q, want %q", name, got, before)
	}
}

// TestMergeKilled: whichever commit of a merge is the last before a kill, the messages are there
// once, what was masked for a model is restored, the newest message is judged where it went, and
// nothing that is shown again is delivered again.
func TestMergeKilled(t *testing.T) {
	w := heardTwo(t)
	all := slices.Concat(fromKenji, fromHana)
	w.killed(t, 6, func(ctx context.Context, s *testkit.System) error {
		return s.Runtime.Merge(ctx, "Kenji", "line:Hana")
	}, func(t *testing.T, s *testkit.System, left *mem.Store) {
		promised(t, s, w.hana) // the draft that waited
		for _, c := range []messages.ConversationID{w.hana, w.kenji} {
			if got := listed(t, s, c); !slices.Equal(got, all) {
				t.Errorf("messages of %s: %q, want %q", c, got, all)
			}
		}
		wantNothingAgain(t, s, "Kenji", fromKenji, w.hana)
		wantNothingAgain(t, s, "Hana", fromHana, w.hana)
		s.Friend("Kenji", "Which number was it?")
		s.Advance(20 * time.Second)
		if got := listed(t, s, w.hana); !slices.Equal(got, append(slices.Clone(all), "Which number was it?")) {
			t.Errorf("with what came behind the merge: %q", got)
		}
		promised(t, s, w.hana)
		if in := w.judgedIn(t, left); !slices.Equal(in, []messages.ConversationID{w.hana}) {
			t.Errorf("judgements are stored in %v, want in the conversation that is left alone", in)
		}
	})
}

// TestRenameKilled is the same for a new name: the conversation stays the one that it was.
func TestRenameKilled(t *testing.T) {
	w := heardTwo(t)
	w.killed(t, 2, func(ctx context.Context, s *testkit.System) error {
		return s.Runtime.Rename(ctx, w.kenji, "Kenji from work")
	}, func(t *testing.T, s *testkit.System, left *mem.Store) {
		if got := s.Runtime.Called(w.kenji); got != "line:Kenji from work" {
			t.Errorf("it is called %q, want by the new name", got)
		}
		for _, name := range []messages.ConversationID{w.kenji, "Kenji from work", "Kenji"} {
			if got := listed(t, s, name); !slices.Equal(got, fromKenji) {
				t.Errorf("messages of %s: %q, want %q", name, got, fromKenji)
			}
		}
		if in := w.judgedIn(t, left); !slices.Equal(in, []messages.ConversationID{w.kenji}) {
			t.Errorf("judgements are stored in %v, want in the conversation of the draft", in)
		}
		promised(t, s, w.kenji)
		wantNothingAgain(t, s, "Kenji", fromKenji, w.kenji)
		s.Friend("Kenji", "Which number was it?")
		s.Advance(20 * time.Second)
		if got := listed(t, s, w.kenji); !slices.Equal(got, append(slices.Clone(fromKenji), "Which number was it?")) {
			t.Errorf("with what came behind the new name: %q", got)
		}
		promised(t, s, w.kenji)
	})
}
