package judge

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Message is what the rules know of a message of a scope.
type Message struct {
	ID       messages.MessageID
	Revision int
	At       time.Time // written
	Own      bool
}

// Newest are the newest messages, as many as the model sees, oldest first.
func Newest[M any](list []M, r Rules) []M { return list[max(0, len(list)-r.Messages):] }

// Unanswered returns the newest message of a scope if it waits for an answer: nothing
// of ours follows it.
func Unanswered(list []Message) (newest Message, ok bool) {
	if len(list) == 0 || list[len(list)-1].Own {
		return Message{}, false
	}
	return list[len(list)-1], true
}

// OfAge reports that the scheduler looks at a message: it was written at least
// min_wait and less than max_age ago.
func (r *Rules) OfAge(m Message, now time.Time) bool {
	age := now.Sub(m.At)
	return age >= r.MinWait && age < r.MaxAge
}

// Scheduled reports whether the scheduler has a scope judged at now.
func (r *Rules) Scheduled(s State, list []Message, now time.Time) bool {
	newest, ok := Unanswered(list)
	if !ok || !r.OfAge(newest, now) {
		return false
	}
	due, _ := r.Due(s, MessageID(newest.ID, newest.Revision), now)
	return due
}
