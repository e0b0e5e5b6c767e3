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

	// An actor is reported unhealthy and retried once per backoffCap when, within
	// budgetWindow, more than budgetFloor of its turns have failed and more than one
	// in budgetShare, or when more than budgetFloor have failed in a row. Failures
	// that end in a quarantine do not count: the message was at fault.
	budgetFloor  = 10
	budgetShare  = 4
	budgetWindow = time.Minute
	budgetParts  = 6 // of the window, which moves on by one of them at a time

	// A few failures in a row are enough where a key is out of reach: people can help.
	waitsFloor = 3
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

// restartBudget counts the turns of one actor, or the calls of one worker, and how
// many have failed. Its methods are pure over (state, now) except for the jitter's
// source.
type restartBudget struct {
	row       int // failures in a row
	window    [budgetParts]budgetPart
	restarts  int // all, ever
	unhealthy bool
	reason    string // of the last failure
	key       string // that people were told is out of reach; "" if not unhealthy
	waits     bool   // the last failure was of something that is tried again by itself
}

// budgetPart counts what ended within a part of the window.
type budgetPart struct {
	number        int64 // of the part, since 1970
	turns, failed int
}

// part returns the present part of the window.
func (b *restartBudget) part(now time.Time) *budgetPart {
	number := now.UnixNano() / int64(budgetWindow/budgetParts)
	p := &b.window[uint64(number)%budgetParts]
	if p.number != number {
		*p = budgetPart{number: number}
	}
	return p
}

// spent reports whether too much has failed at a time.
func (b *restartBudget) spent(now time.Time) bool {
	last := b.part(now).number
	turns, failed := 0, 0
	for _, p := range b.window {
		if p.number <= last && p.number > last-budgetParts {
			turns += p.turns
			failed += p.failed
		}
	}
	return b.row > budgetFloor || failed > budgetFloor && failed*budgetShare > turns
}

// failed records a failure and returns the delay before the restart and
// whether health changed.
func (b *restartBudget) failed(now time.Time, reason string, rng *rand.Rand) (delay time.Duration, changed bool) {
	b.row++
	b.restarts++
	b.reason = reason
	p := b.part(now)
	p.turns++
	p.failed++
	if b.spent(now) {
		changed = !b.unhealthy
		b.unhealthy = true
		return backoffCap, changed
	}
	return backoff(b.row, rng), false
}

// names notes which key out of reach was why it failed, "" for none, and reports whether people have to be told
// of it: of an actor that has waited for a while, and of another key than before.
func (b *restartBudget) names(key string) (changed bool) {
	b.unhealthy = b.unhealthy || key != "" && b.row > waitsFloor
	if changed = b.unhealthy && b.key != key; changed {
		b.key = key
	}
	return changed
}

// forgive takes back the newest n failures, those caused by one quarantined message.
func (b *restartBudget) forgive(n int) {
	for range budgetParts {
		newest := &b.window[0]
		for i := range b.window {
			if p := &b.window[i]; p.failed > 0 && (newest.failed == 0 || p.number > newest.number) {
				newest = p
			}
		}
		back := min(n, newest.failed)
		n -= back
		newest.failed -= back
		newest.turns -= back
	}
	b.row = 0
}

// worked records a success and reports whether the actor became healthy.
func (b *restartBudget) worked(now time.Time) (changed bool) {
	b.row, b.waits = 0, false
	b.part(now).turns++
	if changed = b.unhealthy; changed {
		b.unhealthy, b.key, b.window = false, "", [budgetParts]budgetPart{}
	}
	return changed
}

// Supervision keeps the restart budget of something that is not an actor, such as a
// worker, by the same rules, and reports its failures and its health. It is safe for
// concurrent use.
type Supervision struct {
	e    *Engine
	addr messages.Address

	mu     sync.Mutex
	budget restartBudget
}

// NewSupervision starts the supervision of what an address names.
func (c Control) NewSupervision(addr messages.Address) *Supervision {
	return &Supervision{e: c.e, addr: addr}
}

// Failed reports a failure and says how long to wait before the restart.
func (s *Supervision) Failed(reason string) *Failure {
	now := s.e.clock.Now()
	reason = cutText(reason)
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
	now := s.e.clock.Now()
	s.mu.Lock()
	changed := s.budget.worked(now)
	s.mu.Unlock()
	if changed {
		s.e.report(events.ActorUnhealthy{Actor: s.addr, Healthy: true, At: now})
	}
}
