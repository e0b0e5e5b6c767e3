package runtime

import (
	"testing"

	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/runtime/config"
)

// TestMasksForModelsThatAreElsewhere: where a host's own model is, its tier does not say.
func TestMasksForModelsThatAreElsewhere(t *testing.T) {
	host := WithLLM(llm.None{})
	for name, tt := range map[string]struct {
		tier    llm.Tier
		options []Option
		want    bool
	}{
		"none":       {config.LLMNone, nil, false},
		"local":      {config.LLMLocal, nil, false},
		"cloud":      {config.LLMCloud, nil, true},
		"host":       {config.LLMNone, []Option{host}, true},
		"host here":  {config.LLMCloud, []Option{host, WithLocalLLM()}, false},
		"here alone": {config.LLMCloud, []Option{WithLocalLLM()}, true},
	} {
		r := &Runtime{}
		r.cfg.LLM.Tier = tt.tier
		for _, o := range tt.options {
			o(&r.set)
		}
		if got := r.masks(); got != tt.want {
			t.Errorf("%s: masks() = %v, want %v", name, got, tt.want)
		}
	}
}
