package engine

import (
	"math/rand/v2"
	"time"
)

// Restart policy of actors and workers.
const (
	backoffFirst  = 100 * time.Millisecond
	backoffFactor = 2
	backoffCap    = 30 * time.Second
	backoffJitter = 0.2 // of the delay, either way

	// MaxAttempts is how often a durable message is tried before it becomes a
	// dead letter.
	MaxAttempts = 5

	// An actor that restarts more than budgetRestarts times within budgetWindow
	// is reported unhealthy and retried once per backoffCap. Restarts that end
	// in a quarantine do not count: the message was at fault.
	budgetRestarts = 10
	budgetWindow   = time.Minute
)

// backoff returns the delay before attempt n+1 after n failures in a row; n
// counts from 1.
func backoff(n int, rng *rand.Rand) time.Duration {
	d := backoffFirst
	for range n - 1 {
		if d *= backoffFactor; d >= backoffCap {
			d = backoffCap
			break
		}
	}
	return time.Duration(float64(d) * (1 + backoffJitter*(2*rng.Float64()-1)))
}

// supervisor keeps the restart budget of one actor or worker. Its methods are
// pure over (state, now) except for the jitter's source.
type supervisor struct {
	row       int         // failures in a row
	recent    []time.Time // counted restarts within the window
	restarts  int         // all, ever
	unhealthy bool
	reason    string // of the last failure
}

// failed records a failure and returns the delay before the restart and
// whether health changed.
func (s *supervisor) failed(now time.Time, reason string, rng *rand.Rand) (delay time.Duration, changed bool) {
	s.row++
	s.restarts++
	s.reason = reason
	keep := s.recent[:0]
	for _, at := range s.recent {
		if now.Sub(at) < budgetWindow {
			keep = append(keep, at)
		}
	}
	s.recent = append(keep, now)
	if len(s.recent) > budgetRestarts {
		changed = !s.unhealthy
		s.unhealthy = true
		return backoffCap, changed
	}
	return backoff(s.row, rng), false
}

// pardon takes back the restarts that one quarantined message has caused.
func (s *supervisor) pardon(n int) {
	s.recent = s.recent[:max(0, len(s.recent)-n)]
	s.row = 0
}

// worked records a success and reports whether the actor became healthy.
func (s *supervisor) worked() (changed bool) {
	s.row = 0
	changed = s.unhealthy
	if changed {
		s.unhealthy, s.recent = false, nil
	}
	return changed
}
