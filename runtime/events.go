package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"

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
//	messages.MessageUnreadable  a message came that could not be read
//
// The handler gets every event once and in order,
// beginning after the last one that a subscription of this name has
// acknowledged, in this process or an earlier one; returning nil acknowledges.
// An event whose handler fails or whose acknowledgement is not stored at a kill
// comes again, with the same Seq. Failures are retried with backoff.
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

// follow serves one subscription until ctx ends and everything logged before
// that is handled, or stop ends.
func (r *Runtime) follow(ctx, stop context.Context, s *subscription) error {
	cursor, err := r.engine.Cursor(s.name)
	if err != nil {
		return err
	}
	for wait := time.Duration(0); ; {
		var page []Event
		err := r.engine.ReadLog(cursor, func(ev Event) bool {
			page = append(page, ev)
			return len(page) < logPage
		})
		for _, ev := range page {
			if err != nil {
				break
			}
			if ev.Message != nil {
				err = s.handler(stop, ev)
			}
			if err == nil {
				err = r.engine.SetCursor(stop, s.name, ev.Seq)
			}
			if err == nil {
				cursor = ev.Seq
			}
		}
		switch {
		case stop.Err() != nil:
			return nil
		case err != nil:
			wait = min(max(2*wait, 100*time.Millisecond), 30*time.Second)
			r.log.Warn().Err(err).Str("subscription", s.name).Dur("retry_in", wait).Msg("subscription_failed")
			if !sleep(stop, wait) {
				return nil
			}
			continue
		case len(page) > 0:
			wait = 0
			continue
		case ctx.Err() != nil:
			return nil
		}
		wait = 0
		select {
		case <-s.wake:
		case <-ctx.Done():
		case <-stop.Done():
		}
	}
}

// sleep waits and reports whether ctx still lives.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
