package script

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrHost marks a script that asks for what its host cannot do.
var ErrHost = errors.New("script: bad script for this host")

// Host queues what scripts ask of their host. A player asks from within a capture,
// which must not wait for it.
type Host struct {
	// Lives ends the runtime so that it is started again. It is called at once, from
	// within a capture. Nil: nobody starts it again.
	Lives func(crash bool)

	wake chan struct{}

	mu      sync.Mutex
	waiting []func(context.Context) // in the order of their events
}

// NewHost makes an empty queue.
func NewHost() *Host { return &Host{wake: make(chan struct{}, 1)} }

// Check refuses a script that asks for what nobody here can do. Its error wraps
// [ErrHost].
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

// For gives [Options].Host of one window: do is called by Serve for each of its
// events but restart and crash.
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

// Serve does what is asked, one after another, until ctx ends.
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
