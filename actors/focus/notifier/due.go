package notifier

import (
	"time"

	"github.com/kehai-run/kehai/actors/focus"
	"github.com/kehai-run/kehai/messages"
)

// Options of a notifier. A dwell of 0 means the default; less is never.
type Options struct {
	Drowsy     time.Duration // how long it lasts before a notice; 0 means 30 s
	Distracted time.Duration // 0 means 2 min
	CoolDown   time.Duration // between two notices of one state; 0 means 10 min
	Show       bool          // also ask a worker of kind [WorkerKind] to show it
}

func (o Options) withDefaults() Options {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	def(&o.Drowsy, 30*time.Second)
	def(&o.Distracted, 2*time.Minute)
	def(&o.CoolDown, 10*time.Minute)
	return o
}

// dwell is how long a state lasts before a notice, false for never.
func (o Options) dwell(state messages.Attention) (time.Duration, bool) {
	switch state {
	case messages.Drowsy:
		return o.Drowsy, o.Drowsy >= 0
	case messages.Distracted:
		return o.Distracted, o.Distracted >= 0
	}
	return 0, false
}

// Spell is what a notifier keeps: the state that holds, and what was said.
type Spell struct {
	State  messages.Attention               `json:"state"`
	Since  time.Time                        `json:"since"`
	Told   bool                             `json:"told"`             // a notice was given for this spell
	Last   map[messages.Attention]time.Time `json:"last,omitempty"`   // newest notice of each state
	Paused bool                             `json:"paused,omitempty"` // no notices
	Until  time.Time                        `json:"until,omitzero"`   // of the pause; zero: until it is ended
	Due    time.Time                        `json:"due,omitzero"`     // of the next notice; zero for none
	Wrong  string                           `json:"wrong,omitempty"`  // why the desktop shows no notices, "" while it does
}

// due says when the next notice is to be given if nothing changes, false for
// never.
func (o Options) due(s Spell) (time.Time, bool) {
	dwell, ok := o.dwell(s.State)
	if !ok || s.Told || s.Paused && s.Until.IsZero() {
		return time.Time{}, false
	}
	at := s.Since.Add(dwell)
	if last, ok := s.Last[s.State]; ok {
		at = focus.Later(at, last.Add(max(0, o.CoolDown)))
	}
	if s.Paused {
		at = focus.Later(at, s.Until)
	}
	return at, true
}

// overdue is how late a notice may be. A machine that slept or was off does not
// know what the person did meanwhile.
const overdue = time.Minute
