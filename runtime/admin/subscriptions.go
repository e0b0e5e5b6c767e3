package admin

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/follow"
)

// Subscriptions implements [control.Backend].
func (b Backend) Subscriptions(context.Context) ([]engine.Subscription, error) {
	e, err := b.Engine()
	if err != nil {
		return nil, err
	}
	list, err := e.Subscriptions()
	if b.Live == nil {
		return list, err
	}
	served := b.Live.Served()
	for i := range list {
		list[i].Error, list[i].Served = served[list[i].Name]
	}
	return list, err
}

// DropSubscription implements [control.Backend].
func (b Backend) DropSubscription(ctx context.Context, name string) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	if b.Live != nil {
		if _, served := b.Live.Served()[name]; served {
			return fmt.Errorf("subscription %s is served by the Kehai that runs: stop it first", name)
		}
	}
	if err := e.DropSubscription(ctx, name); err != nil {
		return err
	}
	if b.Live != nil {
		b.Live.Trouble(follow.Missed(name), "")
	}
	return nil
}

// served are the names of the subscriptions whose events retention keeps.
func (b Backend) served() []string {
	if b.Live == nil {
		return nil
	}
	return slices.Collect(maps.Keys(b.Live.Served()))
}

// passed reports that retention deleted events that a subscription will miss, because
// nobody serves it.
func (b Backend) passed(log zerolog.Logger) func(name string, events int) {
	return func(name string, events int) {
		log.Warn().Str("subscription", name).Int("events", events).Msg("subscription_passed")
		if b.Live != nil {
			b.Live.Trouble(follow.Missed(name), fmt.Sprintf("subscription %q has missed events whose time was over, "+
				"as this program has none of that name: start the one that has, or run "+
				"`kehai subscriptions drop %s`", name, name))
		}
	}
}
