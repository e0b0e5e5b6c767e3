package poller

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// backoff is the pause after so many failures in a row: the interval doubled
// each time, at most limit, never below the interval.
func backoff(interval, limit time.Duration, failures int) time.Duration {
	d := interval
	for range failures - 1 {
		if d >= limit {
			break
		}
		d *= 2
	}
	return max(min(d, limit), interval)
}

// stateCode names a failed capture: the driver's code, else what went wrong.
func stateCode(f messages.CallFailed) string {
	if f.Code != "" {
		return f.Code
	}
	return string(f.Kind)
}
