package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// Model answers questions. The clients here are models, and a host may bring one
// of its own. It is called concurrently, and must return when ctx ends; an
// [Error] says what went wrong, the words of any other error are dropped.
type Model interface {
	Generate(ctx context.Context, q Question) (Reply, error)
}

// Question is one question to a model.
type Question struct {
	System      string
	Prompt      string
	MaxTokens   int     // of the answer; 0 is the client's default, and more is cut to it
	Temperature float64 // 0 to 2; 0 is the client's default
	JSON        bool    // the answer must be one JSON object
}

// Reply is a model's answer.
type Reply struct {
	Text         string
	Model        string
	PromptTokens int  // 0 if the model does not tell
	AnswerTokens int  // 0 if the model does not tell
	Cut          bool // the answer had more than MaxTokens
}

// Options of a client.
type Options struct {
	Tier     Tier     // TierLocal or TierCloud; not used with Host
	Provider Provider // not used with Host
	Model    string   // name of the model
	BaseURL  string   // "" is the provider's own
	Key      Secret

	// Limits bound the questions; the zero value means [DefaultLimits].
	Limits

	// Changed is told when the model begins to fail, when it fails in another way,
	// and with nil when it answers again; nil tells nobody. It may be called
	// concurrently, and must not block.
	Changed func(*Error)

	Host      Model             // a model of the host's own
	Transport http.RoundTripper // nil: one that keeps to the tier
	Now       func() time.Time  // nil: time.Now
}

// Limits bound the questions of a client.
type Limits struct {
	// Time for one question, 100ms to 5m. Attention is judged every 10s and does
	// not wait longer than 9s. Default 8s.
	Timeout time.Duration `yaml:"timeout" min:"100ms" max:"5m"`

	// Questions that may be under way at the same time, 1 to 16. Default 1.
	Concurrency int `yaml:"concurrency" min:"1" max:"16"`

	// Longest answer in tokens, 16 to 32768; a model that thinks first needs some
	// thousands. Default 512.
	MaxTokens int `yaml:"max_tokens" min:"16" max:"32768"`

	// How freely the model words its answers, 0 to 2. Default 0.
	Temperature float64 `yaml:"temperature" min:"0" max:"2"`

	// When a model that fails is left alone.
	Breaker BreakerRule `yaml:"breaker"`
}

// DefaultLimits ask one question at a time.
func DefaultLimits() Limits {
	return Limits{Timeout: 8 * time.Second, Concurrency: 1, MaxTokens: 512, Breaker: DefaultBreaker()}
}

func (o Options) withDefaults() Options {
	if o.Limits == (Limits{}) {
		o.Limits = DefaultLimits()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// ErrOptions marks options that make no client.
var ErrOptions = errors.New("llm: no language model can be asked")

// Client asks one model: with a limit on the questions under way, a time for
// each, and a breaker. Make it with [New]; it may be used concurrently, and is a
// [Model] itself. Close ends its idle connections.
type Client struct {
	o     Options
	model Model
	slots chan struct{}
	// transport is nil with a host's model.
	transport *transport

	mu      sync.Mutex
	breaker Breaker
	last    Code // of the failure that counted last, "" since an answer
	stats   Stats
}

// New makes a client; nobody is asked yet.
func New(o Options) (*Client, error) {
	o = o.withDefaults()
	c := &Client{o: o, model: o.Host, slots: make(chan struct{}, o.Concurrency),
		stats: Stats{Outcomes: map[string]uint64{}}}
	if o.Host != nil {
		return c, nil
	}
	base, wrong := check(o)
	if wrong != "" {
		return nil, fmt.Errorf("%w: %s", ErrOptions, wrong)
	}
	c.transport = newTransport(o, base)
	var err error
	if c.model, err = newChain(o, base, c.transport); err != nil {
		return nil, fmt.Errorf("%w: the client of %s could not be made", ErrOptions, o.Provider)
	}
	return c, nil
}

func check(o Options) (base *url.URL, wrong string) {
	address := o.BaseURL
	if address == "" {
		address = DefaultBaseURL(o.Provider)
	}
	switch {
	case o.Tier != TierLocal && o.Tier != TierCloud:
		return nil, "llm.tier: want local or cloud"
	case DefaultBaseURL(o.Provider) == "":
		return nil, "llm.provider: want openai, anthropic or ollama"
	case strings.TrimSpace(o.Model) == "":
		return nil, "llm.model: want the name of a model"
	case strings.ContainsAny(o.Key.Reveal(), "\r\n\x00"):
		return nil, "the key has more than one line (it is not shown)"
	}
	if wrong := CheckBaseURL(o.Tier, o.Provider, o.BaseURL, !o.Key.Empty()); wrong != "" {
		return nil, "llm.base_url: " + wrong
	}
	if o.Key.Empty() && NeedsKey(o.Provider, o.BaseURL) {
		return nil, "the key is missing: set llm.key_env or llm.key_file"
	}
	base, _ = url.Parse(address) // checked above
	return base, ""
}

// Close ends idle connections.
func (c *Client) Close() error {
	if c.transport != nil {
		c.transport.close()
	}
	return nil
}

// Generate asks the model. Its error is an [Error], or wraps that of ctx. A
// panic of the model goes on, without its words.
func (c *Client) Generate(ctx context.Context, q Question) (Reply, error) {
	ticket, refused := c.begin()
	if refused != nil {
		c.count(string(refused.Code), Reply{})
		return Reply{}, refused
	}
	ended := false
	defer func() {
		if !ended { // a panic
			r := recover()
			c.end(ticket, &Error{Code: Unavailable, Text: "the model panicked"})
			c.count("panic", Reply{})
			panic(harmless(r))
		}
	}()
	within, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	reply, failure := c.ask(within, c.bounded(q))
	ended = true
	if failure != nil && ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
		c.abandon(ticket)
		c.count("cancelled", Reply{})
		return Reply{}, fmt.Errorf("llm: %w", ctx.Err())
	}
	c.end(ticket, failure)
	if failure == nil {
		c.count("ok", reply)
		return reply, nil
	}
	c.count(string(failure.Code), reply)
	if failure.Code == Timeout && ctx.Err() != nil {
		return Reply{}, fmt.Errorf("llm: %s: %w", failure.Text, ctx.Err())
	}
	return Reply{}, failure
}

// harmless is a panic's value without private words: those of the Go runtime
// have none.
func harmless(r any) any {
	if e, ok := r.(runtime.Error); ok {
		return e
	}
	return fmt.Sprintf("llm: the model panicked with a %T", r)
}

// ask waits for a slot and asks. A question that holds its slot past its time
// keeps others out: a model that hangs must not be asked more and more.
func (c *Client) ask(ctx context.Context, q Question) (Reply, *Error) {
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return Reply{}, &Error{Code: Timeout, Text: "the questions before this one have not come back in time"}
	}
	defer func() { <-c.slots }()
	reply, err := c.model.Generate(ctx, q)
	if failure := failureOf(err); failure != nil {
		return reply, failure
	}
	switch {
	case reply.Cut && (q.JSON || strings.TrimSpace(reply.Text) == ""):
		return reply, &Error{Code: Malformed, Text: fmt.Sprintf(
			"the answer was cut after %d tokens: raise llm.max_tokens, above all for a model that thinks first",
			q.MaxTokens)}
	case strings.TrimSpace(reply.Text) == "":
		return reply, &Error{Code: Malformed, Text: "the answer is empty"}
	case len(reply.Text) > maxResponse:
		return reply, &Error{Code: Malformed, Text: "the answer is too long"}
	}
	return reply, nil
}

func (c *Client) bounded(q Question) Question {
	if q.MaxTokens <= 0 || q.MaxTokens > c.o.MaxTokens {
		q.MaxTokens = c.o.MaxTokens
	}
	if !(q.Temperature > 0) { // NaN too
		q.Temperature = c.o.Temperature
	}
	q.Temperature = math.Min(q.Temperature, 2)
	return q
}

// begin asks the breaker.
func (c *Client) begin() (Ticket, *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	next, ticket, wait, ok := c.breaker.Ask(c.o.Breaker, c.o.Now())
	c.breaker = next
	switch {
	case ok:
		return ticket, nil
	case next.Limited:
		return 0, &Error{Code: RateLimited, Text: "not asked, because the server wants a pause", RetryAfter: wait}
	}
	return 0, &Error{Code: BreakerOpen, Text: "not asked, because the questions before failed (" + string(c.last) + ")",
		RetryAfter: wait}
}

// end tells the breaker and whoever wants to know.
func (c *Client) end(ticket Ticket, failure *Error) {
	o, code, pause := outcome(failure), Code(""), time.Duration(0)
	if o == Failed {
		code, pause = failure.Code, failure.RetryAfter
	} else {
		failure = nil
	}
	c.mu.Lock()
	changed := c.last != code
	c.last = code
	c.breaker = c.breaker.Done(c.o.Breaker, c.o.Now(), ticket, o, pause)
	c.mu.Unlock()
	if changed && c.o.Changed != nil {
		c.o.Changed(failure)
	}
}

func (c *Client) abandon(ticket Ticket) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.breaker = c.breaker.Done(c.o.Breaker, c.o.Now(), ticket, Abandoned, 0)
}

// Stats is what a client has done since it was made.
type Stats struct {
	Outcomes     map[string]uint64 // questions by outcome: ok, a Code, cancelled, panic
	PromptTokens uint64
	AnswerTokens uint64
	Breaker      State
}

// Stats may be called at any time.
func (c *Client) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Outcomes = make(map[string]uint64, len(c.stats.Outcomes))
	for k, n := range c.stats.Outcomes {
		s.Outcomes[k] = n
	}
	s.Breaker = c.breaker.State
	return s
}

func (c *Client) count(outcome string, r Reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Outcomes[outcome]++
	c.stats.PromptTokens += uint64(max(0, r.PromptTokens))
	c.stats.AnswerTokens += uint64(max(0, r.AnswerTokens))
}

// Worker answers messages.AskLLM with a model, which is mostly a [Client] that
// it shares with the other workers.
type Worker struct{ model Model }

var _ actors.Worker = Worker{}

// NewWorker makes a worker.
func NewWorker(m Model) Worker { return Worker{m} }

// Do answers messages.AskLLM with messages.LLMAnswer. An [Error] is a refusal
// with its code, after which the worker goes on; a missed deadline is not.
func (w Worker) Do(ctx context.Context, request messages.Message) (messages.Message, error) {
	ask, ok := request.(messages.AskLLM)
	if !ok {
		return nil, fmt.Errorf("llm: %T is not a request for this worker, want messages.AskLLM", request)
	}
	reply, err := w.model.Generate(ctx, Question{
		System: ask.System, Prompt: string(ask.Prompt), MaxTokens: ask.MaxTokens, Temperature: ask.Temperature,
		JSON: ask.JSON,
	})
	var known *Error
	switch {
	case errors.As(err, &known):
		return nil, actors.Refuse(string(known.Code), known)
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("llm: no answer: %w", ctx.Err())
	case err != nil:
		return nil, actors.Refuse(string(Unavailable), failureOf(err))
	}
	return messages.LLMAnswer{
		Key: ask.Key, Text: messages.Text(reply.Text), Model: reply.Model, PromptTokens: reply.PromptTokens,
		AnswerTokens: reply.AnswerTokens,
	}, nil
}
