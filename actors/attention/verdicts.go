package attention

import (
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// verdicts remembers what the language model said about the newest cases, and
// how often it was asked. The zero value is empty.
type verdicts struct {
	known []known       // oldest first
	debt  time.Duration // until all questions are earned again, at asked
	asked time.Time
}

// known is a case and what was said about it.
type known struct {
	look  Look
	state messages.FocusState
	at    time.Time
}

const (
	verdictFor = 10 * time.Minute // then the same case is asked again: a day has other contexts

	// What differs in each moment is noise, however large: at most 29 questions
	// fall into any hour.
	questions = 5                 // as fast as they come
	earned    = 150 * time.Second // one more after each
)

func (v *verdicts) get(l Look, now time.Time) (messages.FocusState, bool) {
	for _, k := range slices.Backward(v.known) {
		if age := now.Sub(k.at); age >= 0 && age < verdictFor && SameCase(k.look, l) {
			return k.state, true
		}
	}
	return messages.FocusState{}, false
}

// put also forgets what is too old; what is left was asked within verdictFor.
func (v *verdicts) put(l Look, state messages.FocusState, now time.Time) {
	v.known = slices.DeleteFunc(v.known, func(k known) bool { return now.Sub(k.at) >= verdictFor })
	v.known = append(v.known, known{l, state, now})
}

// ask reports whether one more question may be asked, and counts it.
func (v *verdicts) ask(now time.Time) bool {
	v.debt, v.asked = max(0, v.debt-max(0, now.Sub(v.asked))), now
	if v.debt > (questions-1)*earned {
		return false
	}
	v.debt += earned
	return true
}

const (
	restFor = time.Minute      // after a failed call, doubled for each in a row
	maxRest = 16 * time.Minute // longest such rest
)

// rest is how long a language model that fails is not asked, after so many
// failures in a row before this one.
func rest(failed int) time.Duration { return min(restFor<<min(failed, 10), maxRest) }
