package outbound

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kehai-run/kehai/messages"
)

// MaxText is the most characters a text may have to be typed.
const MaxText = 4000

// ErrText marks a text that cannot be typed. Errors do not quote it.
var ErrText = errors.New("outbound: the text cannot be typed")

// Host makes a reply that a host sends itself, without its window. It refuses texts that
// no field takes unchanged: only white space, control characters other than line feeds,
// invalid UTF-8, or more than [MaxText] characters.
func Host(c messages.ConversationID, text messages.Text, key string, now time.Time) (messages.SendReply, error) {
	s := string(text)
	switch n := utf8.RuneCountInString(s); {
	case c == "" || key == "":
		return messages.SendReply{}, errors.New("outbound: want a conversation and a key")
	case !utf8.ValidString(s) || strings.TrimSpace(s) == "":
		return messages.SendReply{}, fmt.Errorf("%w: it is empty, or not UTF-8", ErrText)
	case n > MaxText:
		return messages.SendReply{}, fmt.Errorf("%w: it has %d characters, at most %d", ErrText, n, MaxText)
	}
	for _, r := range s {
		if r != '\n' && unicode.IsControl(r) {
			return messages.SendReply{}, fmt.Errorf("%w: it has the control character %U", ErrText, r)
		}
	}
	return messages.SendReply{Conversation: c, Key: key, Text: text, At: now}, nil
}
