package ocr

import (
	"math"

	"github.com/kehai-run/kehai/messages"
)

// counter counts what a reading leaves out, by kind, in the order of first sight.
// It never holds what was read.
type counter []messages.Omitted

// add counts n more of a kind. of is what they were held against, 0 for nothing.
func (t *counter) add(what messages.Omission, n, of int) {
	if n == 0 {
		return
	}
	for i := range *t {
		if (*t)[i].What == what {
			(*t)[i].Count += n
			return
		}
	}
	*t = append(*t, messages.Omitted{What: what, Count: n, Of: of})
}

func (t *counter) addIf(yes bool, what messages.Omission, of int) {
	if yes {
		t.add(what, 1, of)
	}
}

// join adds what another counter has.
func (t *counter) join(more []messages.Omitted) {
	for _, o := range more {
		t.add(o.What, o.Count, o.Of)
	}
}

// hundredths is how a confidence is written down.
func hundredths(confidence float64) int { return int(math.Round(100 * confidence)) }
