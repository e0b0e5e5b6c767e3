package attention

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Steady keeps noise from what is reported: the state changes once enough
// judgements in a row say the same, two if all is calm. Each change within the
// last hour asks for half as many again, so that the sixth is still followed
// within two minutes and a half. A seventh has to last for twenty minutes: noise
// hardly does, also where each measurement resembles the one before. The zero
// value has reported nothing yet. It is a value: a copy is another history.
type Steady struct {
	State     messages.Attention    `json:"state"` // reported, "" for none yet
	Since     time.Time             `json:"since"`
	Candidate messages.Attention    `json:"candidate"` // what the newest judgements say, "" for the state itself
	Weight    float64               `json:"weight"`    // of these judgements
	Changes   [maxChanges]time.Time `json:"changes"`   // the last ones, newest first
}

// maxChanges is how many changes an hour noise may cause.
const maxChanges = 6

// How the threshold comes about. A judgement weighs 0.5 to 1, so that even the
// most certain one is not enough and two of the usual kind are.
const (
	calmThreshold = 1.5
	unrest        = 1.5 // times, for each change within unrestFor
	unrestFor     = time.Hour
	lasting       = 120.0 // after maxChanges: twenty minutes of certain judgements
)

func weight(j messages.FocusState) float64 {
	if j.State == messages.Unknown {
		return 1 // it is certain that nothing is known
	}
	return 0.5 + j.Confidence/2
}

// Take adds a judgement and reports whether the reported state changed with it.
// The first one is reported at once, unless it is "distracted", which takes two
// like any change.
func (s *Steady) Take(j messages.FocusState) (changed bool) {
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
	if s.Weight < s.threshold(j.At) {
		return false
	}
	s.become(j.State, j.At)
	return true
}

// Reported is the state to show: unknown until there is one.
func (s *Steady) Reported() messages.Attention {
	if s.State == "" {
		return messages.Unknown
	}
	return s.State
}

// threshold grows with the changes of the last hour. The change from nothing
// to a first state is none.
func (s *Steady) threshold(now time.Time) float64 {
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

func (s *Steady) become(state messages.Attention, now time.Time) {
	if s.State != "" {
		copy(s.Changes[1:], s.Changes[:maxChanges-1])
		s.Changes[0] = now
	}
	s.State, s.Since, s.Candidate, s.Weight = state, now, "", 0
}
