package offline

import (
	"context"
	"sync"
	"time"

	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/runtime/engine"
)

// stepper is the driver of a store at rest. It runs only the actors that keep memories or
// names, because these ask nobody. Mail for all others waits for the next start.
type stepper struct {
	mu    sync.Mutex
	awake []*engine.Activation
	wake  chan struct{}
}

func newStepper() *stepper { return &stepper{wake: make(chan struct{}, 1)} }

// Wake implements [engine.Driver].
func (s *stepper) Wake(act *engine.Activation) {
	if kind := act.Address().Kind(); kind != recall.Kind && kind != directory.Kind {
		return
	}
	s.mu.Lock()
	s.awake = append(s.awake, act)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// WakeWorkers implements [engine.Driver]: there are none.
func (s *stepper) WakeWorkers(string) {}

func (s *stepper) next() *engine.Activation {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.awake) == 0 {
		return nil
	}
	act := s.awake[0]
	s.awake = s.awake[1:]
	return act
}

// run writes what the backend's methods change, and steps what is awake, until ctx ends
// and nothing is left.
func (s *stepper) run(ctx context.Context, e engine.Control) {
	for {
		s.settle(ctx, e)
		select {
		case <-ctx.Done():
			s.settle(ctx, e)
			return
		case <-e.CommitReady():
		case <-s.wake:
		}
	}
}

func (s *stepper) settle(ctx context.Context, e engine.Control) {
	for {
		n, paused := e.Commit(commitBatch)
		if paused && !waitFor(ctx, time.Second) { // until there is space
			return
		}
		stepped := false
		for act := s.next(); act != nil; act = s.next() { // their turns share the next commit
			stepped = true
			for {
				// A turn that fails leaves its mail for the next start.
				if progress, failed := e.Step(act); failed != nil || progress != engine.Stepped {
					break
				}
			}
		}
		if n == 0 && !paused && !stepped {
			return
		}
	}
}

// commitBatch is how many turns and requests one commit takes at most.
const commitBatch = 512

// waitFor reports false if ctx ended before d has passed.
func waitFor(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
