// Package backoff says how soon something that failed is tried again: [Delay]. It
// is for actors that poll; the engine retries messages and calls by itself.
package backoff

import "time"

// Delay is the pause after so many failures in a row: the interval doubled
// each time, at most limit, never below the interval.
func Delay(interval, limit time.Duration, failures int) time.Duration {
	d := interval
	for range failures - 1 {
		if d >= limit {
			break
		}
		d *= 2
	}
	return max(min(d, limit), interval)
}
