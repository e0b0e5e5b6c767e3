package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	opened "github.com/kehai-run/kehai/runtime/drivers"
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
		if cfg, err = opened.NamedLLM(f.model, f.url, f.keyIn); err != nil {
			return nil, nothing, badUsage("--llm %w", err)
		}
	}
	model, err := opened.AskLLM(cfg)
	if err != nil {
		return nil, nothing, err
	}
	return model, func() { model.Close() }, nil
}

// llmAskTime is how long a model may take to answer; one that has to be loaded
// first takes some seconds.
const llmAskTime = 30 * time.Second

// checkLLM checks whether the language models can be asked, and asks each.
func checkLLM(ctx context.Context, cfg config.Config) []finding {
	if cfg.LLM.Tier == config.LLMNone {
		return []finding{{what: "llm", ok: true,
			text: "not used: llm.tier is none. Rules alone judge attention, replies are a fixed acknowledgement"}}
	}
	var server opened.LLMFound
	model, err := opened.AskLLM(cfg.LLM)
	if err == nil {
		defer model.Close()
		server, err = model.Look(ctx, llmAskTime)
	}
	if err != nil {
		return []finding{{what: "llm", text: err.Error(), mend: "mend that, or set llm.tier: none"}}
	}
	var list []finding
	for i := range server.Models {
		list = append(list, checkModel(cfg, server, i))
	}
	return list
}

// checkModel reports on one of a server's models.
func checkModel(cfg config.Config, server opened.LLMFound, i int) finding {
	f, at, m, does := finding{what: "llm"}, server.At, server.Models[i], ""
	if len(server.Models) > 1 {
		does = fmt.Sprintf(" for %s", m.Purposes[0])
		for _, p := range m.Purposes[1:] {
			does += ", " + string(p)
		}
	}
	switch {
	case !m.Known:
		f.text = fmt.Sprintf("%s answers, but lists no model %s%s", at, m.Model, does)
		f.mend = "set llm.model or llm.models to models that it has"
		if cfg.LLM.Provider == "ollama" {
			f.mend = "ollama pull " + m.Model
		}
	case m.Err != nil:
		f.text = fmt.Sprintf("%s with %s%s does not answer: %v", at, m.Model, does, m.Err)
		f.mend = "mend that, or set llm.tier: none"
	default:
		f.ok = true
		f.text = fmt.Sprintf("%s with %s (%s)%s answered in %s", at, m.Model, cfg.LLM.Tier, does,
			m.Took.Round(10*time.Millisecond))
	}
	return f
}
