package engine

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Bounds of the waiting turns of one actor: the turns that wait for their own commit, and the
// turns behind them.
const (
	maxPipelined = 64
	maxBehind    = 8 * maxPipelined
)

// Activation is one live actor as the engine sees it: the value, its mailbox, and
// the turns that ran but are not committed yet. One goroutine at a time may step
// and restart it; everything else is safe for concurrent use.
type Activation struct {
	addr messages.Address
	kind Kind
	box  mailbox
	rows rowReader

	actor    actors.Actor      // nil before the first step and after a failure
	space    *actors.Space     // that no turn uses any more; nil: none
	fleeting map[string]string // fleeting timers: key → generation
	givenUp  map[string]bool   // ids of calls given up by turns that wait for their commit; guarded by mu

	asking atomic.Int32 // fleeting calls that have no answer yet
	used   atomic.Int64 // when the last turn began, in nanoseconds since 1970
	busy   atomic.Int64 // when the code of the actor was called that has not returned, likewise; else 0
	epoch  uint64       // of this process's ownership, at Started

	// Tag is the driver's own.
	Tag atomic.Value

	// release is held while turns are released, so that deliveries keep order.
	release sync.Mutex

	mu          sync.Mutex
	state       state
	why         error   // stale: the reason
	pinned      bool    // it never sleeps
	unread      *unread // nil: nothing is
	seen        int64   // busy, when Blocked last looked
	blocked     bool    // Blocked has reported that turn
	incarnation uint64  // number of the start, across all actors
	generation  uint64  // rises when pending turns are taken back
	pending     []*turn
	uncommitted int                // how many of them are durable
	view        map[string]overlay // what they wrote
	spaces      []*actors.Space    // of earlier ones, at most maxPipelined; none if no turn waits
	budget      restartBudget
	turns       uint64
}

// overlay is a value that a pending turn wrote.
type overlay struct {
	value []byte
	ok    bool
	by    *turn // the last writer
}

// full reports whether too many turns wait. The caller holds act.mu.
func (act *Activation) full() bool {
	return act.uncommitted >= maxPipelined || len(act.pending) >= maxBehind
}

func (act *Activation) currentIncarnation() uint64 {
	act.mu.Lock()
	defer act.mu.Unlock()
	return act.incarnation
}

// Address names the actor.
func (act *Activation) Address() messages.Address { return act.addr }

// Failure is a turn or a commit that failed. The driver must call
// [Control.Restart] once Delay has passed; until then, steps do nothing.
type Failure struct {
	Actor  messages.Address
	Reason string
	Delay  time.Duration
	Err    error // why a commit failed; nil for a turn
}

func (f *Failure) Error() string { return fmt.Sprintf("%s: %s", f.Actor, f.Reason) }

// Unwrap returns Err.
func (f *Failure) Unwrap() error { return f.Err }

// Progress is the result of a step.
type Progress int

// Results of a step.
const (
	Idle    Progress = iota // no mail
	Blocked                 // too many turns wait for their commit: step again when woken
	Stepped                 // one message was handled or skipped
)

// Step runs the next turn of an activation: it takes one message, lets the actor
// decide, and stages the outcome for the committer. It starts no goroutine and
// never waits. After a Failure the turn has left no trace. If the actor ends the goroutine
// (runtime.Goexit), Step panics with the *Failure that it cannot return.
func (c Control) Step(act *Activation) (Progress, *Failure) {
	e := c.e
	act.mu.Lock()
	state, why, generation, full := act.state, act.why, act.generation, act.full()
	if n := len(act.spaces); n > 0 && act.space == nil {
		act.space, act.spaces = act.spaces[n-1], act.spaces[:n-1]
	}
	act.mu.Unlock()
	switch {
	case state == stale:
		return Stepped, e.failStale(act, why)
	case state == failed, state == frozen, state == asleep, state == stopped:
		return Idle, nil
	case full:
		return Blocked, nil
	}
	if act.actor == nil {
		if err := act.create(e.clock.Now()); err != nil {
			return Stepped, e.fail(act, err.Error())
		}
	}
	if state == starting {
		if !e.mine(act.addr) {
			e.letGo([]messages.Address{act.addr})
			return Idle, nil
		}
		if err := e.own(act); err != nil {
			return Stepped, e.failOn(act, "read epoch: ", err)
		}
		env := Envelope{ID: e.fleetingID(), To: act.addr, At: e.clock.Now(), Message: messages.Started{}}
		act.box.behind = true
		return Stepped, e.runTurn(act, &env, generation, true)
	}
	env, ok, err := act.box.pop(func(r inboxRange) ([]Envelope, bool, error) {
		return e.loadInbox(act.addr, r)
	})
	switch {
	case err != nil:
		return Stepped, e.failOn(act, "read inbox: ", err)
	case !ok:
		e.waitedFor(act)
		return Idle, nil
	}
	if e.inHand.suspect() {
		return e.tryTurn(act, &env, generation)
	}
	return Stepped, e.runTurn(act, &env, generation, false)
}

// More reports whether mail was left behind the message of the last step. If not, another
// step is useless until the activation is woken again. It is called like Step.
func (act *Activation) More() bool { return act.box.behind }

// tryTurn is runTurn for a message that may have killed an earlier process.
func (e *Engine) tryTurn(act *Activation, env *Envelope, generation uint64) (Progress, *Failure) {
	deaths, ok := e.inHand.admit(env.receipt, func() { e.driver.Wake(act) })
	if !ok {
		act.box.putBack(*env)
		return Idle, nil
	}
	defer e.inHand.settle(env.receipt)
	env.deaths = deaths
	return Stepped, e.runTurn(act, env, generation, false)
}

// failStale fails a step because memory and store differ. If a deletion is the reason,
// that costs no restart of the budget.
func (e *Engine) failStale(act *Activation, why error) *Failure {
	switch {
	case errors.Is(why, errUnread):
		return e.failOn(act, "", why)
	case !errors.Is(why, errForgotten):
		f := e.failOn(act, "commit failed: ", why)
		f.Err = why
		return f
	}
	f := e.restart(act, setback{reason: "begins anew: " + why.Error(), forgotten: true, waits: true})
	act.mu.Lock()
	act.budget.forgive(1)
	act.mu.Unlock()
	return f
}

// create makes the actor's value. New must not panic, but if it does the actor is
// restarted like any other.
func (act *Activation) create(now time.Time) (err error) {
	act.busy.Store(now.UnixNano())
	defer act.busy.Store(0)
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("New: %w", &crash{value: r})
		}
	}()
	act.actor = act.kind.New(act.addr)
	act.fleeting = map[string]string{}
	return nil
}

// own reads the ownership under which the turns of a new incarnation run.
func (e *Engine) own(act *Activation) (err error) {
	act.epoch, err = e.readCounter(string(epochKey(act.addr)), firstEpoch)
	return err
}

// runTurn runs one message through the actor.
func (e *Engine) runTurn(act *Activation, env *Envelope, generation uint64, first bool) *Failure {
	skip, err := e.handled(act, env)
	if err != nil {
		act.box.putBack(*env)
		return e.failOn(act, "read receipt: ", err)
	}
	if skip || env.bad != nil {
		if !skip {
			e.quarantine(act, generation, *env, env.bad.Error(), "")
		}
		e.waitedFor(act)
		return nil
	}
	if died := env.countDeaths(); died > 0 && env.attempt >= MaxAttempts {
		e.quarantine(act, generation, *env, killer(died, "it was handled"), "")
		return nil
	}
	cause := actors.Cause{
		Self: act.addr, From: env.From, ID: env.ID, Trace: env.Trace, Attempt: env.attempt + 1,
		Call: env.call, Tag: env.tag, Now: e.clock.Now(),
	}
	act.used.Store(cause.Now.UnixNano())
	if cause.Trace == "" {
		cause.Trace = env.ID
	}
	place, returned := e.inHand.take(env.receipt), false
	defer func() {
		if !returned {
			e.inHand.drop(place)
			panic(e.turnFailed(act, generation, *env, first, errExited, string(debug.Stack())))
		}
	}()
	t, light, stack, err := e.decide(act, env, cause)
	returned = true
	e.inHand.drop(place)
	switch {
	case t != nil || err != nil:
	case e.performAtOnce(&light, generation):
		act.space.Clear() // the next turn may be long in coming
	default:
		t, err = e.stage(env, light)
		act.space = nil // the turn has it now
	}
	if first {
		act.space = nil // many have no turn but this one
	}
	if err != nil {
		return e.turnFailed(act, generation, *env, first, err, stack)
	}
	if t != nil {
		if ok, released := e.submit(t, generation); !ok {
			return nil // taken back with the commit that failed; the next step reports that
		} else if released {
			t.release()
		}
	}
	e.worked(act, cause.Now, first)
	return nil
}

// countDeaths counts them among the attempts, once: the envelope may be put back.
func (env *Envelope) countDeaths() (died int) {
	died, env.deaths = env.deaths, 0
	env.attempt += died
	return died
}

// worked notes that a turn has not failed.
func (e *Engine) worked(act *Activation, now time.Time, first bool) {
	act.mu.Lock()
	if first {
		act.becomeRunning()
	}
	healthy := !first && act.budget.worked(now) || act.blocked && !act.budget.unhealthy
	act.blocked = false
	act.mu.Unlock()
	if first {
		e.report(events.ActorStarted{Actor: act.addr, At: now})
	}
	if healthy {
		e.tellHealth(act)
	}
}

// waitedFor notes that nothing is left of what an actor has waited for, or that it is over with it: it was deleted,
// or will never be readable.
func (e *Engine) waitedFor(act *Activation) {
	act.mu.Lock()
	healthy := act.budget.waits && act.budget.worked(e.clock.Now())
	act.mu.Unlock()
	if healthy {
		e.tellHealth(act)
	}
}

// crash is a panic. Its value may be private, so its error, which goes to the log,
// contains only what the Go runtime says, or the value's type. A dead letter keeps the
// value, which belongs to the owner like the message.
type crash struct{ value any }

func (c *crash) Error() string {
	if err, ok := c.value.(runtime.Error); ok {
		return "panic: " + Foreign(err).Error()
	}
	if c.value == actors.ErrTurnOver {
		return "panic: " + actors.ErrTurnOver.Error()
	}
	return fmt.Sprintf("panic with a %T", c.value)
}

// errExited is the failure of an actor that ended its goroutine.
var errExited = errors.New("the goroutine was ended with runtime.Goexit")

// decide calls the actor and stages what it wants, unless that is light: then there is no
// turn. A panic of the actor, or of the encoding of a message, becomes an error with its
// stack.
func (e *Engine) decide(act *Activation, env *Envelope, cause actors.Cause) (
	t *turn, light effect, stack string, err error,
) {
	if act.space == nil {
		act.space = new(actors.Space)
	}
	at := act.space.NewTurn(cause, &act.rows)
	act.busy.Store(cause.Now.UnixNano())
	returned := false
	defer func() {
		act.busy.Store(0)
		if r := recover(); r != nil || !returned {
			_, _ = at.Finish() // it is over in any case
			t, stack = nil, string(debug.Stack())
			err = &crash{value: r}
		}
		if t != nil || err != nil {
			act.space = nil // the turn owns the space now, or leaked code may still use it
		}
	}()
	failed := act.actor.Receive(at, env.Message)
	returned = true
	out, err := at.Finish()
	if errors.Is(err, ErrKeyAway) { // the actor did not see its rows
		return nil, effect{}, "", err
	}
	if err = cmp.Or(failed, err); err != nil {
		return nil, effect{}, "", Foreign(err)
	}
	x := effect{act: act, incarnation: act.currentIncarnation(), cause: cause, out: out}
	if e.light(env, out) {
		return nil, x, "", nil
	}
	if t, err = e.stage(env, x); err == nil && env.dead != nil {
		t.bury(env.dead)
	}
	if !errors.Is(err, ErrKeyAway) {
		err = Foreign(err) // of the encoding of a message
	}
	return t, effect{}, "", err
}

// handled reports whether an envelope needs no turn: it was acknowledged before, or
// belongs to an incarnation, a timer or a call that is over. It also reads how often the
// message has failed, if the store knows that.
func (e *Engine) handled(act *Activation, env *Envelope) (bool, error) {
	if !env.Durable() {
		void, err := e.unwanted(act, env)
		if env.incarnation != 0 && env.incarnation != act.currentIncarnation() {
			return true, nil
		}
		if void || err != nil {
			return void, err
		}
		if env.timer != "" {
			if act.fleeting[env.timer] != env.gen {
				return true, nil
			}
			delete(act.fleeting, env.timer)
		}
		return false, nil
	}
	if env.seq > 0 && !env.stored {
		return e.hiddenNow([]byte(env.receipt)) // straight from its commit: only this activation can acknowledge it
	}
	raw, ok, err := e.read(act, env.receipt)
	if errors.Is(err, ErrNoKey) { // it is there
		stored, there, gerr := e.store.Get([]byte(env.receipt))
		env.bad, env.raw, env.stored = err, stored, false
		return !there && gerr == nil, gerr
	}
	if err != nil || !ok {
		if err == nil {
			e.passedOver(env)
		}
		return err == nil, err
	}
	if env.timer != "" {
		rec, err := decodeRecord[timerRecord](raw)
		if err == nil && rec.Gen != env.gen {
			return true, e.rearmAnew(env, rec.Gen)
		}
	}
	if env.stored {
		raw, ok, err := e.read(act, ofActor(keyAttempts, act.addr, env.receipt))
		if err != nil && !errors.Is(err, ErrNoKey) {
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

// passedOver reports a delivery that is skipped because its row is being forgotten, and
// not because it was acknowledged before.
func (e *Engine) passedOver(env *Envelope) {
	key := []byte(env.receipt)
	row, there, err := e.store.Get(key)
	if err != nil || !there {
		return
	}
	if _, err := e.open(key, row); e.forgotten(row, err) {
		e.drop(events.StageDeliver, events.RuleForgotten, env.To, env.ID)
	}
}

// turnFailed decides what happens to a message whose turn failed. The first of an incarnation comes again with
// the next.
func (e *Engine) turnFailed(
	act *Activation, generation uint64, env Envelope, first bool, err error, stack string,
) *Failure {
	reason, kept := cutText(err.Error()), stack
	if c := (*crash)(nil); errors.As(err, &c) {
		kept = fmt.Sprintf("panic: %.1000s\n\n%s", fmt.Sprint(c.value), stack)
	}
	stack, kept = cutText(stack), cutText(kept)
	if (first || env.Durable()) && errors.Is(err, ErrKeyAway) { // nobody's failure, so no attempt
		if !first {
			act.box.putBack(env)
		}
		return e.failOn(act, "", err)
	}
	env.attempt++
	fatal := env.Durable() && env.attempt >= MaxAttempts
	e.report(events.MessageFailed{
		Actor: act.addr, ID: env.ID, Type: env.Message.MessageType(), Attempt: env.attempt,
		Fatal: fatal, Reason: reason, Stack: stack, At: e.clock.Now(),
	})
	switch {
	case fatal:
		e.quarantine(act, generation, env, reason, kept)
		f := e.fail(act, reason)
		act.mu.Lock()
		act.budget.forgive(env.attempt)
		act.mu.Unlock()
		return f
	case env.Durable():
		t := newTurn(act, &env)
		t.durable = true
		about := cmp.Or(string(env.about), e.subject(env.Message, act.addr))
		if !e.canSeal(about) { // that may be why it failed
			about = ofNode
		}
		t.Ops = append(t.Ops, Op{
			Key:   []byte(ofActor(keyAttempts, act.addr, env.receipt)),
			Value: encodeRecord(attemptsRecord{Attempts: env.attempt, Error: reason, At: e.clock.Now()}),
			about: about,
		})
		t.measure()
		e.submit(t, generation)
		act.box.putBack(env)
	}
	return e.restart(act, because("", err))
}

// setback is why an actor's value is thrown away.
type setback struct {
	reason    string
	key       string // that is out of reach, if that is the reason
	waits     bool   // what failed is tried again by itself, and all else waits for it
	forgotten bool   // what it knew was deleted
}

// because makes a setback of an error that may say that a key is out of reach.
func because(what string, err error) setback {
	s := setback{reason: what + cutText(err.Error()), key: KeyAway(err)}
	if s.key != "" {
		s.reason += "; it goes on by itself once the key can be used"
	}
	return s
}

func (e *Engine) fail(act *Activation, reason string) *Failure {
	return e.restart(act, setback{reason: reason})
}

// failOn is fail where something could not be read or written, and nothing is lost.
func (e *Engine) failOn(act *Activation, what string, err error) *Failure {
	why := because(what, err)
	why.waits = true
	return e.restart(act, why)
}

// restart throws the actor's value away and asks supervision for the delay.
func (e *Engine) restart(act *Activation, why setback) *Failure {
	now := e.clock.Now()
	why.reason = cutText(why.reason)
	act.actor = nil
	act.mu.Lock()
	act.becomeFailed()
	delay, changed := act.budget.failed(now, why.reason, e.jitter())
	act.budget.waits = why.waits
	changed = act.budget.names(why.key) || changed
	count := act.budget.restarts
	act.mu.Unlock()
	e.report(events.ActorRestarted{
		Actor: act.addr, Forgotten: why.forgotten, Reason: why.reason, Delay: delay, Count: count, At: now,
	})
	if changed {
		e.report(events.ActorUnhealthy{Actor: act.addr, Reason: why.reason, Key: why.key, At: now})
	}
	return &Failure{Actor: act.addr, Reason: why.reason, Delay: delay}
}

// Crash makes a failure of a step that did not return: a panic of the engine or its
// driver, not of the actor. Restart then reads the inbox again, because the message being
// handled may no longer be in memory. Call it while nothing steps the activation.
func (c Control) Crash(act *Activation, reason string) *Failure {
	act.mu.Lock()
	act.becomeStale(errors.New(reason))
	act.mu.Unlock()
	return c.e.fail(act, reason)
}

// Restart begins a new incarnation of an activation after a Failure. Fleeting timers and
// answers of the old one become invalid, and the next step sends Started. After a failed
// commit or a crash the inbox, the timers and the calls are read again from the store; if
// that fails, so does the next step.
func (c Control) Restart(act *Activation) {
	for key := range act.fleeting {
		c.e.timers.cancel(fleetingTimer(act.addr, key))
	}
	act.actor, act.fleeting = nil, nil
	act.mu.Lock()
	reread := act.becomeStarting(c.e.incarnations.Add(1))
	act.mu.Unlock()
	if reread {
		act.box.reload()
		err := c.e.rearm(act.addr)
		if err != nil {
			act.mu.Lock()
			act.becomeStale(fmt.Errorf("%w: %w", errUnread, err))
			act.mu.Unlock()
		}
	}
	c.e.driver.Wake(act)
}

// maxRaw bounds how much a dead letter keeps of a message that is not even JSON: in
// base64 it must fit into one transaction.
const maxRaw = maxTurn / 4 * 2

// quarantine stages the move of a message to the dead letters.
func (e *Engine) quarantine(act *Activation, generation uint64, env Envelope, reason, stack string) {
	t := newTurn(act, &env)
	t.durable = true
	e.ack(t, &env)
	rec := deadRecord{
		Actor: act.addr, From: env.From, Trace: env.Trace, Attempts: max(env.attempt, 1),
		Error: cutText(reason), Stack: stack, At: e.clock.Now(), About: e.requestSubject(env), Msg: env.raw,
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
	about := e.keepSealed(&rec, &env)
	t.bury(&deadLetterChange{record: rec, typeName: name})
	t.Records[len(t.Records)-1].about = about
	e.submit(t, generation)
}

// keepSealed makes a dead letter keep its message as it is stored, if that cannot be
// opened or sealed again. It can be retried once its key is back. It returns whose key
// seals the dead letter itself.
func (e *Engine) keepSealed(rec *deadRecord, env *Envelope) (about string) {
	if e.sealer == nil {
		return ""
	}
	key := []byte(env.receipt)
	if marked(rec.Raw) {
		rec.Place = place(key)
	}
	about = cmp.Or(e.rowSubject(keyDead, encodeRecord(*rec)), ofNode)
	if e.canSeal(about) {
		return about
	}
	rec.About = cmp.Or(rec.About, messages.ConversationID(about))
	stored, ok, err := e.store.Get(key)
	if rec.Msg = nil; err == nil && ok && marked(stored) && len(stored) <= maxRaw {
		rec.Raw, rec.Place = stored, place(key)
	} else if rec.Raw == nil {
		rec.Error += "; its text is not kept"
	}
	return ofNode
}

// requestSubject is whom the request of a durable call was about, to which this is the
// answer. The row of the call exists until the answer is acknowledged.
func (e *Engine) requestSubject(env Envelope) messages.ConversationID {
	if env.call == "" || !env.Durable() {
		return env.about
	}
	raw, ok, err := e.get([]byte(env.receipt))
	if !ok || err != nil {
		return "" // the turn is stale then, or the store stops
	}
	rec, err := decodeRecord[callRecord](raw)
	if err != nil {
		return ""
	}
	subject, err := e.codec.Subject(rec.Msg)
	if err != nil {
		return ""
	}
	return subject
}

// bury adds a dead letter to a turn.
func (t *turn) bury(d *deadLetterChange) {
	t.dead = d
	t.Records = append(t.Records, Record{Class: ClassDeadLetter, Shard: t.shard, Value: encodeRecord(d.record)})
	t.measure()
}

// ack makes a turn acknowledge an envelope.
func (e *Engine) ack(t *turn, env *Envelope) {
	if !env.Durable() {
		return
	}
	t.Ops = append(t.Ops, Op{Key: bytesOf(env.receipt), Delete: true})
	if env.attempt > 0 {
		t.Ops = append(t.Ops, Op{Key: bytesOf(ofActor(keyAttempts, t.act.addr, env.receipt)), Delete: true})
	}
}
