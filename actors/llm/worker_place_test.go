package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestCheckBaseURL(t *testing.T) {
	const key = true
	for _, c := range []struct {
		tier     Tier
		provider Provider
		base     string
		key      bool
		want     string // part of what is wrong, "" for nothing
	}{
		{TierLocal, Ollama, "", false, ""},
		{TierLocal, OpenAI, "http://localhost:8080/v1", key, ""},
		{TierLocal, OpenAI, "http://LOCALHOST:8080/v1", false, ""},
		{TierLocal, OpenAI, "http://[::1]:8080/v1", false, ""},
		{TierLocal, OpenAI, "http://127.8.9.1:8080/v1", false, ""},
		{TierLocal, OpenAI, "", key, "https://api.openai.com: with llm.tier local want a server on this machine"},
		{TierLocal, Anthropic, "", key, "set llm.tier: cloud"},
		{TierLocal, Ollama, "http://192.168.1.5:11434", false, "this machine"},
		{TierLocal, Ollama, "http://localhost.example.com:11434", false, "this machine"},
		{TierLocal, Ollama, "http://127.0.0.1.example.com", false, "this machine"},
		{TierLocal, Ollama, "http://0.0.0.0:11434", false, "this machine"},
		{TierLocal, Ollama, "http://[::ffff:127.0.0.1]:11434", false, ""},
		{TierLocal, Ollama, "http://2130706433:11434", false, "this machine"},
		{TierCloud, OpenAI, "", key, ""},
		{TierCloud, OpenAI, "https://llm.example.com/v1", key, ""},
		{TierCloud, OpenAI, "http://127.0.0.1:8080/v1", key, ""},
		{TierCloud, OpenAI, "http://llm.example.com/v1", false, "want https"},
		{TierCloud, Ollama, "http://192.168.1.5:11434", false, ""},
		{TierCloud, Ollama, "http://192.168.1.5:11434", key, "no key"},
		{TierCloud, Ollama, "http://8.8.8.8:11434", false, "want https"},
		{TierCloud, OpenAI, "ftp://llm.example.com", false, "want an address such as"},
		{TierCloud, OpenAI, "llm.example.com/v1", false, "want an address such as"},
		{TierCloud, OpenAI, "https://", false, "want an address such as"},
		{TierCloud, OpenAI, "https://%zz", false, "want an address such as"},
		{TierCloud, "other", "", false, "want an address such as"},
		{TierCloud, OpenAI, "https://me:hunter2@llm.example.com/v1", false, "without name and password"},
		{TierCloud, OpenAI, "https://llm.example.com/v1?key=hunter2", false, "without ? and #"},
		{TierCloud, OpenAI, "https://llm.example.com/v1#hunter2", false, "without ? and #"},
	} {
		got := CheckBaseURL(c.tier, c.provider, c.base, c.key)
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("CheckBaseURL(%s, %s, %q, key %v) = %q, want %q", c.tier, c.provider, c.base, c.key, got, c.want)
		}
		if strings.Contains(got, "hunter2") {
			t.Errorf("CheckBaseURL(%q) = %q, which shows a password", c.base, got)
		}
	}
}

func TestNeedsKeyAndIsLocal(t *testing.T) {
	for _, c := range []struct {
		provider     Provider
		base         string
		needs, local bool
	}{
		{OpenAI, "", true, false},
		{OpenAI, "https://api.openai.com/v1/", true, false},
		{OpenAI, "http://127.0.0.1:8080/v1", false, true},
		{Anthropic, "", true, false},
		{Ollama, "", false, true},
		{Ollama, "http://gpu.example.com", false, false},
		{Ollama, "http://%zz", false, false},
	} {
		if needs, local := NeedsKey(c.provider, c.base), IsLocal(c.provider, c.base); needs != c.needs ||
			local != c.local {
			t.Errorf("%s at %q: needs a key %v, is local %v, want %v, %v", c.provider, c.base, needs, local, c.needs,
				c.local)
		}
	}
}

func TestLoopbackPeer(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:80": true, "[::1]:80": true, "10.0.0.1:80": false, "[2001:db8::1]:80": false, "localhost:80": false,
		"127.0.0.1": false, "": false,
	} {
		if got := loopbackPeer(address); got != want {
			t.Errorf("loopbackPeer(%q) = %v, want %v", address, got, want)
		}
	}
}

func TestSecretShowsNothing(t *testing.T) {
	s := NewSecret(" hunter2\n")
	if s.Reveal() != "hunter2" || s.Empty() || !(Secret{}).Empty() {
		t.Errorf("Reveal() = %q, want the key without white space", s.Reveal())
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "key", s, "options", Options{Key: s})
	raw, err := json.Marshal(struct{ Key Secret }{s})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Key: s}
	all := fmt.Sprintf("%v %+v %#v %s %q %x %d %v %+v %#v", s, s, s, s, s, s, s, o, o, &o) + log.String() + string(raw)
	for _, hidden := range []string{"hunter2", fmt.Sprintf("%x", "hunter2")} {
		if strings.Contains(all, hidden) {
			t.Errorf("a printed secret has %q: %s", hidden, all)
		}
	}
}
