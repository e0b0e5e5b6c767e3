package script

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrHost marks a script with verbs that its host cannot carry out.
var ErrHost = errors.New("script: bad script for this host")

// Host queues what scripts ask of their host. A player asks during a capture, which
// must not wait.
type Host struct {
	// Lives stops or kills the runtime so that it is started again. It is called at
	// once, during a capture. Nil means that nobody starts it again.
	Lives func(crash bool)

	wake chan struct{}

	mu      sync.Mutex
	waiting []func(context.Context) // in the order of their events
}

// NewHost makes an empty queue.
func NewHost() *Host { return &Host{wake: make(chan struct{}, 1)} }

// Check refuses a script with a verb that this host cannot carry out. Its error
// wraps [ErrHost].
func (h *Host) Check(s Script) error {
	for _, e := range s.Events {
		if (e.Do == Restart || e.Do == Crash) && h.Lives == nil {
			return fmt.Errorf("%w: line %d: nobody here starts a runtime again after %q: "+
				"play it with kehai run or kehai replay, give New the option WithLives, or take the line out",
				ErrHost, e.Line, e.Do)
		}
	}
	return nil
}

// For returns [Options].Host for one window. Serve calls do for each of its events
// except restart and crash.
func (h *Host) For(do func(context.Context, Event)) func(Event) {
	return func(e Event) {
		if e.Do == Restart || e.Do == Crash {
			h.Lives(e.Do == Crash)
			return
		}
		h.mu.Lock()
		h.waiting = append(h.waiting, func(ctx context.Context) { do(ctx, e) })
		h.mu.Unlock()
		select {
		case h.wake <- struct{}{}:
		default:
		}
	}
}

// Serve carries out the requests, one after another, until ctx ends.
func (h *Host) Serve(ctx context.Context) {
	for {
		for do := h.next(); do != nil && ctx.Err() == nil; do = h.next() {
			do(ctx)
		}
		select {
		case <-ctx.Done():
			return
		case <-h.wake:
		}
	}
}

func (h *Host) next() func(context.Context) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.waiting) == 0 {
		return nil
	}
	do := h.waiting[0]
	h.waiting = h.waiting[1:]
	return do
}
