package runtime_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/recording"
	"github.com/kehai-run/kehai/testkit"
)

// slow is a model of the host that ends its answer when it is let.
type slow struct{ on chan struct{} }

func (s slow) Generate(ctx context.Context, q runtime.LLMQuestion) (runtime.LLMReply, error) {
	return s.Stream(ctx, q, func(string) {})
}

func (s slow) Stream(ctx context.Context, _ runtime.LLMQuestion, write func(string)) (runtime.LLMReply, error) {
	write("At nine, ")
	select {
	case <-s.on:
		return runtime.LLMReply{Text: "At nine, at the station.", Model: "slow"}, nil
	case <-ctx.Done():
		return runtime.LLMReply{}, ctx.Err()
	}
}

// shows waits until the beginning of a reply is shown.
func shows(t *testing.T, b control.TalkBackend, c messages.ConversationID, after uint64, want string) {
	t.Helper()
	seen := &control.Token{}
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		news, err := b.News(t.Context(), c, after, seen, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if after = news.Last; news.Token != nil {
			if seen = news.Token; strings.HasPrefix(seen.Content, want) {
				return
			}
		}
	}
	t.Fatalf("%q is shown while the model writes, want %q at least", seen.Content, want)
}

// TestAReplyIsShownWhileItIsWritten: whoever answers, also where that is recorded.
func TestAReplyIsShownWhileItIsWritten(t *testing.T) {
	for name, c := range map[string]struct{ server, recorded bool }{
		"model of the host":           {},
		"model of the host, recorded": {recorded: true},
		"model of a server":           {server: true},
		"model of a server, recorded": {server: true, recorded: true},
	} {
		t.Run(name, func(t *testing.T) {
			host, server := slow{make(chan struct{})}, testkit.StartLLM(t)
			opts := []runtime.Option{runtime.InMemory(), runtime.WithLLM(host)}
			goOn := func() { close(host.on) }
			server.When(func(r testkit.LLMRequest) bool { return !r.Stream }, testkit.LLMReply{Text: "{}"})
			if c.server {
				server.Reply(testkit.LLMReply{Chunks: []string{"At nine, ", "at the station."}, Hold: true})
				opts, goOn = append(opts, runtime.WithLLM(nil)), func() { server.Release(1) }
			}
			if c.recorded {
				rec, err := recording.New(recording.Options{Path: filepath.Join(t.TempDir(), "r"),
					Windows: []string{"line"}})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = rec.Close() })
				opts = append(opts, runtime.WithRecorder(rec))
			}
			cfg := runtime.Default()
			cfg.LLM.Tier, cfg.LLM.Provider, cfg.LLM.Model = config.LLMLocal, "openai", "m"
			cfg.LLM.BaseURL = server.URL() + "/v1"
			rt, stop := talkingWith(t, cfg, opts...)
			defer stop()
			id, err := rt.Talk().Begin(t.Context(), control.Begin{Name: "guest"})
			if err != nil {
				t.Fatal(err)
			}
			a, err := rt.Talk().Say(t.Context(), id, control.Say{Text: "When?"})
			if err != nil {
				t.Fatal(err)
			}
			if c.server {
				server.Release(1)
			}
			shows(t, rt.Talk(), id, a.After, "At nine")
			goOn()
			texts, _ := until(t, rt.Talk(), id, a.After)
			if len(texts) != 2 || texts[1] != "assistant: At nine, at the station." {
				t.Errorf("news = %q, want the question and the whole reply", texts)
			}
		})
	}
}
