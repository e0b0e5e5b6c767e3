package llm

import (
	"strings"
	"testing"
)

func TestNamed(t *testing.T) {
	for _, c := range []struct{ name, url, key, want string }{ // want: tier, provider and model, or part of the error
		{"ollama:qwen3:4b", "", "", "local ollama qwen3:4b"},
		{"openai:m", "http://localhost:8080/v1", "", "local openai m"},
		{"openai:m", "", "MY_KEY", "cloud openai m"},
		{"anthropic:m", "https://models.example.com", "", "cloud anthropic m"},
		{"openai:m", "", "", "llm.key_env: want the name"},
		{"openai:", "http://localhost/v1", "", "llm.model: want the name"},
		{"qwen3", "", "", "want PROVIDER:MODEL"},
		{"bard:m", "", "", "want PROVIDER:MODEL"},
		{"ollama:m", "http://example.com", "", "want https"},
	} {
		l, err := Named(c.name, c.url, c.key)
		got := strings.Join([]string{string(l.Tier), string(l.Provider), l.Model}, " ")
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("Named(%q, %q, %q) = %q, want %q", c.name, c.url, c.key, got, c.want)
		}
	}
}
