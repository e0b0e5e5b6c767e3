package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

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
		Msg   json.RawMessage  `json:"msg"`
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
		Msg      json.RawMessage  `json:"msg"`           // sealed
		Raw      []byte           `json:"raw,omitempty"` // when not even JSON
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

func decodeRecord[R any](raw []byte) (R, error) {
	var r R
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, fmt.Errorf("%w: %d bytes do not fit %T", ErrRecord, len(raw), r)
	}
	return r, nil
}
