package follow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kehai-run/kehai/runtime/engine"
)

// Served are the subscriptions of the program that runs, each with why it is stuck, "" if it is not:
// see [Readers.Served]. Nil: none runs.
type Served map[string]string

// List returns the subscriptions that have a place in the event log, sorted by name.
func (s Served) List(e *engine.Engine) ([]engine.Subscription, error) {
	list, err := e.Subscriptions()
	for i := range list {
		list[i].Error = s[list[i].Name]
		_, list[i].Served = s[list[i].Name]
	}
	return list, err
}

// Drop deletes the place of a subscription that is not served, with what it has parked. Until
// then people see what it misses.
func (s Served) Drop(ctx context.Context, name string, o Options) error {
	if _, served := s[name]; served {
		return fmt.Errorf("subscription %s is served by the program that runs: %s", name, o.advise(
			"end that, `kehai status` shows its pid, then run `kehai subscriptions drop "+name+"` again",
			"Runtime.DropSubscription is for one that the program no longer subscribes under"))
	}
	if err := o.Engine.DropSubscription(ctx, name); err != nil {
		return err
	}
	o.trouble(Missed(name), "")
	return nil
}

// Park puts the next event of a subscription aside, as a dead letter, if this program cannot read it:
// its type or its key may be gone for good. The log names the event and says why. An event that can be
// read belongs to its handler. The caller has to wake the readers.
func (s Served) Park(ctx context.Context, name string, o Options) error {
	list, err := o.Engine.Subscriptions()
	if err != nil {
		return err
	}
	of := slices.IndexFunc(list, func(l engine.Subscription) bool { return l.Name == name })
	if of < 0 {
		return fmt.Errorf("%w: %s", engine.ErrNoSubscription, name)
	}
	var next Event
	err = o.Engine.ReadLog(list[of].Position, func(ev Event) bool { next = ev; return false })
	switch {
	case err != nil:
		return err
	case errors.Is(next.Err, engine.ErrKeyAway):
		return fmt.Errorf("subscription %s waits for the key of its next event, %d, and goes on by itself once that "+
			"can be used: %w", name, next.Seq, next.Err)
	case next.Seq == 0:
		return fmt.Errorf("subscription %s has no event to put aside: it is at the end", name)
	case next.Err == nil:
		return fmt.Errorf("subscription %s can read its next event, %d: %s", name, next.Seq, o.advise(
			"mend its handler; `kehai subscriptions list` says why it fails",
			"mend its handler; Runtime.Subscriptions says why it fails"))
	}
	if err := o.Engine.Park(ctx, name, next.Seq, 0, next.Err.Error()); err != nil {
		return err
	}
	o.Log.Error().Err(next.Err).Str("subscription", name).Uint64("event", next.Seq).Msg("event_parked")
	return nil
}

// Trim deletes old records and returns how many. Events stay until all subscriptions with a handler
// have acknowledged them; events that another one misses are reported. Served and Passed of the
// cutoffs are set here.
func (s Served) Trim(ctx context.Context, c engine.Cutoffs, o Options) (int, error) {
	c.Served = slices.Collect(maps.Keys(s))
	c.Passed = func(name string, events int) {
		o.Log.Warn().Str("subscription", name).Int("events", events).Msg("subscription_passed")
		o.trouble(Missed(name), fmt.Sprintf("subscription %q has missed events whose time was over, as this program "+
			"has none of that name: start the one that has, or %s", name, o.advise(
			"run `kehai subscriptions drop "+name+"`", "call Runtime.DropSubscription")))
	}
	return o.Engine.Trim(ctx, c)
}

// Missed is the reason under which missed events of a subscription are reported.
func Missed(subscription string) string { return "missing subscription " + subscription }

func (o Options) trouble(reason, text string) {
	if o.Trouble != nil {
		o.Trouble(reason, text)
	}
}

func (o Options) advise(kehai, alone string) string {
	if o.Advice == nil {
		return kehai
	}
	return o.Advice(kehai, alone)
}
