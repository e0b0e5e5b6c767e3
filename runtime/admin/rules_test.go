package admin

import (
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/describe"
)

// TestRulesInWords: a person reads no code, and no two rules in the same words.
func TestRulesInWords(t *testing.T) {
	seen := map[string]messages.ReplyRule{}
	for _, r := range []messages.ReplyRule{reply.RuleObserve, reply.RuleOff, reply.RulePolicy, reply.RuleUnlisted,
		reply.RuleNoModel, reply.RuleNoTypist, reply.RuleCommand, reply.RuleLanguage, reply.RuleUnsure,
		reply.RuleAttention, reply.RulePaused, reply.RuleQuiet, reply.RuleHour, reply.RuleRow, reply.RuleAuto} {
		got := describe.Rule(r, string(messages.LLMNoModel))
		if other, ok := seen[got]; ok || !strings.Contains(got, " ") || strings.Contains(got, "_") {
			t.Errorf("Rule(%s) = %q, want words of its own; %q has them too", r, got, other)
		}
		seen[got] = r
	}
	if got := describe.Rule("of_a_newer_kehai", ""); got != "of_a_newer_kehai" {
		t.Errorf("Rule(unknown) = %q, want it as it is", got)
	}
}

// TestAFailureIsNotNoModel: that a model is there and failed is told apart from there being
// none.
func TestAFailureIsNotNoModel(t *testing.T) {
	none := describe.Rule(reply.RuleNoModel, string(messages.LLMNoModel))
	for _, code := range []string{reply.Unusable, reply.TooMany, string(messages.LLMRefused),
		string(messages.LLMRateLimited), string(messages.LLMTimeout), string(messages.LLMUnavailable),
		string(messages.LLMMalformed), string(messages.LLMBreakerOpen), string(messages.LLMSimulated), "another"} {
		got := describe.Rule(reply.RuleNoModel, code)
		if got == none || !strings.Contains(got, "model") || strings.Contains(got, "_") {
			t.Errorf("Rule(no_model, %s) = %q, want that the model failed, unlike %q", code, got, none)
		}
	}
}
