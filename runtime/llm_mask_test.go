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
		always  bool
	}{
		"none":       {config.LLMNone, nil, false, false},
		"local":      {config.LLMLocal, nil, false, false},
		"cloud":      {config.LLMCloud, nil, true, false},
		"host":       {config.LLMNone, []Option{host}, true, false},
		"host here":  {config.LLMCloud, []Option{host, WithLocalLLM()}, false, false},
		"always":     {config.LLMLocal, nil, true, true},
		"host, too":  {config.LLMNone, []Option{host, WithLocalLLM()}, true, true},
		"here alone": {config.LLMCloud, []Option{WithLocalLLM()}, true, false},
	} {
		r := &Runtime{}
		if r.cfg.LLM.Tier = tt.tier; tt.always {
			r.cfg.Privacy.Mask = config.MaskAlways
		}
		for _, o := range tt.options {
			o(&r.set)
		}
		if got := r.masks(); got != tt.want {
			t.Errorf("%s: masks() = %v, want %v", name, got, tt.want)
		}
	}
}
