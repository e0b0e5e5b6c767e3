package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/kehai-run/kehai/actors"
)

// Embedder asks a model for vectors. It goes where its settings allow, as a [Client] does,
// and may be used concurrently. Close closes its idle connections.
type Embedder struct {
	o         Options
	s         EmbedSettings
	transport *transport

	mu      sync.Mutex
	models  map[string]embedding // by name
	lengths map[string]int       // of the vectors of each model
	breaker Breaker
}

// embedding is a client of langchaingo.
type embedding interface {
	CreateEmbedding(ctx context.Context, texts []string) ([][]float32, error)
}

// NewEmbedder makes an embedder; of the options only Key, Transport, Now and Mask count. It
// asks nobody yet.
func NewEmbedder(s EmbedSettings, o Options) (*Embedder, error) {
	o = o.withDefaults()
	o.Settings, o.Host = s.Server(), nil
	base, wrong := check(o)
	if wrong == "" && o.Provider == Anthropic {
		wrong = "memory.embedder: want ollama or openai"
	}
	if wrong != "" {
		return nil, fmt.Errorf("%w: %s", ErrOptions, ofEmbedding(wrong))
	}
	return &Embedder{o: o, s: s, transport: newTransport(o, base), models: map[string]embedding{},
		lengths: map[string]int{}}, nil
}

// Close ends idle connections.
func (e *Embedder) Close() error { e.transport.close(); return nil }

// Model names the model among those of all providers.
func (e *Embedder) Model() string { return e.s.Name() }

// Masks reports whether texts must be masked before they are embedded.
func (e *Embedder) Masks() bool { return e.o.Mask || e.o.Tier == TierCloud }

// Embed returns a vector of each text, nil for one that has none or that the server
// refuses. The model is one that [Embedder.Model] named, now or before a change of the
// settings; those of other providers are refused. All vectors of a model have one length.
// Errors are refusals with the code of an [Error].
func (e *Embedder) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	name, ours := strings.CutPrefix(model, string(e.o.Provider)+":")
	if !ours {
		return nil, refused(&Error{Code: NoModel, Text: "these vectors are of a model of another provider"})
	}
	ctx, cancel := context.WithTimeout(ctx, e.s.Embedding.Timeout)
	defer cancel()
	list, failure := e.try(ctx, name, texts)
	if failure == nil || !badText(failure) || len(texts) < 2 {
		return list, refused(failure)
	}
	list, one := make([][]float32, len(texts)), false // which of them does it refuse?
	for i, text := range texts {
		got, wrong := e.try(ctx, name, []string{text})
		if wrong != nil && !badText(wrong) {
			return nil, refused(wrong)
		}
		if wrong == nil {
			list[i], one = got[0], true
		}
	}
	if !one {
		return nil, refused(failure)
	}
	return list, nil
}

// badText reports whether a failure may be due to a text.
func badText(e *Error) bool { return outcome(e) == Succeeded || e.status == 500 }

func refused(e *Error) error {
	if e == nil {
		return nil
	}
	own := *e
	own.Text = ofEmbedding(own.Text)
	return actors.Refuse(string(own.Code), &own)
}

// try asks once, unless the server has failed just now.
func (e *Embedder) try(ctx context.Context, model string, texts []string) (list [][]float32, failure *Error) {
	e.mu.Lock()
	next, ticket, wait, ok := e.breaker.Ask(e.o.Breaker, e.o.Now())
	e.breaker = next
	e.mu.Unlock()
	if !ok {
		return nil, &Error{Code: BreakerOpen, Text: "the server has failed several times and is left alone",
			RetryAfter: wait}
	}
	list, failure = e.ask(ctx, model, texts)
	how := outcome(failure)
	if failure != nil && errors.Is(ctx.Err(), context.Canceled) {
		how = Abandoned
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	pause := time.Duration(0)
	if failure != nil {
		pause = failure.RetryAfter
	}
	e.breaker = e.breaker.Done(e.o.Breaker, e.o.Now(), ticket, how, pause)
	if failure == nil {
		failure = e.fits(model, list)
	}
	return list, failure
}

// fits refuses vectors of another length than those before, while e.mu is held.
func (e *Embedder) fits(model string, list [][]float32) *Error {
	for i, v := range list {
		switch {
		case len(v) == 0:
			return wrongVector("no numbers")
		case e.lengths[model] == 0:
			e.lengths[model] = len(v)
		case e.lengths[model] != len(v):
			return wrongVector(fmt.Sprintf("%d numbers and then %d", e.lengths[model], len(v)))
		}
		if !slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) {
			list[i] = nil
		}
	}
	return nil
}

// ask lets langchaingo's client ask. It may panic at some answers.
func (e *Embedder) ask(ctx context.Context, model string, texts []string) (list [][]float32, failure *Error) {
	defer func() {
		if recover() != nil {
			list, failure = nil, otherForm("a list of vectors")
		}
	}()
	client, err := e.client(model)
	if err != nil {
		return nil, &Error{Code: NoModel, Text: "the client of " + string(e.o.Provider) + " could not be made"}
	}
	x := &exchange{vectors: true}
	list, err = client.CreateEmbedding(withExchange(ctx, x), texts)
	switch {
	case x.err != nil:
		return nil, x.err
	case err != nil && ctx.Err() != nil:
		return nil, &Error{Code: Timeout, Text: "no vectors in time"}
	case err != nil:
		return nil, otherForm("a list of vectors")
	}
	return list, nil
}

func (e *Embedder) client(model string) (embedding, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c := e.models[model]; c != nil {
		return c, nil
	}
	address := strings.TrimSuffix(e.transport.base.String(), "/")
	var c embedding
	var err error
	if e.o.Provider == Ollama {
		c, err = ollama.New(ollama.WithModel(model), ollama.WithServerURL(address),
			ollama.WithHTTPClient(e.transport.client()))
	} else {
		c, err = openai.New(openai.WithToken(unset), openai.WithModel(model), openai.WithEmbeddingModel(model),
			openai.WithBaseURL(address), openai.WithOrganization(""), openai.WithHTTPClient(e.transport.client()))
	}
	if err == nil {
		e.models[model] = c
	}
	return c, err
}
