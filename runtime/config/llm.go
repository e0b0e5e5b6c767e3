package config

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

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
	At     string // address of the server
	Models []LLMModelProbe
}

// LLMModelProbe is what asking one model found.
type LLMModelProbe struct {
	Model    string
	Purposes []string // that ask it
	Known    bool     // the server lists it, or lists none; else it was not asked
	Err      error    // why it does not answer, nil if it does
	Took     time.Duration
}

// Probe looks whether the server answers and has the models, and asks each of them
// something small within ask. The probe is nil with tier none. Errors never show
// the key.
func (l LLM) Probe(ctx context.Context, ask time.Duration) (*LLMProbe, error) {
	c, err := l.Client(llm.Options{})
	if err != nil || c == nil {
		return nil, err
	}
	defer c.Close()
	probe := &LLMProbe{At: cmp.Or(l.BaseURL, llm.DefaultBaseURL(l.Provider))}
	for _, m := range l.models() {
		if m.Known, err = listed(ctx, c, m.Model); err != nil {
			return probe, err
		}
		if m.Known {
			m.Took, m.Err = l.ask(ctx, c, m.Purposes, ask)
		}
		probe.Models = append(probe.Models, m)
	}
	return probe, nil
}

// listTime is how long a server may take to list its models.
const listTime = 3 * time.Second

func listed(ctx context.Context, c *llm.Client, model string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	return c.Probe(ctx, model)
}

// models are the models that may be asked, each once, and what for.
func (l LLM) models() (list []LLMModelProbe) {
	for _, p := range llm.Purposes() {
		name := cmp.Or(l.Models.For(p), l.Model)
		i := slices.IndexFunc(list, func(m LLMModelProbe) bool { return m.Model == name })
		if i < 0 {
			i, list = len(list), append(list, LLMModelProbe{Model: name})
		}
		list[i].Purposes = append(list[i].Purposes, string(p))
	}
	return list
}

// ask asks a model for that of its purposes which may take longest.
func (l LLM) ask(ctx context.Context, c *llm.Client, purposes []string, within time.Duration) (time.Duration, error) {
	longest := slices.MaxFunc(purposes, func(a, b string) int {
		return cmp.Compare(l.For(llm.Purpose(a)), l.For(llm.Purpose(b)))
	})
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	start := time.Now()
	err := c.Check(ctx, llm.Purpose(longest))
	return time.Since(start), err
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
