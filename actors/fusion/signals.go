package fusion

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Signal is one piece of evidence that something was said, from 0 to 100.
type Signal int

// Signals.
const (
	TextChanged   Signal = 62 // other pixels, and what they say has changed
	TextUnchanged Signal = 35 // other pixels only

	RowsGrew   Signal = 70 // the window's list has more rows than before
	RowsShrank Signal = 20
	RowsSame   Signal = 10
)

// Threshold is the score from which a frame is passed on.
const Threshold = 60

// Score sums the signals of one poll, at most 100.
func Score(signals ...Signal) int {
	sum := 0
	for _, s := range signals {
		sum += int(s)
	}
	return min(sum, 100)
}

// Rows is the signal of a change of the number of rows.
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

// Joins reports that two signals may be added: they are of one conversation and
// of one poll, which is less than an interval apart.
func (e Evidence) Joins(o Evidence, interval time.Duration) bool {
	return e.Conversation == o.Conversation && e.At.Sub(o.At).Abs() < interval
}

// Confidence names how sure a score is.
type Confidence string

// Labels of scores.
const (
	High   Confidence = "high"   // from 80
	Medium Confidence = "medium" // from 50
	Low    Confidence = "low"
)

// Label returns the label of a score.
func Label(score int) Confidence {
	switch {
	case score >= 80:
		return High
	case score >= 50:
		return Medium
	}
	return Low
}
