package live

import (
	"context"
	"time"

	"github.com/kehai-run/kehai/runtime/engine"
)

// How long Stop waits for one part of the system to end. Turns do not block, so
// only a broken actor or disk makes it wait.
const (
	stopLimit = 5 * time.Second
	killLimit = 500 * time.Millisecond
)

// Stop ends the system in order: sources first, then it waits until nothing is under way
// or ctx ends, then workers and actors, then the committer after its last writes. When it
// returns, only calls and turns that hang have goroutines left. It returns what was left over:
// durable work is not lost, and continues at the next start. A second Stop waits for the
// first.
func (s *System) Stop(ctx context.Context) engine.Left {
	s.mu.Lock()
	before := s.state
	s.state = stopped
	s.mu.Unlock()
	switch before {
	case fresh:
		s.dispatcher.close()
		s.engine.Close()
		close(s.stopped)
	case running:
		s.left = s.stop(ctx)
		close(s.stopped)
	}
	<-s.stopped
	return s.left
}

// Kill ends the system at once, even during a Stop. Work under way is given up. Turns
// that wait for their commit are not written; their messages come again at the next
// start.
func (s *System) Kill() {
	s.kill.Do(func() { close(s.killed) })
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.Stop(ctx)
}

func (s *System) isKilled() bool {
	select {
	case <-s.killed:
		return true
	default:
		return false
	}
}

func (s *System) stop(ctx context.Context) engine.Left {
	if !s.isKilled() {
		s.engine.StopSources()
		s.drain(ctx)
	}
	s.stopping.Store(true)
	down := s.end("workers", s.workers.box, s.workers.down)
	down = s.end("actors", s.actors.box, s.actors.down) && down
	if down { // else it has children
		s.end("guardian", s.guardian.box, s.guardian.down)
	}
	s.last(ctx)
	s.timer.end()
	s.await("timers", s.timer.gone)
	s.commit.end()
	s.await("committer", s.commit.gone)
	left := s.Engine().Left(s.o.Horizon)
	s.engine.Close()
	s.dispatcher.close()
	if down { // else its runs are theirs
		s.await("dispatcher", s.dispatcher.gone)
	}
	s.besides.wait(stopLimit) // before the store is closed under them; what they hand in is refused
	s.calls.wait(grace)
	return left
}

// drain waits until nothing is under way, or ctx ends, or Kill.
func (s *System) drain(ctx context.Context) {
	s.activity.watched.Store(true)
	defer s.activity.watched.Store(false)
	for !s.activity.quiet(func() bool { return s.Engine().Left(s.o.Horizon).None() }) {
		select {
		case <-s.activity.poke:
		case <-ctx.Done():
			return
		case <-s.killed:
			return
		}
	}
}

// last lets the host run its last step.
func (s *System) last(ctx context.Context) {
	if s.o.Last == nil || s.isKilled() {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-s.killed:
			cancel()
		case <-ctx.Done():
		}
	}()
	s.o.Last(ctx)
	cancel()
	<-done
}

func (s *System) end(what string, box *mailbox, down <-chan struct{}) (ended bool) {
	box.PostUserMessage(end{})
	return s.await(what, down)
}

// await waits for a part to end. If it does not, it is left behind and logged.
func (s *System) await(what string, gone <-chan struct{}) (ended bool) {
	limit := time.NewTimer(stopLimit)
	defer limit.Stop()
	select {
	case <-gone:
		return true
	case <-limit.C:
	case <-s.killed:
		short := time.NewTimer(killLimit)
		defer short.Stop()
		select {
		case <-gone:
			return true
		case <-short.C:
		}
	}
	var busy []string
	for _, a := range s.Engine().Busy() {
		busy = append(busy, s.o.Name(a))
	}
	s.log.Error().Str("part", what).Strs("busy", busy).
		Msg("did not stop in time: an actor or the store blocks; it is left behind")
	return false
}
