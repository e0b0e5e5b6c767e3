package llm

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"
)

// unset stands where langchaingo wants a key: the transport puts in the real one.
const unset = "unset"

// chain is a model behind a client of langchaingo.
type chain struct {
	model   llms.Model
	name    string
	options []llms.CallOption
}

// newChain makes the client of a provider. Everything that langchaingo would
// take from the environment is set here.
func newChain(o Options, base *url.URL, t *transport) (*chain, error) {
	address := strings.TrimSuffix(base.String(), "/")
	c := &chain{name: o.Model}
	var err error
	switch o.Provider {
	case OpenAI:
		if address != DefaultBaseURL(OpenAI) { // others know the older name only
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

// Generate implements [Model]. The clients panic at some answers that are JSON:
// that is an answer in another form, too.
func (c *chain) Generate(ctx context.Context, q Question) (reply Reply, err error) {
	defer func() {
		if recover() != nil {
			reply, err = Reply{}, c.malformed()
		}
	}()
	ctx, x := withExchange(ctx)
	text := func(role llms.ChatMessageType, s string) llms.MessageContent {
		return llms.MessageContent{Role: role, Parts: []llms.ContentPart{llms.TextContent{Text: s}}}
	}
	var dialogue []llms.MessageContent
	if q.System != "" {
		dialogue = append(dialogue, text(llms.ChatMessageTypeSystem, q.System))
	}
	dialogue = append(dialogue, text(llms.ChatMessageTypeHuman, q.Prompt))
	options := append([]llms.CallOption{llms.WithMaxTokens(q.MaxTokens), llms.WithTemperature(q.Temperature)},
		c.options...)
	if q.JSON {
		options = append(options, llms.WithJSONMode())
	}
	resp, err := c.model.GenerateContent(ctx, dialogue, options...)
	switch {
	case x.err != nil:
		return Reply{}, x.err
	case err != nil && ctx.Err() != nil:
		return Reply{}, ctx.Err()
	case err != nil || resp == nil:
		return Reply{}, c.malformed()
	}
	reply, err = c.reply(resp)
	reply.Cut = reply.Cut || x.limited
	return reply, err
}

func (c *chain) malformed() *Error { return otherForm(c.form()) }

func (c *chain) form() string {
	switch c.model.(type) {
	case *anthropic.LLM:
		return "Anthropic's messages"
	case *ollama.LLM:
		return "Ollama's chat"
	}
	return "OpenAI's chat completions"
}

// reply joins the parts of an answer.
func (c *chain) reply(resp *llms.ContentResponse) (Reply, error) {
	out := Reply{Model: c.name}
	stop := ""
	for _, choice := range resp.Choices {
		if choice == nil {
			continue
		}
		out.Text += choice.Content
		stop = choice.StopReason
		out.PromptTokens = tokens(choice.GenerationInfo, "PromptTokens", "InputTokens")
		out.AnswerTokens = tokens(choice.GenerationInfo, "CompletionTokens", "OutputTokens")
	}
	switch stop {
	case "content_filter", "refusal":
		return out, &Error{Code: Refused, Text: "the model does not answer this question", Content: true}
	case "length", "max_tokens":
		out.Cut = true
	}
	return out, nil
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
		if !slices.Contains(codes, known.Code) { // a host's own
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
