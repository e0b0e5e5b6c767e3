package reply

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/kehai-run/kehai/messages"
)

// Commands reports a text that many applications do not show but carry out when it is
// sent: a command that begins with a slash, a reaction or a substitution of the message
// before it (+:thumbsup:, s/this/that), and a call to all who read a channel. What a model
// has written so goes out by a person's hand only. A person's name after an @ is none.
func Commands(t messages.Text) bool {
	s := strings.TrimLeftFunc(string(t), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) // as applications do before they look
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
