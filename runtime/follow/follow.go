// Package follow delivers the event log to its acknowledged readers. [Readers] are those
// of one runtime. Each is a [Subscription], whose cursor, parked events and attempts the
// engine stores. A kill loses at most one acknowledgement: that event is delivered again
// with the same number.
package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Event is what is delivered.
type Event = engine.Published

// Handler takes one event; returning nil acknowledges it. Of a conversation that was forgotten it gets none
// but the one that it has, or is called with, while the forgetting ends. Returning [engine.ErrKeyAway], as it
// came from the runtime, costs no attempt.
type Handler = func(context.Context, Event) error

// Readers are the subscriptions of a runtime. Their methods may be called concurrently.
type Readers struct {
	mu   sync.Mutex
	list []*Subscription
}

// Add adds a reader; it starts with [Subscription.Follow].
func (r *Readers) Add(name string, handler Handler, opts []Option) error {
	if name == "" || handler == nil {
		return errors.New("subscribe: want a name and a handler")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.list {
		if s.name == name {
			return fmt.Errorf("subscription %q is there twice", name)
		}
	}
	sub := &Subscription{name: name, handler: handler, wake: make(chan struct{}, 1)}
	for _, o := range opts {
		o(sub)
	}
	sub.again.Store(true)
	r.list = append(r.list, sub)
	return nil
}

// All returns the readers in the order in which they were added.
func (r *Readers) All() []*Subscription {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// Wake makes all readers look for events.
func (r *Readers) Wake() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.list {
		s.rouse()
	}
}

// Retry makes all readers look for parked events to be tried again.
func (r *Readers) Retry() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.list {
		s.again.Store(true)
		s.rouse()
	}
}

// Served returns for each reader why it is stuck, "" if it is not.
func (r *Readers) Served() map[string]string {
	list := map[string]string{}
	for _, s := range r.All() {
		list[s.name] = ""
		if err := s.why(); err != nil {
			line, _, _ := strings.Cut(err.Error(), "\n")
			list[s.name] = line
		}
	}
	return list
}

// Leave gives up the readers that Follow still serves, because their handlers do not return.
// They count as stuck. It returns their names.
func (r *Readers) Leave() (left []string) {
	for _, s := range r.All() {
		if s.leave() {
			left = append(left, s.name)
		}
	}
	return left
}

// Behind lists the readers that are stuck, sorted.
func (r *Readers) Behind() []string {
	var list []string
	for name, why := range r.Served() {
		if why != "" {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// Subscription is one acknowledged reader of the event log.
type Subscription struct {
	name     string
	handler  func(context.Context, Event) error
	attempts int // before an event is parked; 0: it is retried for ever
	wake     chan struct{}
	again    atomic.Bool // there may be parked events to try again

	mu     sync.Mutex
	tries  int    // of the next event
	tried  uint64 // which one that is; 0: no one failed
	err    error  // why it failed; nil if it did not
	served bool   // Follow has not returned
}

// Option changes how a subscription is served.
type Option func(*Subscription)

// ParkAfter puts an event aside, as a dead letter of its subscription, once its handler
// has failed that many times in this run. Less than 1 means never.
func ParkAfter(attempts int) Option {
	return func(s *Subscription) { s.attempts = attempts }
}

// Name returns the name it was added under.
func (s *Subscription) Name() string { return s.name }

// rouse makes the subscription look for events.
func (s *Subscription) rouse() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// failed notes that the next event could not be handled, and returns how often that has
// happened. Before it another may have been the next one, which is gone.
func (s *Subscription) failed(seq uint64, err error) (tries int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seq != s.tried {
		s.tried, s.tries = seq, 0
	}
	s.tries++
	s.err = err
	return s.tries
}

func (s *Subscription) worked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried, s.tries, s.err = 0, 0, nil
}

func (s *Subscription) serve(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served = on
}

// leave reports whether the subscription is served still, and is stuck from now on.
func (s *Subscription) leave() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.served && !errors.Is(s.err, errHangs) {
		s.err = errors.Join(errHangs, s.err)
	}
	return s.served
}

// hangs notes why the subscription is stuck, and returns what was noted before.
func (s *Subscription) hangs(why error) (before error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, s.err = s.err, why
	return before
}

// why returns why the subscription is stuck; nil if it is not.
func (s *Subscription) why() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// logPage is how many events a subscription reads at once.
const logPage = 64

// Backoff of a subscription that fails.
const (
	followRetryFirst = 100 * time.Millisecond
	followRetryCap   = 30 * time.Second
)

var (
	errUnreadable = errors.New("event cannot be read") // by this program
	errHangs      = errors.New("its handler does not return")
	errExited     = errors.New("the goroutine was ended with runtime.Goexit")
)

// handlerTimeout is how long a handler may take for an event before this is reported.
const handlerTimeout = 30 * time.Second

// catchUp is how long a subscription may work on its backlog once the actors have
// stopped. The rest is kept for the next start.
const catchUp = time.Second

// Options are what a subscription is served with.
type Options struct {
	Engine  *engine.Engine
	Log     zerolog.Logger
	Trouble func(reason, text string) // what is wrong, for people who ask; "" if nothing is
	// Advice chooses between what helps beside Kehai's command line, and in a host's own program. Nil:
	// the former.
	Advice func(kehai, alone string) string
}

// Follow serves a subscription until ctx ends and everything logged before that is
// handled or exceeds catchUp, or until stop ends.
func (s *Subscription) Follow(ctx, stop context.Context, o Options) error {
	s.serve(true)
	defer s.serve(false)
	f := follower{Options: o, Subscription: s, ctx: ctx, stop: stop}
	defer f.forgetLater()
	var err error
	if f.cursor, err = f.Engine.Cursor(s.name); err != nil {
		return err
	}
	for wait := time.Duration(0); ; {
		n, err := f.some()
		switch {
		case stop.Err() != nil:
			return nil
		case errors.Is(err, errUnreadable):
			if !f.halt(err) {
				return nil
			}
			f.worked()
			f.Trouble(f.reason(), "")
			continue
		case err != nil && ctx.Err() != nil:
			return nil // it continues at the next start; Run says so
		case err != nil:
			wait = min(max(2*wait, followRetryFirst), followRetryCap)
			f.tell(err, wait)
			if hardware.Pause(ctx, wait) != nil && stop.Err() != nil {
				return nil
			}
			continue
		}
		if wait > 0 {
			wait = 0
			f.Trouble(f.reason(), "")
		}
		if n > 0 && !f.enough() {
			continue
		}
		if ctx.Err() != nil {
			return nil
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
		case <-stop.Done():
		}
	}
}

// follower is a subscription being served.
type follower struct {
	Options
	*Subscription
	ctx, stop context.Context // of one call of follow
	cursor    uint64          // acknowledged
	known     bool            // the cursor is stored: retention here keeps what it has yet to pass
	trimmed   uint64          // the newest event that retention had deleted when the log was read
	missed    uint64          // the newest one that people were told it has missed
	unread    uint64          // the event that stopped it
	ended     time.Time       // when ctx was first seen to have ended
	later     *time.Timer     // tries parked events again whose keys are out of reach; nil: none are
}

func (f *follower) reason() string { return "subscription " + f.name }

// enough reports whether to leave the backlog to the next start.
func (f *follower) enough() bool {
	if f.ctx.Err() == nil {
		return false
	}
	if f.ended.IsZero() {
		f.ended = time.Now()
	}
	return time.Since(f.ended) > catchUp
}

// halt stops at an event that this program cannot read, until somebody parks it, see [Served.Park],
// it is gone, it can be read, or the end: then it returns false.
func (f *follower) halt(err error) bool {
	f.failed(f.unread, err)
	mend := "start a program that knows the type, or "
	if errors.Is(err, engine.ErrNoKey) || errors.Is(err, engine.ErrRecord) { // which says what brings it back
		mend = "then start again; or, if it is gone for good, "
	}
	f.Trouble(f.reason(), fmt.Sprintf("subscription %q has stopped: %v: %s%s puts the event aside", f.name, err, mend,
		f.advise("`kehai subscriptions park "+f.name+"`", "Runtime.ParkEvent")))
	f.Log.Error().Err(err).Str("subscription", f.name).Msg("subscription_stopped")
	look := time.NewTicker(followRetryCap)
	defer look.Stop()
	for {
		select {
		case <-f.wake:
		case <-look.C:
		case <-f.ctx.Done():
			return false
		case <-f.stop.Done():
			return false
		}
		if at, err := f.Engine.Cursor(f.name); err == nil && at > f.cursor {
			f.cursor = at
			return true
		}
		if ev, ok, err := f.Engine.Event(f.unread); err != nil || !ok || ev.Err == nil {
			return true
		}
	}
}

// tell reports a failure. The error is the host's and may hold private text. It goes only
// to the log and through the control socket, because any local user can see the status.
func (f *follower) tell(err error, wait time.Duration) {
	if key := engine.KeyAway(err); key != "" {
		f.Trouble(f.reason(), fmt.Sprintf("subscription %q waits behind event %d for a key: %s; it goes on by itself "+
			"once the key can be used", f.name, f.cursor, key))
		f.Log.Warn().Err(err).Str("subscription", f.name).Dur("retry_in", wait).Msg("subscription_waits")
		return
	}
	f.Trouble(f.reason(), fmt.Sprintf("subscription %q fails after event %d and is retried: "+
		"the log has the error, and %s", f.name, f.cursor,
		f.advise("`kehai subscriptions list`", "Runtime.Subscriptions")))
	f.Log.Warn().Err(err).Str("subscription", f.name).Dur("retry_in", wait).Msg("subscription_failed")
}

// some delivers parked events to be tried again, and one page of the log.
func (f *follower) some() (n int, err error) {
	if !f.known {
		if err := f.Engine.SetCursor(f.stop, f.name, f.cursor); err != nil {
			return 0, err
		}
		if f.cursor, err = f.Engine.Cursor(f.name); err != nil { // an event may have been parked meanwhile
			return 0, err
		}
		f.known = true
	}
	if f.again.Swap(false) {
		if err := f.retryParked(); err != nil {
			f.again.Store(true)
			return 0, err
		}
	}
	return f.handOut()
}

// handOut gives the handler one page of the log and moves the cursor. It returns how many
// events it passed.
func (f *follower) handOut() (n int, err error) {
	page, err := f.read()
	if err != nil {
		f.hangs(err)
		return 0, err
	}
	if len(page) == 0 {
		f.worked()
	}
	f.tellMissed()
	for n, seq := range page {
		ev, ok, err := f.Engine.Event(seq) // handlers take long: it may have been forgotten since
		switch {
		case err != nil:
			f.hangs(err)
			return n, err
		case !ok:
			if f.trimmed, err = f.Engine.Trimmed(); err != nil {
				return n, err
			}
			f.tellMissed()
			continue
		case ev.Err != nil:
			f.unread = seq
			return n, fmt.Errorf("%w: event %d: %w", errUnreadable, seq, ev.Err)
		}
		if f.enough() {
			return n, nil
		}
		if err := f.take(ev); err != nil {
			return n, err
		}
		f.cursor = seq
		f.worked()
	}
	return len(page), nil
}

// read returns the numbers of the next page of the log, and notes what was trimmed when it read it.
func (f *follower) read() (page []uint64, err error) {
	for {
		if page, err = f.Engine.Logged(f.cursor, logPage); err != nil {
			return nil, err
		}
		before := f.trimmed
		if f.trimmed, err = f.Engine.Trimmed(); err != nil || f.trimmed == before {
			return page, err
		}
	}
}

// tellMissed reports events that retention has deleted before this subscription got them: where
// it was not served, or on another node, which knows nothing of it.
func (f *follower) tellMissed() {
	if f.trimmed <= max(f.cursor, f.missed) {
		return
	}
	f.missed = f.trimmed
	f.Log.Warn().Str("subscription", f.name).Uint64("after", f.cursor).Uint64("up_to", f.missed).
		Msg("subscription_passed")
	f.Trouble(Missed(f.name), fmt.Sprintf("subscription %q has missed events whose time was over, as it was behind: "+
		"they are gone; with a longer %s they stay until it has them", f.name,
		f.advise("`retention.messages`", "Options.Retention")))
}

// take calls the handler with an event, then acknowledges or parks it.
func (f *follower) take(ev Event) error {
	err := f.handle(ev)
	if err == nil {
		return f.Engine.SetCursor(f.stop, f.name, ev.Seq)
	}
	if needs := (needsKey{}); errors.As(err, &needs) { // nobody's failure, so no attempt
		f.hangs(err)
		return err
	}
	tries := f.failed(ev.Seq, err)
	if f.attempts < 1 || tries < f.attempts || f.stop.Err() != nil {
		return err
	}
	perr := f.Engine.Park(f.stop, f.name, ev.Seq, tries, err.Error())
	if perr != nil && !errors.Is(perr, engine.ErrPassed) { // it was, though the store could not say so at first
		return errors.Join(err, perr)
	}
	f.Log.Error().Err(err).Str("subscription", f.name).Uint64("event", ev.Seq).Int("attempts", tries).
		Msg("event_parked")
	f.Trouble(f.reason(), "")
	return nil
}

// retryParked tries each parked event that was sent again once more. Those whose keys are out of reach hold
// up no others.
func (f *follower) retryParked() error {
	list, away := f.Engine.Retried(f.name)
	if away != nil && !errors.Is(away, engine.ErrKeyAway) {
		return away
	}
	f.forgetLater()
	defer func() {
		if away != nil {
			f.retryLater(away)
		}
	}()
	for _, p := range list {
		if still, err := f.Engine.Retries(p.ID); err != nil {
			return err
		} else if !still { // forgotten, or discarded, while the handler had those before it
			continue
		}
		err := p.Event.Err
		if err == nil {
			err = f.handle(p.Event)
		}
		switch needs := (needsKey{}); {
		case f.stop.Err() != nil:
			return f.stop.Err()
		case errors.As(err, &needs):
			away, err = err, nil
		case err == nil:
			err = f.Engine.DiscardDeadLetter(f.stop, p.ID)
		default:
			f.Log.Error().Err(err).Str("subscription", f.name).Uint64("event", p.Event.Seq).Msg("event_parked")
			err = f.Engine.ParkAgain(f.stop, p.ID, 1, err.Error())
		}
		if err != nil && !errors.Is(err, engine.ErrNoDeadLetter) {
			return err
		}
	}
	return nil
}

func (f *follower) parked() string { return "parked events of " + f.name }

// retryLater makes parked events be tried again whose keys are out of reach.
func (f *follower) retryLater(away error) {
	f.later = time.AfterFunc(followRetryCap, func() {
		f.again.Store(true)
		f.rouse()
	})
	f.Trouble(f.parked(), fmt.Sprintf("what subscription %q has put aside may wait for a key: %s; it is tried again "+
		"by itself once the key can be used", f.name, cmp.Or(engine.KeyAway(away), "the log says which")))
	f.Log.Warn().Err(away).Str("subscription", f.name).Dur("retry_in", followRetryCap).Msg("parked_events_wait")
}

// forgetLater ends what retryLater has begun.
func (f *follower) forgetLater() {
	if f.later != nil {
		f.later.Stop()
		f.later = nil
		f.Trouble(f.parked(), "")
	}
}

// handle waits for the handler, and tells if that takes longer than handlerTimeout.
func (f *follower) handle(ev Event) error {
	result := f.call(f.stop, ev)
	late := time.NewTimer(handlerTimeout)
	defer late.Stop()
	select {
	case err := <-result:
		return err
	case <-late.C:
	}
	before := f.hangs(errHangs)
	f.Trouble(f.reason(), fmt.Sprintf("subscription %q: %v from event %d since %v: what follows waits; "+
		"`kill -QUIT %d` ends the program and writes where it waits, and the event comes again",
		f.name, errHangs, ev.Seq, handlerTimeout, os.Getpid()))
	f.Log.Warn().Str("subscription", f.name).Uint64("event", ev.Seq).Dur("after", handlerTimeout).
		Msg("subscription_hangs")
	err := <-result
	f.hangs(before)
	f.Trouble(f.reason(), "")
	return err
}

// needsKey is the error of a handler that was told of a key out of reach.
type needsKey struct{ error }

// ofHandler makes a handler's error safe, see [engine.Foreign].
func ofHandler(err error) (safe error) {
	safe = engine.Foreign(err)
	defer func() { _ = recover() }() // of an Is or Unwrap
	if errors.Is(err, engine.ErrKeyAway) {
		safe = needsKey{safe}
	}
	return safe
}

// call calls the handler, on a goroutine of its own, which it may end. A panic becomes an
// error that names the place but not the value, which may be private text.
func (s *Subscription) call(ctx context.Context, ev Event) <-chan error {
	result := make(chan error, 1)
	go func() {
		returned, err := false, error(nil)
		defer func() {
			switch p := recover().(type) {
			case nil:
				if !returned {
					err = fmt.Errorf("handler: %w\n%s", errExited, debug.Stack())
				}
			case goruntime.Error:
				err = fmt.Errorf("handler panicked: %w\n%s", engine.Foreign(p), debug.Stack())
			default:
				err = fmt.Errorf("handler panicked with a %T\n%s", p, debug.Stack())
			}
			result <- err
		}()
		err = ofHandler(s.handler(ctx, ev))
		returned = true
	}()
	return result
}
