package config

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/kehai-run/kehai/actors/llm"
)

// checkLLM checks what a language model takes. Only where one may be asked must
// the model have a name, but no value may be one that hides a key.
func (c *Config) checkLLM(p *problems) {
	l := c.LLM
	p.add(c, "llm.key_env", checkTokenEnv(l))
	p.add(c, "llm.key_file", checkTokenFile(l.KeyFile))
	if l.Tier != LLMLocal && l.Tier != LLMCloud {
		return
	}
	key := l.KeyEnv != "" || l.KeyFile != ""
	provider := llm.Provider(l.Provider)
	p.add(c, "llm.base_url", llm.CheckBaseURL(llm.Tier(l.Tier), provider, l.BaseURL, key))
	if strings.TrimSpace(l.Model) == "" {
		p.add(c, "llm.model", "want the name of a model, such as qwen3:4b for Ollama")
	}
	if !key && l.Tier == LLMCloud && llm.NeedsKey(provider, l.BaseURL) {
		p.add(c, "llm.key_env", "want the name of the environment variable that holds the key of "+
			llm.DefaultBaseURL(provider)+", or set llm.key_file")
	}
}

// checkTokenEnv and checkTokenFile never quote: what stands there may be the key
// by mistake.
func checkTokenEnv(l LLM) string {
	switch {
	case l.KeyEnv == "":
		return ""
	case looksSecret(l.KeyEnv) || looksToken(l.KeyEnv):
		return "want the name of an environment variable, not the key itself (the value is not shown); " +
			"if it was the key, make a new one"
	case l.KeyFile != "":
		return "llm.key_file is set too: set only one of them"
	}
	return ""
}

func checkTokenFile(path string) string {
	if endsInKey(path) || looksToken(filepath.Base(path)) {
		return "want the path of a file, not the key itself (the value is not shown); if it was the key, make a new one"
	}
	return ""
}

var tokenForm = regexp.MustCompile(`^[A-Za-z0-9_-]{20,}$`)

// looksToken tells the key of a server from a name: long, without a point, with
// digits and small letters, and with capitals or the usual beginning.
func looksToken(s string) bool {
	return tokenForm.MatchString(s) && strings.ContainsAny(s, "0123456789") && strings.ToUpper(s) != s &&
		(strings.ToLower(s) != s || strings.HasPrefix(s, "sk-"))
}

// maxToken is the longest key of a server in bytes.
const maxToken = 16 << 10

// ReadToken reads the key of the language model's server, none if none is named.
// env is os.Getenv or a stand-in. Errors never show what was read.
func ReadToken(l LLM, env func(string) string) (llm.Secret, error) {
	text := ""
	switch {
	case checkTokenEnv(l) != "":
		return llm.Secret{}, fmt.Errorf("%w: llm.key_env: %s", ErrConfig, checkTokenEnv(l))
	case checkTokenFile(l.KeyFile) != "":
		return llm.Secret{}, fmt.Errorf("%w: llm.key_file: %s", ErrConfig, checkTokenFile(l.KeyFile))
	case l.KeyEnv != "":
		if text = strings.TrimSpace(env(l.KeyEnv)); text == "" {
			return llm.Secret{}, fmt.Errorf("%w: llm.key_env: the environment variable %s is not set: "+
				"put the key there", ErrConfig, l.KeyEnv)
		}
	case l.KeyFile != "":
		line, err := firstLine(l.KeyFile)
		if err != nil {
			return llm.Secret{}, fmt.Errorf("%w: llm.key_file: %w", ErrConfig, err)
		}
		if text = strings.TrimSpace(line); text == "" {
			return llm.Secret{}, fmt.Errorf("%w: llm.key_file: the first line of %s is empty: put the key there",
				ErrConfig, oneLine(l.KeyFile))
		}
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return llm.Secret{}, fmt.Errorf("%w: "+
			"the key of the language model has spaces or other characters that no key has (it is not shown)", ErrConfig)
	}
	return llm.NewSecret(text), nil
}

func firstLine(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, maxToken)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return line, nil
}

// Client makes a client of the model with what a host adds to the options; nil if
// nobody may be asked. It must be closed.
func (l LLM) Client(o llm.Options) (*llm.Client, error) {
	o.Tier, o.Provider = llm.Tier(l.Tier), llm.Provider(l.Provider)
	o.Model, o.BaseURL, o.Limits = l.Model, l.BaseURL, l.Limits
	if o.Host == nil {
		if l.Tier == LLMNone || l.Tier == "" {
			return nil, nil
		}
		var err error
		if o.Key, err = ReadToken(l, os.Getenv); err != nil {
			return nil, err
		}
	}
	c, err := llm.New(o)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return c, nil
}

// Open is Client for one question by hand: with tier none it is an error.
func (l LLM) Open() (*llm.Client, error) {
	c, err := l.Client(llm.Options{})
	if err == nil && c == nil {
		err = fmt.Errorf("%w: llm.tier is none: set it to local or cloud", ErrConfig)
	}
	return c, err
}

// LLMProbe is what looking at the language model's server found.
type LLMProbe struct {
	At    string // address of the server
	Known bool   // the server lists the model, or lists none
}

// Probe looks whether the server answers, without asking the model. The probe is
// nil with tier none. Errors never show the key.
func (l LLM) Probe(ctx context.Context) (*LLMProbe, error) {
	c, err := l.Client(llm.Options{})
	if err != nil || c == nil {
		return nil, err
	}
	defer c.Close()
	probe := &LLMProbe{At: cmp.Or(l.BaseURL, llm.DefaultBaseURL(llm.Provider(l.Provider)))}
	probe.Known, err = c.Probe(ctx)
	return probe, err
}

// ParseLLM is the configuration of a model that is named as PROVIDER:MODEL, such
// as ollama:qwen3:4b, for one question by hand. The tier is local if the address
// is on this machine, else cloud; an empty address is the provider's own.
func ParseLLM(name, baseURL, keyEnv string) (LLM, error) {
	l := defaultLLM()
	var ok bool
	if l.Provider, l.Model, ok = strings.Cut(name, ":"); !ok || llm.DefaultBaseURL(llm.Provider(l.Provider)) == "" {
		return l, fmt.Errorf("%w: %s: want PROVIDER:MODEL with provider ollama, openai or anthropic, "+
			"such as ollama:qwen3:4b", ErrConfig, quote(name))
	}
	l.BaseURL, l.KeyEnv, l.Tier = baseURL, keyEnv, LLMCloud
	if llm.IsLocal(llm.Provider(l.Provider), baseURL) {
		l.Tier = LLMLocal
	}
	var p problems
	(&Config{LLM: l}).checkLLM(&p)
	return l, p.err()
}
