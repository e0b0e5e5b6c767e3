package admin

import (
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// TestModelNotice: the live page says that no model answers, why, and what helps.
func TestModelNotice(t *testing.T) {
	failing := []control.LLMFailing{{Model: "m", Code: messages.LLMUnavailable, Said: "private words",
		Mend: "look whether the server runs"}}
	for _, c := range []struct {
		m    *control.LLM
		want string // a part, "" for nothing
	}{
		{nil, "No language model is set up: "},
		{nil, "set llm.tier"},
		{&control.LLM{Off: "its key is missing"}, "The language model is not asked: its key is missing"},
		{&control.LLM{Failing: failing}, "The language model m fails (unavailable): look whether the server runs."},
		{&control.LLM{Breaker: "open"}, "fails and is left alone for a while"},
		{&control.LLM{Breaker: "closed"}, ""},
	} {
		got := modelNotice(c.m)
		if !strings.Contains(got, c.want) || (got == "") != (c.want == "") || strings.Contains(got, "private words") {
			t.Errorf("modelNotice(%+v) = %q, want %q in it", c.m, got, c.want)
		}
	}
}
