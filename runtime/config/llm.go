package config

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/kehai-run/kehai/actors/llm"
)

// SimulateLLM is the environment variable that makes every question to the
// language model fail if it is 1, for a drill.
const SimulateLLM = "KEHAI_SIMULATE_LLM_ERROR"

// Client makes a client of the model with what a host adds to the options; nil if
// nobody may be asked. It must be closed.
func (l LLM) Client(o llm.Options) (*llm.Client, error) {
	o.Tier, o.Provider, o.Model, o.BaseURL, o.Limits = l.Tier, l.Provider, l.Model, l.BaseURL, l.Limits
	o.Models, o.Simulate = l.Models, o.Simulate || os.Getenv(SimulateLLM) == "1"
	if o.Host == nil {
		if l.Tier == LLMNone || l.Tier == "" {
			return nil, nil
		}
		var err error
		if o.Key, err = ReadToken(l, os.Getenv); err != nil {
			return nil, err
		}
	}
	c, err := llm.New(o)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return c, nil
}

// Open is Client for one question by hand: with tier none it is an error.
func (l LLM) Open() (*llm.Client, error) {
	c, err := l.Client(llm.Options{})
	if err == nil && c == nil {
		err = fmt.Errorf("%w: llm.tier is none: set it to local or cloud", ErrConfig)
	}
	return c, err
}

// LLMProbe is what looking at the language model's server found.
type LLMProbe struct {
	At    string // address of the server
	Known bool   // the server lists the model, or lists none
}

// Probe looks whether the server answers, without asking the model. The probe is
// nil with tier none. Errors never show the key.
func (l LLM) Probe(ctx context.Context) (*LLMProbe, error) {
	c, err := l.Client(llm.Options{})
	if err != nil || c == nil {
		return nil, err
	}
	defer c.Close()
	probe := &LLMProbe{At: cmp.Or(l.BaseURL, llm.DefaultBaseURL(l.Provider))}
	probe.Known, err = c.Probe(ctx)
	return probe, err
}

// ParseLLM is the configuration of a model that is named as PROVIDER:MODEL, such
// as ollama:qwen3:4b, for one question by hand. The tier is local if the address
// is on this machine, else cloud; an empty address is the provider's own.
func ParseLLM(name, baseURL, keyEnv string) (LLM, error) {
	l := defaultLLM()
	provider, model, ok := strings.Cut(name, ":")
	l.Provider, l.Model = llm.Provider(provider), model
	if !ok || llm.DefaultBaseURL(l.Provider) == "" {
		return l, fmt.Errorf("%w: %s: want PROVIDER:MODEL with provider ollama, openai or anthropic, "+
			"such as ollama:qwen3:4b", ErrConfig, quote(name))
	}
	l.BaseURL, l.KeyEnv, l.Tier = baseURL, keyEnv, LLMCloud
	if llm.IsLocal(l.Provider, baseURL) {
		l.Tier = LLMLocal
	}
	c, p := Config{LLM: l}, problems{}
	p.add(&c, "llm.key_env", wrongSecret("token env", keyEnv))
	c.checkLLM(&p)
	return l, p.err()
}
