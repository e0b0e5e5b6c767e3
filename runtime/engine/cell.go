package engine

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// maxPipelined is how many turns of one actor may wait for their commit.
const maxPipelined = 64

// Cell is one live actor as the engine sees it: the value, its mailbox, and the
// turns that ran but are not committed yet. One goroutine at a time may call
// [Engine.Step] and Restart; everything else is safe for concurrent use.
type Cell struct {
	addr messages.Address
	kind Kind
	box  mailbox

	actor    actors.Actor      // nil before the first step and after a failure
	fleeting map[string]string // fleeting timers: key → generation

	// release is held while turns are released, so that deliveries keep order.
	release sync.Mutex

	mu      sync.Mutex
	inc     uint64 // activation, from 1
	view    map[string]overlay
	pending []*staged
	gen     uint64 // rises when pending turns are thrown away
	broken  error  // the commit that failed
	reread  bool   // a step crashed
	started bool   // Started was handled in this activation
	stopped bool
	frozen  bool // what it knows is being deleted
	sup     supervisor
	turns   uint64
}

// overlay is a value that a pending turn wrote.
type overlay struct {
	value []byte
	ok    bool
	by    *staged // the last writer
}

func (c *Cell) activation() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inc
}

// Address names the actor.
func (c *Cell) Address() messages.Address { return c.addr }

// Failure is a turn or a commit that failed. The driver must call
// [Engine.Restart] once Delay has passed, and not step the cell before.
type Failure struct {
	Actor  messages.Address
	Reason string
	Delay  time.Duration
}

func (f *Failure) Error() string { return fmt.Sprintf("%s: %s", f.Actor, f.Reason) }

// Progress is what a step achieved.
type Progress int

// Results of a step.
const (
	Idle    Progress = iota // no mail
	Blocked                 // too many turns wait for their commit: step again when woken
	Stepped                 // one message was handled or skipped
)

// Step runs the next turn of a cell: it takes one message, lets the actor
// decide, and stages the outcome for the committer. It starts no goroutine and
// never waits. After a Failure the turn has left no trace.
func (e *Engine) Step(c *Cell) (Progress, *Failure) {
	c.mu.Lock()
	switch {
	case c.broken != nil:
		err := c.broken
		c.mu.Unlock()
		if errors.Is(err, errForgotten) {
			f := e.fail(c, "begins anew: "+err.Error())
			c.mu.Lock()
			c.sup.pardon(1)
			c.mu.Unlock()
			return Stepped, f
		}
		return Stepped, e.fail(c, "commit failed: "+err.Error())
	case c.stopped, c.frozen:
		c.mu.Unlock()
		return Idle, nil
	case len(c.pending) >= maxPipelined:
		c.mu.Unlock()
		return Blocked, nil
	}
	first := !c.started
	gen := c.gen
	c.mu.Unlock()

	if c.actor == nil {
		if err := c.make(); err != nil {
			return Stepped, e.fail(c, err.Error())
		}
	}
	var env Envelope
	if first {
		env = Envelope{ID: e.fleetingID(), To: c.addr, At: e.clock.Now(), Message: messages.Started{}}
	} else {
		var ok bool
		var err error
		env, ok, err = c.box.pop(func(after uint64, n int) ([]Envelope, bool, error) {
			return e.loadInbox(c.addr, after, n)
		})
		if err != nil {
			return Stepped, e.fail(c, "read inbox: "+err.Error())
		}
		if !ok {
			return Idle, nil
		}
	}
	return Stepped, e.turn(c, env, gen, first)
}

// make makes the actor's value. New must not panic; that one does is no reason
// to lose the actor.
func (c *Cell) make() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic in New: %v", r)
		}
	}()
	c.actor = c.kind.New(c.addr)
	c.fleeting = map[string]string{}
	return nil
}

// turn runs one message through the actor.
func (e *Engine) turn(c *Cell, env Envelope, gen uint64, first bool) *Failure {
	if skip, err := e.stale(c, &env); err != nil {
		c.box.hold(env)
		return e.fail(c, "read receipt: "+err.Error())
	} else if skip {
		return nil
	}
	if env.bad != nil {
		e.quarantine(c, gen, env, env.bad.Error(), "")
		return nil
	}
	cause := actors.Cause{
		Self: c.addr, From: env.From, ID: env.ID, Trace: env.Trace, Attempt: env.attempt + 1,
		Call: env.call, Tag: env.tag, Now: e.clock.Now(),
	}
	if cause.Trace == "" {
		cause.Trace = env.ID
	}
	st, stack, err := e.decide(c, env, cause)
	if err != nil {
		return e.turnFailed(c, gen, env, err.Error(), stack)
	}
	if !e.submit(c, gen, st) {
		return nil // thrown away with the commit that failed; the next step reports that
	}
	c.mu.Lock()
	c.turns++
	if first {
		c.started = true
	}
	healthy := !first && c.sup.worked()
	c.mu.Unlock()
	if first {
		e.report(events.ActorStarted{Actor: c.addr, At: cause.Now})
	}
	if healthy {
		e.report(events.ActorUnhealthy{Actor: c.addr, Healthy: true, At: cause.Now})
	}
	return nil
}

// decide calls the actor and stages what it wants. A panic, also one of the
// messages' own encoding, becomes an error with its stack.
func (e *Engine) decide(c *Cell, env Envelope, cause actors.Cause) (st *staged, stack string, err error) {
	defer func() {
		if r := recover(); r != nil {
			st, stack = nil, string(debug.Stack())
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	turn := actors.NewTurn(cause, cellReader{e, c})
	if err := c.actor.Receive(turn, env.Message); err != nil {
		return nil, "", err
	}
	out, err := turn.Finish()
	if err != nil {
		return nil, "", err
	}
	st, err = e.stage(c, env, cause, out)
	return st, "", err
}

// stale reports whether an envelope was acknowledged before, or belongs to an
// activation, a timer setting or a call that is no more. It also recalls the
// attempts that the store remembers.
func (e *Engine) stale(c *Cell, env *Envelope) (bool, error) {
	if !env.Durable() {
		if env.inc != 0 && env.inc != c.activation() {
			return true, nil
		}
		if env.timer != "" {
			if c.fleeting[env.timer] != env.gen {
				return true, nil
			}
			delete(c.fleeting, env.timer)
		}
		return false, nil
	}
	if env.seq > 0 && !env.stored {
		return false, nil // mail that came from its commit: only this cell can acknowledge it
	}
	raw, ok, err := e.read(c, env.receipt)
	if err != nil || !ok {
		return !ok && err == nil, err
	}
	if env.timer != "" {
		rec, err := decodeRecord[timerRecord](raw)
		if err == nil && rec.Gen != env.gen {
			return true, nil
		}
	}
	if env.stored {
		raw, ok, err := e.read(c, ofActor(keyAttempts, c.addr, env.receipt))
		if err != nil {
			return false, err
		}
		if ok {
			if rec, err := decodeRecord[attemptsRecord](raw); err == nil {
				env.attempt = rec.Attempts
			}
		}
		env.stored = false
	}
	return false, nil
}

// turnFailed decides what becomes of a message whose turn failed.
func (e *Engine) turnFailed(c *Cell, gen uint64, env Envelope, reason, stack string) *Failure {
	env.attempt++
	fatal := env.Durable() && env.attempt >= MaxAttempts
	e.report(events.MessageFailed{
		Actor: c.addr, ID: env.ID, Type: env.Message.MessageType(), Attempt: env.attempt,
		Fatal: fatal, Reason: reason, Stack: stack, At: e.clock.Now(),
	})
	switch {
	case fatal:
		e.quarantine(c, gen, env, reason, stack)
		f := e.fail(c, reason)
		c.mu.Lock()
		c.sup.pardon(env.attempt)
		c.mu.Unlock()
		return f
	case env.Durable():
		e.submit(c, gen, &staged{cell: c, durable: true, ops: []Op{{
			Key:   []byte(ofActor(keyAttempts, c.addr, env.receipt)),
			Value: encodeRecord(attemptsRecord{Attempts: env.attempt, Error: reason, At: e.clock.Now()}),
		}}})
		c.box.hold(env)
	}
	return e.fail(c, reason)
}

// fail throws the actor's value away and asks supervision for the delay.
func (e *Engine) fail(c *Cell, reason string) *Failure {
	now := e.clock.Now()
	c.actor = nil
	c.mu.Lock()
	delay, changed := c.sup.failed(now, reason, e.jitter())
	count := c.sup.restarts
	c.mu.Unlock()
	e.report(events.ActorRestarted{Actor: c.addr, Reason: reason, Delay: delay, Count: count, At: now})
	if changed {
		e.report(events.ActorUnhealthy{Actor: c.addr, Reason: reason, At: now})
	}
	return &Failure{Actor: c.addr, Reason: reason, Delay: delay}
}

// Crash makes a failure of a step that did not return: a panic of the engine or
// its driver, not of the actor. Restart then reads the inbox again, because the
// message that was being handled may be gone from memory. Call it when nothing
// steps the cell.
func (e *Engine) Crash(c *Cell, reason string) *Failure {
	c.mu.Lock()
	c.reread = true
	c.mu.Unlock()
	return e.fail(c, reason)
}

// Restart begins a new activation of a cell after a Failure: fleeting timers
// and answers of the old one are void, the next step sends Started. After a
// failed commit and after a crash the inbox is read again from the store.
func (e *Engine) Restart(c *Cell) {
	for key := range c.fleeting {
		e.timers.cancel(fleetingTimer(c.addr, key))
	}
	c.actor, c.fleeting = nil, nil
	c.mu.Lock()
	reread := c.broken != nil || c.reread
	c.broken, c.reread = nil, false
	c.started = false
	c.inc++
	c.mu.Unlock()
	if reread {
		c.box.reload()
		e.rearm(c.addr)
	}
	e.driver.Wake(c)
}

// maxRaw bounds what a dead letter keeps of a message that is not even JSON: in
// base64 it must fit one transaction.
const maxRaw = maxTurn / 4 * 2

// quarantine stages the move of a message to the dead letters.
func (e *Engine) quarantine(c *Cell, gen uint64, env Envelope, reason, stack string) {
	rec := deadRecord{
		Actor: c.addr, From: env.From, Trace: env.Trace, Attempts: max(env.attempt, 1),
		Error: reason, Stack: stack, At: e.clock.Now(), Msg: env.raw,
	}
	name := "unreadable"
	if env.Message != nil {
		name = env.Message.MessageType().Name
		raw, err := e.codec.Encode(env.Message)
		if err != nil {
			rec.Error += "; " + err.Error()
		}
		rec.Msg = raw
	}
	if !jsonValid(rec.Msg) {
		rec.Msg, rec.Raw = nil, env.raw[:min(len(env.raw), maxRaw)]
		if len(env.raw) > maxRaw {
			rec.Error += fmt.Sprintf("; %d of its %d bytes are kept", maxRaw, len(env.raw))
		}
	}
	e.submit(c, gen, &staged{
		cell: c, durable: true, dead: &rec, deadType: name,
		ops: e.ack(c.addr, env),
	})
}

// ack makes the ops that acknowledge an envelope.
func (e *Engine) ack(addr messages.Address, env Envelope) []Op {
	if !env.Durable() {
		return nil
	}
	ops := []Op{{Key: []byte(env.receipt), Delete: true}}
	if env.attempt > 0 {
		ops = append(ops, Op{Key: []byte(ofActor(keyAttempts, addr, env.receipt)), Delete: true})
	}
	return ops
}
