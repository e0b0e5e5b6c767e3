package llm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// Model answers questions. The clients here are models, and a host may bring its own. It
// is called concurrently, and must return when ctx ends. An [Error] says what went wrong;
// the text of any other error is dropped.
type Model interface {
	Generate(ctx context.Context, q Question) (Reply, error)
}

// Streamer is a model that shows its answer while it writes. write gets each piece of the
// answer's text in order, never concurrently; an empty piece says that the model works,
// for example that it thinks. Stream returns the whole answer after the last write.
type Streamer interface {
	Model
	Stream(ctx context.Context, q Question, write func(piece string)) (Reply, error)
}

// Reporter is a model that reports its answer while it comes, as [Client] does.
type Reporter interface {
	Model
	Stream(ctx context.Context, q Question, progress func(Chunk)) (Reply, error)
}

// Purpose is what a question is for. It decides which model is asked and how long
// that may take.
type Purpose string

// Purposes. Any other one is allowed too.
const (
	Judge   Purpose = "judge"   // whether a message wants an answer
	Answer  Purpose = "reply"   // an answer for a person
	Focus   Purpose = "focus"   // what the person at the desk does
	Analyse Purpose = "analyse" // what an interview is about
	Select  Purpose = "select"  // what of the memory helps to answer
	Learn   Purpose = "learn"   // what to keep of what was said
	Mask    Purpose = "mask"    // what is private in a text beyond what rules found
)

// Question is one question to a model.
type Question struct {
	Purpose     Purpose
	Model       string // set by the client; a host's model may ignore it
	System      string
	Prompt      string
	MaxTokens   int     // of the answer; 0 is the client's default, which is also the most
	Temperature float64 // 0 to 2; 0 is the client's default
	JSON        bool    // the answer must be one JSON object
	// Retry lets a client ask once more after a failure that may pass.
	Retry bool
}

// Reply is a model's answer.
type Reply struct {
	Text         string
	Model        string
	PromptTokens int  // 0 if unknown
	AnswerTokens int  // 0 if unknown
	Cut          bool // the answer had more than MaxTokens
	Retried      bool // it came from the second attempt
}

// Options of a client. Start from [DefaultSettings].
type Options struct {
	Settings // with Host, only its limits apply
	Key      Secret

	// Changed is called when the model begins to fail or fails in another way, and
	// with nil when it answers again; A nil Changed reports to nobody. It may be
	// called concurrently and must not block.
	Changed func(*Error)

	// Simulate makes every question fail with code simulated, for a drill.
	Simulate bool

	Mask bool // what an embedder is asked is masked wherever its model is

	Host      Model             // a model of the host's own
	Transport http.RoundTripper // nil: one that keeps to the tier
	Now       func() time.Time  // nil: time.Now
	Jitter    func() float64    // 0 to 1, spreads retries; nil: random
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Jitter == nil {
		o.Jitter = rand.Float64
	}
	return o
}

// ErrOptions marks options from which no client can be made.
var ErrOptions = errors.New("llm: no language model can be asked")

// Client asks one model, with a limit on concurrent questions, a time limit for each, and
// a breaker. Make it with [New]. It may be used concurrently, and is a [Model] itself.
// Close closes its idle connections.
type Client struct {
	o     Options
	model Model
	slots chan struct{}
	// transport is nil with a host's model.
	transport *transport

	overdue atomic.Int64 // questions that hold their slot longer than allowed

	mu      sync.Mutex
	breaker Breaker
	last    map[string]Code   // by model: the failure that was reported last, "" since an answer
	why     map[string]string // by model: what the newest failure says, for people
	stats   Stats
}

// New makes a client. It asks nobody yet.
func New(o Options) (*Client, error) {
	o = o.withDefaults()
	if o.Concurrency < 1 {
		return nil, fmt.Errorf("%w: llm.concurrency: want 1 at least", ErrOptions)
	}
	c := &Client{o: o, model: o.Host, slots: make(chan struct{}, o.Concurrency),
		last: map[string]Code{}, why: map[string]string{},
		stats: Stats{Outcomes: map[string]uint64{}, Purposes: map[Purpose]Usage{}}}
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

// Worker answers messages.AskLLM with a model, usually a [Client] shared with the other
// workers.
type Worker struct{ model Model }

var _ actors.Reporter = Worker{}

// NewWorker makes a worker.
func NewWorker(m Model) Worker { return Worker{m} }

// Do answers messages.AskLLM with messages.LLMAnswer. An [Error] becomes a refusal with
// its code, and the worker continues; a missed deadline does not.
func (w Worker) Do(ctx context.Context, request messages.Message) (messages.Message, error) {
	return w.Stream(ctx, request, nil)
}

// DoReporting is Do. For a question with Stream set it reports messages.LLMProgress while
// the model writes, as Stream does.
func (w Worker) DoReporting(
	ctx context.Context, request messages.Message, report func(messages.Message),
) (messages.Message, error) {
	return w.Stream(ctx, request, func(p messages.LLMProgress) { report(p) })
}

// Stream is Do, and reports the answer's progress if the question wants that: never
// concurrently, at most every 150 ms, and with the whole text before it returns. progress
// may be nil.
func (w Worker) Stream(ctx context.Context, request messages.Message, progress func(messages.LLMProgress)) (
	messages.Message, error,
) {
	ask, ok := request.(messages.AskLLM)
	if !ok {
		return nil, fmt.Errorf("llm: %T is not a request for this worker, want messages.AskLLM", request)
	}
	q := Question{
		Purpose: Purpose(ask.Purpose), System: ask.System, Prompt: string(ask.Prompt), MaxTokens: ask.MaxTokens,
		Temperature: ask.Temperature, JSON: ask.JSON, Retry: ask.Retry,
	}
	reply, err := w.generate(ctx, q, ask, progress)
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
		AnswerTokens: reply.AnswerTokens, Cut: reply.Cut, Retried: reply.Retried,
	}, nil
}

func (w Worker) generate(ctx context.Context, q Question, ask messages.AskLLM,
	progress func(messages.LLMProgress),
) (Reply, error) {
	reporter, ok := w.model.(Reporter)
	if !ask.Stream || !ok {
		return w.model.Generate(ctx, q)
	}
	return reporter.Stream(ctx, q, func(c Chunk) {
		if progress != nil {
			progress(messages.LLMProgress{Key: ask.Key, Epoch: c.Epoch, Text: messages.Text(c.Text)})
		}
	})
}

// None is a model that never answers, used where none is set up. Why is the reason for
// each question; nil means that there is no model.
type None struct{ Why *Error }

// Generate implements [Model].
func (n None) Generate(context.Context, Question) (Reply, error) {
	if n.Why != nil {
		return Reply{}, n.Why
	}
	return Reply{}, &Error{Code: NoModel, Text: "no language model is set up: " +
		"set llm.tier, llm.model and, where its server wants one, llm.key_env or llm.key_file"}
}
