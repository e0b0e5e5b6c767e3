package engine

import (
	"sync"
	"time"
)

// Clock is the only source of time in the kernel.
type Clock interface {
	Now() time.Time
}

// SystemClock is the machine's clock. Inside a testing/synctest bubble it is
// the bubble's.
type SystemClock struct{}

// Now implements [Clock].
func (SystemClock) Now() time.Time { return time.Now() }

// ManualClock stands still until it is set. It is safe for concurrent use.
type ManualClock struct {
	mu  sync.Mutex
	now time.Time
}

// NewManualClock returns a clock that shows now.
func NewManualClock(now time.Time) *ManualClock { return &ManualClock{now: now} }

// Now implements [Clock].
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set moves the clock, forwards or backwards.
func (c *ManualClock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}
