package admin

import (
	"context"

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
	return b.served().List(e)
}

// DropSubscription implements [control.Backend].
func (b Backend) DropSubscription(ctx context.Context, name string) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	return b.served().Drop(ctx, name, b.following(e, zerolog.Nop()))
}

// ParkEvent implements [control.Backend].
func (b Backend) ParkEvent(ctx context.Context, subscription string) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	if err := b.served().Park(ctx, subscription, b.following(e, b.Log)); err != nil {
		return err
	}
	if b.Live != nil {
		b.Live.Retried()
	}
	return nil
}

// served are the subscriptions whose events retention keeps.
func (b Backend) served() follow.Served {
	if b.Live == nil {
		return nil
	}
	return b.Live.Served()
}

func (b Backend) following(e *engine.Engine, log zerolog.Logger) follow.Options {
	o := follow.Options{Engine: e, Log: log}
	if b.Live != nil {
		o.Trouble = b.Live.Trouble
	}
	return o
}
