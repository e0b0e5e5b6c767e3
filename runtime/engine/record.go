package engine

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors"
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

		Msg json.RawMessage `json:"msg"`           // sealed
		Raw []byte          `json:"raw,omitempty"` // when not even JSON
		// Place of the row in Raw, if it was sealed and could not be opened, or not be sealed again.
		Place []byte `json:"place,omitempty"`

		Call *deadCall `json:"call,omitempty"` // when it is the request of a call
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

// encodeAround encodes a record that ends with a message, which is left out of it.
func (e *Engine) encodeAround(record any, msg messages.Message) ([]byte, error) {
	const none = "null}"
	head := encodeRecord(record)
	return e.codec.EncodeWithin(unsafeString(head[:len(head)-len(none)]), msg, "}")
}

// encodeMail makes the mailRecord of an envelope.
func (e *Engine) encodeMail(env *Envelope) ([]byte, error) {
	return e.encodeAfter(env.Message, func(to []byte) []byte {
		return appendMail(to, env.From, env.Trace, env.At, env.about)
	})
}

// encodeEvent makes the logRecord of an event.
func (e *Engine) encodeEvent(from messages.Address, trace string, at time.Time, ev messages.Message) ([]byte, error) {
	return e.encodeAfter(ev, func(to []byte) []byte { return appendEvent(to, from, trace, at) })
}

// encodeAfter encodes a message into the end of a record whose beginning head
// appends.
func (e *Engine) encodeAfter(m messages.Message, head func(to []byte) []byte) ([]byte, error) {
	space := heads.Get().(*[]byte)
	defer heads.Put(space)
	*space = head((*space)[:0])
	return e.codec.EncodeWithin(unsafeString(*space), m, "}")
}

var heads = sync.Pool{New: func() any { return new(make([]byte, 0, 256)) }}

// appendMail appends what encodeRecord makes of a mailRecord, up to its message.
func appendMail(to []byte, from messages.Address, trace string, at time.Time, about messages.ConversationID) []byte {
	to = append(to, '{')
	if from != "" {
		to = append(appendText(append(to, `"from":`...), string(from)), ',')
	}
	to = appendOrigin(to, trace, at)
	if about != "" {
		to = append(appendText(append(to, `"about":`...), string(about)), ',')
	}
	return append(to, `"msg":`...)
}

// appendEvent is appendMail for a logRecord.
func appendEvent(to []byte, from messages.Address, trace string, at time.Time) []byte {
	to = append(appendText(append(to, `{"from":`...), string(from)), ',')
	return append(appendOrigin(to, trace, at), `"msg":`...)
}

func appendOrigin(to []byte, trace string, at time.Time) []byte {
	if trace != "" {
		to = append(appendText(append(to, `"trace":`...), trace), ',')
	}
	return append(at.AppendFormat(append(to, `"at":"`...), time.RFC3339Nano), `",`...)
}

// appendText appends a text as JSON has it.
func appendText(to []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || strings.IndexByte(`"\<>&`, c) >= 0 {
			return append(to, encodeRecord(s)...)
		}
	}
	return append(append(append(to, '"'), s...), '"')
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

// Foreign makes an error of a host's code one that runs none of it: the text is cut to
// maxText, and an Error method that panics is named. A refusal stays one, nil stays nil.
func Foreign(err error) (safe error) {
	if err == nil {
		return nil
	}
	safe = errors.New(foreignText(err))
	defer func() { _ = recover() }() // of an As or Unwrap
	if r := (*actors.Refusal)(nil); errors.As(err, &r) && r != nil {
		safe = &actors.Refusal{Code: r.Code, Err: safe}
	}
	return safe
}

func foreignText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("error whose Error() panics: %T", err)
		}
	}()
	return cmp.Or(cutText(err.Error()), fmt.Sprintf("error without a text: %T", err))
}

// maxText bounds the text of an error or a stack that is kept, in bytes with its
// mark: an error may quote a whole message.
const maxText = 4 << 10

// cutText shortens a text to maxText at the boundary of a character, and says so. Invalid
// UTF-8 is replaced.
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
