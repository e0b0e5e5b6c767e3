package llm

import "time"

// State of a [Breaker].
type State int

// States, with the numbers that the metric shows.
const (
	Closed   State = iota // questions go through
	HalfOpen              // one question is let through as a test
	Open                  // none goes through
)

// String implements fmt.Stringer.
func (s State) String() string {
	switch s {
	case Closed:
		return "closed"
	case HalfOpen:
		return "half-open"
	}
	return "open"
}

// BreakerRule says when a model that fails is left alone.
type BreakerRule struct {
	// Failures in a row after which nothing is asked for a while, 1 to 100.
	// Default 3.
	Failures int `yaml:"failures" min:"1" max:"100"`

	// How long nothing is asked then, 1s to 1h, unless the server says when to
	// come again. Default 30s.
	OpenFor time.Duration `yaml:"open_for" min:"1s" max:"1h"`
}

// DefaultBreaker is the rule of [DefaultLimits].
func DefaultBreaker() BreakerRule { return BreakerRule{Failures: 3, OpenFor: 30 * time.Second} }

// Outcome is how a question ended, for the breaker.
type Outcome int

// Outcomes.
const (
	Succeeded Outcome = iota
	Failed
	Abandoned // says nothing: the caller gave up
)

// Breaker keeps a model that fails from being asked. The zero value is closed.
// It is a value: each step returns the next one.
//
//	closed ── Failures in a row, or a pause asked for ──► open
//	open ── its time is over, and somebody asks ──► half-open
//	half-open ── success ──► closed;  failure ──► open
//
// If nothing is heard of a try for OpenFor, another one follows, so that no state lasts for ever.
type Breaker struct {
	State    State
	Until    time.Time // of open; of half-open, until the try counts as lost
	Limited  bool      // opened because the server asked for a pause
	failures int
	term     Ticket // counts the changes of state and the tries
}

// Ticket ties the end of a question to the state in which it began: a question from
// before the breaker opened says nothing about the test after it.
type Ticket uint64

// Ask says whether a question may go through now, and if not, for how long.
func (b Breaker) Ask(rule BreakerRule, now time.Time) (next Breaker, ticket Ticket, wait time.Duration, ok bool) {
	if b.State != Closed {
		if left := b.Until.Sub(now); left > 0 {
			return b, 0, left, false
		}
		b = Breaker{State: HalfOpen, Until: now.Add(rule.OpenFor), term: b.term + 1}
	}
	return b, b.term, 0, true
}

// Done handles the end of a question. pause is how long the server wants not to be asked
// after a failure, 0 if it does not say.
func (b Breaker) Done(rule BreakerRule, now time.Time, ticket Ticket, o Outcome, pause time.Duration) Breaker {
	if ticket != b.term || b.State == Open {
		return b
	}
	switch o {
	case Succeeded:
		if b.State == HalfOpen {
			b.term++
		}
		return Breaker{term: b.term}
	case Abandoned:
		if b.State == HalfOpen {
			b.Until = now // the next one tries
		}
		return b
	}
	b.failures++
	if b.State == Closed && b.failures < rule.Failures && pause <= 0 {
		return b
	}
	rest := rule.OpenFor
	if pause > 0 {
		rest = pause
	}
	return Breaker{State: Open, Until: now.Add(rest), Limited: pause > 0, term: b.term + 1}
}
