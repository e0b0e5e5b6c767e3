package stall

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Rules of the watch. Start with [DefaultRules].
type Rules struct {
	// How long after its completion a task may go without a text that was seen to be
	// sent, 1s to 1h. Default 2m.
	Threshold time.Duration `yaml:"threshold" min:"1s" max:"1h"`

	// How long after it another text into the same conversation counts as well, 0s to
	// 24h. Default 5m.
	Proximity time.Duration `yaml:"proximity" min:"0s" max:"24h"`

	// How many tasks are remembered as told, so that none is told twice, 1 to 100000.
	// Default 512.
	Traces int `yaml:"traces" min:"1" max:"100000"`
}

// DefaultRules returns the rules of both profiles.
func DefaultRules() Rules {
	return Rules{Threshold: 2 * time.Minute, Proximity: 5 * time.Minute, Traces: 512}
}

// Watch is a finished task for which no text has been seen to go out yet.
type Watch struct {
	Conversation messages.ConversationID `json:"conversation"`
	Since        time.Time               `json:"since"`            // its completion
	Due          time.Time               `json:"due"`              // when it is looked at next
	Failure      messages.SendReason     `json:"failure,omitzero"` // why the last attempt did not send it
	Reported     messages.StallReason    `json:"told,omitempty"`   // what was reported, "" for nothing
	At           time.Time               `json:"at,omitzero"`      // when that was reported
	Over         bool                    `json:"over,omitempty"`   // it was sent after all
}

// Begin watches a task from its completion.
func (r Rules) Begin(c messages.ConversationID, now time.Time) Watch {
	return Watch{Conversation: c, Since: now, Due: now.Add(r.Threshold)}
}

// Look decides what to report about a task now, "" for nothing new. A final reason ends
// the watch.
func (r Rules) Look(w Watch, now time.Time) (next Watch, say messages.StallReason) {
	if now.Before(w.Due) {
		return w, ""
	}
	w.Due = now.Add(r.Threshold)
	switch {
	case w.Failure == messages.CodePaused: // by the owner, who knows about it
		return w, ""
	case w.Failure != messages.SendBusy:
		say = messages.StalledNoSend
	case w.Reported == "":
		say = messages.StalledTypingBusy
	}
	if say != "" {
		w.Reported, w.At = say, now
	}
	return w, say
}

// Near reports whether a text sent into a task's conversation under another trace may
// have been about that task. pending counts the tasks of that conversation.
func (r Rules) Near(w Watch, pending int, now time.Time) bool {
	return pending == 1 && now.Sub(w.Since) <= r.Proximity
}
