package focus

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// verdicts remembers what the language model said about the newest cases. The
// zero value is empty. It has room for a working day of different cases.
type verdicts struct {
	byCase map[Features]known
	newest []Features // oldest first
}

type known struct {
	state messages.FocusState
	at    time.Time
}

const (
	maxVerdicts = 256
	verdictFor  = 10 * time.Minute // then the same case is asked again: a day has other contexts
)

func (v *verdicts) get(f Features, now time.Time) (messages.FocusState, bool) {
	k, ok := v.byCase[f]
	if age := now.Sub(k.at); !ok || age < 0 || age >= verdictFor {
		return messages.FocusState{}, false
	}
	return k.state, true
}

func (v *verdicts) put(f Features, state messages.FocusState, now time.Time) {
	if v.byCase == nil {
		v.byCase = map[Features]known{}
	}
	if _, ok := v.byCase[f]; !ok {
		if len(v.newest) == maxVerdicts {
			delete(v.byCase, v.newest[0])
			v.newest = append(v.newest[:0], v.newest[1:]...)
		}
		v.newest = append(v.newest, f)
	}
	v.byCase[f] = known{state, now}
}
