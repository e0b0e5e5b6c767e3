package llm

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors/prompt"
	"github.com/kehai-run/kehai/actors/text"
)

// Settings are the section llm of a configuration. The key itself never stands there.
type Settings struct {
	// How far a question may go: none (nobody is asked), local (a server on this
	// machine; every other address is refused) or cloud (any server: measurements,
	// names of applications and masked messages, but never titles of windows, leave
	// this machine). In a cluster, conversations that began on a member with local ask
	// models on such members alone. Default none.
	Tier Tier `yaml:"tier" oneof:"none|local|cloud"`

	// What the server speaks: ollama, openai (also llama.cpp, LM Studio, vLLM and
	// others that are compatible) or anthropic. Default ollama.
	Provider Provider `yaml:"provider" oneof:"ollama|openai|anthropic"`

	// Name of the model, as the server calls it, such as qwen3:4b. It must be given
	// unless tier is none. Empty: none. Default empty.
	Model string `yaml:"model"`

	// Address of the server, with /v1 where its provider has that. Empty: the
	// provider's own, http://127.0.0.1:11434, https://api.openai.com/v1 or
	// https://api.anthropic.com/v1. Default empty.
	BaseURL string `yaml:"base_url" secret:"url"`

	// Name of the environment variable with the server's key. Empty: none. Default
	// empty.
	KeyEnv string `yaml:"key_env" secret:"token env"`

	// File with the server's key in its first line. Empty: none. Default empty.
	KeyFile string `yaml:"key_file" path:"true" secret:"token file"`

	// Questions an hour that one conversation may cause, to judge it and to answer it
	// each, 1 to 10000; beyond them it is as without a model. Default 120.
	PerHour int `yaml:"per_hour" min:"1" max:"10000"`

	// Models for single purposes, on the same server.
	Models Models `yaml:"models"`

	Limits `yaml:",inline"`
}

// DefaultSettings asks no model.
func DefaultSettings() Settings {
	return Settings{Tier: TierNone, Provider: Ollama, PerHour: prompt.DefaultPerHour, Limits: DefaultLimits()}
}

// Check reports what is wrong with the settings if a model may be asked, each problem by
// its key.
func (s Settings) Check(wrong func(key, what string)) {
	key := s.KeyEnv != "" || s.KeyFile != ""
	if s.KeyEnv != "" && s.KeyFile != "" {
		wrong("key_env", "llm.key_file is set too: set only one of them")
	}
	if s.Tier != TierLocal && s.Tier != TierCloud {
		return
	}
	wrong("base_url", CheckBaseURL(s.Tier, s.Provider, s.BaseURL, key))
	if strings.TrimSpace(s.Model) == "" {
		wrong("model", "want the name of a model, such as qwen3:4b for Ollama")
	}
	if !key && s.Tier == TierCloud && NeedsKey(s.Provider, s.BaseURL) {
		wrong("key_env", "want the name of the environment variable that holds the key of "+
			DefaultBaseURL(s.Provider)+", or set llm.key_file")
	}
}

// Named are the settings for a model that is named as PROVIDER:MODEL, such as
// ollama:qwen3:4b, for one question by hand. The tier is local if the address is on this
// machine, else cloud; an empty address is the provider's own.
func Named(name, baseURL, keyEnv string) (Settings, error) {
	s := DefaultSettings()
	provider, model, ok := strings.Cut(name, ":")
	s.Provider, s.Model, s.BaseURL, s.KeyEnv = Provider(provider), model, baseURL, keyEnv
	if !ok || DefaultBaseURL(s.Provider) == "" {
		return s, fmt.Errorf("llm: %s: want PROVIDER:MODEL with provider ollama, openai or anthropic, "+
			"such as ollama:qwen3:4b", text.Quote(name))
	}
	if s.Tier = TierCloud; IsLocal(s.Provider, baseURL) {
		s.Tier = TierLocal
	}
	var wrong []error
	s.Check(func(key, what string) {
		if what != "" {
			wrong = append(wrong, fmt.Errorf("llm.%s: %s", key, what))
		}
	})
	return s, errors.Join(wrong...)
}

// Models are the names of the models for each purpose.
type Models struct {
	// Judges whether a message wants an answer. Empty: llm.model. Default empty.
	Judge string `yaml:"judge"`

	// Writes answers. Empty: llm.model. Default empty.
	Reply string `yaml:"reply"`

	// Judges what the person at the desk does. Empty: llm.model. Default empty.
	Focus string `yaml:"focus"`

	// Finds the themes of interviews. Empty: llm.model. Default empty.
	Analyse string `yaml:"analyse"`

	// Chooses what of the memory helps to answer, if memory.select is true. Empty:
	// llm.model. Default empty.
	Select string `yaml:"select"`

	// Finds what to keep of what was said. Empty: llm.model. Default empty.
	Learn string `yaml:"learn"`

	// Finds what is private in interviews beyond what rules found. Empty: llm.model.
	// Default empty.
	Mask string `yaml:"mask"`
}

// Purposes lists the purposes that may have a model of their own.
func Purposes() []Purpose { return []Purpose{Judge, Answer, Focus, Analyse, Select, Learn, Mask} }

// For returns the model for a purpose, "" if it has none of its own.
func (m Models) For(p Purpose) string {
	switch p {
	case Judge:
		return m.Judge
	case Answer:
		return m.Reply
	case Focus:
		return m.Focus
	case Analyse:
		return m.Analyse
	case Select:
		return m.Select
	case Learn:
		return m.Learn
	case Mask:
		return m.Mask
	}
	return ""
}

// Limits bound the questions of a client.
type Limits struct {
	// Time for one question about attention, or without a purpose, 100ms to 5m.
	// Attention is judged every 10s and does not wait longer than 9s. Default 8s.
	Timeout time.Duration `yaml:"timeout" min:"100ms" max:"5m"`

	// Time for one question to judge, to analyse, to learn or to mask, 100ms to 5m. Default 30s.
	JSONTimeout time.Duration `yaml:"json_timeout" min:"100ms" max:"5m"`

	// Time until the first token of a reply, and between two of them, 100ms to 5m;
	// a thought counts as one. Default 1m.
	FirstToken time.Duration `yaml:"first_token" min:"100ms" max:"5m"`

	// Questions that may be under way at the same time, 1 to 1024. Default 4.
	Concurrency int `yaml:"concurrency" min:"1" max:"1024"`

	// Longest answer in tokens, 16 to 32768; a model that thinks first needs some
	// thousands. Default 512.
	MaxTokens int `yaml:"max_tokens" min:"16" max:"32768"`

	// How freely the model words its answers, 0 to 2. Default 0.
	Temperature float64 `yaml:"temperature" min:"0" max:"2"`

	// When a model that fails is left alone.
	Breaker BreakerRule `yaml:"breaker"`
}

// DefaultLimits returns the default limits of the configuration.
func DefaultLimits() Limits {
	return Limits{
		Timeout: 8 * time.Second, JSONTimeout: 30 * time.Second, FirstToken: time.Minute,
		Concurrency: 4, MaxTokens: 512, Breaker: DefaultBreaker(),
	}
}

// maxAnswerTime is the longest time for a streamed answer as a whole.
const maxAnswerTime = 5 * time.Minute

// For returns how long one attempt at a question may take, or be silent if it is
// streamed.
func (l Limits) For(p Purpose) time.Duration {
	switch p {
	case Judge, Analyse, Learn, Mask:
		return l.JSONTimeout
	case Answer:
		return l.FirstToken
	}
	return l.Timeout
}

// Longest returns how long a question may take in all, with its retry. A caller must wait
// at least as long, or it sees a missed deadline instead of the cause.
func (l Limits) Longest(p Purpose, streamed bool) time.Duration {
	once := l.For(p)
	if streamed {
		once = maxAnswerTime
	}
	return once + maxRetryPause + maxJitter + l.For(p) + time.Second
}
