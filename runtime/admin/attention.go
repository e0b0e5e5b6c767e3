package admin

import (
	"context"
	"errors"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/actors/attention/history"
	"github.com/kehai-run/kehai/actors/attention/notify"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

var (
	_ control.Backend      = Backend{}
	_ control.FocusBackend = Backend{}
	_ control.FocusBackend = (*control.Client)(nil)
)

// readRows decodes every row of a table of a kind's actors, by desk and key.
func readRows[V any](e *engine.Engine, kind string, table actors.Table[V], yield func(messages.DeskID, V) error) error {
	var failed error
	err := e.ReadRows(kind, func(row engine.Row) bool {
		var v V
		if v, failed = table.Decode(row.Value); failed == nil {
			failed = yield(messages.DeskID(row.Actor.Key()), v)
		}
		return failed == nil
	})
	return errors.Join(err, failed)
}

// FocusDesks implements [control.FocusBackend].
func (b Backend) FocusDesks(context.Context) ([]control.FocusDesk, error) {
	e, err := b.Engine()
	if err != nil {
		return nil, err
	}
	episodes := map[messages.DeskID]notify.Episode{}
	err = readRows(e, notify.Kind, notify.Episodes, func(desk messages.DeskID, episode notify.Episode) error {
		episodes[desk] = episode
		return nil
	})
	if err != nil {
		return nil, err
	}
	desks := []control.FocusDesk{}
	err = readRows(e, attention.Kind, attention.Rows, func(desk messages.DeskID, row attention.Row) error {
		d := control.FocusDesk{
			Desk: desk, State: row.Debouncer.Reported(), Since: control.Stamp{Time: row.Debouncer.Since},
			Confidence: row.Last.Confidence, Reasoning: string(row.Last.Reasoning), Source: row.Last.Source,
			SeenAt: control.Stamp{Time: row.Seen}, Unwatched: row.Paused, Paused: episodes[desk].Paused,
		}
		if until := episodes[desk].Until; d.Paused && !until.IsZero() {
			d.PausedUntil = &control.Stamp{Time: until}
			d.Paused = until.After(time.Now())
		}
		desks = append(desks, d)
		return nil
	})
	return desks, err
}

// FocusChanges implements [control.FocusBackend].
func (b Backend) FocusChanges(ctx context.Context, yield func(control.FocusChange) error) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	return readRows(e, history.Kind, history.Changes, func(desk messages.DeskID, c messages.FocusState) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return yield(control.FocusChange{Desk: desk, At: c.At, State: c.State, Confidence: c.Confidence,
			Source: c.Source, Paused: isPause(c)})
	})
}

// isPause tells a pause from other times of which nothing is known.
func isPause(c messages.FocusState) bool {
	return c.State == messages.Unknown && string(c.Reasoning) == attention.ReasonPaused
}

// PauseNotices implements [control.FocusBackend].
func (b Backend) PauseNotices(ctx context.Context, until time.Time) error {
	return b.tellNotifiers(ctx, messages.PauseNotices{Until: until})
}

// ResumeNotices implements [control.FocusBackend].
func (b Backend) ResumeNotices(ctx context.Context) error {
	return b.tellNotifiers(ctx, messages.ResumeNotices{})
}

// tellNotifiers sends a command to the notifier of each desk. It is durable:
// where nothing runs it waits for the next start.
func (b Backend) tellNotifiers(ctx context.Context, m messages.Message) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	desks, err := b.FocusDesks(ctx)
	if err != nil {
		return err
	}
	if len(desks) == 0 {
		return control.ErrNoDesk
	}
	var errs []error
	for _, d := range desks {
		errs = append(errs, e.Inject(ctx, messages.To(notify.Kind, string(d.Desk)), m, ""))
	}
	return errors.Join(errs...)
}
