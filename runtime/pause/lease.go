package pause

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// LeaseFor is how long the confirmation of a majority counts. The cluster waits as long until it gives
// what a silent machine owned to others.
const LeaseFor = time.Second

// Lease lets a member of a cluster press the keys of a sending only as long as a majority has
// confirmed that it is to be sent, and here: who is cut off, slept, or sends what was withdrawn
// meanwhile presses nothing.
type Lease struct {
	// Barrier returns once this machine knows all that a majority knew when it was called.
	Barrier func(context.Context) error
	// Sends reports whether a sending is still to be made, as this machine knows.
	Sends func(messages.Sending) (bool, error)
	Now   func() time.Time
	Then  func(press func() error) error // decides what the lease allows
}

var errLease = errors.New("no majority of the cluster confirms that this is still to be sent here")

// Key presses a key for a sending, or refuses.
func (l Lease) Key(ctx context.Context, of messages.Sending, press func() error) error {
	began := l.Now()
	ctx, done := context.WithTimeout(ctx, LeaseFor)
	defer done()
	if err := l.confirmed(ctx, of); err != nil {
		return actors.Refuse(string(messages.SendNoLease), err)
	}
	return l.Then(func() error {
		now := l.Now()
		// One clock stands still while a machine sleeps, and somebody may set the other.
		if now.Sub(began) > LeaseFor || now.Round(0).Sub(began.Round(0)).Abs() > LeaseFor {
			return actors.Refuse(string(messages.SendNoLease), errLease)
		}
		return press()
	})
}

func (l Lease) confirmed(ctx context.Context, of messages.Sending) error {
	if err := l.Barrier(ctx); err != nil {
		return fmt.Errorf("%w: %w", errLease, err)
	}
	if of.Key != "" { // of a host's own nobody knows more than this machine
		return nil
	}
	sends, err := l.Sends(of)
	if err == nil && !sends {
		err = errLease
	}
	return err
}
