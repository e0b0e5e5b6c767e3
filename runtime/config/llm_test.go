package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseLLMErrors(t *testing.T) {
	for _, c := range []struct{ in, want string }{ // want is part of the error, "" for none
		{"{}", ""},
		{"{tier: none, provider: anthropic}", ""},
		{"{tier: local, model: qwen3}", ""},
		{"{tier: local, model: qwen3, provider: openai, base_url: 'http://[::1]:8080/v1'}", ""},
		{"{tier: cloud, model: m, provider: anthropic, key_env: MY_KEY}", ""},
		{"{tier: cloud, model: m, provider: openai, base_url: 'https://models.example.com/v1'}", ""},
		{"{tier: lokal}", `llm.tier: "lokal": want none, local or cloud: did you mean local?`},
		{"{tier: local}", "llm.model: want the name of a model"},
		{"{tier: local, model: m, provider: openai}",
			"llm.base_url: https://api.openai.com: with llm.tier local want a server on this machine"},
		{"{tier: local, model: m, base_url: 'http://192.168.1.2:11434'}",
			"set llm.tier: cloud if what is asked may leave this machine"},
		{"{tier: cloud, model: m, provider: openai}",
			"llm.key_env: want the name of the environment variable that holds the key of https://api.openai.com/v1"},
		{"{tier: cloud, model: m, base_url: 'http://models.example.com'}", "want https"},
		{"{tier: cloud, model: m, base_url: 'https://me:hunter2@models.example.com'}", "without name and password"},
		{"{key_env: sk-hunter2hunter2hunter2}", "not the key itself"},
		{"{key_env: Xhunter2hunter2hunter2}", "not the key itself"},
		{"{key_file: sk-hunter2hunter2hunter2}", "not the key itself"},
		{"{key_env: MY_KEY, key_file: /etc/hunter2}", "set only one of them"},
		{"{key_env: my_key_of_the_year_2026}", ""},
		{"{timeout: 1h}", "llm.timeout: 1h: want 100ms to 5m"},
		{"{concurrency: 0}", "llm.concurrency: 0: want 1 to 1024"},
		{"{breaker: {failures: 0}}", "llm.breaker.failures: 0: want 1 to 100"},
		{"{temperature: 3}", "llm.temperature: 3: want 0 to 2"},
	} {
		_, err := parseFile("kehai.yaml", []byte("llm: "+c.in))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("Parse(llm: %s) = %v, want none", c.in, err)
		case c.want != "" && (!errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("Parse(llm: %s) = %v, want %q", c.in, err, c.want)
		case err != nil && strings.Contains(err.Error(), "hunter2"):
			t.Errorf("Parse(llm: %s) = %v, which shows what may be a key", c.in, err)
		}
	}
}

func TestReadToken(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	env := func(name string) string {
		return map[string]string{"GOOD": " sk-hunter2 ", "TWO": "sk-hunter2 sk-hunter2", "WIDE": "鍵hunter2"}[name]
	}
	for _, c := range []struct {
		cfg  LLM
		want string // the key, or part of the error
		ok   bool
	}{
		{LLM{}, "", true},
		{LLM{KeyEnv: "GOOD"}, "sk-hunter2", true},
		{LLM{KeyFile: file("good", "sk-hunter2\nsecond line\n")}, "sk-hunter2", true},
		{LLM{KeyFile: file("bare", "sk-hunter2")}, "sk-hunter2", true},
		{LLM{KeyEnv: "MISSING"}, "MISSING is not set", false},
		{LLM{KeyEnv: "TWO"}, "characters that no key has", false},
		{LLM{KeyEnv: "WIDE"}, "characters that no key has", false},
		{LLM{KeyEnv: "GOOD", KeyFile: "/x"}, "only one of them", false},
		{LLM{KeyFile: file("empty", "\nsk-hunter2")}, "first line of", false},
		{LLM{KeyFile: filepath.Join(dir, "none")}, "no such file", false},
		{LLM{KeyFile: dir}, "llm.key_file", false},
		{LLM{KeyFile: "sk-hunter2hunter2hunter2"}, "not the key itself", false},
	} {
		got, err := ReadToken(c.cfg, env)
		switch {
		case c.ok && (err != nil || got.Reveal() != c.want):
			t.Errorf("readToken(%+v) = %q, %v, want %q", c.cfg, got.Reveal(), err, c.want)
		case !c.ok && (!errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "hunter2")):
			t.Errorf("readToken(%+v) = %v, want %q and no key", c.cfg, err, c.want)
		}
		if shown := fmt.Sprintf("%v %+v %#v", got, got, got); strings.Contains(shown, "hunter2") {
			t.Errorf("readToken(%+v) prints as %s", c.cfg, shown)
		}
	}
}

// A drill is no setting, and a missing key is distinguished from a wrong one.
func TestDrillsAndMissingKeys(t *testing.T) {
	t.Setenv(SimulateLLM, "1")
	c := exampleDefault()
	if err := c.ApplyEnv(os.Environ()); err != nil {
		t.Errorf("ApplyEnv(a drill) = %v, want none", err)
	}
	for _, missing := range []LLM{{KeyEnv: "TEST_NO_SUCH_KEY"}, {KeyFile: "/no/such/file"}} {
		if _, err := ReadToken(missing, os.Getenv); !errors.Is(err, ErrNoKey) || !errors.Is(err, ErrConfig) {
			t.Errorf("ReadToken(%+v) = %v, want that it is missing", missing, err)
		}
	}
	if _, err := ReadToken(LLM{KeyEnv: "A", KeyFile: "b"}, os.Getenv); errors.Is(err, ErrNoKey) {
		t.Errorf("ReadToken(both) = %v, want that it is wrong", err)
	}
}

// A key's variable may be one of Kehai's own.
func TestTheKeysVariableIsNoSetting(t *testing.T) {
	c := exampleDefault()
	c.LLM.KeyEnv = "KEHAI_LLM_KEY"
	if err := c.ApplyEnv([]string{"KEHAI_LLM_KEY=sk-hunter2"}); err != nil {
		t.Errorf("ApplyEnv(the key's variable) = %v, want none", err)
	}
}
