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

// MaxText is how many characters a text may have that is typed.
const MaxText = 4000

// ErrText marks a text that cannot be typed. Errors do not quote it.
var ErrText = errors.New("outbound: the text cannot be typed")

// Host makes the reply of a host's own sending, without its window. It refuses what
// no field takes as it is: nothing but white space, control characters other than
// line feeds, what is not UTF-8, and more than [MaxText] characters.
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
