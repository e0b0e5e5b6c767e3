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

// abandoned is how many polls in a row may miss their deadline before the
// baseline is thought to be worth nothing.
const abandoned = 2

// resting says when a frame may be read again after OCR failed on it.
type resting struct {
	hash     messages.FrameHash
	all      bool // whatever the frame: OCR itself refuses
	failures int
	until    time.Time
}

// holds reports whether a frame must wait at a time.
func (r resting) holds(hash messages.FrameHash, now time.Time) bool {
	return now.Before(r.until) && (r.all || r.hash == hash)
}

// failed returns the rest after one more failure. A refusal (code not empty)
// is about OCR, anything else about the frame.
func (r resting) failed(hash messages.FrameHash, code string, now time.Time, interval, limit time.Duration) resting {
	if r.hash != hash && !(r.all && code != "") {
		r.failures = 0
	}
	r.hash, r.all = hash, code != ""
	r.failures++
	r.until = now.Add(backoff(interval, limit, r.failures))
	return r
}

// stateCode names a failed capture: the driver's code, else what went wrong.
func stateCode(f messages.CallFailed) string {
	if f.Code != "" {
		return f.Code
	}
	return string(f.Kind)
}
