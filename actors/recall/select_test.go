package recall_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// selecting returns options with one route, from whose hits a model chooses two.
func selecting(s recall.Selector) recall.Options {
	o := recall.DefaultOptions()
	o.Routes, o.Pack.Pick, o.Select = []memory.Timed{{Route: memory.Lexical, Time: time.Second}}, 2, &s
	return o
}

var which = messages.Recall{Conversation: "c-1", Key: "k", Text: "犬の名前は？"}

// finds has the route find what c says four times, m1 as the best, and returns the
// question to the model.
func finds(t *testing.T, h *actortest.Harness, conversation string) actortest.Call {
	t.Helper()
	h.SendFrom("conversation/c-1", which)
	answer(h, func(string) (hits []messages.MemoryHit) {
		for n := range 4 {
			hits = append(hits, hit(conversation, fmt.Sprint("m", n+1), fmt.Sprintf("電話は090-1234-567%dです", n),
				float64(9-n)))
		}
		return hits
	})
	calls := h.Calls()
	if len(calls) != 1 || calls[0].Worker != messages.WorkerLLM {
		t.Fatalf("calls %v, want one to the model", calls)
	}
	return calls[0]
}

func wantFound(t *testing.T, h *actortest.Harness, want string) memory.Run {
	t.Helper()
	var got []string
	for _, s := range h.Sent() {
		for _, m := range s.Message.(messages.Recalled).Found {
			got = append(got, string(m.ID))
		}
	}
	if strings.Join(got, " ") != want {
		t.Errorf("recalled %q, want %s", got, want)
	}
	run, _ := actortest.Stored(h, recall.Runs, "0000000000000001")
	return run
}

// The model sees the best last, next to the question, and what it chooses is recalled.
func TestAModelChooses(t *testing.T) {
	h := spawn(t, selecting(recall.Selector{PerHour: 9, Mask: true}))
	call := finds(t, h, "c-1")
	ask := call.Request.(messages.AskLLM)
	if ask.Purpose != "select" || !ask.JSON || call.Options.Deadline != 1500*time.Millisecond ||
		strings.Contains(string(ask.Prompt), "090") || strings.Count(string(ask.Prompt), `"kind":"note"`) != 4 ||
		!strings.Contains(string(ask.Prompt), `"n":5,"from":"other"`) {
		t.Errorf("asked %+v with %v, want four masked notes before the question", ask, call.Options.Deadline)
	}
	h.AnswerCall(call.ID, messages.LLMAnswer{Key: "k", Model: "m", Text: `{"chosen":[{"n":2,"reason":"it is newer"}]}`})
	run := wantFound(t, h, "m3")
	if s := run.Selection; s == nil || s.Model != "m" || s.Offered != 4 || s.Failed != "" || s.Prompt == "" ||
		strings.Contains(fmt.Sprintf("%+v", run), "newer") {
		t.Errorf("run %+v with %+v, want the choice, and no words of the model", run, run.Selection)
	}
	h.Crash()
	h.SendFrom("conversation/c-1", which)
	if calls := h.Calls(); len(calls) != 1 || calls[0].Worker != messages.WorkerMemory {
		t.Errorf("after a crash %v, want the routes first", calls)
	}
}

// Without an answer that can be used, in time, the order by score counts.
func TestWithoutAChoice(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(h *actortest.Harness, call actortest.Call)
		want string
	}{
		"late": {func(h *actortest.Harness, _ actortest.Call) { h.Advance(recall.LongestSelected) }, "timeout"},
		"failing": {func(h *actortest.Harness, _ actortest.Call) {
			h.FailCall(messages.FailureError, "server", "x")
		}, "server"},
		"prose": {func(h *actortest.Harness, c actortest.Call) {
			h.AnswerCall(c.ID, messages.LLMAnswer{Key: "k", Text: "I would take the second one."})
		}, "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			h := spawn(t, selecting(recall.Selector{PerHour: 9}))
			c.end(h, finds(t, h, "c-1"))
			run := wantFound(t, h, "m1 m2")
			if run.Selection == nil || run.Selection.Failed != c.want {
				t.Errorf("run with %+v, want why no model chose: %s", run.Selection, c.want)
			}
		})
	}
}

// No model is asked for what fits anyway, nor more often than allowed.
func TestAModelIsSpared(t *testing.T) {
	h := spawn(t, selecting(recall.Selector{PerHour: 1}))
	h.SendFrom("conversation/c-1", which)
	answer(h, func(string) []messages.MemoryHit {
		return []messages.MemoryHit{hit("c-1", "m1", "a", 2), hit("c-1", "m2", "b", 1)}
	})
	if run := wantFound(t, h, "m1 m2"); run.Selection != nil {
		t.Errorf("a model was asked about two of two: %+v", run.Selection)
	}
	h.AnswerCall(finds(t, h, "c-1").ID, messages.LLMAnswer{Key: "k", Text: `{"chosen":[]}`})
	wantFound(t, h, "")
	h.Crash()
	h.SendFrom("conversation/c-1", which)
	answer(h, func(string) (hits []messages.MemoryHit) {
		for n := range 3 {
			hits = append(hits, hit("c-1", fmt.Sprint("m", n+1), fmt.Sprint("x", n), float64(9-n)))
		}
		return hits
	})
	wantFound(t, h, "m1 m2")
}
