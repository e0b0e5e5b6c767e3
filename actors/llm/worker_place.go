package llm

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Tier says how far a question may go.
type Tier string

// Tiers.
const (
	TierNone  Tier = "none"  // nobody is asked
	TierLocal Tier = "local" // a server on this machine
	TierCloud Tier = "cloud" // any server: what is asked leaves this machine
)

// Provider is a wire format, and the server that speaks it if none is named.
type Provider string

// Providers.
const (
	OpenAI    Provider = "openai" // and everything compatible: llama.cpp, LM Studio, vLLM …
	Anthropic Provider = "anthropic"
	Ollama    Provider = "ollama"
)

// DefaultBaseURL is the usual address of a provider, "" for an unknown provider.
func DefaultBaseURL(p Provider) string {
	switch p {
	case OpenAI:
		return "https://api.openai.com/v1"
	case Anthropic:
		return "https://api.anthropic.com/v1"
	case Ollama:
		return "http://127.0.0.1:11434"
	}
	return ""
}

// Secret is a key that only [Secret.Reveal] shows.
type Secret struct{ text string }

// NewSecret hides a key. White space around it is not part of it.
func NewSecret(text string) Secret { return Secret{strings.TrimSpace(text)} }

const notShown = "(not shown)"

// Reveal returns the key.
func (s Secret) Reveal() string { return s.text }

// Empty reports whether there is no key.
func (s Secret) Empty() bool { return s.text == "" }

// Format implements fmt.Formatter for every verb.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, notShown) }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(notShown) }

// MarshalJSON implements json.Marshaler.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(notShown) }

// CheckBaseURL says what is wrong with an address for a tier, "" if nothing is. An empty
// address is the provider's own. It never quotes a part that may hold a password.
func CheckBaseURL(tier Tier, provider Provider, base string, key bool) string {
	if base == "" {
		base = DefaultBaseURL(provider)
	}
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "want an address such as http://127.0.0.1:11434 or https://api.openai.com/v1"
	case u.User != nil:
		return "want an address without name and password: put a key into llm.key_file, " +
			"or name its variable in llm.key_env"
	case u.RawQuery != "" || u.Fragment != "":
		return "want an address without ? and #"
	case loopback(u.Hostname()):
		return ""
	case tier == TierLocal:
		return u.Scheme + "://" + u.Host + ": with llm.tier local want a server on this machine, " +
			"such as http://127.0.0.1:11434; set llm.tier: cloud if what is asked may leave this machine"
	case u.Scheme == "https":
		return ""
	case !private(u.Hostname()):
		return u.Scheme + "://" + u.Host + ": want https, because what is asked would be readable on its way"
	case key:
		return u.Scheme + "://" + u.Host + ": want https, or no key, because the key would be readable on its way"
	}
	return ""
}

// NeedsKey reports whether the server at an address answers nobody without a key.
func NeedsKey(provider Provider, base string) bool {
	return provider != Ollama && (base == "" || strings.TrimSuffix(base, "/") == DefaultBaseURL(provider))
}

// IsLocal reports whether an address is on this machine. An empty one is the provider's
// own.
func IsLocal(provider Provider, base string) bool {
	if base == "" {
		base = DefaultBaseURL(provider)
	}
	u, err := url.Parse(base)
	return err == nil && loopback(u.Hostname())
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// private reports whether an address belongs to the local network.
func private(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.Unmap().IsPrivate() || ip.IsLinkLocalUnicast())
}

// loopbackPeer reports whether the address about to be dialled is on this machine,
// whatever the name resolved to.
func loopbackPeer(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && !strings.EqualFold(host, "localhost") && loopback(host)
}
