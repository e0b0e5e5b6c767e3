//go:build speed

package llm_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit"
	"github.com/kehai-run/kehai/testkit/speed"
)

// The first token arrives at most 5 ms later than a plain HTTP client reads it from the same
// server, in the same run, by turns.
func TestSpeed(t *testing.T) {
	const limit, rounds = 5 * time.Millisecond, 200
	for _, p := range providers {
		s := testkit.StartLLM(t)
		s.When(nil, testkit.LLMReply{Chunks: []string{"token", " two"}})
		w := llm.NewWorker(client(t, s, p))
		bare := &http.Client{Transport: &http.Transport{}}
		t.Cleanup(bare.CloseIdleConnections)
		var ours, plain []time.Duration
		for range rounds {
			start, first := time.Now(), time.Duration(0)
			_, err := w.Stream(t.Context(), reply, func(messages.LLMProgress) {
				if first == 0 {
					first = time.Since(start)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			ours = append(ours, first)
			asked := s.Requests()
			plain = append(plain, firstToken(t, bare, s, asked[len(asked)-1]))
		}
		slices.Sort(ours)
		slices.Sort(plain)
		over := ours[rounds/2] - plain[rounds/2]
		speed.Report(t, speed.Figure{
			Name: "first token of " + string(p), Ours: speed.Took(float64(over)) + " later",
			Limit: "a plain HTTP client + 5 ms",
			Ratio: float64(max(0, over)) / float64(limit), Aim: 1,
		})
	}
}

// firstToken asks the same once more, with nothing in between.
func firstToken(t *testing.T, c *http.Client, s *testkit.LLMServer, r testkit.LLMRequest) time.Duration {
	t.Helper()
	start := time.Now()
	resp, err := c.Post(s.URL()+r.Path, "application/json", bytes.NewReader(r.Body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var read strings.Builder
	buf := make([]byte, 4096)
	for !strings.Contains(read.String(), "token\"") {
		n, err := resp.Body.Read(buf)
		read.Write(buf[:n])
		if err != nil && !strings.Contains(read.String(), "token\"") {
			t.Fatal(err)
		}
	}
	return time.Since(start)
}

// A token of a stream on its way through the worker, without a network.
func BenchmarkToken(b *testing.B) {
	const tokens = 1000
	for p, event := range map[llm.Provider]string{
		llm.OpenAI: `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,` +
			`"delta":{"content":"token "},"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n",
		llm.Anthropic: "event: content_block_delta\n" + `data: {"type":"content_block_delta","index":0,"delta":` +
			`{"type":"text_delta","text":"token "}}` + "\n\n",
		llm.Ollama: `{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"token "},` +
			`"done":false}` + "\n",
	} {
		end := map[llm.Provider]string{
			llm.OpenAI:    `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
			llm.Anthropic: `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n",
			llm.Ollama:    `{"done":true,"done_reason":"stop"}` + "\n",
		}[p]
		b.Run(string(p), func(b *testing.B) {
			server := &player{e: exchange{provider: p, status: http.StatusOK}, piece: 4096,
				body: []byte(strings.Repeat(event, tokens) + end)}
			c, err := llm.New(llm.Options{Settings: local(p), Transport: server})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Stream(b.Context(), llm.Question{Prompt: "x"}, func(llm.Chunk) {}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tokens, "ns/token")
		})
	}
}
