package runtime

import (
	"context"
	"errors"
	"time"

	"github.com/kehai-run/kehai/actors/focus"
	"github.com/kehai-run/kehai/actors/focus/notifier"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/telemetry"
)

// stored answers what can be asked of an engine, whether its actors run or not.
type stored struct {
	engine *engine.Engine
	cfg    config.Config
	pauses *pauses
	names  telemetry.Names // in the log
	disk   disk
}

// Messages implements [control.Backend].
func (s stored) Messages(ctx context.Context, q control.Query, yield func(control.Message) error) error {
	var newest []control.Message // the last q.Limit, when there is a limit
	var failed error
	changes, err := s.changes(ctx, q)
	if err != nil {
		return err
	}
	err = s.engine.ReadLog(q.After, func(ev engine.Published) bool {
		if failed = ctx.Err(); failed != nil {
			return false
		}
		d, ok := ev.Message.(messages.MessageDelivered)
		if !ok || q.Conversation != "" && d.Conversation != q.Conversation || d.DeliveredAt.Before(q.Since) {
			return true
		}
		m := control.NewMessage(ev.Seq, d)
		for _, c := range changes[d.ID] {
			m.Apply(c)
		}
		m.LoggedAs = s.names.Hidden(m.Conversation)
		if q.Limit > 0 {
			if newest = append(newest, m); len(newest) > q.Limit {
				newest = newest[1:]
			}
			return true
		}
		failed = yield(m)
		return failed == nil
	})
	for _, m := range newest {
		if failed == nil {
			failed = yield(m)
		}
	}
	return errors.Join(err, failed)
}

// changes reads what became of the messages that a query may yield.
func (s stored) changes(ctx context.Context, q control.Query) (map[messages.MessageID][]messages.MessageChanged, error) {
	list := map[messages.MessageID][]messages.MessageChanged{}
	err := s.engine.ReadLog(q.After, func(ev engine.Published) bool {
		if c, ok := ev.Message.(messages.MessageChanged); ok && (q.Conversation == "" || c.Conversation == q.Conversation) && !c.ChangedAt.Before(q.Since) {
			list[c.Message] = append(list[c.Message], c)
		}
		return ctx.Err() == nil
	})
	return list, errors.Join(err, ctx.Err())
}

// DeadLetters implements [control.Backend].
func (s stored) DeadLetters(context.Context) ([]engine.DeadLetter, error) {
	return s.engine.DeadLetters()
}

// RetryDeadLetter implements [control.Backend].
func (s stored) RetryDeadLetter(ctx context.Context, id string) error {
	return s.engine.RetryDeadLetter(ctx, id)
}

// DiscardDeadLetter implements [control.Backend].
func (s stored) DiscardDeadLetter(ctx context.Context, id string) error {
	return s.engine.DiscardDeadLetter(ctx, id)
}

// Resting is the store of a Kehai that does not run, opened to look and to
// tidy up. Its actors do not run: a dead letter that is sent again waits in the
// store for the next start.
type Resting struct {
	stored
	store engine.Store
	cfg   config.Config
	stop  context.CancelFunc
	done  chan struct{}
}

// OpenResting opens the store of a configuration; the error wraps
// engine.ErrInUse while a Kehai runs on it. Close it after use.
func OpenResting(cfg config.Config, opts ...Option) (*Resting, error) {
	set := newSettings(cfg, opts)
	codec, err := messages.NewCodec(append([]messages.Table{events.Core()}, set.tables...)...)
	if err != nil {
		return nil, err
	}
	st, err := openData(cfg, set.log, nil)
	if err != nil {
		return nil, err
	}
	e, err := engine.New(engine.Options{
		Store: st, Codec: codec, Clock: engine.SystemClock{}, Driver: asleep{}, Kinds: told(),
		Sync: cfg.Durability == config.DurabilityPower, MinFree: uint64(cfg.Store.MinFree),
	})
	if err == nil {
		err = e.Control().Recover()
	}
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	pauses := &pauses{}
	if err := pauses.load(e); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	names, err := restingNames(e, cfg)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &Resting{stored: stored{e, cfg, pauses, names, diskOf(st)}, store: st, cfg: cfg, stop: cancel, done: make(chan struct{})}
	go r.commit(ctx)
	return r, nil
}

// told are the kinds of actors that are sent commands; these wait in the store.
func told() []engine.Kind {
	return []engine.Kind{
		{Name: focus.Kind, New: focus.New(focus.Options{})},
		{Name: notifier.Kind, New: notifier.New(notifier.Options{})},
	}
}

// commit writes what the backend's methods change.
func (r *Resting) commit(ctx context.Context) {
	defer close(r.done)
	engine := r.engine.Control()
	for {
		select {
		case <-ctx.Done():
			return
		case <-engine.CommitReady():
		}
		for {
			n, paused := engine.Commit(1)
			if paused && !sleep(ctx, time.Second) || n == 0 && !paused {
				break
			}
		}
	}
}

// Status implements [control.Backend].
func (r *Resting) Status(ctx context.Context) (control.Status, error) {
	dead, err := r.DeadLetters(ctx)
	return control.Status{Node: r.cfg.Node, Paused: r.pauses.list(), AttentionPaused: r.pauses.deskStamp(), DeadLetters: len(dead), Actors: []engine.ActorInfo{}, Pools: []engine.PoolInfo{}}, err
}

// Close releases the store.
func (r *Resting) Close() error {
	r.stop()
	<-r.done
	return r.store.Close()
}

// asleep is the driver of an engine whose actors do not run.
type asleep struct{}

func (asleep) Wake(*engine.Activation) {}
func (asleep) WakeWorkers(string)      {}
