package llm

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/kehai-run/kehai/messages"
)

// unset takes the place of the key in langchaingo: the transport inserts the real one.
const unset = "unset"

// chain is a model behind a client of langchaingo.
type chain struct {
	model   llms.Model
	wire    wire
	options []llms.CallOption
	noJSON  atomic.Bool // the server cannot restrict answers to JSON
}

// newChain makes the client of a provider. It sets everything that langchaingo would
// otherwise take from the environment.
func newChain(o Options, base *url.URL, t *transport) (*chain, error) {
	address := strings.TrimSuffix(base.String(), "/")
	c := &chain{wire: wireOf(o.Provider)}
	var err error
	switch o.Provider {
	case OpenAI:
		if address != DefaultBaseURL(OpenAI) { // others only know the older name
			c.options = append(c.options, openai.WithLegacyMaxTokensField())
		}
		c.model, err = openai.New(openai.WithToken(unset), openai.WithModel(o.Model), openai.WithBaseURL(address),
			openai.WithOrganization(""), openai.WithHTTPClient(t.client()))
	case Anthropic:
		c.model, err = anthropic.New(anthropic.WithToken(unset), anthropic.WithModel(o.Model),
			anthropic.WithBaseURL(address), anthropic.WithHTTPClient(t.client()))
	case Ollama:
		c.model, err = ollama.New(ollama.WithModel(o.Model), ollama.WithServerURL(address),
			ollama.WithHTTPClient(t.client()))
	}
	return c, err
}

// Generate implements [Model].
func (c *chain) Generate(ctx context.Context, q Question) (Reply, error) {
	return c.Stream(ctx, q, nil)
}

// Stream implements [Streamer]. A server that cannot restrict answers to JSON (LM Studio
// wants a schema) is asked again without that: the caller checks the answer anyway.
func (c *chain) Stream(ctx context.Context, q Question, write func(string)) (Reply, error) {
	q.JSON = q.JSON && !c.noJSON.Load()
	reply, err := c.ask(ctx, q, write)
	var failure *Error
	if q.JSON && errors.As(err, &failure) && failure.noJSON {
		c.noJSON.Store(true)
		q.JSON = false
		return c.ask(ctx, q, write)
	}
	return reply, err
}

// ask asks once. The clients panic at some answers in JSON: that is a malformed answer
// too.
func (c *chain) ask(ctx context.Context, q Question, write func(string)) (reply Reply, err error) {
	defer func() {
		if recover() != nil {
			reply, err = Reply{}, otherForm(c.wire.form())
		}
	}()
	x := &exchange{stream: write != nil}
	options := append([]llms.CallOption{llms.WithMaxTokens(q.MaxTokens), llms.WithTemperature(q.Temperature),
		llms.WithModel(q.Model)}, c.options...)
	if q.JSON {
		options = append(options, llms.WithJSONMode())
	}
	if write != nil {
		x.token = func() { write("") }
		options = append(options, llms.WithStreamingFunc(func(_ context.Context, piece []byte) error {
			if len(piece) > 0 {
				write(string(piece))
			}
			return nil
		}))
	}
	resp, err := c.model.GenerateContent(withExchange(ctx, x), dialogue(q), options...)
	switch {
	case x.err != nil:
		return Reply{}, x.err
	case err != nil && ctx.Err() != nil:
		return Reply{}, ctx.Err()
	case write != nil && x.stop == "" && ctx.Err() != nil: // the client takes what it has for the whole
		return Reply{}, ctx.Err()
	case err != nil || resp == nil || write != nil && x.stop == "":
		return Reply{}, otherForm(c.wire.form())
	case x.stop == stopRefused:
		return Reply{}, &Error{Code: Refused, Text: "the model does not answer this question", Content: true}
	}
	reply = Reply{Model: q.Model, Cut: x.stop == stopLength}
	for _, choice := range resp.Choices {
		if choice == nil {
			continue
		}
		reply.Text += choice.Content
		reply.PromptTokens = tokens(choice.GenerationInfo, "PromptTokens", "InputTokens")
		reply.AnswerTokens = tokens(choice.GenerationInfo, "CompletionTokens", "OutputTokens")
	}
	return reply, nil
}

func dialogue(q Question) (list []llms.MessageContent) {
	text := func(role llms.ChatMessageType, s string) llms.MessageContent {
		return llms.MessageContent{Role: role, Parts: []llms.ContentPart{llms.TextContent{Text: s}}}
	}
	if q.System != "" {
		list = append(list, text(llms.ChatMessageTypeSystem, q.System))
	}
	return append(list, text(llms.ChatMessageTypeHuman, q.Prompt))
}

func tokens(info map[string]any, names ...string) int {
	for _, name := range names {
		if n, ok := info[name].(int); ok {
			return max(0, n)
		}
	}
	return 0
}

// failureOf makes an [Error] of what a model returned.
func failureOf(err error) *Error {
	var known *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		if !slices.Contains(messages.LLMCodes(), known.Code) { // a host's own
			own := *known
			own.Code = Unavailable
			return &own
		}
		return known
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &Error{Code: Timeout, Text: "no answer in time"}
	}
	return &Error{Code: Unavailable, Text: "the model failed"}
}
