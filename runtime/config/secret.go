package config

import (
	"fmt"

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

// ErrNoKey marks a key that is named but missing.
var ErrNoKey = secret.ErrMissing

// ReadKey reads the key of the store; nil without an error means that none is configured.
// env is os.Getenv or a substitute. Errors wrap [ErrConfig] and never show what was read.
func ReadKey(e Encryption, env func(string) string) ([]byte, error) {
	key, err := secret.Place{Section: "encryption", File: e.KeyFile, Env: e.KeyEnv, Getenv: env}.Key()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return key, nil
}

// ReadToken reads the key of the language model's server, "" if none is named. env is
// os.Getenv or a substitute. Errors never show what was read.
func ReadToken(l LLM, env func(string) string) (llm.Secret, error) {
	token, err := secret.Place{Section: "llm", File: l.KeyFile, Env: l.KeyEnv, Getenv: env}.Token()
	if err != nil {
		return llm.Secret{}, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return llm.NewSecret(token), nil
}
