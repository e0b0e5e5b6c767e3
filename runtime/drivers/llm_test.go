package drivers

import (
	"errors"
	"testing"

	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/runtime/config"
)

// In a drill every question fails; with tier none there is nobody to ask.
func TestLanguageModels(t *testing.T) {
	if c, err := OpenLLM(llm.DefaultSettings(), llm.Options{}); c != nil || err != nil {
		t.Errorf("OpenLLM(tier none) = %v, %v, want nobody and no error", c, err)
	}
	s := llm.DefaultSettings()
	s.Tier, s.Model = llm.TierLocal, "m"
	t.Setenv(config.SimulateLLM, "1")
	client, err := OpenLLM(s, llm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Generate(t.Context(), llm.Question{}); !errors.Is(err, llm.ErrSimulated) {
		t.Errorf("Generate() in a drill = %v, want simulated", err)
	}
	s.KeyEnv = "TEST_NO_SUCH_KEY"
	if _, err := OpenLLM(s, llm.Options{}); !errors.Is(err, config.ErrNoKey) || !errors.Is(err, config.ErrConfig) {
		t.Errorf("OpenLLM(a key that is missing) = %v, want that it is missing", err)
	}
	s.KeyEnv, s.Concurrency = "", 0
	if _, err := OpenLLM(s, llm.Options{}); !errors.Is(err, config.ErrConfig) || !errors.Is(err, llm.ErrOptions) {
		t.Errorf("OpenLLM(no question at a time) = %v, want that it is wrong", err)
	}
}
