package testkit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// LLMServer is a server in this process that speaks the wire formats of language models:
// chat completions of OpenAI, messages of Anthropic, chat of Ollama; and vectors of OpenAI
// and Ollama, made by [Embed] unless a rule of When matches. Like the real
// servers it streams if the request asks for that, and Ollama unless the request asks not
// to. The formats follow the documentation cited in actors/llm/testdata/wire. It answers
// from a script, records requests, and fails on demand. Its methods may be called
// concurrently.
type LLMServer struct {
	url    string
	server *http.Server
	pipe   *pipeListener // nil where it listens on TCP
	served chan error
	conns  sync.WaitGroup

	step    chan struct{} // one for each Release
	closing chan struct{}

	mu       sync.Mutex
	script   []LLMReply
	always   []rule
	asked    []LLMRequest
	arrived  chan struct{} // closed and replaced with each request
	surprise int           // requests without a script
	kind     LLMKind
	closed   bool
}

type rule struct {
	match func(LLMRequest) bool
	reply LLMReply
}

// LLMReply is how one request is answered. The zero value answers with an empty
// text.
type LLMReply struct {
	Text   string // what the model says
	Finish string // why it stopped, in the words of OpenAI; "" means stop

	PromptTokens, AnswerTokens int

	Status     int    // an HTTP error, or a redirect; 0 means 200
	RetryAfter string // the header of that name
	Location   string // the header of that name

	Body string // sent literally, in place of the format
	Type string // the header Content-Type of Body; "" means JSON
	// Cut closes the connection after this many bytes of the body; 0 means never.
	Cut int
	// Hold waits for Release before the answer, and before each further chunk of a
	// stream. The wait also ends when the request is given up, and at Close.
	Hold bool
	// Chunks are the parts of a streamed text; nil means Text as one.
	Chunks []string
	// Thinking is what the model thinks before its text. All formats have a field for it.
	Thinking string
	// Fail ends a stream with this error, after the chunks and with status 200.
	Fail string
	// ErrorType is the error's type in the words of the format, if it has one; "" means
	// the type that the provider documents for the status.
	ErrorType string
}

// LLMRequest is one recorded request. The fields below Body are read from it.
type LLMRequest struct {
	Method, Path string
	Header       http.Header
	Body         []byte

	Format      string // openai, anthropic, ollama; "" for anything else
	Model       string
	System      string
	Prompt      string // of the user, several joined by line breaks
	MaxTokens   int
	Temperature float64
	JSON        bool // a JSON object is asked for
	Stream      bool // the answer is streamed, by request or by default
	Usage       bool // a stream of OpenAI's form ends with the tokens

	Input []string // texts whose vectors are asked for; nil for a chat
}

// LLMKind is a server that speaks OpenAI's form in its own way.
type LLMKind string

// Kinds of servers. The zero value is OpenAI's own.
const (
	LLMLlamaCPP LLMKind = "llama.cpp" // thinks in reasoning_content
	LLMStudio   LLMKind = "lmstudio"  // that too, and refuses the JSON mode: it wants a schema
	LLMVLLM     LLMKind = "vllm"      // thinks in reasoning
)

// Act makes the server behave like one of another kind.
func (s *LLMServer) Act(as LLMKind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kind = as
}

// NewLLMServer listens on a loopback address until Close.
func NewLLMServer(replies ...LLMReply) (*LLMServer, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("testkit: language model server: %w", err)
	}
	s := newLLMServer("http://"+ln.Addr().String(), replies)
	s.serve(ln)
	return s, nil
}

// StartLLM is NewLLMServer until the test ends. The test fails if the server received
// more requests than were scripted.
func StartLLM(t testing.TB, replies ...LLMReply) *LLMServer {
	t.Helper()
	s, err := NewLLMServer(replies...)
	if err != nil {
		t.Fatal(err)
	}
	s.until(t)
	return s
}

// StartLLMPipe is StartLLM without a network, for a test inside a synctest
// bubble. It is reached through Transport only.
func StartLLMPipe(t testing.TB, replies ...LLMReply) *LLMServer {
	t.Helper()
	s := newLLMServer("http://127.0.0.1", replies)
	s.pipe = &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	s.serve(s.pipe)
	s.until(t)
	return s
}

func newLLMServer(url string, replies []LLMReply) *LLMServer {
	s := &LLMServer{
		url: url, script: replies, served: make(chan error, 1), step: make(chan struct{}, 1<<12),
		closing: make(chan struct{}), arrived: make(chan struct{}),
	}
	s.server = &http.Server{Handler: http.HandlerFunc(s.handle), ReadHeaderTimeout: time.Minute, ConnState: s.track}
	return s
}

func (s *LLMServer) serve(ln net.Listener) { go func() { s.served <- s.server.Serve(ln) }() }

func (s *LLMServer) until(t testing.TB) {
	t.Cleanup(func() {
		s.Close()
		if n := s.Surprises(); n > 0 {
			t.Errorf("testkit: the language model server was asked %d times more than was scripted", n)
		}
	})
}

// track waits at the end for the goroutine of each connection.
func (s *LLMServer) track(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.conns.Done()
	}
}

// URL is the root of the server, which Ollama's clients take as base URL; those
// of OpenAI and Anthropic take URL() + "/v1".
func (s *LLMServer) URL() string { return s.url }

// Transport reaches this server, whatever host a request names.
func (s *LLMServer) Transport() http.RoundTripper {
	addr := strings.TrimPrefix(s.url, "http://")
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		if s.pipe != nil {
			return s.pipe.dial(ctx)
		}
		return new(net.Dialer).DialContext(ctx, "tcp", addr)
	}
	return &http.Transport{DialContext: dial, DialTLSContext: dial}
}

// Reply adds to the script: each request takes one reply, in order.
func (s *LLMServer) Reply(replies ...LLMReply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, replies...)
}

// When answers every matching request in one way; it has precedence over the script. A
// nil match matches all. The first match counts.
func (s *LLMServer) When(match func(LLMRequest) bool, reply LLMReply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.always = append(s.always, rule{match, reply})
}

// Release lets held replies continue by n steps: a reply, or a chunk of a stream.
func (s *LLMServer) Release(n int) {
	for range n {
		s.step <- struct{}{}
	}
}

// Requests returns what was asked so far, in order.
func (s *LLMServer) Requests() []LLMRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]LLMRequest(nil), s.asked...)
}

// Surprises is the number of requests without a script. They were answered with status
// 500.
func (s *LLMServer) Surprises() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.surprise
}

// Wait returns once n requests have arrived since the start, or with the
// context's error.
func (s *LLMServer) Wait(ctx context.Context, n int) error {
	for {
		s.mu.Lock()
		count, more := len(s.asked), s.arrived
		s.mu.Unlock()
		if count >= n {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return fmt.Errorf("testkit: %d of %d requests arrived: %w", count, n, ctx.Err())
		}
	}
}

// Close ends the server and everything it holds. When it returns, none of its goroutines
// is left; a second call does nothing.
func (s *LLMServer) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	close(s.closing)
	err := s.server.Close()
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	s.conns.Wait()
	return err
}

// take records a request and decides how it is answered. Vectors need no script.
func (s *LLMServer) take(r LLMRequest) (reply LLMReply, scripted bool) {
	s.mu.Lock()
	s.asked = append(s.asked, r)
	close(s.arrived)
	s.arrived = make(chan struct{})
	always := slices.Clone(s.always)
	s.mu.Unlock()
	for _, a := range always { // a match may look at the server
		if a.match == nil || a.match(r) {
			return a.reply, true
		}
	}
	if r.Input != nil {
		return LLMReply{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.script) == 0 {
		s.surprise++
		return LLMReply{Status: http.StatusInternalServerError,
			Text: "testkit: no reply is scripted for this request"}, true
	}
	next := s.script[0]
	s.script = s.script[1:]
	return next, true
}

// maxLLMBody is the largest request that is read, in bytes.
const maxLLMBody = 8 << 20

func (s *LLMServer) handle(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxLLMBody))
	if err != nil {
		return // the client has gone
	}
	request := readLLMRequest(r, body)
	if request.Format == "" {
		serveLLMModels(w, r)
		return
	}
	if refusal, ok := s.refusal(request); ok {
		failLLM(w, w, request, refusal)
		return
	}
	reply, scripted := s.take(request)
	if !scripted {
		serveEmbed(w, request)
		return
	}
	out := &cutWriter{w: w, left: reply.Cut}
	hold := func() bool { return !reply.Hold || s.held(r.Context()) }
	switch {
	case !hold():
	case reply.Status != 0 && reply.Status != http.StatusOK:
		failLLM(w, out, request, reply)
	case reply.Body != "":
		w.Header().Set("Content-Type", cmp.Or(reply.Type, "application/json"))
		io.WriteString(out, reply.Body)
	case request.Stream:
		streamLLM(w, out, request, reply, s.thoughtField(), hold)
	default:
		w.Header().Set("Content-Type", "application/json")
		out.Write(wholeLLM(request, reply, s.thoughtField()))
	}
	if out.cut {
		panic(http.ErrAbortHandler) // closes the connection in the middle of the body
	}
}

// refusal refuses what the real servers document that they refuse.
func (s *LLMServer) refusal(r LLMRequest) (LLMReply, bool) {
	s.mu.Lock()
	kind := s.kind
	s.mu.Unlock()
	switch {
	case kind == LLMStudio && r.JSON && r.Format == LLMOpenAI:
		return LLMReply{Status: http.StatusBadRequest,
			Body: `{"error":"'response_format.type' must be 'json_schema' or 'text'"}`}, true
	case r.Format == LLMAnthropic && r.MaxTokens <= 0 && strings.HasPrefix(string(r.Body), `{"model"`):
		return LLMReply{Status: http.StatusBadRequest, Text: "max_tokens: Field required"}, true
	}
	return LLMReply{}, false
}

// thoughtField is the field in which a server of OpenAI's form puts the model's thoughts.
func (s *LLMServer) thoughtField() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kind == LLMVLLM {
		return "reasoning"
	}
	return "reasoning_content"
}

// held waits for one step. It reports whether the reply continues.
func (s *LLMServer) held(ctx context.Context) bool {
	select {
	case <-s.step:
		return true
	case <-ctx.Done():
	case <-s.closing:
	}
	return false
}

// cutWriter drops everything after the remaining bytes, unless that is 0.
type cutWriter struct {
	w    http.ResponseWriter
	left int
	cut  bool
}

func (c *cutWriter) Write(p []byte) (int, error) {
	size := len(p)
	switch {
	case c.cut:
		return size, nil
	case c.left > 0 && size >= c.left:
		p, c.cut = p[:c.left], true
	case c.left > 0:
		c.left -= size
	}
	if _, err := c.w.Write(p); err != nil {
		return 0, err
	}
	if c.cut {
		return size, http.NewResponseController(c.w).Flush()
	}
	return size, nil
}

// pipeListener accepts what its own dial connects.
type pipeListener struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (p *pipeListener) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipeListener) Close() error { p.once.Do(func() { close(p.closed) }); return nil }

func (p *pipeListener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }

func (pipeAddr) String() string { return "pipe" }
