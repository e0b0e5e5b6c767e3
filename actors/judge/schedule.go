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

// Newest are the newest messages, as many as the model reads, oldest first.
func Newest[M any](list []M, r Rules) []M { return list[max(0, len(list)-r.Messages):] }

// Unanswered returns the newest message of a scope if it waits for an answer: no message
// of ours follows it.
func Unanswered(list []Message) (newest Message, ok bool) {
	if len(list) == 0 || list[len(list)-1].Own {
		return Message{}, false
	}
	return list[len(list)-1], true
}

// OfAge reports whether the scheduler looks at a message: it was written at least
// min_wait and less than max_age ago.
func (r *Rules) OfAge(m Message, now time.Time) bool {
	age := now.Sub(m.At)
	return age >= r.MinWait && age < r.MaxAge
}

// Scheduled reports whether the scheduler has to judge a scope at now.
func (r *Rules) Scheduled(s State, list []Message, now time.Time) bool {
	newest, ok := Unanswered(list)
	if !ok || !r.OfAge(newest, now) {
		return false
	}
	due, _ := r.Due(s, MessageID(newest.ID, newest.Revision), now)
	return due
}

// known is the judgement that answers a question without a model, nil for none; then wait
// is how long to wait before the model is asked. It may be a "yes" whose reply is on its
// way, if the asking actor has lost the answer. Messages of groups wait until they are
// min_wait old; messages that are too old are not judged.
func (r *Rules) known(s State, m messages.JudgeReply, now time.Time) (c *Cache, wait time.Duration) {
	latest := MessageID(m.Latest, m.Revision)
	if s.Pending != nil && s.Pending.Latest == latest {
		return s.Pending, 0
	}
	age := now.Sub(m.Written)
	if m.Group && age >= r.MaxAge {
		return &Cache{Latest: latest, Confidence: 1, Source: FromDefault, Reason: "it is too old"}, 0
	}
	due, next := r.Due(s, latest, now)
	switch {
	case !due && s.Cache != nil && s.Cache.Valid(now, latest):
		return s.Cache, 0
	case !due:
		return nil, max(time.Second, next.Sub(now))
	case m.Group && age < r.MinWait:
		return nil, r.MinWait - age
	}
	return nil, 0
}

// again is when to reconsider a "no", unless the message is too old by then. A judgement
// made without a model is not reconsidered.
func (r *Rules) again(s State, written time.Time, v Verdict) (at time.Time, ok bool) {
	if v.Respond || v.Source == FromDefault || s.Cache == nil {
		return time.Time{}, false
	}
	return s.Cache.NextCheckAt, s.Cache.NextCheckAt.Sub(written) < r.MaxAge
}

// verdictOf is the verdict of a judgement that holds.
func verdictOf(c *Cache) Verdict {
	return Verdict{Respond: c.ShouldRespond, Confidence: c.Confidence, Reason: c.Reason, Defaulted: c.Defaulted,
		Source: c.Source}
}
