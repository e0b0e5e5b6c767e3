package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// ErrRecord marks a stored record that cannot be read.
var ErrRecord = errors.New("engine: unreadable record")

// The stored forms. Golden files pin them: a field may be added, never renamed
// or given another meaning.
type (
	mailRecord struct {
		From  messages.Address `json:"from,omitempty"`
		Trace string           `json:"trace,omitempty"`
		At    time.Time        `json:"at"`
		// Whom it is about beside its own subject, see Envelope.about.
		About messages.ConversationID `json:"about,omitempty"`
		Msg   json.RawMessage         `json:"msg"`
	}
	timerRecord struct {
		Gen   string          `json:"gen"`
		Set   time.Time       `json:"set"`
		Due   time.Time       `json:"due"`
		Trace string          `json:"trace,omitempty"`
		Msg   json.RawMessage `json:"msg"`
	}
	callRecord struct {
		Worker   string          `json:"worker"`
		Deadline time.Duration   `json:"deadline"` // nanoseconds
		Retries  int             `json:"retries"`
		Tag      string          `json:"tag,omitempty"`
		Trace    string          `json:"trace,omitempty"`
		At       time.Time       `json:"at"`
		Msg      json.RawMessage `json:"msg"`
	}
	attemptsRecord struct {
		Attempts int       `json:"attempts"`
		Error    string    `json:"error"`
		At       time.Time `json:"at"`
	}
	deadRecord struct {
		Actor    messages.Address `json:"actor"`
		From     messages.Address `json:"from,omitempty"`
		Trace    string           `json:"trace,omitempty"`
		Attempts int              `json:"attempts"`
		Error    string           `json:"error"`
		Stack    string           `json:"stack,omitempty"`
		At       time.Time        `json:"at"`
		// Whom it is about beside its own subject, see Envelope.about.
		About messages.ConversationID `json:"about,omitempty"`

		Msg  json.RawMessage `json:"msg"`            // sealed
		Raw  []byte          `json:"raw,omitempty"`  // when not even JSON
		Call *deadCall       `json:"call,omitempty"` // when it is the request of a call
		// When it is an event that a subscription could not handle:
		Subscription string    `json:"subscription,omitempty"`
		Event        uint64    `json:"event,omitempty"` // its place in the log
		EventAt      time.Time `json:"event_at,omitzero"`
		Retry        bool      `json:"retry,omitempty"` // it is to be handled again
	}
	deadCall struct {
		ID       string        `json:"id"`
		Worker   string        `json:"worker"`
		Deadline time.Duration `json:"deadline"` // nanoseconds
		Retries  int           `json:"retries"`
		Tag      string        `json:"tag,omitempty"`
	}
	logRecord struct {
		From  messages.Address `json:"from"`
		Trace string           `json:"trace,omitempty"`
		At    time.Time        `json:"at"`
		Msg   json.RawMessage  `json:"msg"`
	}
	verdictRecord  events.Verdict // its Seq is in the key
	injectedRecord struct {
		At time.Time `json:"at"`
	}
)

// encodeRecord cannot fail: records hold plain data and JSON made before.
func encodeRecord(record any) []byte {
	raw, err := json.Marshal(record)
	if err != nil {
		panic("engine: encode record: " + err.Error())
	}
	return raw
}

// encodeAround is encodeRecord for a record that ends with a message, which is left
// out of it: what was encoded is not encoded again.
func encodeAround(record any, msg []byte) []byte {
	const none = "null}"
	raw := encodeRecord(record)
	whole := make([]byte, 0, len(raw)-len(none)+len(msg)+1)
	return append(append(append(whole, raw[:len(raw)-len(none)]...), msg...), '}')
}

func decodeRecord[R any](raw []byte) (R, error) {
	var r R
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, fmt.Errorf("%w: %d bytes do not fit %T", ErrRecord, len(raw), r)
	}
	return r, nil
}

// decodeOpened is decodeRecord of what scan has yielded.
func decodeOpened[R any](raw []byte, bad error) (R, error) {
	if bad != nil {
		var none R
		return none, bad
	}
	return decodeRecord[R](raw)
}

// maxText bounds the text of an error or a stack that is kept, in bytes with its
// mark: an error may quote a whole message.
const maxText = 4 << 10

// cutText shortens a text to maxText at the boundary of a character, and says so.
// What is no UTF-8 becomes it.
func cutText(s string) string {
	if len(s) <= maxText {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	mark := fmt.Sprintf("… (cut: %d bytes)", len(s))
	end := maxText - len(mark)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.ToValidUTF8(s[:end], "?") + mark
}
