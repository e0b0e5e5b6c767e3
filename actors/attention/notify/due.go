package notify

import (
	"time"

	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/messages"
)

// Times say when notices are given.
type Times struct {
	// How long drowsiness lasts before a notice, 1s to 24h. Default 30s.
	Drowsy time.Duration `yaml:"drowsy" min:"1s" max:"24h"`

	// How long distraction lasts before a notice, 1s to 24h. Default 2m.
	Distracted time.Duration `yaml:"distracted" min:"1s" max:"24h"`

	// Time between two notices of the same state, 1s to 24h. Default 10m.
	CoolDown time.Duration `yaml:"cool_down" min:"1s" max:"24h"`
}

// DefaultTimes returns the times of both profiles.
func DefaultTimes() Times {
	return Times{Drowsy: 30 * time.Second, Distracted: 2 * time.Minute, CoolDown: 10 * time.Minute}
}

// Options of a notifier. A state with a negative time gets no notice.
type Options struct {
	Times
	Show bool // also ask a worker of kind [WorkerKind] to show it
}

// dwell is how long a state lasts before a notice; false means never.
func (o Options) dwell(state messages.Attention) (time.Duration, bool) {
	switch state {
	case messages.Drowsy:
		return o.Drowsy, o.Drowsy >= 0
	case messages.Distracted:
		return o.Distracted, o.Distracted >= 0
	}
	return 0, false
}

// Episode is a notifier's stored state: the state that holds, and the notices
// that were given.
type Episode struct {
	State    messages.Attention               `json:"state"`
	Since    time.Time                        `json:"since"`
	Notified bool                             `json:"told"`             // a notice was given for this episode
	Last     map[messages.Attention]time.Time `json:"last,omitempty"`   // newest notice of each state
	Paused   bool                             `json:"paused,omitempty"` // no notices
	Until    time.Time                        `json:"until,omitzero"`   // end of the pause; zero: until it is resumed
	Due      time.Time                        `json:"due,omitzero"`     // of the next notice; zero for none
	// Why the desktop shows no notices, "" while it does.
	Wrong string `json:"wrong,omitempty"`
}

// due says when the next notice is due if nothing changes; false means never.
func (o Options) due(s Episode) (time.Time, bool) {
	dwell, ok := o.dwell(s.State)
	if !ok || s.Notified || s.Paused && s.Until.IsZero() {
		return time.Time{}, false
	}
	at := s.Since.Add(dwell)
	if last, ok := s.Last[s.State]; ok {
		at = attention.Later(at, last.Add(max(0, o.CoolDown)))
	}
	if s.Paused {
		at = attention.Later(at, s.Until)
	}
	return at, true
}

// overdue is how late a notice may be. After a longer sleep it is unknown what the person did meanwhile.
const overdue = time.Minute
