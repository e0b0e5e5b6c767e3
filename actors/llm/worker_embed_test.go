package llm_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/testkit"
)

func embedder(t *testing.T, s *testkit.LLMServer, p llm.Provider) *llm.Embedder {
	t.Helper()
	o := llm.DefaultEmbedSettings()
	o.Embedder, o.Embedding.Model, o.Embedding.BaseURL = p, "test-model", s.URL()
	if p == llm.OpenAI {
		o.Embedding.BaseURL += "/v1"
	}
	e, err := llm.NewEmbedder(o, llm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

var bothEmbedders = []llm.Provider{llm.OpenAI, llm.Ollama}

// Each text gets its vector; what has no direction gets none.
func TestEmbeds(t *testing.T) {
	for _, p := range bothEmbedders {
		s := testkit.StartLLM(t)
		e := embedder(t, s, p)
		texts := []string{"猫の名前はミケ", " ", "the cat is called Mike"}
		list, err := e.Embed(t.Context(), e.Model(), texts)
		if err != nil || len(list) != 3 || list[1] != nil || e.Model() != string(p)+":test-model" || e.Masks() {
			t.Fatalf("%s: Embed() = %d vectors, %v, want three, the second nil", p, len(list), err)
		}
		for i, want := range testkit.Embed(texts[2]) {
			if math.Abs(float64(list[2][i]-want)) > 1e-6 {
				t.Fatalf("%s: number %d = %v, want %v", p, i, list[2][i], want)
			}
		}
		if _, err := e.Embed(t.Context(), "other:model", texts); !errors.Is(err, llm.ErrNoModel) {
			t.Errorf("%s: Embed(model of another provider) = %v, want ErrNoModel", p, err)
		}
	}
}

// Vectors come in the order of the texts, in whichever order the server lists them.
func TestEmbedsInOrder(t *testing.T) {
	s := testkit.StartLLM(t)
	s.When(nil, testkit.LLMReply{Body: `{"data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0]}]}`})
	e := embedder(t, s, llm.OpenAI)
	list, err := e.Embed(t.Context(), e.Model(), []string{"a", "b"})
	if err != nil || !slices.Equal(list[0], []float32{1, 0}) || !slices.Equal(list[1], []float32{0, 1}) {
		t.Errorf("Embed() = %v, %v, want them in order", list, err)
	}
}

// An answer that is no vector is refused with words that name the right key, and with nothing
// that the server wrote.
func TestRefusesVectors(t *testing.T) {
	for name, c := range map[string]struct {
		ollama, openai string
		status         int
		code           llm.Code
		says           string
	}{
		"html": {"<html>secret</html>", "<html>secret</html>", 0, llm.Malformed, "web page"},
		"not numbers": {`{"embeddings":[[NaN]]}`, `{"data":[{"index":0,"embedding":[NaN]}]}`,
			0, llm.Malformed, "no JSON"},
		"null": {`{"embeddings":[[1,null]]}`, `{"data":[{"index":0,"embedding":[1,null]}]}`,
			0, llm.Malformed, "numbers that are none"},
		"too large": {`{"embeddings":[[1e99]]}`, `{"data":[{"index":0,"embedding":[1e99]}]}`,
			0, llm.Malformed, "another form"},
		"words": {`{"embeddings":"secret"}`, `{"data":[{"index":0,"embedding":"secret"}]}`,
			0, llm.Malformed, "another form"},
		"empty": {`{"embeddings":[[]]}`, `{"data":[{"index":0,"embedding":[]}]}`, 0, llm.Malformed, "no numbers"},
		"none":  {`{"embeddings":[]}`, `{"data":[]}`, 0, llm.Malformed, "another form"},
		"too many": {`{"embeddings":[[1],[2]]}`, `{"data":[{"embedding":[1]},{"embedding":[1]}]}`,
			0, llm.Malformed, "another form"},
		"place":  {`{"embeddings":{}}`, `{"data":[{"index":7,"embedding":[1]}]}`, 0, llm.Malformed, "another form"},
		"key":    {"", "", 401, llm.Refused, "memory.embedding.key_env"},
		"broken": {"", "", 503, llm.Unavailable, "503"},
	} {
		for _, p := range bothEmbedders {
			reply := testkit.LLMReply{Body: c.openai, Status: c.status}
			if p == llm.Ollama {
				reply.Body = c.ollama
			}
			s := testkit.StartLLM(t)
			s.When(nil, reply)
			e := embedder(t, s, p)
			list, err := e.Embed(t.Context(), e.Model(), []string{"private words"})
			var failure *llm.Error
			if !errors.As(err, &failure) || failure.Code != c.code || !strings.Contains(err.Error(), c.says) ||
				strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "llm.key") {
				t.Errorf("%s, %s: Embed() = %v, %v, want %s with %q", name, p, list, err, c.code, c.says)
			}
		}
	}
}

// A model keeps to one length.
func TestRefusesAnotherLength(t *testing.T) {
	s := testkit.StartLLM(t)
	var changed atomic.Bool
	s.When(func(testkit.LLMRequest) bool { return !changed.Load() }, testkit.LLMReply{Body: `{"embeddings":[[1,2,3]]}`})
	s.When(nil, testkit.LLMReply{Body: `{"embeddings":[[1,2]]}`})
	e := embedder(t, s, llm.Ollama)
	if _, err := e.Embed(t.Context(), e.Model(), []string{"a"}); err != nil {
		t.Fatal(err)
	}
	changed.Store(true)
	if _, err := e.Embed(t.Context(), e.Model(), []string{"a"}); !errors.Is(err, llm.ErrMalformed) ||
		!strings.Contains(err.Error(), "3 numbers and then 2") {
		t.Errorf("Embed() = %v, want that the length is another one", err)
	}
}

// A text that the server refuses has no vector; the others have theirs.
func TestEmbedsAllButOne(t *testing.T) {
	s := testkit.StartLLM(t)
	s.When(func(r testkit.LLMRequest) bool { return slices.Contains(r.Input, "bad") },
		testkit.LLMReply{Status: http.StatusBadRequest, Text: "input is too large to process"})
	e := embedder(t, s, llm.OpenAI)
	list, err := e.Embed(t.Context(), e.Model(), []string{"good", "bad", "also good"})
	if err != nil || list[0] == nil || list[1] != nil || list[2] == nil {
		t.Errorf("Embed() = %d, %v, want all but one", len(list), err)
	}
	if _, err := e.Embed(t.Context(), e.Model(), []string{"bad", "bad"}); !errors.Is(err, llm.ErrRefused) {
		t.Errorf("Embed(only refused) = %v, want ErrRefused", err)
	}
}

// A server that hangs is given up, and left alone after some failures.
func TestEmbedsInTime(t *testing.T) {
	s := testkit.StartLLM(t)
	s.When(nil, testkit.LLMReply{Hold: true})
	e := embedder(t, s, llm.Ollama)
	for range llm.DefaultBreaker().Failures {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := e.Embed(ctx, e.Model(), []string{"a"}); !errors.Is(err, llm.ErrTimeout) {
			t.Errorf("Embed(hanging) = %v, want ErrTimeout", err)
		}
		cancel()
	}
	if _, err := e.Embed(t.Context(), e.Model(), []string{"a"}); !errors.Is(err, llm.ErrBreakerOpen) {
		t.Errorf("Embed(after failures) = %v, want ErrBreakerOpen", err)
	}
}

// With tier local nobody else is asked, and with tier cloud texts are masked.
func TestEmbedderPlaces(t *testing.T) {
	o := llm.DefaultEmbedSettings()
	o.Embedder, o.Embedding.Model, o.Embedding.BaseURL = llm.OpenAI, "m", "https://example.com/v1"
	if _, err := llm.NewEmbedder(o, llm.Options{}); !errors.Is(err, llm.ErrOptions) ||
		!strings.Contains(err.Error(), "memory.embedding.base_url") {
		t.Errorf("NewEmbedder(local, other machine) = %v, want ErrOptions", err)
	}
	o.Embedding.Tier = llm.TierCloud
	e, err := llm.NewEmbedder(o, llm.Options{Key: llm.NewSecret("k")})
	if err != nil || !e.Masks() {
		t.Errorf("NewEmbedder(cloud) = %v, want one that masks", err)
	}
	o.Embedding.Tier, o.Embedding.BaseURL = llm.TierLocal, "http://127.0.0.1:1/v1"
	for _, always := range []bool{false, true} {
		if e, err = llm.NewEmbedder(o, llm.Options{Mask: always}); err != nil || e.Masks() != always {
			t.Errorf("NewEmbedder(local, Mask: %v) = %v, want one that does so", always, err)
		}
	}
}
