package runtime_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
)

// TestEveryVerbResolvesNames the same way: an id, a name, and a name behind its application
// mean one conversation; a name of several is an error that lists them. A name of nobody
// may be the id of a host's conversation: it has nothing.
func TestEveryVerbResolvesNames(t *testing.T) {
	rt, stop := talking(t, t.TempDir())
	defer stop()
	b := rt.Backend()
	talks, memory := b.(control.TalkBackend), b.(control.MemoryBackend)
	begin := func(channel messages.Channel, name string) messages.ConversationID {
		t.Helper()
		c, err := talks.Begin(t.Context(), control.Begin{Channel: channel, Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	one, two, only := begin("web", "Ken"), begin("host", "Ken"), begin("web", "Hana")
	hana := []messages.ConversationID{only, "web:Hana", "Hana", "hana"}
	verbs := map[string]func(context.Context, messages.ConversationID) error{
		"messages": func(ctx context.Context, c messages.ConversationID) error {
			return b.Timeline(ctx, control.Query{Conversation: c}, func(control.Entry) error { return nil })
		},
		"verdicts": func(ctx context.Context, c messages.ConversationID) error {
			return b.Verdicts(ctx, control.Query{Conversation: c}, func(events.Verdict) error { return nil })
		},
		"why": func(ctx context.Context, c messages.ConversationID) error {
			_, err := b.Why(ctx, control.WhyQuery{Text: "hello", Conversation: c, Limit: 1})
			return err
		},
		"which": func(ctx context.Context, c messages.ConversationID) error {
			_, err := b.Which(ctx, string(c))
			return err
		},
		"merge":      func(ctx context.Context, c messages.ConversationID) error { return b.Merge(ctx, c, two) },
		"merge into": func(ctx context.Context, c messages.ConversationID) error { return b.Merge(ctx, two, c) },
		"split": func(ctx context.Context, c messages.ConversationID) error {
			_, err := b.Split(ctx, control.Split{Conversation: c, Messages: []messages.MessageID{"none"}})
			return err
		},
		"rename":    func(ctx context.Context, c messages.ConversationID) error { return b.Rename(ctx, c, "") },
		"interview": talks.Stop,
		"chat": func(ctx context.Context, c messages.ConversationID) error {
			_, err := talks.Talk(ctx, c, control.TalkQuery{})
			return err
		},
		"say": func(ctx context.Context, c messages.ConversationID) error {
			_, err := talks.Say(ctx, c, control.Say{Text: ""})
			return err
		},
		"guest": func(ctx context.Context, c messages.ConversationID) error {
			_, err := b.(control.PageBackend).PageLink(ctx, c)
			return err
		},
		"recall": func(ctx context.Context, c messages.ConversationID) error {
			_, err := memory.Recall(ctx, control.RecallQuery{Text: "hello", Conversation: c, K: 1})
			return err
		},
		"learned": func(ctx context.Context, c messages.ConversationID) error {
			_, err := memory.Learned(ctx, c)
			return err
		},
		"remembered": func(ctx context.Context, c messages.ConversationID) error {
			_, err := memory.Remembered(ctx, c, "none")
			return err
		},
		"forget": func(ctx context.Context, c messages.ConversationID) error {
			if slices.Contains(hana, c) {
				return nil // it would be forgotten
			}
			_, err := b.Forget(ctx, c)
			return err
		},
	}
	for verb, ask := range verbs {
		for _, clear := range hana {
			err := ask(t.Context(), clear)
			unfit := err != nil && strings.Contains(err.Error(), "with windows")
			if errors.Is(err, control.ErrNotClear) || errors.Is(err, control.ErrNoConversation) && !unfit {
				t.Errorf("%s %s = %v, want it found", verb, clear, err)
			}
		}
		if err := ask(t.Context(), "Ken"); !errors.Is(err, control.ErrNotClear) ||
			!strings.Contains(err.Error(), string(one)) || !strings.Contains(err.Error(), string(two)) {
			t.Errorf("%s Ken = %v, want both listed", verb, err)
		}
		if err := ask(t.Context(), "web:Zoe"); errors.Is(err, control.ErrNotClear) {
			t.Errorf("%s web:Zoe = %v, want it unknown", verb, err)
		}
	}
}
