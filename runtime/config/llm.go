package config

import (
	"fmt"
	"strings"

	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/runtime/secret"
)

// LLM is about the language model.
type LLM = llm.Settings

// Values of LLM.Tier.
const (
	LLMNone  = llm.TierNone
	LLMLocal = llm.TierLocal
	LLMCloud = llm.TierCloud
)

// SimulateLLM is the environment variable that makes every question to the
// language model fail if it is 1, for a drill.
const SimulateLLM = "KEHAI_SIMULATE_LLM_ERROR"

// ParseLLM is the configuration of a model that is named as PROVIDER:MODEL, such
// as ollama:qwen3:4b, for one question by hand. The tier is local if the address
// is on this machine, else cloud; an empty address is the provider's own.
func ParseLLM(name, baseURL, keyEnv string) (LLM, error) {
	l := llm.DefaultSettings()
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
	p.add(&c, "llm.key_env", secret.Wrong(secret.TokenEnv, keyEnv))
	l.Check(p.of(&c, "llm"))
	return l, p.err()
}
