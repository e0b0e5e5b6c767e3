// Package pace says how soon something that failed is tried again. Actors that
// poll share [Backoff]; workers and messages are paced by the engine.
package pace

import "time"

// Backoff is the pause after so many failures in a row: the interval doubled
// each time, at most limit, never below the interval.
func Backoff(interval, limit time.Duration, failures int) time.Duration {
	d := interval
	for range failures - 1 {
		if d >= limit {
			break
		}
		d *= 2
	}
	return max(min(d, limit), interval)
}
