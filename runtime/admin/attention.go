package admin

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/actors/attention/camera"
	"github.com/kehai-run/kehai/actors/attention/history"
	"github.com/kehai-run/kehai/actors/attention/landmarks"
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

// FocusDesks implements [control.FocusBackend].
func (b Backend) FocusDesks(context.Context) ([]control.FocusDesk, error) {
	e, err := b.Engine()
	if err != nil {
		return nil, err
	}
	episodes := map[messages.DeskID]notify.Episode{}
	err = engine.ReadTable(e, notify.Kind, notify.Episodes,
		func(a messages.Address, _ string, episode notify.Episode) error {
			episodes[messages.DeskID(a.Key())] = episode
			return nil
		})
	if err != nil {
		return nil, err
	}
	desks := []control.FocusDesk{}
	describe := func(a messages.Address, _ string, row attention.Row) error {
		desk := messages.DeskID(a.Key())
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
	}
	err = engine.ReadTable(e, attention.Kind, attention.Rows, describe)
	return desks, err
}

// FocusChanges implements [control.FocusBackend].
func (b Backend) FocusChanges(ctx context.Context, yield func(control.FocusChange) error) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	change := func(a messages.Address, _ string, c messages.FocusState) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return yield(control.FocusChange{Desk: messages.DeskID(a.Key()), At: c.At,
			State: c.State, Confidence: c.Confidence, Source: c.Source, Paused: isPause(c)})
	}
	return engine.ReadTable(e, history.Kind, history.Changes, change)
}

// isPause tells a pause from other times with an unknown state.
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

// tellNotifiers sends a command to the notifier of each desk. It is durable: while no
// Kehai runs it waits for the next start.
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

// FocusBaselines implements [control.FocusBackend].
func (b Backend) FocusBaselines(context.Context) ([]control.FocusBaseline, error) {
	e, err := b.Engine()
	if err != nil {
		return nil, err
	}
	list := []control.FocusBaseline{}
	err = engine.ReadTable(e, camera.Kind, camera.Baselines,
		func(a messages.Address, key string, row landmarks.Baseline) error {
			list = append(list, control.FocusBaseline{
				Desk: messages.DeskID(a.Key()), Person: camera.PersonOf(key), EyesOpen: row.Openness,
				NeutralYaw: row.NeutralX, NeutralPitch: row.NeutralY, LearntSeconds: row.Learnt.Seconds(),
				Used: row.Known(&b.Config.Focus.Eyes),
			})
			return nil
		})
	return list, err
}

// ForgetBaseline implements [control.FocusBackend]. It is durable: while no Kehai runs it
// waits for the next start.
func (b Backend) ForgetBaseline(ctx context.Context, person string) error {
	list, err := b.FocusBaselines(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(l control.FocusBaseline) bool {
		return l.Person == person && string(l.Desk) == b.Config.Node
	}) {
		return control.ErrNoBaseline
	}
	e, err := b.Engine()
	if err != nil {
		return err
	}
	return e.Inject(ctx, messages.To(camera.Kind, b.Config.Node), messages.ForgetEyes{Person: person}, "")
}
