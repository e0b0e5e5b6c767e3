package fusion

// Signal is one piece of evidence that something was said, from 0 to 100.
type Signal int

// Signals.
const (
	TextChanged   Signal = 62 // other pixels, and what they say has changed
	TextUnchanged Signal = 35 // other pixels only
)

// Threshold is the score from which a frame is passed on.
const Threshold = 60

// Score sums the signals of one frame, at most 100.
func Score(signals ...Signal) int {
	sum := 0
	for _, s := range signals {
		sum += int(s)
	}
	return min(sum, 100)
}
