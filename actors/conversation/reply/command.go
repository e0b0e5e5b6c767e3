package reply

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/kehai-run/kehai/messages"
)

// Commands reports whether many applications would carry out a text instead of showing
// it: a command that begins with a slash, a reaction or a substitution of the message
// before it (+:thumbsup:, s/this/that), or a call to everybody in a channel. If a model
// wrote it, only a person may send it. A person's name after an @ is not a command.
func Commands(t messages.Text) bool {
	s := strings.TrimLeftFunc(string(t), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) // applications also ignore these first
	})
	return strings.HasPrefix(s, "/") || acts.MatchString(s) || calls.MatchString(s)
}

var (
	// A reaction or a substitution is a whole message.
	acts = regexp.MustCompile(`^(?:\+:[^\s:]+:\s*|s/[^/\n]+/.*)$`)
	// Letters before the @ make it an address, and letters after the word make it another
	// name.
	calls = regexp.MustCompile(`(?i)(?:^|[^\p{L}\p{N}_.+-])[@＠](?:channel|here|everyone|all|group|team|みんな|全員)` +
		`(?:$|[^\p{L}\p{N}_.-]|[.-](?:$|[^\p{L}\p{N}]))`)
)
