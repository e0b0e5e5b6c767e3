package attention

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Debouncer keeps noise out of the reported state. The state changes once enough
// judgements in a row agree. Two are enough for what is certain: what a rule decides,
// that nothing is known, and whatever follows on that. For other changes, each change
// within the last hour raises the number by half. So the sixth still takes less than two
// and a half minutes, and a seventh state must last for twenty minutes: noise rarely
// lasts that long, even when each measurement depends on the one before. The zero value
// has reported nothing yet. A copy keeps a history of its own.
type Debouncer struct {
	State     messages.Attention    `json:"state"` // reported, "" for none yet
	Since     time.Time             `json:"since"`
	Candidate messages.Attention    `json:"candidate"` // what the newest judgements say, "" for the state itself
	Weight    float64               `json:"weight"`    // sum over these judgements
	Changes   [maxChanges]time.Time `json:"changes"`   // that were not certain, newest first
}

// maxChanges bounds the uncertain changes of an hour.
const maxChanges = 6

// The threshold of a change. A judgement weighs 0.5 to 1, so one is never enough,
// however certain, and two of ordinary certainty are.
const (
	calmThreshold = 1.5
	unrest        = 1.5 // factor for each uncertain change within unrestFor
	unrestFor     = time.Hour
	lasting       = 120.0 // after maxChanges changes: twenty minutes of certain judgements
)

func weight(j messages.FocusState) float64 {
	if j.State == messages.Unknown {
		return 1 // it is certain that nothing is known
	}
	return 0.5 + j.Confidence/2
}

// certain reports whether a change to a judgement's state is a fact, not an opinion.
func (s *Debouncer) certain(j messages.FocusState) bool {
	return j.Source == messages.FromRule || j.State == messages.Unknown || s.State == messages.Unknown
}

// Take adds a judgement and reports whether the reported state changed with it.
// The first judgement is reported at once, except that "distracted" takes two,
// like any change.
func (s *Debouncer) Take(j messages.FocusState) (changed bool) {
	switch {
	case s.State == "" && j.State != messages.Distracted:
		s.become(j.State, j.At)
		return true
	case j.State == s.State:
		s.Candidate, s.Weight = "", 0
		return false
	case j.State != s.Candidate:
		s.Candidate, s.Weight = j.State, 0
	}
	s.Weight += weight(j)
	certain := s.certain(j)
	if s.Weight < calmThreshold || !certain && s.Weight < s.threshold(j.At) {
		return false
	}
	if !certain && s.State != "" {
		copy(s.Changes[1:], s.Changes[:maxChanges-1])
		s.Changes[0] = j.At
	}
	s.become(j.State, j.At)
	return true
}

// Reported is the state to show; unknown before the first one.
func (s *Debouncer) Reported() messages.Attention {
	if s.State == "" {
		return messages.Unknown
	}
	return s.State
}

// threshold of an uncertain change grows with those of the last hour.
func (s *Debouncer) threshold(now time.Time) float64 {
	t, n := calmThreshold, 0
	for _, at := range s.Changes {
		if !at.IsZero() && now.Sub(at) < unrestFor {
			t *= unrest
			n++
		}
	}
	if n == maxChanges {
		return lasting
	}
	return t
}

func (s *Debouncer) become(state messages.Attention, now time.Time) {
	s.State, s.Since, s.Candidate, s.Weight = state, now, "", 0
}
