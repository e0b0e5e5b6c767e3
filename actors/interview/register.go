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
