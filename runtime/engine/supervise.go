package engine

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
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

	// An actor that restarts more than budgetRestarts times within budgetWindow, or
	// as often in a row, is reported unhealthy and retried once per backoffCap.
	// Restarts that end in a quarantine do not count: the message was at fault.
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

// restartBudget counts the restarts of one actor or worker. Its methods are
// pure over (state, now) except for the jitter's source.
type restartBudget struct {
	row       int         // failures in a row
	recent    []time.Time // counted restarts within the window
	restarts  int         // all, ever
	unhealthy bool
	reason    string // of the last failure
}

// failed records a failure and returns the delay before the restart and
// whether health changed.
func (b *restartBudget) failed(now time.Time, reason string, rng *rand.Rand) (delay time.Duration, changed bool) {
	b.row++
	b.restarts++
	b.reason = reason
	keep := b.recent[:0]
	for _, at := range b.recent {
		if now.Sub(at) < budgetWindow {
			keep = append(keep, at)
		}
	}
	b.recent = append(keep, now)
	if len(b.recent) > budgetRestarts || b.row > budgetRestarts {
		changed = !b.unhealthy
		b.unhealthy = true
		return backoffCap, changed
	}
	return backoff(b.row, rng), false
}

// forgive takes back the restarts that one quarantined message has caused.
func (b *restartBudget) forgive(n int) {
	b.recent = b.recent[:max(0, len(b.recent)-n)]
	b.row = 0
}

// worked records a success and reports whether the actor became healthy.
func (b *restartBudget) worked() (changed bool) {
	b.row = 0
	changed = b.unhealthy
	if changed {
		b.unhealthy, b.recent = false, nil
	}
	return changed
}

// Supervision keeps the restart budget of something that is no actor, such as a
// worker, by the rules of actors, and reports its failures and its health. It is
// safe for concurrent use.
type Supervision struct {
	e    *Engine
	addr messages.Address

	mu     sync.Mutex
	budget restartBudget
}

// NewSupervision begins the supervision of what is named by an address.
func (c Control) NewSupervision(addr messages.Address) *Supervision {
	return &Supervision{e: c.Engine, addr: addr}
}

// Failed reports a failure and says how long to wait before the restart.
func (s *Supervision) Failed(reason string) *Failure {
	now := s.e.clock.Now()
	s.mu.Lock()
	delay, changed := s.budget.failed(now, reason, s.e.jitter())
	count := s.budget.restarts
	s.mu.Unlock()
	s.e.report(events.ActorRestarted{Actor: s.addr, Reason: reason, Delay: delay, Count: count, At: now})
	if changed {
		s.e.report(events.ActorUnhealthy{Actor: s.addr, Reason: reason, At: now})
	}
	return &Failure{Actor: s.addr, Reason: reason, Delay: delay}
}

// Worked reports a success.
func (s *Supervision) Worked() {
	s.mu.Lock()
	changed := s.budget.worked()
	s.mu.Unlock()
	if changed {
		s.e.report(events.ActorUnhealthy{Actor: s.addr, Healthy: true, At: s.e.clock.Now()})
	}
}
