package drivers

import (
	"fmt"
	"net/http"
	"os"

	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/runtime/config"
)

// OpenLLM makes a client of the language model named in settings, with what a host adds
// to the options; nil if nobody may be asked. The caller closes it. A key that is named
// but missing is a config.ErrNoKey.
func OpenLLM(s config.LLM, o llm.Options) (*llm.Client, error) {
	o.Settings, o.Simulate = s, o.Simulate || os.Getenv(config.SimulateLLM) == "1"
	if o.Host == nil {
		if s.Tier == config.LLMNone || s.Tier == "" {
			return nil, nil
		}
		var err error
		if o.Key, err = config.ReadToken(s, os.Getenv); err != nil {
			return nil, err
		}
	}
	c, err := llm.New(o)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", config.ErrConfig, err)
	}
	return c, nil
}

// OpenEmbedder makes what says what messages mean; nil if nothing does. The caller closes
// it. transport may be nil. A key that is named but missing is a config.ErrNoKey.
func OpenEmbedder(cfg config.Config, transport http.RoundTripper) (*llm.Embedder, error) {
	s := cfg.Memory.EmbedSettings
	if !s.On() {
		return nil, nil
	}
	key, err := config.ReadToken(s.Server(), os.Getenv)
	if err != nil {
		return nil, err
	}
	e, err := llm.NewEmbedder(s, llm.Options{Key: key, Transport: transport,
		Mask: cfg.Privacy.Mask == config.MaskAlways})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", config.ErrConfig, err)
	}
	return e, nil
}

// NamedLLM is the configuration of a model that is named as PROVIDER:MODEL, for one
// question by hand.
func NamedLLM(name, baseURL, keyEnv string) (config.LLM, error) {
	s, err := llm.Named(name, baseURL, keyEnv)
	if err != nil {
		err = fmt.Errorf("%w: %w", config.ErrConfig, err)
	}
	return s, err
}

// LLMFound is what looking at the server of a language model found.
type LLMFound = llm.Found

// AskLLM is OpenLLM for questions by hand: tier none is an error.
func AskLLM(s config.LLM) (*llm.Client, error) {
	c, err := OpenLLM(s, llm.Options{})
	if err == nil && c == nil {
		err = fmt.Errorf("%w: llm.tier is none: set it to local or cloud", config.ErrConfig)
	}
	return c, err
}
