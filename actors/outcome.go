package actors

import (
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Outcome is everything a turn wants. It is plain data: the engine commits and
// performs it, a test compares it.
type Outcome struct {
	Writes   []Write
	Sends    []Send
	Timers   []Timer
	Calls    []Call
	Verdicts []events.Verdict // without Actor, Cause, Trace and At: the engine knows them
	Events   []messages.Message
}

// Empty reports whether the turn wants nothing at all.
func (o *Outcome) Empty() bool {
	return len(o.Writes)+len(o.Sends)+len(o.Timers)+len(o.Calls)+len(o.Verdicts)+len(o.Events) == 0
}

// Write is a change of one row of the actor's own state.
type Write struct {
	Key    string // "table\x00key"
	Value  []byte
	Delete bool
}

// Send is a message to another actor.
type Send struct {
	To      messages.Address
	Message messages.Message
}

// Timer sets the timer with a key, replacing an earlier one of that key, or
// cancels it.
type Timer struct {
	Key     string
	Cancel  bool
	After   time.Duration
	Gen     string // distinguishes settings of the same key
	Message messages.Message
}

// Call is a request to a worker, or cancels an earlier one.
type Call struct {
	ID      string
	Cancel  bool   // give up the call with this id; the other fields are empty
	Worker  string // worker kind
	Request messages.Message
	Options CallOptions
}

// DefaultDeadline suits a call that needs no other deadline.
const DefaultDeadline = 30 * time.Second

// CallOptions say how hard to try.
type CallOptions struct {
	Deadline time.Duration // of one attempt; above 0
	Retries  int           // attempts after the first, with backoff between
	Tag      string        // given back in CallFailed and Cause.Tag
}
