package reply

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/kehai-run/kehai/messages"
)

// Commands reports whether a text would be carried out by many applications instead of
// shown: a command that begins with a slash, a reaction or a substitution of the message
// before it (+:thumbsup:, s/this/that), or a call to everybody in a channel. If a model
// wrote it, only a person may send it. A person's name after an @ is not a command.
func Commands(t messages.Text) bool {
	s := strings.TrimLeftFunc(string(t), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) // applications ignore it too before they look
	})
	return strings.HasPrefix(s, "/") || acts.MatchString(s) || calls.MatchString(s)
}

var (
	// A reaction, and a substitution, are the whole of a message.
	acts = regexp.MustCompile(`^(?:\+:[^\s:]+:\s*|s/[^/\n]+/.*)$`)
	// Letters before the @ make an address of it, and letters behind it another name.
	calls = regexp.MustCompile(`(?i)(?:^|[^\p{L}\p{N}_.+-])[@＠](?:channel|here|everyone|all|group|team|みんな|全員)` +
		`(?:$|[^\p{L}\p{N}_.-]|[.-](?:$|[^\p{L}\p{N}]))`)
)
