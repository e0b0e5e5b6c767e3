package attention

import (
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// answerCache remembers the language model's recent answers and limits how often
// it is asked. The zero value is empty.
type answerCache struct {
	answers []cachedAnswer // oldest first
	debt    time.Duration  // until the full burst is available again, at time asked
	asked   time.Time
}

// cachedAnswer is a case and the model's answer to it.
type cachedAnswer struct {
	look  Look
	state messages.FocusState
	at    time.Time
}

const (
	answerFor = 10 * time.Minute // then the same case is asked again, since contexts change in a day

	// The limit holds however noisy the measurements are: at most 29 questions in
	// any hour.
	burst     = 5                 // questions without waiting
	earnEvery = 150 * time.Second // then one more after each
)

func (c *answerCache) get(l Look, now time.Time) (messages.FocusState, bool) {
	for _, k := range slices.Backward(c.answers) {
		if age := now.Sub(k.at); age >= 0 && age < answerFor && SameCase(k.look, l) {
			return k.state, true
		}
	}
	return messages.FocusState{}, false
}

// put also deletes answers older than answerFor.
func (c *answerCache) put(l Look, state messages.FocusState, now time.Time) {
	c.answers = slices.DeleteFunc(c.answers, func(k cachedAnswer) bool { return now.Sub(k.at) >= answerFor })
	c.answers = append(c.answers, cachedAnswer{l, state, now})
}

// ask reports whether one more question may be asked, and counts it.
func (c *answerCache) ask(now time.Time) bool {
	c.debt, c.asked = max(0, c.debt-max(0, now.Sub(c.asked))), now
	if c.debt > (burst-1)*earnEvery {
		return false
	}
	c.debt += earnEvery
	return true
}

const (
	restFor = time.Minute // after a failed call, doubled for each in a row
	maxRest = 16 * time.Minute
)

// rest is the backoff of a failing language model, after this many earlier
// failures in a row.
func rest(failed int) time.Duration { return min(restFor<<min(failed, 10), maxRest) }
