package telemetry

import (
	"regexp"
	"strings"

	"github.com/kehai-run/kehai/messages"
)

// Names writes addresses and conversations for a log. The IDs of conversations reveal
// nothing. Other keys may be the names of people, so anything not listed here as public
// is written as a keyed hash: "conversation/line:#4f1c9b02aa17e3d5". The zero value hides
// every such key. Do not change its fields once it is in use.
type Names struct {
	Hash   func(string) string // keyed; without it a name is only hidden
	Apps   map[string]bool     // prefixes of conversations, before the colon
	Public map[string]bool     // keys that are not about people: windows, desks
	Pools  map[string]bool     // kinds of workers: their keys are numbers
	Plain  bool                // write names and texts as they are
	Alone  bool                // hints name a host's own ways, as it lacks Kehai's command line
}

// Actor writes an address.
func (n Names) Actor(a messages.Address) string {
	if n.open(a) {
		return string(a)
	}
	return a.Kind() + "/" + n.hidden(a.Key())
}

// Conversation writes a conversation.
func (n Names) Conversation(c messages.ConversationID) string {
	if n.Plain || c == "" {
		return string(c)
	}
	return n.hidden(string(c))
}

// Hidden returns what Conversation writes unless Plain is set; "" without a hash.
func (n Names) Hidden(c messages.ConversationID) string {
	if n.Hash == nil {
		return ""
	}
	return n.hidden(string(c))
}

// Reason hides the names of actors in a text about what went wrong with them. A short
// name is hidden only as a separate word.
func (n Names) Reason(reason string, of ...messages.Address) string {
	for _, a := range of {
		if n.open(a) {
			continue
		}
		key := a.Key()
		reason = replace(reason, key, n.hidden(key))
		if app, name, ok := strings.Cut(key, ":"); ok && n.Apps[app] {
			reason = replace(reason, name, n.hash(key))
		}
	}
	return reason
}

// Stack is Reason for a stack. Its places stay as they are: functions and lines of a
// program name nobody.
func (n Names) Stack(stack string, of ...messages.Address) string {
	lines := strings.SplitAfter(stack, "\n")
	for i, line := range lines {
		if !place.MatchString(line) {
			lines[i] = n.Reason(line, of...)
		}
	}
	return strings.Join(lines, "")
}

// place is the form of a stack's lines: a goroutine, a function with its arguments as
// numbers, and a line of a file, whose path begins with a module in a build with -trimpath.
var place = regexp.MustCompile(`^(goroutine \d+ [^:]*:` +
	`|(panic|[\w./~@%-]+\.[\w.()*\[\]]+)\((0x[0-9a-f]+\??|\.\.\.|_|[{}, ])*\)` +
	`|created by [\w./~@%-]+\.[\w.()*\[\]]+( in goroutine \d+)?` +
	`|\t(/.*|[\w./~@%+-]+)\.(go|s):\d+( \+0x[0-9a-f]+)?)\n?$`)

// short is the length in bytes below which a name is likely to be part of an unrelated
// word.
const short = 8

// replace replaces a name in a text; a short one only if no ASCII letter, digit or
// underscore is attached to its own, and a single letter, which may be a word, only in an
// address or as a quotation.
func replace(in, name, by string) string {
	if name == "" {
		return in
	}
	if len(name) >= short {
		return strings.ReplaceAll(in, name, by)
	}
	var b strings.Builder
	for last := byte(0); ; {
		before, after, found := strings.Cut(in, name)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if before != "" {
			last = before[len(before)-1]
		}
		within := wordly(last) && wordly(name[0]) ||
			after != "" && wordly(name[len(name)-1]) && wordly(after[0]) ||
			len(name) == 1 && !strings.ContainsRune("/:'\"`", rune(last))
		if last, in = name[len(name)-1], after; within {
			b.WriteString(name)
		} else {
			b.WriteString(by)
		}
	}
}

// wordly reports whether a byte is part of an ASCII word. In scripts without spaces a
// name has no bounds, and is hidden wherever it occurs.
func wordly(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// open reports whether an address is written unchanged.
func (n Names) open(a messages.Address) bool {
	key := a.Key()
	return n.Plain || key == "" || n.Public[key] || n.IsWorker(a) ||
		a.Kind() == messages.ActorDirectory && n.Apps[key]
}

// IsWorker tells a worker of a pool from an actor of the same kind.
func (n Names) IsWorker(a messages.Address) bool { return n.Pools[a.Kind()] && number(a.Key()) }

func number(s string) bool { return strings.Trim(s, "0123456789") == "" }

// opaque is the form of conversation IDs. They reveal nothing about anybody.
var opaque = regexp.MustCompile(`^c-[a-z2-7]{12}$`)

// hidden returns the application and a hash of the whole key.
func (n Names) hidden(key string) string {
	if opaque.MatchString(key) {
		return key
	}
	if app, _, ok := strings.Cut(key, ":"); ok && n.Apps[app] {
		return app + ":" + n.hash(key)
	}
	return n.hash(key)
}

func (n Names) hash(key string) string {
	if n.Hash == nil {
		return "#"
	}
	return "#" + n.Hash(key)
}
