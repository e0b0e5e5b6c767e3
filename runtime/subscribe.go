package runtime

import (
	"context"

	"github.com/kehai-run/kehai/runtime/bare"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/follow"
)

// Event is what actors and the runtime report: a message type of package
// messages or of the host's own tables. Events of durable types have a Seq,
// their place in the event log.
type Event = engine.Published

// ErrNotRunning is returned by methods that need a running runtime.
var ErrNotRunning = bare.ErrNotRunning

// SubscribeOption changes how a subscription is served.
type SubscribeOption = follow.Option

// ParkAfter puts an event aside whose handler has failed this many times: it becomes a
// dead letter of the subscription, which continues with the next event. `kehai
// deadletters` lists it, and can send it again to this subscription only, out of order.
// Attempts are counted within one run. Below 1, as without the option, an event is tried
// for ever.
func ParkAfter(attempts int) SubscribeOption { return follow.ParkAfter(attempts) }

// Subscribe registers a reader of the durable events. These are above all
//
//	messages.MessageDelivered   a message has come; once for each
//	messages.MessageChanged     a delivered message was edited or taken back; Message
//	                            is the delivery's id, Old and New what it said and says
//	messages.TranscriptGap      messages may have gone by unseen
//	events.MessageUnreadable    a message came that could not be read
//
// The handler gets every event once and in order, beginning after the last one that
// a subscription of this name has acknowledged, in this process or an earlier one.
// Returning nil acknowledges. An event whose handler fails or panics, or whose
// acknowledgement is not stored at a kill, comes again with the same Seq. Failures
// are retried with backoff; meanwhile Healthy lists them, and a handler that has
// not returned for 30 seconds. With [ParkAfter], an event whose handler fails again
// and again is put aside.
//
// When Run ends, the handler gets what was logged until then as far as it can
// within a second; the rest comes at the next start. If the subscription is behind
// because it fails, Run returns an [Unfinished] that says so.
//
// Retention keeps what a subscription has yet to get, unless the running program
// has none of that name: `kehai subscriptions list` shows those, and `drop` drops them.
//
// An event that cannot be decoded, because its type is in no table of this
// program, is never skipped: the subscription stops before it, Healthy says so,
// and a start of a program that knows the type goes on from there.
//
// Call it before Run. Handlers of different names run concurrently.
func (r *Runtime) Subscribe(
	name string, handler func(context.Context, Event) error, opts ...SubscribeOption,
) error {
	return r.core.Subscribe(name, handler, opts)
}
