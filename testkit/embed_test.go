package testkit_test

import (
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/testkit"
)

// meaning is a runtime whose memory has an embedder.
type meaning struct {
	*testkit.System
	t *testing.T
	c messages.ConversationID
}

func startMeaning(t *testing.T, server *testkit.LLMServer, provider llm.Provider, base string) meaning {
	s := testkit.Start(t, testkit.WithRuntime(runtime.WithLLMTransport(server.Transport())),
		testkit.WithConfig(func(cfg *config.Config) {
			cfg.Windows = nil
			cfg.Memory.Embedder = provider
			cfg.Memory.Embedding.Model, cfg.Memory.Embedding.BaseURL = "test-model", base
		}))
	return meaning{s, t, "shop:4711"}
}

func (m meaning) remember(id, text string) {
	m.t.Helper()
	if _, err := m.Runtime.Remember(m.t.Context(), m.c, []messages.Event{{ID: messages.MessageID(id),
		Speaker: "Anna", At: time.Now(), Text: messages.Text(text)}}); err != nil {
		m.t.Fatal(err)
	}
}

func (m meaning) stats() control.MemoryStats {
	m.t.Helper()
	s, err := m.Runtime.Backend().(control.MemoryBackend).MemoryStats(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	return s
}

// wantFound expects an event as the best one, by the route of the vectors too or not.
func (m meaning) wantFound(when, id string, meant bool) {
	m.t.Helper()
	found, err := m.Runtime.Recall(m.t.Context(), control.RecallQuery{Conversation: m.c, K: 1,
		Text: "Is the unreachable squeakiness bicycle-ish?"})
	if err != nil || len(found.Found) != 1 || found.Found[0].ID != messages.MessageID(id) {
		m.t.Fatalf("%s: Recall() = %+v, %v, want %s", when, found, err, id)
	}
	if got := slices.ContainsFunc(found.Found[0].Routes, func(h control.RecallHit) bool {
		return h.Route == string(memory.Vectors)
	}); got != meant {
		m.t.Errorf("%s: found by %v, by vectors: %v, want %v", when, found.Found[0].Routes, got, meant)
	}
	for _, r := range found.Routes {
		if failed := r.Failed != ""; failed && (meant || r.Route != string(memory.Vectors)) {
			m.t.Errorf("%s: route %s failed: %s", when, r.Route, r.Failed)
		}
	}
}

// What is remembered gets vectors in the background, is found by them at once, after a kill
// and after a restart, and is forgotten with them. While the model's server fails, words
// find; what has no vector then gets one later.
func TestFindsByVectors(t *testing.T) {
	for provider, base := range map[llm.Provider]string{
		llm.OpenAI: "http://127.0.0.1/v1", llm.Ollama: "http://127.0.0.1",
	} {
		synctest.Test(t, func(t *testing.T) {
			server := testkit.StartLLMPipe(t)
			m := startMeaning(t, server, provider, base)
			m.remember("1", "The blue bicycle squeaks.")
			m.remember("2", "Thank you!")
			m.Advance(time.Second)
			if s := m.stats(); s.Vectors != 2 || s.Model != string(provider)+":test-model" {
				t.Fatalf("%s: stats = %+v, want two vectors", provider, s)
			}
			m.wantFound("at first", "1", true)
			m.Crash()
			m.wantFound("after a kill", "1", true)
			m.remember("3", "What a day.")
			m.Crash() // before it has a vector, or behind
			m.Advance(time.Minute)
			if s := m.stats(); s.Vectors != 3 {
				t.Errorf("%s: %d vectors after a kill, want 3", provider, s.Vectors)
			}
			var down atomic.Bool
			down.Store(true)
			server.When(func(testkit.LLMRequest) bool { return down.Load() },
				testkit.LLMReply{Status: http.StatusServiceUnavailable})
			m.remember("4", "Once more.")
			m.Advance(time.Second)
			m.wantFound("while the server fails", "1", false)
			if s := m.stats(); s.Vectors != 3 || s.NotEmbedded != string(messages.LLMUnavailable) {
				t.Errorf("%s: stats = %+v, want 3 vectors, and why", provider, s)
			}
			down.Store(false)
			m.Advance(5 * time.Minute)
			m.Restart()
			m.wantFound("after a restart", "1", true)
			if s := m.stats(); s.Vectors != 4 || s.NotEmbedded != "" {
				t.Errorf("%s: stats = %+v, want all vectors", provider, s)
			}
			if _, err := m.Runtime.Forget(t.Context(), m.c); err != nil {
				t.Fatal(err)
			}
			if s := m.stats(); s.Vectors != 0 || s.Events != 0 {
				t.Errorf("%s: stats = %+v after everything was forgotten", provider, s)
			}
		})
	}
}
