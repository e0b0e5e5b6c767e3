package runtime

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"runtime/debug"
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
	name    string
	handler func(context.Context, Event) error
	wake    chan struct{}
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
// same Seq. Failures are retried with backoff; meanwhile Healthy lists them.
//
// An event that cannot be decoded, because its type is in no table of this
// program, is never skipped: the subscription stops before it, Healthy says so,
// and a start of a program that knows the type goes on from there.
//
// Call it before Run. Handlers of different names run concurrently.
func (r *Runtime) Subscribe(name string, handler func(context.Context, Event) error) error {
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
	r.subs = append(r.subs, &subscription{name: name, handler: handler, wake: make(chan struct{}, 1)})
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

// follow serves one subscription until ctx ends and everything logged before
// that is handled, or stop ends.
func (r *Runtime) follow(ctx, stop context.Context, s *subscription) error {
	cursor, err := r.engine.Cursor(s.name)
	if err != nil {
		return err
	}
	trouble := "subscription " + s.name
	known := cursor > 0
	for wait := time.Duration(0); ; {
		n, err := 0, error(nil)
		if !known { // retention spares only what a stored cursor has yet to pass
			err = r.engine.SetCursor(stop, s.name, cursor)
			known = err == nil
		}
		if known {
			n, err = r.handOut(stop, s, &cursor)
		}
		switch {
		case stop.Err() != nil:
			return nil
		case errors.Is(err, errUnreadable):
			r.health.Set(trouble, fmt.Sprintf("subscription %q has stopped: %v", s.name, err))
			r.log.Error().Err(err).Str("subscription", s.name).Msg("subscription_stopped")
			select {
			case <-ctx.Done():
			case <-stop.Done():
			}
			return nil
		case err != nil:
			wait = min(max(2*wait, followRetryFirst), followRetryCap)
			// The error is the host's and may hold private text: it goes to the
			// log alone, as the status is shown to any local user.
			r.health.Set(trouble, fmt.Sprintf("subscription %q fails after event %d and is retried: "+
				"the log has the error", s.name, cursor))
			r.log.Warn().Err(err).Str("subscription", s.name).Dur("retry_in", wait).Msg("subscription_failed")
			if hardware.Pause(stop, wait) != nil {
				return nil
			}
			continue
		}
		if wait > 0 {
			wait = 0
			r.health.Set(trouble, "")
		}
		switch {
		case n > 0:
			continue
		case ctx.Err() != nil:
			return nil
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
		case <-stop.Done():
		}
	}
}

// handOut gives a subscription one page of the log and moves its cursor. It
// returns how many events the handler took.
func (r *Runtime) handOut(ctx context.Context, s *subscription, cursor *uint64) (n int, err error) {
	var page []Event
	if err := r.engine.ReadLog(*cursor, func(ev Event) bool {
		page = append(page, ev)
		return len(page) < logPage
	}); err != nil {
		return 0, err
	}
	for n, ev := range page {
		if ev.Err != nil {
			return n, fmt.Errorf("%w: event %d: %w", errUnreadable, ev.Seq, ev.Err)
		}
		if err := s.handle(ctx, ev); err != nil {
			return n, err
		}
		if err := r.engine.SetCursor(ctx, s.name, ev.Seq); err != nil {
			return n, err
		}
		*cursor = ev.Seq
	}
	return len(page), nil
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
