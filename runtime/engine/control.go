package engine

import (
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Control is an engine as its driver sees it: with the methods that decide when turns,
// commits and timers happen. A host does not need it.
type Control struct{ e *Engine }

// Engine is the engine that is driven.
func (c Control) Engine() *Engine { return c.e }

// Control is for the engine's driver.
func (e *Engine) Control() Control { return Control{e} }

// CommitReady receives after something was handed to the committer.
func (c Control) CommitReady() <-chan struct{} { return c.e.committer.wake }

// Crowded reports whether much of a batch waits for the committer: whoever makes more turns should let
// it run first.
func (c Control) Crowded() bool { return c.e.committer.waiting() >= batchTurns/4 }

// NextTimer returns when the next timer is due.
func (c Control) NextTimer() (time.Time, bool) { return c.e.timers.next() }

// FireTimers delivers what is due and returns how many timers fired. Call it when the
// next timer is due, and every half minute: on a machine that slept, the calendar may be
// ahead of the elapsed time.
func (c Control) FireTimers() int {
	now := c.e.clock.Now()
	return c.e.timers.fire(now, wall(now))
}

// TimersChanged receives when the next due time may have moved closer.
func (c Control) TimersChanged() <-chan struct{} { return c.e.timers.changed }

// After calls fn once d has passed on the engine's clock, on the goroutine that fires the
// timers. A later After of the same key replaces it.
func (c Control) After(key string, d time.Duration, fn func()) {
	c.e.timers.arm(key, c.e.clock.Now().Add(d), false, fn)
}

// Unhealthy reports a problem that no restart can end; an empty reason ends it.
func (c Control) Unhealthy(addr messages.Address, reason string) {
	c.e.report(events.ActorUnhealthy{Actor: addr, Healthy: reason == "", Reason: reason, At: c.e.clock.Now()})
}

// Divert lets tests of single actors take what leaves them; call it before
// Recover. mail sees each delivery before its receiver's mailbox does, and takes
// it by returning true: what is durable then stays in the store. calls does so
// with each attempt of a call; one that it takes is finished with FinishJob. Nil
// takes nothing.
func (c Control) Divert(mail func(Envelope) bool, calls func(*Job) bool) {
	if mail != nil {
		c.e.divert = mail
	}
	if calls != nil {
		c.e.divertJob = calls
	}
}

// Background sets how long work is run, such as the search for what is to be forgotten;
// by default in a goroutine. Call it before Recover.
func (c Control) Background(run func(func())) { c.e.background = run }

// StopSources stops the actors that start work by themselves: they handle no further
// message, and their fleeting mail is dropped.
func (c Control) StopSources() {
	for _, act := range c.e.live() {
		if !act.kind.Source {
			continue
		}
		act.mu.Lock()
		now := act.becomeStopped()
		act.mu.Unlock()
		act.box.clearFleeting()
		if now {
			c.e.report(events.ActorStopped{Actor: act.addr, At: c.e.clock.Now()})
		}
	}
}
