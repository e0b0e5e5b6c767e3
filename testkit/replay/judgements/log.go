package judgements

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// ErrLog marks a log that cannot be played.
var ErrLog = errors.New("judgements: the log cannot be played")

// Line is a message of a log, with the scripted judge's opinion of it.
type Line struct {
	At      time.Time               `json:"at"`
	Channel messages.ConversationID `json:"channel"`
	Thread  string                  `json:"thread,omitempty"`
	Group   bool                    `json:"group,omitempty"`
	ID      messages.MessageID      `json:"id"` // the same one again is an edit
	Own     bool                    `json:"own,omitempty"`
	Text    string                  `json:"text,omitempty"`

	// RespondAfter is the number of seconds after which the judge wants a reply to the
	// message; without it never.
	RespondAfter *float64 `json:"respond_after,omitempty"`
	// Confidence of the judge while this is the newest message, 0 to 1; without it the
	// judge gives none.
	Confidence *float64 `json:"confidence,omitempty"`
	// Settles says that no earlier message needs a reply any more.
	Settles bool `json:"settles,omitempty"`
}

// longestLine bounds a line of a log, in bytes.
const longestLine = 1 << 20

// Read reads a log, one JSON object a line, and sorts it by time. Errors wrap [ErrLog]
// and begin with "NAME:LINE".
func Read(name string, r io.Reader) (list []Line, err error) {
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, longestLine)
	n := 0
	bad := func(format string, args ...any) ([]Line, error) {
		return nil, fmt.Errorf("%w: %s:%d: %w", ErrLog, name, n, fmt.Errorf(format, args...))
	}
	for scan.Scan() {
		n++
		if len(bytes.TrimSpace(scan.Bytes())) == 0 {
			continue
		}
		dec := json.NewDecoder(bytes.NewReader(scan.Bytes()))
		dec.DisallowUnknownFields()
		var l Line
		if err := dec.Decode(&l); err != nil {
			return bad("%w", err)
		}
		switch {
		case dec.More():
			return bad("more than one object: want one a line")
		case l.At.IsZero() || l.Channel == "" || l.ID == "":
			return bad("at, channel and id must be there")
		case l.RespondAfter != nil && *l.RespondAfter < 0:
			return bad("respond_after must not be negative, is %v", *l.RespondAfter)
		case l.Confidence != nil && (*l.Confidence < 0 || *l.Confidence > 1):
			return bad("confidence must lie in 0..1, is %v", *l.Confidence)
		}
		list = append(list, l)
	}
	if err := scan.Err(); err != nil {
		n++
		return bad("%w: a line may have at most 1 MiB", err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: %s: no message in it: want one JSON object a line", ErrLog, name)
	}
	slices.SortStableFunc(list, func(a, b Line) int { return a.At.Compare(b.At) })
	return list, nil
}

// Write writes a log as Read reads it.
func Write(w io.Writer, list []Line) error {
	enc := json.NewEncoder(w)
	for _, l := range list {
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return nil
}
