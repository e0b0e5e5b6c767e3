package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hidden is the key of every test. It must not be seen anywhere.
const hidden = "sk-hunter2hunter2hunter2"

// private is what every test asks, which must be in no error.
const private = "the private question"

var providers = []llm.Provider{llm.OpenAI, llm.Anthropic, llm.Ollama}

// local are settings by which a server on this machine is asked.
func local(p llm.Provider) llm.Settings {
	s := llm.DefaultSettings()
	s.Tier, s.Provider, s.Model, s.BaseURL = llm.TierLocal, p, "m", "http://127.0.0.1"
	return s
}

// client asks a server of this test.
func client(t *testing.T, s *testkit.LLMServer, provider llm.Provider, change ...func(*llm.Options)) *llm.Client {
	t.Helper()
	o := llm.Options{Settings: local(provider), Key: llm.NewSecret(hidden)}
	o.Model, o.BaseURL = "test-model", s.URL()
	if provider != llm.Ollama {
		o.BaseURL += "/v1"
	}
	for _, c := range change {
		c(&o)
	}
	c, err := llm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

var ask = messages.AskLLM{Purpose: "test", System: "be brief", Prompt: private, JSON: true, Key: "7"}

func TestAnswers(t *testing.T) {
	for _, p := range providers {
		s := testkit.StartLLM(t, testkit.LLMReply{Text: `{"state":"focused"}`, PromptTokens: 40, AnswerTokens: 9})
		c := client(t, s, p, func(o *llm.Options) { o.MaxTokens = 99 })
		got, err := llm.NewWorker(c).Do(t.Context(), ask)
		want := messages.LLMAnswer{Key: "7", Text: `{"state":"focused"}`, Model: "test-model", PromptTokens: 40,
			AnswerTokens: 9}
		if err != nil || got != messages.Message(want) {
			t.Errorf("%s: Do() = %+v, %v, want %+v", p, got, err, want)
		}
		r := s.Requests()[0]
		if r.System != "be brief" || r.Prompt != private || r.Model != "test-model" || r.MaxTokens != 99 ||
			r.Format != string(p) || r.Stream != (p == llm.Ollama) {
			t.Errorf("%s: asked %+v, want the question", p, r)
		}
		if strings.Contains(string(r.Body), `"tool`) || strings.Contains(string(r.Body), `"function`) {
			t.Errorf("%s: asked %s, which offers tools", p, r.Body)
		}
		if r.JSON != (p != llm.Anthropic) { // which has no such mode
			t.Errorf("%s: JSON asked for: %v", p, r.JSON)
		}
		header := r.Header.Get("Authorization") + r.Header.Get("X-Api-Key")
		if strings.TrimPrefix(header, "Bearer ") != hidden {
			t.Errorf("%s: the key was sent as %q", p, header)
		}
		stats := c.Stats()
		if stats.Outcomes["ok"] != 1 || stats.PromptTokens != 40 || stats.AnswerTokens != 9 ||
			stats.Breaker != llm.Closed {
			t.Errorf("%s: Stats() = %+v, want one answer", p, stats)
		}
	}
}

// Nothing comes from the environment that langchaingo's clients look at.
func TestTheEnvironmentIsNotAsked(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_ORGANIZATION", "OPENAI_MODEL"} {
		t.Setenv(name, "from-the-environment")
	}
	for _, name := range []string{"OPENAI_BASE_URL", "OPENAI_API_BASE", "OLLAMA_HOST", "HTTP_PROXY", "http_proxy"} {
		t.Setenv(name, "http://192.0.2.1:1")
	}
	for _, p := range providers {
		s := testkit.StartLLM(t, testkit.LLMReply{Text: "yes"})
		c := client(t, s, p, func(o *llm.Options) { o.Key = llm.Secret{} })
		if _, err := c.Generate(t.Context(), llm.Question{Prompt: "x"}); err != nil {
			t.Errorf("%s: Generate() = %v, want an answer", p, err)
		}
		for name, values := range s.Requests()[0].Header {
			if strings.Contains(strings.Join(values, ""), "environment") || name == "Authorization" ||
				name == "X-Api-Key" {
				t.Errorf("%s: header %s: %q was sent", p, name, values)
			}
		}
	}
}

func TestFailures(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	echo := private + " " + hidden // what servers write into their errors
	for name, c := range map[string]struct {
		reply testkit.LLMReply
		want  *llm.Error
	}{
		"401":            {testkit.LLMReply{Status: 401, Text: echo}, llm.ErrRefused},
		"403":            {testkit.LLMReply{Status: 403, Text: echo}, llm.ErrRefused},
		"404":            {testkit.LLMReply{Status: 404, Body: echo}, llm.ErrRefused},
		"429":            {testkit.LLMReply{Status: 429, RetryAfter: "20", Text: echo}, llm.ErrRateLimited},
		"500":            {testkit.LLMReply{Status: 500, Body: "<html>" + echo}, llm.ErrUnavailable},
		"500 of nothing": {testkit.LLMReply{Status: 500, Body: "\x00"}, llm.ErrUnavailable},
		"redirect": {testkit.LLMReply{Status: 307, Location: "http://192.0.2.1/v1/chat/completions"},
			llm.ErrUnavailable},
		"html":         {testkit.LLMReply{Body: "<html>" + echo + "</html>"}, llm.ErrMalformed},
		"truncated":    {testkit.LLMReply{Body: `{"choices":[{"message":{"content":"` + echo}, llm.ErrMalformed},
		"another form": {testkit.LLMReply{Body: `{"hello":"` + echo + `"}`}, llm.ErrMalformed},
		"nulls": {testkit.LLMReply{Body: `{"choices":[null],"content":[null],"message":null,"done":true}`},
			llm.ErrMalformed},
		"numbers": {testkit.LLMReply{Body: `{"choices":7,"content":7,"message":7}`}, llm.ErrMalformed},
		"a list":  {testkit.LLMReply{Body: `[]`}, llm.ErrMalformed},
		"a function": {testkit.LLMReply{Body: `{"choices":[{"finish_reason":"function_call","message":{}}],` +
			`"content":[{"type":"tool_use"}]}`}, llm.ErrMalformed},
		"empty text":            {testkit.LLMReply{Text: " \n"}, llm.ErrMalformed},
		"too long":              {testkit.LLMReply{Text: long}, llm.ErrMalformed},
		"cut in the connection": {testkit.LLMReply{Text: echo, Cut: 30}, llm.ErrUnavailable},
	} {
		for _, p := range providers {
			s := testkit.StartLLM(t, c.reply)
			_, err := llm.NewWorker(client(t, s, p)).Do(t.Context(), ask)
			var refusal *actors.Refusal
			if !errors.Is(err, c.want) || !errors.As(err, &refusal) || refusal.Code != string(c.want.Code) {
				t.Errorf("%s, %s: Do() = %v, want it refused with %s", name, p, err, c.want.Code)
				continue
			}
			if text := fmt.Sprintf("%v %+v %#v", err, err, err); strings.Contains(text, "hunter2") ||
				strings.Contains(text, private) {
				t.Errorf("%s, %s: the error has the key or the question: %s", name, p, text)
			}
			if n := len(s.Requests()); n != 1 {
				t.Errorf("%s, %s: asked %d times, want once", name, p, n)
			}
		}
	}
}

// What came in place of an answer is said: what it was, from which server, with which status, and what to do.
// Nothing of its words is.
func TestWhatCameIsSaid(t *testing.T) {
	page := "<!DOCTYPE html><title>Sign in</title>" + private
	of := func(status int) string { return fmt.Sprintf("web page (HTML, status %d)", status) }
	const html = "text/html; charset=utf-8"
	for name, c := range map[string]struct {
		reply testkit.LLMReply
		code  *llm.Error
		want  string
	}{
		"a page":             {testkit.LLMReply{Body: page, Type: html}, llm.ErrMalformed, of(200)},
		"a page called JSON": {testkit.LLMReply{Body: "\n" + page}, llm.ErrMalformed, of(200)},
		"no page there":      {testkit.LLMReply{Status: 404, Body: page, Type: "text/html"}, llm.ErrRefused, of(404)},
		"a gateway's page":   {testkit.LLMReply{Status: 502, Body: page}, llm.ErrUnavailable, of(502)},
		"nothing":            {testkit.LLMReply{Body: " \n"}, llm.ErrMalformed, "is empty (status 200)"},
		"no choices": {testkit.LLMReply{Body: `{"choices":[],"content":[],"done":false}`}, llm.ErrMalformed,
			"has another form than"},
		"no JSON": {testkit.LLMReply{Body: "{hello"}, llm.ErrMalformed, "is no JSON"},
	} {
		for _, p := range providers {
			for _, streamed := range []bool{false, true} {
				s := testkit.StartLLM(t, c.reply)
				var progress func(llm.Chunk)
				if streamed {
					progress = func(llm.Chunk) {}
				}
				cl := client(t, s, p)
				_, err := cl.Stream(t.Context(), llm.Question{Prompt: private}, progress)
				if err == nil || !errors.Is(err, c.code) {
					t.Errorf("%s, %s, streamed %v: %v, want %s", name, p, streamed, err, c.code.Code)
					continue
				}
				text := err.Error()
				if !strings.Contains(text, c.want) || !strings.Contains(text, s.URL()) ||
					!strings.Contains(text, "llm.base_url") || strings.Contains(text, private) {
					t.Errorf("%s, %s, streamed %v: %q, want it to say %q, from where, and what to check", name, p,
						streamed, text, c.want)
				}
				if f := cl.Stats().Failing["test-model"]; f.Text == "" || !strings.Contains(text, f.Text) {
					t.Errorf("%s, %s: Stats().Failing = %+v, want what was said", name, p, f)
				}
			}
		}
	}
}

// What Ollama streams, which is its default, is read as a whole or not at all.
func TestOllamaStreams(t *testing.T) {
	answer := testkit.LLMReply{
		Thinking: "first I think", Chunks: []string{`{"state":`, ` "foc`, `used"}`}, PromptTokens: 40, AnswerTokens: 9,
	}
	with := func(change func(*testkit.LLMReply)) testkit.LLMReply {
		r := answer
		change(&r)
		return r
	}
	const line = `{"message":{"role":"assistant","content":"x"},"done":false}` + "\n"
	for name, c := range map[string]struct {
		reply testkit.LLMReply
		want  *llm.Error // nil: an answer
	}{
		"in parts":             {answer, nil},
		"error in the middle":  {with(func(r *testkit.LLMReply) { r.Fail = private }), llm.ErrUnavailable},
		"cut in a line":        {with(func(r *testkit.LLMReply) { r.Cut = 300 }), llm.ErrUnavailable},
		"no last line":         {testkit.LLMReply{Body: line + line}, llm.ErrUnavailable},
		"half a line":          {testkit.LLMReply{Body: line + line[:20]}, llm.ErrUnavailable},
		"garbage after a line": {testkit.LLMReply{Body: line + "<html>" + private}, llm.ErrMalformed},
		"nothing":              {testkit.LLMReply{Body: "\n"}, llm.ErrMalformed},
		"longer than an answer": {testkit.LLMReply{Chunks: slices.Repeat([]string{strings.Repeat("x", 1<<10)}, 300)},
			llm.ErrMalformed},
		"longer than is read": {testkit.LLMReply{Body: strings.Repeat(line, 4<<20/len(line)+1)}, llm.ErrMalformed},
	} {
		s := testkit.StartLLM(t, c.reply)
		got, err := llm.NewWorker(client(t, s, llm.Ollama)).Do(t.Context(), ask)
		if c.want == nil {
			want := messages.LLMAnswer{
				Key: "7", Text: `{"state": "focused"}`, Model: "test-model", PromptTokens: 40, AnswerTokens: 9,
			}
			if err != nil || got != messages.Message(want) {
				t.Errorf("%s: Do() = %+v, %v, want %+v", name, got, err, want)
			}
			continue
		}
		if !errors.Is(err, c.want) || strings.Contains(err.Error(), private) {
			t.Errorf("%s: Do() = %v, want it refused with %s", name, err, c.want.Code)
		}
	}
}

// A redirect carries neither key nor question to the other server.
func TestRedirectsAreNotFollowed(t *testing.T) {
	for _, p := range providers {
		for _, status := range []int{301, 302, 303, 307, 308} {
			other := testkit.StartLLM(t)
			s := testkit.StartLLM(t, testkit.LLMReply{Status: status, Location: other.URL() + "/v1/chat/completions"})
			_, err := client(t, s, p).Generate(t.Context(), llm.Question{Prompt: private})
			if !errors.Is(err, llm.ErrUnavailable) || !strings.Contains(err.Error(), "llm.base_url") {
				t.Errorf("%s, status %d: Generate() = %v, want it to say what to set", p, status, err)
			}
			if n := len(other.Requests()); n > 0 {
				t.Errorf("%s, status %d: the other server was asked %d times, want never", p, status, n)
			}
		}
	}
}

func TestContentRefusal(t *testing.T) {
	for _, p := range []llm.Provider{llm.OpenAI, llm.Anthropic} { // Ollama has no such reason to stop
		s := testkit.StartLLM(t)
		s.When(nil, testkit.LLMReply{Text: "no", Finish: "content_filter"})
		c := client(t, s, p)
		for range 5 {
			_, err := c.Generate(t.Context(), llm.Question{Prompt: private})
			var e *llm.Error
			if !errors.As(err, &e) || e.Code != llm.Refused || !e.Content {
				t.Fatalf("%s: Generate() = %v, want the content refused", p, err)
			}
		}
		if got := c.Stats(); got.Breaker != llm.Closed || got.Outcomes["refused"] != 5 {
			t.Errorf("%s: Stats() = %+v, want the breaker closed: the model is well", p, got)
		}
	}
}

func TestAnAnswerThatWasCut(t *testing.T) {
	for _, p := range providers {
		s := testkit.StartLLM(t)
		s.When(nil, testkit.LLMReply{Text: `{"state":`, Finish: "length"})
		c := client(t, s, p)
		if _, err := c.Generate(t.Context(), llm.Question{Prompt: "x", JSON: true}); !errors.Is(err,
			llm.ErrMalformed) || !strings.Contains(err.Error(), "llm.max_tokens") {
			t.Errorf("%s: Generate(JSON) = %v, want it to say what to raise", p, err)
		}
		if r, err := c.Generate(t.Context(), llm.Question{Prompt: "x"}); err != nil || !r.Cut {
			t.Errorf("%s: Generate(text) = %+v, %v, want what there is", p, r, err)
		}
	}
}

func TestNobodyListens(t *testing.T) {
	s := testkit.StartLLM(t)
	c := client(t, s, llm.Ollama)
	s.Close()
	_, err := c.Generate(t.Context(), llm.Question{Prompt: "x"})
	if !errors.Is(err, llm.ErrUnavailable) || !strings.Contains(err.Error(), s.URL()) {
		t.Errorf("Generate() = %v, want the address where nobody listens", err)
	}
}

// A hanging server costs the client's own time, or that of the asker.
func TestHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.StartLLMPipe(t)
		s.When(nil, testkit.LLMReply{Hold: true})
		w := llm.NewWorker(client(t, s, llm.OpenAI, func(o *llm.Options) { o.Transport = s.Transport() }))
		start := time.Now()
		if _, err := w.Do(t.Context(), ask); !errors.Is(err, llm.ErrTimeout) || time.Since(start) != 8*time.Second {
			t.Errorf("Do() = %v after %s, want timeout after 8s", err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		start = time.Now()
		_, err := w.Do(ctx, ask)
		var refusal *actors.Refusal
		if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &refusal) || time.Since(start) != 2*time.Second {
			t.Errorf("Do(2s) = %v after %s, want the asker's deadline, which is the engine's to tell", err,
				time.Since(start))
		}
		ctx, cancel = context.WithCancel(t.Context())
		go func() {
			s.Wait(ctx, 3)
			cancel()
		}()
		if _, err := w.Do(ctx, ask); !errors.Is(err, context.Canceled) {
			t.Errorf("Do(cancelled) = %v, want it cancelled", err)
		}
	})
}

func TestBreakerSavesTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.StartLLMPipe(t, testkit.LLMReply{Status: 500}, testkit.LLMReply{Status: 500},
			testkit.LLMReply{Status: 500},
			testkit.LLMReply{Status: 500}, testkit.LLMReply{Text: "well again"}, testkit.LLMReply{Text: "and again"})
		c := client(t, s, llm.OpenAI, func(o *llm.Options) { o.Transport = s.Transport() })
		generate := func() error {
			_, err := c.Generate(t.Context(), llm.Question{Prompt: "x"})
			return err
		}
		for i, want := range []error{llm.ErrUnavailable, llm.ErrUnavailable, llm.ErrUnavailable, llm.ErrBreakerOpen,
			llm.ErrBreakerOpen} {
			if err := generate(); !errors.Is(err, want) {
				t.Errorf("question %d: %v, want %v", i+1, err, want)
			}
		}
		if got := c.Stats().Breaker; got != llm.Open {
			t.Errorf("the breaker is %s, want open", got)
		}
		time.Sleep(30 * time.Second)
		if err := generate(); !errors.Is(err, llm.ErrUnavailable) {
			t.Errorf("the try after 30s: %v, want it asked", err)
		}
		if err := generate(); !errors.Is(err, llm.ErrBreakerOpen) || !strings.Contains(err.Error(), "again in 30s") {
			t.Errorf("after the try: %v, want to be told for how long", err)
		}
		time.Sleep(30 * time.Second)
		for range 2 {
			if err := generate(); err != nil {
				t.Errorf("after the server recovered: %v, want answers", err)
			}
		}
		if got := len(s.Requests()); got != 6 {
			t.Errorf("the server was asked %d times, want 6", got)
		}
	})
}

func TestRetryAfterIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.StartLLMPipe(t, testkit.LLMReply{Status: 429, RetryAfter: "90"}, testkit.LLMReply{Text: "now"})
		c := client(t, s, llm.Anthropic, func(o *llm.Options) { o.Transport = s.Transport() })
		for i, want := range []time.Duration{90 * time.Second, 90 * time.Second, 30 * time.Second} {
			_, err := c.Generate(t.Context(), llm.Question{Prompt: "x"})
			var e *llm.Error
			if !errors.As(err, &e) || e.Code != llm.RateLimited || e.RetryAfter != want {
				t.Errorf("question %d: %v, want rate_limited for %s", i+1, err, want)
			}
			if i == 1 {
				time.Sleep(60 * time.Second)
			}
		}
		if n := len(s.Requests()); n != 1 {
			t.Errorf("the server was asked %d times while it wanted a pause, want once", n)
		}
		time.Sleep(30 * time.Second)
		if _, err := c.Generate(t.Context(), llm.Question{Prompt: "x"}); err != nil {
			t.Errorf("after the pause: %v, want an answer", err)
		}
	})
}

func TestOneQuestionAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.StartLLMPipe(t)
		s.When(nil, testkit.LLMReply{Text: "yes", Hold: true})
		c := client(t, s, llm.OpenAI, func(o *llm.Options) { o.Transport, o.Concurrency = s.Transport(), 2 })
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if _, err := c.Generate(t.Context(), llm.Question{Prompt: "x"}); err != nil {
					t.Errorf("Generate() = %v, want an answer", err)
				}
			})
		}
		for answered := range 5 {
			synctest.Wait()
			if got, want := len(s.Requests())-answered, min(2, 5-answered); got != want {
				t.Errorf("%d questions under way, want %d", got, want)
			}
			s.Release(1)
		}
		all.Wait()
	})
}

// stubborn is a host's model that hangs whatever its context says.
type stubborn struct{ free chan struct{} }

func (m stubborn) Generate(context.Context, llm.Question) (llm.Reply, error) {
	<-m.free
	return llm.Reply{Text: "late"}, nil
}

// A model that never comes back is not asked again and again.
func TestAModelThatHangsIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := stubborn{make(chan struct{})}
		one := llm.DefaultLimits()
		one.Concurrency = 1
		c, err := llm.New(llm.Options{Settings: llm.Settings{Limits: one}, Host: m})
		if err != nil {
			t.Fatal(err)
		}
		gone := make(chan error)
		go func() { _, err := c.Generate(t.Context(), llm.Question{}); gone <- err }()
		time.Sleep(time.Second)
		for _, want := range []error{llm.ErrTimeout, llm.ErrTimeout, llm.ErrTimeout, llm.ErrBreakerOpen} {
			if _, err := c.Generate(t.Context(), llm.Question{}); !errors.Is(err, want) {
				t.Errorf("Generate() = %v, want %v", err, want)
			}
		}
		close(m.free)
		if err := <-gone; err != nil {
			t.Errorf("the late answer: %v, want it given", err)
		}
		time.Sleep(30 * time.Second)
		if _, err := c.Generate(t.Context(), llm.Question{}); err != nil {
			t.Errorf("once it is free: %v, want an answer", err)
		}
	})
}

// Changed is called once for each change, not for each failure.
func TestChangesAreTold(t *testing.T) {
	s := testkit.StartLLM(t)
	var told []string
	c := client(t, s, llm.OpenAI, func(o *llm.Options) {
		o.Breaker.Failures = 100
		o.Changed = func(e *llm.Error) {
			if e == nil {
				told = append(told, "well")
				return
			}
			told = append(told, string(e.Code))
		}
	})
	for _, reply := range []testkit.LLMReply{{Text: "a"}, {Status: 500}, {Status: 503}, {Status: 401}, {Status: 401},
		{Text: "b"}, {Text: "no", Finish: "content_filter"}, {Text: " "}} {
		s.Reply(reply)
		c.Generate(t.Context(), llm.Question{Prompt: "x"})
	}
	if got, want := strings.Join(told, " "), "unavailable refused well malformed"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
}

// hosted is a host's model made of a function.
type hosted func(llm.Question) (llm.Reply, error)

func (f hosted) Generate(_ context.Context, q llm.Question) (llm.Reply, error) { return f(q) }

func TestAHostsModel(t *testing.T) {
	for name, c := range map[string]struct {
		fail error
		want *llm.Error
		text string
	}{
		"its own words": {errors.New(private), llm.ErrUnavailable, "the model failed"},
		"an Error":      {&llm.Error{Code: llm.Refused, Text: "no licence"}, llm.ErrRefused, "no licence"},
		"a wrapped one": {fmt.Errorf("%s: %w", private, &llm.Error{Code: llm.Malformed, Text: "odd"}), llm.ErrMalformed,
			"odd"},
		"its own code":   {&llm.Error{Code: "tired", Text: "too late in the day"}, llm.ErrUnavailable, "too late"},
		"a deadline":     {context.DeadlineExceeded, llm.ErrTimeout, "no answer in time"},
		"an end of file": {io.ErrUnexpectedEOF, llm.ErrUnavailable, "the model failed"},
	} {
		failing := hosted(func(llm.Question) (llm.Reply, error) { return llm.Reply{}, c.fail })
		client, err := llm.New(llm.Options{Settings: llm.DefaultSettings(), Host: failing})
		if err != nil {
			t.Fatal(err)
		}
		_, err = llm.NewWorker(client).Do(t.Context(), ask)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), private) {
			t.Errorf("%s: Do() = %v, want %s with %q", name, err, c.want.Code, c.text)
		}
	}
	var asked llm.Question
	warm := llm.DefaultLimits()
	warm.Temperature = 0.3
	greeting := hosted(func(q llm.Question) (llm.Reply, error) {
		asked = q
		return llm.Reply{Text: "hi"}, nil
	})
	client, err := llm.New(llm.Options{Settings: llm.Settings{Limits: warm}, Host: greeting})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct{ in, want llm.Question }{
		{llm.Question{}, llm.Question{MaxTokens: 512, Temperature: 0.3}},
		{llm.Question{MaxTokens: 7, Temperature: 1}, llm.Question{MaxTokens: 7, Temperature: 1}},
		{llm.Question{MaxTokens: 1e9, Temperature: 99}, llm.Question{MaxTokens: 512, Temperature: 2}},
	} {
		if _, err := client.Generate(t.Context(), q.in); err != nil || asked != q.want {
			t.Errorf("asked %+v, %v for %+v, want %+v", asked, err, q.in, q.want)
		}
	}
}

// A panic restarts the worker, so it goes on, but without the question in it.
func TestPanicsSayNothingPrivate(t *testing.T) {
	for _, value := range []any{private, errors.New(private), struct{ s string }{private}} {
		strict := llm.DefaultLimits()
		strict.Breaker.Failures = 1
		c, err := llm.New(llm.Options{
			Host:     hosted(func(llm.Question) (llm.Reply, error) { panic(value) }),
			Settings: llm.Settings{Limits: strict},
		})
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if r := fmt.Sprint(recover()); !strings.Contains(r, "the model panicked") ||
					strings.Contains(r, private) {
					t.Errorf("panic of %T: recovered %q, want no words of it", value, r)
				}
			}()
			llm.NewWorker(c).Do(t.Context(), ask)
		}()
		if s := c.Stats(); s.Outcomes["panic"] != 1 || s.Breaker != llm.Open {
			t.Errorf("Stats() = %+v, want the panic counted", s)
		}
		if _, err := c.Generate(t.Context(), llm.Question{}); !errors.Is(err, llm.ErrBreakerOpen) {
			t.Errorf("Generate() after a panic = %v, want the slot free and the breaker open", err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	good := llm.Options{Settings: llm.DefaultSettings(), Key: llm.NewSecret(hidden)}
	good.Tier, good.Provider, good.Model = llm.TierCloud, llm.OpenAI, "m"
	for want, change := range map[string]func(*llm.Options){
		"llm.tier":             func(o *llm.Options) { o.Tier = llm.TierNone },
		"llm.provider":         func(o *llm.Options) { o.Provider = "bard" },
		"llm.concurrency":      func(o *llm.Options) { o.Concurrency = 0 },
		"llm.model":            func(o *llm.Options) { o.Model = " " },
		"llm.tier: cloud":      func(o *llm.Options) { o.Tier = llm.TierLocal },
		"more than one line":   func(o *llm.Options) { o.Key = llm.NewSecret(hidden + "\n" + hidden) },
		"the key is missing":   func(o *llm.Options) { o.Key = llm.Secret{} },
		"without name and pas": func(o *llm.Options) { o.BaseURL = "https://a:hunter2@example.com" },
	} {
		o := good
		change(&o)
		_, err := llm.New(o)
		if !errors.Is(err, llm.ErrOptions) || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("New() = %v, want %q and no key", err, want)
		}
	}
	if c, err := llm.New(good); err != nil {
		t.Errorf("New(good) = %v, want none", err)
	} else {
		c.Close()
	}
}

func TestWorkerRefusesOtherRequests(t *testing.T) {
	if _, err := llm.NewWorker(nil).Do(t.Context(), messages.PollDue{}); err == nil ||
		!strings.Contains(err.Error(), "want messages.AskLLM") {
		t.Errorf("Do(poll_due) = %v, want it refused", err)
	}
}

// Each model is looked for and asked once, whatever it is for.
func TestLook(t *testing.T) {
	s := testkit.StartLLM(t, testkit.LLMReply{Text: "ok"})
	c := client(t, s, llm.OpenAI, func(o *llm.Options) { o.Models.Focus = "other" })
	found, err := c.Look(t.Context(), time.Second)
	if err != nil || len(found.Models) != 2 || found.At != s.URL()+"/v1" {
		t.Fatalf("Look() = %+v, %v, want two models at %s/v1", found, err, s.URL())
	}
	mine, other := found.Models[0], found.Models[1]
	if !mine.Known || mine.Err != nil ||
		!slices.Equal(mine.Purposes, []llm.Purpose{llm.Judge, llm.Answer, llm.Analyse, llm.Select, llm.Learn,
			llm.Mask}) {
		t.Errorf("Look() of the model of six purposes = %+v, want that it answers", mine)
	}
	if other.Model != "other" || other.Known {
		t.Errorf("Look() of another model = %+v, want that the server lists none", other)
	}
	if n := len(s.Requests()); n != 1 {
		t.Errorf("%d questions were asked, want 1, of the model that is there", n)
	}
	s.Close()
	if _, err := c.Look(t.Context(), time.Second); !errors.Is(err, llm.ErrUnavailable) {
		t.Errorf("Look(nobody) = %v, want unavailable", err)
	}
}

func TestProbe(t *testing.T) {
	for _, p := range providers {
		for model, want := range map[string]bool{"test-model": true, "other": false} {
			s := testkit.StartLLM(t)
			c := client(t, s, p, func(o *llm.Options) { o.Model = model })
			if known, err := c.Probe(t.Context(), model); err != nil || known != want {
				t.Errorf("%s: Probe(%s) = %v, %v, want %v", p, model, known, err, want)
			}
		}
	}
	s := testkit.StartLLM(t)
	nowhere := client(t, s, llm.OpenAI, func(o *llm.Options) { o.BaseURL = s.URL() + "/elsewhere" })
	if known, err := nowhere.Probe(t.Context(), "test-model"); err != nil || !known {
		t.Errorf("Probe(no list) = %v, %v, want that somebody is there", known, err)
	}
	s.Close()
	if _, err := nowhere.Probe(t.Context(), "test-model"); !errors.Is(err, llm.ErrUnavailable) {
		t.Errorf("Probe(nobody) = %v, want unavailable", err)
	}
	host, err := llm.New(llm.Options{Settings: llm.DefaultSettings(), Host: hosted(nil)})
	if err != nil {
		t.Fatal(err)
	}
	if known, err := host.Probe(t.Context(), "any"); err != nil || !known {
		t.Errorf("Probe(host) = %v, %v, want nothing to look for", known, err)
	}
}

// elsewhere is a transport whose error says too much.
type elsewhere struct{ asked *bool }

func (e elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	*e.asked = true
	return nil, errors.New("dialled " + r.URL.Host + " with " + private + hidden)
}

// The words of a transport's error are not passed on.
func TestTransportErrors(t *testing.T) {
	asked := false
	s := testkit.StartLLM(t)
	_, err := client(t, s, llm.OpenAI, func(o *llm.Options) { o.Transport = elsewhere{&asked} }).Generate(t.Context(),
		llm.Question{Prompt: private})
	if !asked || !errors.Is(err, llm.ErrUnavailable) || strings.Contains(err.Error(), private) ||
		strings.Contains(err.Error(), "hunter2") {
		t.Errorf("Generate() = %v, want unavailable without words of the transport", err)
	}
}

// Whatever a server answers: an answer or an error with a code, never a panic.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		`{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`,
		`{"content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":1}}`,
		`{"message":{"role":"assistant","content":"hi"},"done":true,"eval_count":-3}`,
		`{"choices":[null]}`, `{"choices":[{"finish_reason":"function_call"}]}`, `{"content":[{"type":"image"}]}`,
		`null`,
		`[`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, p := range providers {
			o := llm.Options{Settings: local(p), Transport: canned(body)}
			c, err := llm.New(o)
			if err != nil {
				t.Fatal(err)
			}
			reply, err := c.Generate(t.Context(), llm.Question{Prompt: "x"})
			var e *llm.Error
			switch {
			case err == nil && (strings.TrimSpace(reply.Text) == "" || reply.PromptTokens < 0 ||
				reply.AnswerTokens < 0):
				t.Errorf("%s: Generate() = %+v, want a text and counts", p, reply)
			case err == nil && !json.Valid(body):
				t.Errorf("%s: an answer from what is no JSON", p)
			case err != nil && !errors.As(err, &e):
				t.Errorf("%s: Generate() = %v, want an Error", p, err)
			}
		}
	})
}

// canned is a server that always answers the same.
type canned []byte

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(string(c)))}, nil
}

// Whatever a server lists: the model is known or not, or there is an error with a code.
func FuzzModels(f *testing.F) {
	for _, seed := range []string{`{"data":[{"id":"m"}]}`, `{"models":[{"name":"m:latest"}]}`, `{"models":[]}`,
		`{"data":{}}`, `[null]`, `{`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, p := range providers {
			c, err := llm.New(llm.Options{Settings: local(p), Transport: canned(body)})
			if err != nil {
				t.Fatal(err)
			}
			known, err := c.Probe(t.Context(), "m")
			var e *llm.Error
			if err != nil && (known || !errors.As(err, &e)) {
				t.Errorf("%s: Probe() = %v, %v, want an Error", p, known, err)
			}
		}
	})
}
