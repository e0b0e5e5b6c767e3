package judge

import (
	"strconv"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Scope names what is judged together.
type Scope string

// ScopeOf is the scope of a thread of a channel, or of everything outside threads if
// thread is "". Different threads always have different scopes: a thread named "top" is
// escaped, and so are colons and percent signs in its name.
func ScopeOf(channel messages.ConversationID, thread string) Scope {
	switch thread {
	case "":
		return Scope(channel + ":top")
	case "top":
		return Scope(channel + ":%74op")
	}
	if strings.ContainsAny(thread, "%:") {
		thread = strings.ReplaceAll(strings.ReplaceAll(thread, "%", "%25"), ":", "%3A")
	}
	return Scope(string(channel) + ":" + thread)
}

// MessageID names a message and its revision: an edited message counts as another.
func MessageID(id messages.MessageID, revision int) string {
	if revision == 0 {
		return string(id)
	}
	return string(id) + "#" + strconv.Itoa(revision)
}

// Cache is the judgement of a scope that holds. Its JSON form is stored.
type Cache struct {
	Channel       messages.ConversationID `json:"channel_id"`
	Thread        string                  `json:"thread_ts,omitempty"`
	ShouldRespond bool                    `json:"should_respond"`
	Confidence    float64                 `json:"confidence"` // 0 to 1
	Reason        messages.Text           `json:"reason"`
	Latest        string                  `json:"latest_message_ts"` // see MessageID
	NextCheckAt   time.Time               `json:"next_check_at"`
	CreatedAt     time.Time               `json:"created_at"`
	UpdatedAt     time.Time               `json:"updated_at"`

	Defaulted bool   `json:"defaulted,omitempty"` // the model gave no confidence
	Shortened bool   `json:"shortened,omitempty"` // it holds shorter because of the message's age
	Source    Source `json:"source,omitempty"`
}

// setBack is how far a clock may be set back before judgements become invalid.
const setBack = time.Minute

// Valid reports whether the judgement holds for the newest message. At next_check_at it
// no longer does.
func (c *Cache) Valid(now time.Time, latest string) bool {
	return c.Latest == latest && now.Before(c.NextCheckAt) && !now.Before(c.UpdatedAt.Add(-setBack))
}

// Expired reports whether the judgement expired before a time. Such rows are deleted once
// a day; the event of the judgement stays.
func (c *Cache) Expired(before time.Time) bool { return c.NextCheckAt.Before(before) }

// State is what is known of a scope. The zero value was never judged.
type State struct {
	Cache   *Cache    `json:"cache,omitempty"`
	Pending *Cache    `json:"pending,omitempty"`  // a "yes" whose reply was not delivered yet
	Failed  int       `json:"failed,omitempty"`   // replies in a row that were not delivered
	RetryAt time.Time `json:"retry_at,omitzero"`  // not before then
	RetryOf string    `json:"retry_of,omitempty"` // the message that waits; "": whichever is newest
}

// Forget is the state after an own reply, or after a message was taken back.
func (State) Forget() State { return State{} }

// Due reports whether the newest message has to be judged now; next is when to look again
// if not. It waits for a reply that is on its way.
func (r *Rules) Due(s State, latest string, now time.Time) (due bool, next time.Time) {
	switch {
	case s.Pending != nil && s.Pending.Latest == latest:
		return false, now.Add(r.CheckEvery)
	case now.Before(s.RetryAt) && (s.RetryOf == "" || s.RetryOf == latest):
		return false, s.RetryAt
	case r.Enabled && s.Cache != nil && s.Cache.Valid(now, latest):
		return false, s.Cache.NextCheckAt
	}
	return true, now
}

// Judgement is a verdict and its subject.
type Judgement struct {
	Verdict
	Channel messages.ConversationID
	Thread  string
	Latest  string    // see MessageID
	Written time.Time // when the newest message was written
}

// Judged is the state after a judgement; reply asks for a reply. A "yes" waits there for
// its delivery.
func (r *Rules) Judged(s State, j Judgement, now time.Time) (next State, reply bool) {
	skip, shortened := r.skip(j.Verdict, j.Written, now)
	c := &Cache{
		Channel: j.Channel, Thread: j.Thread, ShouldRespond: j.Respond, Confidence: j.Confidence, Reason: j.Reason,
		Latest: j.Latest, NextCheckAt: now.Add(skip), CreatedAt: now, UpdatedAt: now,
		Defaulted: j.Defaulted, Shortened: shortened, Source: j.Source,
	}
	if s.Cache != nil {
		c.CreatedAt = s.Cache.CreatedAt
	}
	if j.Respond {
		return State{Cache: s.Cache, Pending: c, Failed: s.Failed}, true
	}
	return State{Cache: c}, false
}

// Delivered is the state after a reply reached its window: the "yes" is cached from now
// on. It changes nothing if no "yes" waits.
func (r *Rules) Delivered(s State, now time.Time) State {
	if s.Pending == nil {
		return s
	}
	c := *s.Pending
	c.NextCheckAt, c.UpdatedAt = now.Add(c.NextCheckAt.Sub(c.UpdatedAt)), now
	return State{Cache: &c}
}

// NotDelivered is the state after a reply failed: nothing is cached, and its message is
// judged again after a wait. Other messages do not wait.
func (r *Rules) NotDelivered(s State, now time.Time) State {
	if s.Pending == nil {
		return s
	}
	n := s.Failed + 1
	return State{Failed: n, RetryAt: now.Add(r.retryAfter(n)), RetryOf: s.Pending.Latest}
}
