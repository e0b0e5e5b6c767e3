package fusion

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Signal is one piece of evidence that something was said. [Rules] have its score.
type Signal int

// Signals.
const (
	TextChanged   Signal = 1 + iota // other pixels with another text
	TextUnchanged                   // other pixels with the same text

	RowsGrew // the window's list has more rows than before
	RowsShrank
	RowsSame
)

// String is the signal's stable name.
func (s Signal) String() string {
	switch s {
	case TextChanged:
		return "text_changed"
	case TextUnchanged:
		return "text_unchanged"
	case RowsGrew:
		return "rows_grew"
	case RowsShrank:
		return "rows_shrank"
	case RowsSame:
		return "rows_same"
	}
	return "unknown"
}

// Rows is the signal of a changed number of rows.
func Rows(delta int) Signal {
	switch {
	case delta > 0:
		return RowsGrew
	case delta < 0:
		return RowsShrank
	}
	return RowsSame
}

// Evidence is a signal and what it is about.
type Evidence struct {
	Signal       Signal
	Conversation messages.ConversationID
	At           time.Time
}

// Joins reports whether two signals may be added: they are about one conversation
// and less than one polling interval apart.
func (e Evidence) Joins(o Evidence, interval time.Duration) bool {
	return e.Conversation == o.Conversation && e.At.Sub(o.At).Abs() < interval
}

// Confidence names how sure a score is.
type Confidence string

// Labels of scores, see [Rules.Label].
const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
)
