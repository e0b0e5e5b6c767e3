package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

const (
	// grace is what a call gets after its deadline to return by itself.
	grace = 250 * time.Millisecond
	// makeLimit is how long New may take, with the close of the worker before.
	makeLimit = 30 * time.Second
)

var errMissed = errors.New("the worker has missed its deadline")

// call is one run of foreign code for a slot: an attempt of a job, or the
// making of a worker when job is nil.
type call struct {
	job    *engine.Job
	at     place
	began  time.Time
	cancel context.CancelFunc

	// Written by the call's goroutine before returned is set.
	worker  actors.Worker
	result  messages.Message
	failure messages.FailureKind
	err     error

	// Guarded by pool.mu.
	returned, givenUp bool
}

// slot is the runner of one worker of a pool.
type slot struct {
	sys         *System
	pool        *pool
	self        *child
	supervision *engine.Supervision

	worker    actors.Worker // nil while there is none
	at        place         // of the worker; once isolated it stays so
	current   *call         // nil while idle
	parked    bool          // too many calls of the pool hang
	unhealthy bool          // the last New failed
}

// Messages of a slot to itself.
type (
	returned struct{ call *call }
	overdue  struct{ call *call }
)

func (s *slot) started(bool) {
	s.abandon("the worker's actor failed")
	s.open()
}

func (s *slot) wake() (more bool) {
	switch {
	case s.parked:
		s.open()
	case s.current != nil || s.worker == nil:
	case !s.pool.enter(s.at):
		s.at = isolated
		s.open()
	default:
		if job := s.sys.engine.TakeJob(s.pool.kind.Name); job != nil {
			s.perform(job)
		} else {
			s.pool.leave(s.at)
		}
	}
	return false
}

func (s *slot) handle(msg any) (end bool) {
	switch msg := msg.(type) {
	case returned:
		if msg.call == s.current {
			s.finish(msg.call)
		}
	case overdue:
		if msg.call == s.current && s.pool.giveUp(msg.call) {
			s.missed(msg.call)
		}
	}
	return false
}

// open starts making a worker, after closing the one before.
func (s *slot) open() {
	p := s.pool
	if p.mustIsolate() {
		s.at = isolated
		p.moved.Do(func() {
			s.sys.log.Warn().Str("worker", p.kind.Name).
				Msg("calls hung twice: the workers run in processes of their own from now on")
		})
	}
	if n := p.stuck(s.at); n > maxHanging {
		if !s.parked {
			s.parked = true
			s.sys.engine.Unhealthy(s.self.addr, fmt.Sprintf(
				"%d calls of %s hang past their deadline: no new worker before one returns", n, p.kind.Name))
		}
		return
	}
	if s.parked {
		s.parked = false
		s.sys.engine.Unhealthy(s.self.addr, "")
	}
	old, create := s.worker, p.kind.New
	if s.at == isolated {
		create = p.kind.Isolated
	}
	s.worker = nil
	s.begin(&call{at: s.at}, makeLimit, func(c *call) {
		closeWorker(old)
		c.worker, c.err = newWorker(create)
	})
}

func (s *slot) perform(job *engine.Job) {
	deadline := job.Options.Deadline
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	s.begin(&call{job: job, at: s.at, worker: s.worker, cancel: cancel}, deadline+grace, func(c *call) {
		defer cancel()
		c.result, c.failure, c.err = s.sys.engine.Perform(ctx, c.worker, job)
	})
}

// begin runs do on its own goroutine, which reports to the slot when it ends.
func (s *slot) begin(c *call, limit time.Duration, do func(*call)) {
	s.current = c
	c.began = s.sys.clock.Now()
	s.sys.engine.After("overdue "+string(s.self.addr), limit, func() { s.self.post(overdue{c}) })
	s.sys.calls.run(func() {
		defer func() { // deferred, because the worker may end the goroutine
			if c.err == nil && c.result == nil && c.job != nil {
				c.failure, c.err = messages.FailurePanic, errExited
			} else if c.err == nil && c.worker == nil {
				c.err = errExited
			}
			s.ended(c)
		}()
		do(c)
	})
}

// ended runs on the call's goroutine.
func (s *slot) ended(c *call) {
	p := s.pool
	if !p.returned(c) {
		s.self.post(returned{c})
		return
	}
	closeWorker(c.worker)
	p.mu.Lock()
	p.hanging[c.at]--
	p.mu.Unlock()
	p.wake()
}

// finish handles the result of a call.
func (s *slot) finish(c *call) {
	s.current = nil
	if c.job == nil {
		if c.err != nil {
			s.unhealthy = true
			panic(s.supervision.Failed("no worker: " + c.err.Error()))
		}
		s.worker = c.worker
		if s.unhealthy {
			s.unhealthy = false
			s.supervision.Worked()
		}
		s.wake()
		return
	}
	if s.sys.engine.FinishJob(c.job, s.self.addr, c.result, c.failure, c.err, s.took(c)) {
		panic(s.supervision.Failed("a call ended in " + reasonOf(c.failure)))
	}
	s.supervision.Worked()
	s.wake()
}

func reasonOf(kind messages.FailureKind) string {
	if kind == "" {
		return "an answer of a type it must not have"
	}
	return string(kind)
}

// missed ends a call that hangs past its deadline. Its worker is closed when it
// returns.
func (s *slot) missed(c *call) {
	s.current = nil
	if c.job == nil {
		s.unhealthy = true
		panic(s.supervision.Failed(fmt.Sprintf("making a worker takes more than %v", makeLimit)))
	}
	s.worker = nil
	s.sys.engine.FinishJob(c.job, s.self.addr, nil, messages.FailureTimeout, errMissed, s.took(c))
	panic(s.supervision.Failed("a call hangs past its deadline"))
}

func (s *slot) took(c *call) time.Duration { return s.sys.clock.Now().Sub(c.began) }

// stopping cancels the call under way. In an ordered stop the call is not answered: a
// durable one is asked again at the next start.
func (s *slot) stopping() {
	if s.current != nil && s.current.cancel != nil {
		s.current.cancel()
	}
	if s.sys.stopping.Load() {
		s.release()
	} else {
		s.abandon("the worker's actor ended")
	}
	worker := s.worker
	s.worker = nil
	s.sys.calls.run(func() { closeWorker(worker) })
}

// abandon gives up the current call because of our own fault, and answers it as failed.
func (s *slot) abandon(why string) {
	if c := s.release(); c != nil && c.job != nil {
		s.sys.engine.FinishJob(c.job, s.self.addr, nil, messages.FailureError, errors.New(why), s.took(c))
	}
}

// release lets go of the current call. The call's goroutine closes its worker; if the
// call has already returned, the slot keeps the worker.
func (s *slot) release() *call {
	c := s.current
	s.current = nil
	if c == nil {
		return nil
	}
	if s.pool.giveUp(c) {
		s.worker = nil
	} else {
		s.worker = c.worker
	}
	return c
}

func (s *slot) crashed(reason string) *engine.Failure { return s.supervision.Failed(reason) }

func newWorker(create func() (actors.Worker, error)) (w actors.Worker, err error) {
	defer func() {
		if r := recover(); r != nil {
			w, err = nil, fmt.Errorf("panic: %s\n%s", harmless(r), debug.Stack())
		}
	}()
	w, err = create()
	if w == nil && err == nil {
		err = errors.New("New returned no worker")
	}
	return w, engine.Foreign(err)
}

// closeWorker closes a worker if it can be closed. An error changes nothing, since the
// worker is thrown away.
func closeWorker(w actors.Worker) {
	defer func() { _ = recover() }()
	if c, ok := w.(io.Closer); ok {
		_ = c.Close()
	}
}
