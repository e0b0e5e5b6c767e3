package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
)

// llmFlags are the flags of the verbs that may ask a language model.
type llmFlags struct {
	model, url, keyIn string
}

func (f *llmFlags) addFlags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.model, "llm", "none", "language `MODEL` for unclear cases: none, config (what llm says there), "+
		"or PROVIDER:MODEL with provider ollama, openai or anthropic")
	fl.StringVar(&f.url, "llm-url", "", "`ADDRESS` of the server of PROVIDER:MODEL; empty is the provider's own")
	fl.StringVar(&f.keyIn, "llm-key-env", "", "environment `VARIABLE` with the key for that server")
}

// open makes the model, nil for none. The function closes it.
func (f *llmFlags) open(a *app) (runtime.LLMModel, func(), error) {
	nothing := func() {}
	if f.model == "none" || f.model == "config" {
		if f.url != "" || f.keyIn != "" {
			return nil, nothing, badUsage("--llm-url and --llm-key-env: want them with --llm PROVIDER:MODEL only")
		}
	}
	var cfg config.LLM
	switch f.model {
	case "none":
		return nil, nothing, nil
	case "config":
		all, err := a.load()
		if err != nil {
			return nil, nothing, err
		}
		if cfg = all.LLM; cfg.Tier == config.LLMNone {
			return nil, nothing, badUsage("--llm config: llm.tier is none there: " +
				"set it to local or cloud, or name a model with --llm PROVIDER:MODEL")
		}
	default:
		var err error
		if cfg, err = config.ParseLLM(f.model, f.url, f.keyIn); err != nil {
			return nil, nothing, badUsage("--llm %w", err)
		}
	}
	model, err := cfg.Open()
	if err != nil {
		return nil, nothing, err
	}
	return model, func() { model.Close() }, nil
}

// llmProbeTime is how long the language model's server may take to be there.
const llmProbeTime = 3 * time.Second

// checkLLM looks whether the language model can be asked. Without one attention
// is still judged, so that nothing of it is missing.
func checkLLM(ctx context.Context, cfg config.Config) finding {
	f := finding{what: "llm"}
	if cfg.LLM.Tier == config.LLMNone {
		f.ok, f.text = true, "not used: llm.tier is none"
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, llmProbeTime)
	defer cancel()
	probe, err := cfg.LLM.Probe(ctx)
	switch {
	case err != nil:
		f.text = err.Error()
		f.mend = "mend that, or set llm.tier: none"
	case !probe.Known:
		f.text = fmt.Sprintf("%s answers, but lists no model %s", probe.At, cfg.LLM.Model)
		f.mend = "set llm.model to one of its models"
		if cfg.LLM.Provider == "ollama" {
			f.mend = "ollama pull " + cfg.LLM.Model
		}
	default:
		f.ok, f.text = true, fmt.Sprintf("%s with %s (%s)", probe.At, cfg.LLM.Model, cfg.LLM.Tier)
	}
	return f
}
