package focus

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Steady keeps noise from what is reported: the state changes once enough
// judgements in a row say the same, two if all is calm. Each change within the
// last hour asks for more of them. At even odds a run of n comes about once in
// 2^n judgements, so a noisy record settles down, while a real change is still
// followed within two minutes. The zero value has reported
// nothing yet. It is a value: a copy is another history.
type Steady struct {
	State     messages.Attention    `json:"state"` // reported, "" for none yet
	Since     time.Time             `json:"since"`
	Candidate messages.Attention    `json:"candidate"` // what the newest judgements say, "" for the state itself
	Weight    float64               `json:"weight"`    // of these judgements
	Changes   [maxChanges]time.Time `json:"changes"`   // the last ones, newest first
}

// maxChanges bounds how much the threshold can rise.
const maxChanges = 8

// How the threshold comes about. A judgement weighs 0.5 to 1, so that even the
// most certain one is not enough and two of the usual kind are.
const (
	calmThreshold = 1.5
	unrest        = 1.25 // for each change within unrestFor
	unrestFor     = time.Hour
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
	t := calmThreshold
	for _, at := range s.Changes {
		if !at.IsZero() && now.Sub(at) < unrestFor {
			t += unrest
		}
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
