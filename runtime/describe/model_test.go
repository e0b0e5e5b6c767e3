package describe

import (
	"testing"

	"github.com/kehai-run/kehai/messages"
)

// Each failure of a model has an advice of its own, but for what only the server can explain.
func TestModelAdvice(t *testing.T) {
	seen := map[string]messages.LLMCode{}
	for _, c := range messages.LLMCodes() {
		advice := ModelAdvice(c)
		if other, twice := seen[advice]; twice && advice != ModelAdvice("") {
			t.Errorf("%s and %s have one advice: %s", c, other, advice)
		}
		seen[advice] = c
	}
	if len(seen) < 7 {
		t.Errorf("%d advices for %d failures", len(seen), len(messages.LLMCodes()))
	}
}
