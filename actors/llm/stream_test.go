package llm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit"
)

// piped is a client of a server in a bubble, whose retries wait as short as they may.
func piped(t *testing.T, s *testkit.LLMServer, p llm.Provider, change ...func(*llm.Options)) *llm.Client {
	t.Helper()
	return client(t, s, p, append([]func(*llm.Options){func(o *llm.Options) {
		o.Transport, o.Jitter = s.Transport(), func() float64 { return 0 }
	}}, change...)...)
}

// reply is a question for an answer to a person.
var reply = messages.AskLLM{Purpose: "reply", System: "be brief", Prompt: private, Key: "7", Stream: true}

// told collects what a worker tells while it works.
type told []messages.LLMProgress

func (l *told) take(p messages.LLMProgress) { *l = append(*l, p) }

// String is the epochs and texts, in order.
func (l told) String() string {
	var b strings.Builder
	for _, p := range l {
		fmt.Fprintf(&b, "%d:%s ", p.Epoch, string(p.Text))
	}
	return strings.TrimSpace(b.String())
}

// Every provider streams the answer while it is written, without the thoughts: the first
// piece at once, later ones at most every 150 ms, the last with the end.
func TestAnswersAreToldWhileTheyAreWritten(t *testing.T) {
	for _, p := range providers {
		synctest.Test(t, func(t *testing.T) {
			s := testkit.StartLLMPipe(t, testkit.LLMReply{Thinking: "hm", Hold: true, PromptTokens: 30, AnswerTokens: 8,
				Chunks: []string{"一", "二", "三", "四", "五", "六"}})
			w := llm.NewWorker(piped(t, s, p))
			start := time.Now()
			var at []time.Duration
			go func() {
				for range 6 {
					time.Sleep(40 * time.Millisecond)
					s.Release(1)
				}
			}()
			var l told
			got, err := w.Stream(t.Context(), reply, func(m messages.LLMProgress) {
				l.take(m)
				at = append(at, time.Since(start).Round(time.Millisecond))
			})
			want := messages.LLMAnswer{Key: "7", Text: "一二三四五六", Model: "test-model", PromptTokens: 30, AnswerTokens: 8}
			if err != nil || got != messages.Message(want) {
				t.Errorf("%s: Stream() = %+v, %v, want %+v", p, got, err, want)
			}
			wantAt := []time.Duration{40 * time.Millisecond, 190 * time.Millisecond, 240 * time.Millisecond}
			if l.String() != "0:一 0:一二三四 0:一二三四五六" || !slices.Equal(at, wantAt) {
				t.Errorf("%s: told %q at %v, want at %v", p, l, at, wantAt)
			}
			if r := s.Requests()[0]; !r.Stream || r.MaxTokens != 512 || string(p) == testkit.LLMOpenAI && !r.Usage {
				t.Errorf("%s: asked %+v, want a stream with its tokens", p, r)
			}
		})
	}
}

// Servers of OpenAI's form think in fields of different names.
func TestThoughtsAreNoAnswer(t *testing.T) {
	for _, kind := range []testkit.LLMKind{"", testkit.LLMLlamaCPP, testkit.LLMStudio, testkit.LLMVLLM} {
		for _, stream := range []bool{true, false} {
			s := testkit.StartLLM(t, testkit.LLMReply{Thinking: "a secret thought", Text: "はい"})
			s.Act(kind)
			ask := reply
			ask.Stream = stream
			var l told
			got, err := llm.NewWorker(client(t, s, llm.OpenAI)).Stream(t.Context(), ask, l.take)
			if a, ok := got.(messages.LLMAnswer); err != nil || !ok || a.Text != "はい" ||
				strings.Contains(l.String(), "secret") {
				t.Errorf("%s, stream %v: %v, %v, told %q, want the answer alone", kind, stream, got, err, l)
			}
		}
	}
}

// A model that is silent is given up after a minute, before its first token and
// between two of them. One that thinks is not silent; a server that only keeps the
// connection alive is.
func TestSilence(t *testing.T) {
	for name, c := range map[string]struct {
		chunks []string
		every  time.Duration // between the steps of the server
		want   time.Duration // until it is given up; 0: it answers
	}{
		"nothing comes":          {[]string{"a"}, time.Hour, time.Minute},
		"keep-alives come":       {[]string{"", "", "", "", "", "a"}, 25 * time.Second, time.Minute},
		"it stops after a token": {[]string{"a", "b"}, 45 * time.Second, 105 * time.Second},
		"it is slow":             {[]string{"a", "b", "c", "d"}, 30 * time.Second, 0},
		"it never ends":          {slices.Repeat([]string{"x"}, 100), 20 * time.Second, 5 * time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := testkit.StartLLMPipe(t, testkit.LLMReply{Chunks: c.chunks, Hold: true})
			ctx, done := context.WithCancel(t.Context())
			go func() {
				for i := range c.chunks {
					select {
					case <-time.After(c.every):
					case <-ctx.Done():
						return
					}
					if name != "it stops after a token" || i == 0 {
						s.Release(1)
					}
				}
			}()
			start := time.Now()
			got, err := llm.NewWorker(piped(t, s, llm.OpenAI)).Stream(t.Context(), reply, nil)
			done()
			switch {
			case c.want == 0 && err != nil:
				t.Errorf("%s: %v, want an answer", name, err)
			case c.want > 0 && (!errors.Is(err, llm.ErrTimeout) || time.Since(start) != c.want):
				t.Errorf("%s: %v, %v after %s, want timeout after %s", name, got, err, time.Since(start), c.want)
			}
		})
	}
}

func TestThinkingIsNotSilence(t *testing.T) {
	for p, format := range map[llm.Provider]string{
		llm.OpenAI: "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n",
		llm.Ollama: `{"message":{"content":"","thinking":"hm"},"done":false}` + "\n",
		llm.Anthropic: "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0," +
			"\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}\n\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			slow := &slowly{line: format, every: 50 * time.Second, times: 3}
			c, err := llm.New(llm.Options{Settings: local(p), Transport: slow})
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			_, err = c.Stream(t.Context(), llm.Question{Purpose: llm.Answer}, func(llm.Chunk) {})
			if want := 3*50*time.Second + time.Minute; !errors.Is(err, llm.ErrTimeout) || time.Since(start) != want {
				t.Errorf("%s: %v after %s, want to be given up a minute after the last thought (%s)", p, err,
					time.Since(start), want)
			}
		})
	}
}

// A caller that gives up ends the request at once, and nothing of it is left (goleak looks
// after the tests).
func TestCancelling(t *testing.T) {
	for _, p := range providers {
		synctest.Test(t, func(t *testing.T) {
			s := testkit.StartLLMPipe(t)
			s.When(nil, testkit.LLMReply{Chunks: slices.Repeat([]string{"x"}, 50), Hold: true})
			w := llm.NewWorker(piped(t, s, p))
			s.Release(3)
			ctx, cancel := context.WithCancel(t.Context())
			var l told
			gone := make(chan error)
			go func() { _, err := w.Stream(ctx, reply, l.take); gone <- err }()
			synctest.Wait()
			start := time.Now()
			cancel()
			if err := <-gone; !errors.Is(err, context.Canceled) || time.Since(start) != 0 {
				t.Errorf("%s: %v after %s, want it cancelled at once", p, err, time.Since(start))
			}
			synctest.Wait() // the server notices, and its handler ends
			before := len(l)
			time.Sleep(time.Second)
			if len(l) != before || before == 0 {
				t.Errorf("%s: told %d times, then %d, want nothing after the end", p, before, len(l))
			}
		})
	}
}

// A turn has one retry. Before the first token nobody notices it; after it, the answer starts
// over with the next epoch. Without leave there is no retry.
func TestOneRetry(t *testing.T) {
	cutIn := func(chunks ...string) testkit.LLMReply { return testkit.LLMReply{Chunks: chunks, Fail: "no memory"} }
	for name, c := range map[string]struct {
		replies []testkit.LLMReply
		leave   bool
		want    string // the answer, or the code
		told    string
		pause   time.Duration
	}{
		"before the first token": {[]testkit.LLMReply{{Status: 500}, {Text: "yes"}}, true, "yes", "0:yes",
			100 * time.Millisecond},
		"after it": {[]testkit.LLMReply{cutIn("ye", "s!"), {Text: "no"}}, true, "no", "0:ye 1:no",
			100 * time.Millisecond},
		"twice": {[]testkit.LLMReply{{Status: 500}, {Status: 503}}, true, "unavailable", "",
			100 * time.Millisecond},
		"malformed": {[]testkit.LLMReply{{Body: "<html>"}, {Text: "yes"}}, true, "yes", "0:yes",
			100 * time.Millisecond},
		"a short pause": {[]testkit.LLMReply{{Status: 529, RetryAfter: "4"}, {Text: "yes"}}, true, "unavailable", "",
			4100 * time.Millisecond},
		"a long pause":            {[]testkit.LLMReply{{Status: 429, RetryAfter: "6"}}, true, "rate_limited", "", 0},
		"a wrong key":             {[]testkit.LLMReply{{Status: 401}}, true, "refused", "", 0},
		"cut":                     {[]testkit.LLMReply{{Text: " ", Finish: "length"}}, true, "malformed", "", 0},
		"no leave":                {[]testkit.LLMReply{{Status: 500}}, false, "unavailable", "", 0},
		"no leave, in the middle": {[]testkit.LLMReply{cutIn("ye", "s")}, false, "unavailable", "0:ye", 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := testkit.StartLLMPipe(t, c.replies...)
			client := piped(t, s, llm.OpenAI)
			ask := reply
			ask.Retry = c.leave
			var l told
			start := time.Now()
			got, err := llm.NewWorker(client).Stream(t.Context(), ask, l.take)
			outcome := ""
			var refusal *actors.Refusal
			answer, ok := got.(messages.LLMAnswer)
			switch {
			case ok:
				outcome = string(answer.Text)
			case errors.As(err, &refusal):
				outcome = refusal.Code
			}
			if name == "a short pause" { // the breaker keeps to it: the pause has ended when the second attempt comes
				c.want, c.told = "yes", "0:yes"
			}
			if outcome != c.want || l.String() != c.told || time.Since(start) != c.pause {
				t.Errorf("%s: %q, %v, told %q after %s, want %q, told %q after %s", name, outcome, err, l,
					time.Since(start), c.want, c.told, c.pause)
			}
			asked := s.Requests()
			if len(asked) != len(c.replies) || ok && answer.Retried != (len(c.replies) == 2) {
				t.Errorf("%s: asked %d times, answer %+v, want %d times", name, len(asked), answer, len(c.replies))
			}
			if len(asked) == 2 && (!asked[0].Stream || asked[1].Stream) {
				t.Errorf("%s: streamed %v then %v, want the retry as a whole", name, asked[0].Stream, asked[1].Stream)
			}
			if u := client.Stats().Purposes[llm.Answer]; u.Retries != uint64(len(c.replies)-1) ||
				u.Attempts != uint64(len(c.replies)) {
				t.Errorf("%s: Stats() = %+v, want %d attempts", name, u, len(c.replies))
			}
		})
	}
}

// Each purpose has its model and its time, and is counted.
func TestPurposes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.StartLLMPipe(t)
		s.When(func(r testkit.LLMRequest) bool { return r.Prompt == "hang" }, testkit.LLMReply{Hold: true})
		s.When(nil, testkit.LLMReply{Text: "yes", PromptTokens: 10, AnswerTokens: 2})
		c := piped(t, s, llm.Ollama, func(o *llm.Options) {
			o.Models, o.Breaker.Failures = llm.Models{Judge: "small", Reply: "large"}, 100
		})
		for p, want := range map[llm.Purpose]struct {
			model string
			time  time.Duration
		}{
			llm.Judge: {"small", 30 * time.Second}, llm.Answer: {"large", time.Minute},
			llm.Focus: {"test-model", 8 * time.Second}, "": {"test-model", 8 * time.Second},
			"host": {"test-model", 8 * time.Second},
		} {
			if _, err := c.Generate(t.Context(), llm.Question{Purpose: p, Prompt: "x"}); err != nil {
				t.Fatal(err)
			}
			asked := s.Requests()
			if got := asked[len(asked)-1].Model; got != want.model {
				t.Errorf("%s: asked %s, want %s", p, got, want.model)
			}
			start := time.Now()
			if _, err := c.Generate(t.Context(), llm.Question{Purpose: p, Prompt: "hang"}); !errors.Is(err,
				llm.ErrTimeout) || time.Since(start) != want.time {
				t.Errorf("%s: %v after %s, want timeout after %s", p, err, time.Since(start), want.time)
			}
			wantUsage := llm.Usage{Model: want.model, Attempts: 2, Answers: 1, PromptTokens: 10, AnswerTokens: 2}
			if got := c.Stats().Purposes[p]; got != wantUsage {
				t.Errorf("%s: used %+v, want %+v", p, got, wantUsage)
			}
			if c.Stats().Outcomes["timeout"] == 0 {
				t.Errorf("%s: the timeout was not counted", p)
			}
			if longest := llm.DefaultLimits().Longest(p, false); longest < 2*want.time ||
				longest > 2*want.time+10*time.Second {
				t.Errorf("Longest(%s) = %s, want two attempts of %s and a pause", p, longest, want.time)
			}
		}
	})
}

// One model that the server does not have does not keep the others from being asked.
func TestOneMissingModelIsNotTheServersFault(t *testing.T) {
	s := testkit.StartLLM(t)
	s.When(func(r testkit.LLMRequest) bool { return r.Model == "gone" },
		testkit.LLMReply{Status: 404, Text: "model 'gone' not found"})
	s.When(nil, testkit.LLMReply{Text: "yes"})
	var said []string
	c := client(t, s, llm.Ollama, func(o *llm.Options) {
		o.Models.Judge = "gone"
		o.Changed = func(e *llm.Error) { said = append(said, fmt.Sprint(e)) }
	})
	for range 5 {
		if _, err := c.Generate(t.Context(), llm.Question{Purpose: llm.Judge}); !errors.Is(err, llm.ErrRefused) {
			t.Errorf("Generate(judge) = %v, want refused", err)
		}
	}
	if _, err := c.Generate(t.Context(), llm.Question{Purpose: llm.Answer}); err != nil {
		t.Errorf("Generate(reply) = %v, want an answer", err)
	}
	if len(said) != 1 || !strings.Contains(said[0], "no such model") {
		t.Errorf("told %q, want once that the model is missing", said)
	}
}

// Questions that wait behind a long answer fail, but say nothing about the server.
func TestWaitingIsNotTheServersFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.StartLLMPipe(t, testkit.LLMReply{Chunks: slices.Repeat([]string{"x"}, 60), Hold: true})
		c := piped(t, s, llm.OpenAI, func(o *llm.Options) { o.Concurrency = 1 })
		go func() {
			for range 60 {
				time.Sleep(time.Second)
				s.Release(1)
			}
		}()
		gone := make(chan error)
		go func() {
			_, err := c.Stream(t.Context(), llm.Question{Purpose: llm.Answer}, func(llm.Chunk) {})
			gone <- err
		}()
		time.Sleep(500 * time.Millisecond)
		for range 5 {
			if _, err := c.Generate(t.Context(), llm.Question{Purpose: llm.Focus}); !errors.Is(err, llm.ErrTimeout) {
				t.Errorf("Generate() = %v, want timeout", err)
			}
		}
		if got := c.Stats().Breaker; got != llm.Closed {
			t.Errorf("the breaker is %s, want closed: the server works", got)
		}
		if err := <-gone; err != nil {
			t.Errorf("the long answer: %v, want it given", err)
		}
	})
}

func TestDrillsAndNoModel(t *testing.T) {
	s := testkit.StartLLM(t)
	drill := client(t, s, llm.OpenAI, func(o *llm.Options) { o.Simulate = true })
	for want, m := range map[llm.Code]llm.Model{
		llm.Simulated: drill, llm.NoModel: llm.None{},
	} {
		ask := reply
		ask.Retry = true
		_, err := llm.NewWorker(m).Stream(t.Context(), ask, nil)
		var refusal *actors.Refusal
		if !errors.As(err, &refusal) || refusal.Code != string(want) || want.Passes() {
			t.Errorf("Stream() = %v, want %s", err, want)
		}
	}
	why := &llm.Error{Code: llm.NoModel, Text: "the variable X is not set"}
	if _, err := (llm.None{Why: why}).Generate(t.Context(), llm.Question{}); !errors.Is(err, llm.ErrNoModel) ||
		!strings.Contains(err.Error(), "X is not set") {
		t.Errorf("None.Generate() = %v, want to be told why", err)
	}
	if u := drill.Stats(); u.Outcomes["simulated"] != 1 || u.Breaker != llm.Closed || len(s.Requests()) != 0 {
		t.Errorf("a drill: %+v with %d requests, want none", u, len(s.Requests()))
	}
}

// A panic of the listener ends the question, wherever it runs, and is reported.
func TestAListenerThatPanics(t *testing.T) {
	for _, p := range providers {
		synctest.Test(t, func(t *testing.T) {
			s := testkit.StartLLMPipe(t, testkit.LLMReply{Chunks: []string{"a", "b", "c"}})
			defer func() {
				if r := recover(); r != "no more" {
					t.Errorf("%s: recovered %v, want the listener's panic", p, r)
				}
			}()
			llm.NewWorker(piped(t, s, p)).Stream(t.Context(), reply, func(messages.LLMProgress) { panic("no more") })
		})
	}
}

// A host's model is streamed if it can be; another one's answer comes as a whole.
func TestAHostsModelIsListenedTo(t *testing.T) {
	for name, m := range map[string]llm.Model{
		"streams": streaming{"ha", "i。"}, "does not": hosted(func(llm.Question) (llm.Reply, error) {
			return llm.Reply{Text: "hai。"}, nil
		}),
	} {
		synctest.Test(t, func(t *testing.T) {
			c, err := llm.New(llm.Options{Settings: llm.DefaultSettings(), Host: m})
			if err != nil {
				t.Fatal(err)
			}
			var l told
			got, err := llm.NewWorker(c).Stream(t.Context(), reply, l.take)
			if a, ok := got.(messages.LLMAnswer); !ok || err != nil || a.Text != "hai。" ||
				!strings.HasSuffix(l.String(), "0:hai。") {
				t.Errorf("%s: %v, %v, told %q, want hai。", name, got, err, l)
			}
		})
	}
}

type streaming []string

func (m streaming) Generate(context.Context, llm.Question) (llm.Reply, error) {
	return llm.Reply{Text: strings.Join(m, "")}, nil
}

func (m streaming) Stream(_ context.Context, _ llm.Question, write func(string)) (llm.Reply, error) {
	for _, piece := range m {
		write(piece)
	}
	return llm.Reply{Text: strings.Join(m, "")}, nil
}

// slowly is a server that sends a line a few times, and then nothing.
type slowly struct {
	line  string
	every time.Duration
	times int
}

func (s *slowly) RoundTrip(r *http.Request) (*http.Response, error) {
	out, in := io.Pipe()
	go func() {
		for range s.times {
			time.Sleep(s.every)
			io.WriteString(in, s.line)
		}
		<-r.Context().Done()
		in.CloseWithError(r.Context().Err())
	}()
	return &http.Response{StatusCode: http.StatusOK, Body: out}, nil
}

// A turn shows the messages that the worker reports.
func TestWorkerReportsItsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.StartLLMPipe(t, testkit.LLMReply{Chunks: []string{"一", "二"}})
		var got told
		_, err := actors.Do(t.Context(), llm.NewWorker(piped(t, s, llm.OpenAI)), reply, func(m messages.Message) {
			got.take(m.(messages.LLMProgress))
		})
		if err != nil || len(got) == 0 || got[len(got)-1].Text != "一二" || got[0].Key != reply.Key {
			t.Errorf("reported %v, %v, want the answer", got, err)
		}
	})
}
