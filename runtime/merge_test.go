package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
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
				if err != nil || len(drafts) != 1 || drafts[0].Conversation != hana {
					t.Errorf("Drafts() = %+v, %v, want one of the conversation that is left", drafts, err)
				}
				if err := s.Runtime.Merge(ctx, kenji, hana); !errors.Is(err, runtime.ErrNoConversation) {
					t.Errorf("Merge() once more = %v, want %v", err, runtime.ErrNoConversation)
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
