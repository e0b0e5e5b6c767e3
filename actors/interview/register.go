package interview

import (
	"slices"
	"time"
)

// Register is what a project knows of its interviews.
type Register struct {
	Finished []string  `json:"finished,omitempty"` // conversations, sorted
	ClosedAt time.Time `json:"closed_at,omitzero"` // when the last one finished
}

// Open reports whether another interview may begin; the error is [ErrClosed].
func (r Register) Open() error {
	if !r.ClosedAt.IsZero() {
		return ErrClosed
	}
	return nil
}

// Finish counts a finished conversation, once, and reports whether the project
// closes with it. It changes nothing that r refers to.
func (r Register) Finish(conversation string, l Limits, now time.Time) (Register, bool) {
	i, known := slices.BinarySearch(r.Finished, conversation)
	if known {
		return r, false
	}
	r.Finished = slices.Insert(slices.Clone(r.Finished), i, conversation)
	if r.ClosedAt.IsZero() && l.MaxConversations > 0 && len(r.Finished) >= l.MaxConversations {
		r.ClosedAt = now
		return r, true
	}
	return r, false
}

// Severity is how much a theme hurts: 1 a little to 5 very much.
type Severity int

// SeverityOf makes a severity of a number, the nearest one within 1 to 5; a number
// that is none (NaN) is the middle, 3.
func SeverityOf(n float64) Severity {
	switch {
	case n != n:
		return 3
	case n <= 1:
		return 1
	case n >= 5:
		return 5
	}
	return Severity(n + 0.5)
}

// Frequency is how often a theme came up: the number of different conversations in
// which it did.
func Frequency(conversations []string) int {
	sorted := slices.Sorted(slices.Values(conversations))
	return len(slices.Compact(sorted))
}
