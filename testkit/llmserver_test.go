package testkit_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/kehai-run/kehai/testkit"
)

const (
	chatPath     = "/v1/chat/completions"
	messagesPath = "/v1/messages"
	ollamaPath   = "/api/chat"
)

const question = `{"model":"m","stream":%v,"stream_options":{"include_usage":true},"max_tokens":5,"temperature":0.5,"messages":[` +
	`{"role":"system","content":"be brief"},{"role":"user","content":[{"type":"text","text":"hello"}]}]}`

// post sends a question and returns the response with all of its body.
func post(t *testing.T, ctx context.Context, c *http.Client, url, body string) (*http.Response, string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return resp, string(raw), err
}

// caller is an HTTP client that keeps no connection.
func caller(t *testing.T) *http.Client {
	t.Helper()
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

func TestLLMFormats(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	reply := testkit.LLMReply{Text: "hi there", Chunks: []string{"hi ", "there"}, PromptTokens: 3, AnswerTokens: 2}
	for _, c := range []struct {
		path   string
		stream bool
		want   []string // in this order
	}{
		{chatPath, false, []string{`"content":"hi there"`, `"completion_tokens":2`}},
		{messagesPath, false, []string{`"text":"hi there"`, `"stop_reason":"end_turn"`, `"input_tokens":3`}},
		{ollamaPath, false, []string{`"done":true`, `"eval_count":2`, `"content":"hi there"`}},
		{chatPath, true, []string{`data: {`, `"content":"hi "`, `"content":"there"`, `"finish_reason":"stop"`,
			`"prompt_tokens":3`, "data: [DONE]"}},
		{messagesPath, true, []string{"event: message_start", `"text":"hi "`, `"text":"there"`,
			"event: content_block_stop",
			`"stop_reason":"end_turn"`, "event: message_stop"}},
		{ollamaPath, true, []string{`"content":"hi "`, `"content":"there"`, `"done":true`}},
	} {
		s := testkit.StartLLM(t, reply)
		asked := fmt.Sprintf(question, c.stream)
		if c.stream == (c.path == ollamaPath) { // the default of the format
			asked = strings.Replace(asked, fmt.Sprintf(`"stream":%v,`, c.stream), "", 1)
		}
		_, body, err := post(t, t.Context(), caller(t), s.URL()+c.path, asked)
		if err != nil {
			t.Fatal(err)
		}
		rest := body
		for _, want := range c.want {
			_, after, ok := strings.Cut(rest, want)
			if !ok {
				t.Errorf("%s, stream %v: no %q, in this order, in\n%s", c.path, c.stream, want, body)
			}
			rest = after
		}
		r := s.Requests()[0]
		if r.Model != "m" || r.System != "be brief" || r.Prompt != "hello" || r.MaxTokens != 5 ||
			r.Temperature != 0.5 ||
			r.Stream != c.stream || r.Path != c.path {
			t.Errorf("%s: recorded %+v, want what was asked", c.path, r)
		}
		s.Close()
	}
}

// Ollama thinks in lines of their own, and tells in a line that it failed.
func TestLLMOllamaLines(t *testing.T) {
	s := testkit.StartLLM(t, testkit.LLMReply{Thinking: "hm", Text: "hi"},
		testkit.LLMReply{Text: "hi", Fail: "no memory"})
	for _, want := range [][]string{
		{`"thinking":"hm"`, `"content":"hi"`, `"done":true,"done_reason":"stop"`},
		{`"content":"hi"`, `{"error":"no memory"}`},
	} {
		resp, body, err := post(t, t.Context(), caller(t), s.URL()+ollamaPath, "{}")
		if err != nil || resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/x-ndjson" {
			t.Fatalf("answer = %v, %v, want lines of JSON", resp, err)
		}
		lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
		if len(lines) != len(want) {
			t.Fatalf("answer = %q, want %d lines", body, len(want))
		}
		for i, part := range want {
			if !strings.Contains(lines[i], part) {
				t.Errorf("line %d = %s, want %s in it", i+1, lines[i], part)
			}
		}
	}
}

func TestLLMScript(t *testing.T) {
	s, err := testkit.NewLLMServer(testkit.LLMReply{Text: "one"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Reply(testkit.LLMReply{Status: 429, RetryAfter: "7", Text: "slow down"},
		testkit.LLMReply{Status: 302, Location: "http://192.0.2.1/"},
		testkit.LLMReply{Body: `{"choices":[{"mess`}, testkit.LLMReply{Text: "cut in the middle", Cut: 10})
	s.When(func(r testkit.LLMRequest) bool { return strings.Contains(string(r.Body), "password") },
		testkit.LLMReply{Text: "never", Finish: "content_filter"})
	client := caller(t)
	var got []string
	for _, ask := range []string{"a", "password", "b", "c", "d", "e", "f"} {
		resp, body, err := post(t, t.Context(), client, s.URL()+chatPath, ask)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			got = append(got, "cut at "+body)
		case err != nil:
			t.Fatal(err)
		default:
			_, text, _ := strings.Cut(body, `"content":`)
			got = append(got, fmt.Sprint(resp.StatusCode, resp.Header.Get("Retry-After"), resp.Header.Get("Location"),
				text[:min(8, len(text))]))
		}
	}
	want := `["200\"one\",\"r" "200\"never\"," "4297" "302http://192.0.2.1/" "200" "cut at {\"choices\"" "500"]`
	if fmt.Sprintf("%q", got) != want {
		t.Errorf("answers = %q, want %s", got, want)
	}
	if s.Surprises() != 1 || len(s.Requests()) != 7 {
		t.Errorf("%d surprises in %d requests, want 1 in 7", s.Surprises(), len(s.Requests()))
	}
}

// A held answer waits for the test, for the client to give up, or for Close.
func TestLLMHolds(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	s := testkit.StartLLM(t)
	s.When(nil, testkit.LLMReply{Text: "at last", Hold: true})
	client := caller(t)
	answers := make(chan string)
	ask := func(ctx context.Context) {
		_, body, err := post(t, ctx, client, s.URL()+chatPath, "{}")
		answers <- fmt.Sprint(strings.Contains(body, "at last"), err != nil)
	}
	go ask(t.Context())
	if err := s.Wait(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	s.Release(1)
	if got := <-answers; got != "true false" {
		t.Errorf("after Release: %s, want the answer", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go ask(ctx)
	if err := s.Wait(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	cancel()
	if got := <-answers; got != "false true" {
		t.Errorf("after the client gave up: %s, want an error", got)
	}
	go ask(t.Context())
	if err := s.Wait(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v, want none", err)
	}
	if got := <-answers; !strings.HasPrefix(got, "false") {
		t.Errorf("after Close: %s, want no answer", got)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := s.Wait(ended, 4); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "3 of 4") {
		t.Errorf("Wait(ended) = %v, want how many arrived", err)
	}
}

// The chunks of a slow stream come as the test lets them.
func TestLLMSlowStream(t *testing.T) {
	for _, path := range []string{chatPath, messagesPath, ollamaPath} {
		s := testkit.StartLLM(t, testkit.LLMReply{Chunks: []string{"a1", "b2", "c3"}, Hold: true})
		s.Release(1)
		resp, err := caller(t).Post(s.URL()+path, "application/json", strings.NewReader(`{"stream":true}`))
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(resp.Body)
		for i, chunk := range []string{"a1", "b2", "c3"} {
			found := false
			for !found && lines.Scan() {
				found = strings.Contains(lines.Text(), chunk)
			}
			if !found {
				t.Errorf("%s: chunk %d did not come", path, i+1)
			}
			s.Release(1)
		}
		resp.Body.Close()
	}
}

// Without a network, in virtual time.
func TestLLMPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.StartLLMPipe(t, testkit.LLMReply{Hold: true}, testkit.LLMReply{Text: "hi"})
		client := &http.Client{Transport: s.Transport(), Timeout: time.Hour}
		start := time.Now()
		if _, _, err := post(t, t.Context(), client, "http://nobody.example/v1/chat/completions", "{}"); err == nil ||
			time.Since(start) != time.Hour {
			t.Errorf("post(held) = %v after %s, want a timeout after an hour", err, time.Since(start))
		}
		if _, body, err := post(t, t.Context(), client, "https://nobody.example/api/chat", "{}"); err != nil ||
			!strings.Contains(body, "hi") {
			t.Errorf("post() = %q, %v, want the answer", body, err)
		}
	})
}

func TestLLMListsItsModels(t *testing.T) {
	s := testkit.StartLLM(t)
	for path, want := range map[string]int{"/v1/models": 200, "/api/tags": 200, "/": 404} {
		resp, err := caller(t).Get(s.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("GET %s = %d, want %d", path, resp.StatusCode, want)
		}
	}
}

// recordedTest is a test that writes down how it fails.
type recordedTest struct {
	testing.TB
	cleanup []func()
	failed  []string
}

func (r *recordedTest) Helper()                   {}
func (r *recordedTest) Cleanup(f func())          { r.cleanup = append(r.cleanup, f) }
func (r *recordedTest) Errorf(s string, a ...any) { r.failed = append(r.failed, fmt.Sprintf(s, a...)) }

func TestLLMSurprisesFailTheTest(t *testing.T) {
	r := &recordedTest{TB: t}
	s := testkit.StartLLM(r)
	if _, body, err := post(t, t.Context(), caller(t), s.URL()+chatPath, "{}"); err != nil ||
		!strings.Contains(body, "no reply is scripted") {
		t.Errorf("post() = %q, %v, want it to say what is wrong", body, err)
	}
	for _, f := range r.cleanup {
		f()
	}
	if len(r.failed) != 1 || !strings.Contains(r.failed[0], "1 times more than was scripted") {
		t.Errorf("the test failed with %q, want the surprise", r.failed)
	}
}
