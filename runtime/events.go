package runtime

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Event is what actors and the runtime report: a message type of package
// messages or of the host's own tables. Events of durable types have a Seq,
// their place in the event log.
type Event = engine.Published

// ErrNotRunning is returned by methods that need a running runtime.
var ErrNotRunning = errors.New("runtime: not running")

// subscription is one acknowledged reader of the event log.
type subscription struct {
	name     string
	handler  func(context.Context, Event) error
	attempts int // before an event is parked; 0: it is tried for ever
	wake     chan struct{}
	again    atomic.Bool // parked events may have been sent again

	mu    sync.Mutex
	tries int   // of the next event
	err   error // why it failed; nil if it did not
}

// SubscribeOption changes how a subscription is served.
type SubscribeOption func(*subscription)

// ParkAfter has an event put aside whose handler has failed that many times: it
// becomes a dead letter of the subscription, which goes on with the next event.
// `kehai deadletters` lists it, and sends it again to this subscription alone, out
// of order. Attempts are counted within one run. Less than 1 means that an event is
// tried for ever, as without the option.
func ParkAfter(attempts int) SubscribeOption {
	return func(s *subscription) { s.attempts = attempts }
}

// failed notes that the next event could not be handled, and says how often.
func (s *subscription) failed(err error) (tries int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries++
	s.err = err
	return s.tries
}

func (s *subscription) worked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries, s.err = 0, nil
}

// why is why the subscription does not go on; nil if it does.
func (s *subscription) why() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Subscribe registers a reader of the durable events. These are above all
//
//	messages.MessageDelivered   a message has come; once for each
//	messages.MessageChanged     a delivered message was edited or taken back; Message
//	                            is the delivery's id, Old and New what it said and says
//	messages.TranscriptGap      messages may have gone by unseen
//	events.MessageUnreadable  a message came that could not be read
//
// The handler gets every event once and in order, beginning after the last one
// that a subscription of this name has acknowledged, in this process or an
// earlier one. Returning nil acknowledges. An event whose handler fails or
// panics, or whose acknowledgement is not stored at a kill, comes again with the
// same Seq. Failures are retried with backoff; meanwhile Healthy lists them. With
// [ParkAfter] an event that is always refused is put aside.
//
// When Run ends, the handler gets what was logged until then as far as it can
// within a second; the rest comes at the next start. If the subscription is behind
// because it fails, Run returns an [Unfinished] that says so.
//
// Retention keeps what a subscription has yet to get, unless the running program
// has none of that name: `kehai subscriptions` lists and drops those.
//
// An event that cannot be decoded, because its type is in no table of this
// program, is never skipped: the subscription stops before it, Healthy says so,
// and a start of a program that knows the type goes on from there.
//
// Call it before Run. Handlers of different names run concurrently.
func (r *Runtime) Subscribe(
	name string, handler func(context.Context, Event) error, opts ...SubscribeOption,
) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case name == "" || handler == nil:
		return errors.New("runtime: subscribe: want a name and a handler")
	case r.state != stateNew:
		return errors.New("runtime: subscribe before Run")
	}
	for _, s := range r.subs {
		if s.name == name {
			return fmt.Errorf("runtime: subscription %q is there twice", name)
		}
	}
	sub := &subscription{name: name, handler: handler, wake: make(chan struct{}, 1)}
	for _, o := range opts {
		o(sub)
	}
	sub.again.Store(true)
	r.subs = append(r.subs, sub)
	return nil
}

// logPage is how many events a subscription reads at once.
const logPage = 64

// Backoff of a subscription that fails.
const (
	followRetryFirst = 100 * time.Millisecond
	followRetryCap   = 30 * time.Second
)

// errUnreadable marks an event that this program cannot decode.
var errUnreadable = errors.New("event cannot be read")

// catchUp is how long a subscription may go on with a backlog once the actors have
// stopped: it is kept for the next start.
const catchUp = time.Second

// follow serves one subscription until ctx ends and what was logged before that is
// handled, or is too much, or stop ends.
func (r *Runtime) follow(ctx, stop context.Context, s *subscription) error {
	f := follower{Runtime: r, subscription: s, ctx: ctx, stop: stop}
	var err error
	if f.cursor, err = r.engine.Cursor(s.name); err != nil {
		return err
	}
	f.known = f.cursor > 0
	for wait := time.Duration(0); ; {
		n, err := f.some()
		switch {
		case stop.Err() != nil:
			return nil
		case errors.Is(err, errUnreadable):
			f.halt(err)
			return nil
		case err != nil && ctx.Err() != nil:
			return nil // it goes on at the next start; Run says so
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
			r.health.Set(f.trouble(), "")
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

// follower is a subscription that is served.
type follower struct {
	*Runtime
	*subscription
	ctx, stop context.Context // of one call of follow
	cursor    uint64          // acknowledged
	known     bool            // the cursor is stored: retention spares what it has yet to pass
	ended     time.Time       // when ctx was first seen to have ended
}

func (f *follower) trouble() string { return "subscription " + f.name }

// enough reports that a backlog is left to the next start.
func (f *follower) enough() bool {
	if f.ctx.Err() == nil {
		return false
	}
	if f.ended.IsZero() {
		f.ended = time.Now()
	}
	return time.Since(f.ended) > catchUp
}

// halt waits for the end before an event that this program cannot read.
func (f *follower) halt(err error) {
	f.failed(err)
	f.health.Set(f.trouble(), fmt.Sprintf("subscription %q has stopped: %v", f.name, err))
	f.log.Error().Err(err).Str("subscription", f.name).Msg("subscription_stopped")
	select {
	case <-f.ctx.Done():
	case <-f.stop.Done():
	}
}

// tell reports a failure. The error is the host's and may hold private text: it
// goes to the log and through the control socket alone, as the status is shown to
// any local user.
func (f *follower) tell(err error, wait time.Duration) {
	f.health.Set(f.trouble(), fmt.Sprintf("subscription %q fails after event %d and is retried: "+
		"the log has the error, and `kehai subscriptions`", f.name, f.cursor))
	f.log.Warn().Err(err).Str("subscription", f.name).Dur("retry_in", wait).Msg("subscription_failed")
}

// some hands out what was sent again and one page of the log.
func (f *follower) some() (n int, err error) {
	if !f.known {
		if err := f.engine.SetCursor(f.stop, f.name, f.cursor); err != nil {
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

// handOut gives the handler one page of the log and moves the cursor. It returns
// how many events were passed.
func (f *follower) handOut() (n int, err error) {
	var page []Event
	if err := f.engine.ReadLog(f.cursor, func(ev Event) bool {
		page = append(page, ev)
		return len(page) < logPage
	}); err != nil {
		return 0, err
	}
	for n, ev := range page {
		if ev.Err != nil {
			return n, fmt.Errorf("%w: event %d: %w", errUnreadable, ev.Seq, ev.Err)
		}
		if f.enough() {
			return n, nil
		}
		if err := f.take(ev); err != nil {
			return n, err
		}
		f.cursor = ev.Seq
		f.worked()
	}
	return len(page), nil
}

// take has an event handled and acknowledges it, or parks it.
func (f *follower) take(ev Event) error {
	err := f.handle(f.stop, ev)
	if err == nil {
		return f.engine.SetCursor(f.stop, f.name, ev.Seq)
	}
	tries := f.failed(err)
	if f.attempts < 1 || tries < f.attempts || f.stop.Err() != nil {
		return err
	}
	if perr := f.engine.Park(f.stop, f.name, ev.Seq, tries, err.Error()); perr != nil {
		return errors.Join(err, perr)
	}
	f.log.Error().Err(err).Str("subscription", f.name).Uint64("event", ev.Seq).Int("attempts", tries).
		Msg("event_parked")
	f.health.Set(f.trouble(), "")
	return nil
}

// retryParked handles the parked events that were sent again, each once.
func (f *follower) retryParked() error {
	list, err := f.engine.Retried(f.name)
	if err != nil {
		return err
	}
	for _, p := range list {
		err := p.Event.Err
		if err == nil {
			err = f.handle(f.stop, p.Event)
		}
		switch {
		case f.stop.Err() != nil:
			return f.stop.Err()
		case err == nil:
			err = f.engine.DiscardDeadLetter(f.stop, p.ID)
		default:
			f.log.Error().Err(err).Str("subscription", f.name).Uint64("event", p.Event.Seq).Msg("event_parked")
			err = f.engine.ParkAgain(f.stop, p.ID, 1, err.Error())
		}
		if err != nil && !errors.Is(err, engine.ErrNoDeadLetter) {
			return err
		}
	}
	return nil
}

// served says of each subscription of this program why it does not go on, "" if it
// does.
func (r *Runtime) served() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := map[string]string{}
	for _, s := range r.subs {
		list[s.name] = ""
		if err := s.why(); err != nil {
			line, _, _ := strings.Cut(err.Error(), "\n")
			list[s.name] = line
		}
	}
	return list
}

// wakeSubscriptions has all look for parked events that were sent again.
func (r *Runtime) wakeSubscriptions() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.subs {
		s.again.Store(true)
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// behind lists the subscriptions that could not go on, sorted.
func (r *Runtime) behind() []string {
	var list []string
	for name, why := range r.served() {
		if why != "" {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// handle calls the handler. Its panic becomes an error that names the place but
// not the value, which may be private text.
func (s *subscription) handle(ctx context.Context, ev Event) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case goruntime.Error:
			err = fmt.Errorf("handler panicked: %w\n%s", p, debug.Stack())
		default:
			err = fmt.Errorf("handler panicked with a %T\n%s", p, debug.Stack())
		}
	}()
	return s.handler(ctx, ev)
}
