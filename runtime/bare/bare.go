package bare

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/engine/live"
	"github.com/kehai-run/kehai/runtime/follow"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/maintenance"
	"github.com/kehai-run/kehai/runtime/private"
	"github.com/kehai-run/kehai/runtime/store"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/runtime/telemetry"
)

// Event is what actors and the runtime report. Events of durable types have a Seq, their place in
// the event log.
type Event = engine.Published

// Options are what a [Runtime] runs.
type Options struct {
	// Data is the data directory, made if it is missing. "" keeps all in memory: it ends with the
	// run.
	Data string
	// Log gets what the runtime does, and what fails; it contains no texts. The zero value writes
	// nothing.
	Log      zerolog.Logger
	Messages []messages.Table // of the host's own types
	Actors   []engine.Kind
	Live     []messages.Address // actors from the start; others start with their first message
	Workers  []engine.WorkerKind
	Listen   func(Event) // every event as it happens, from any goroutine; it must not block
	// Process is enough durability: a power cut may take back what was committed last.
	Process bool
	// Retention says how long records are kept. The zero value keeps all.
	Retention Retention
	// Drain is how long work that is under way may take at the end. 0 means 5 seconds.
	Drain time.Duration
}

// Retention says how long records are kept: what is older is deleted, when the runtime starts and then
// every hour, and leaves the files within a day more. 0 means for ever.
type Retention = maintenance.Retention

// Func is the kind of actors without fields: all are the same function, for example one made by
// [actors.On].
func Func(kind string, receive actors.Func) engine.Kind {
	if receive == nil { // New refuses a kind that nothing makes
		return engine.Kind{Name: kind}
	}
	return engine.Kind{Name: kind, New: func(messages.Address) actors.Actor { return receive }}
}

// Runtime runs a host's own actors. Several may live in one process, each with a data directory
// of its own. Methods may be called concurrently.
type Runtime struct {
	core *Core
	o    Options
	disk maintenance.Disk // of the store; set when Run opens it
}

// New checks the options. Nothing runs, and nothing is opened, before Run.
func New(o Options) (*Runtime, error) {
	core, err := NewCore(o.Log, o.Messages)
	if err == nil {
		err = Check(o.Actors, o.Workers, o.Live)
	}
	if err != nil {
		return nil, err
	}
	core.Health.Alone = true
	for _, k := range o.Actors {
		core.Health.Kinds = append(core.Health.Kinds, k.Name)
	}
	for _, k := range o.Workers {
		core.Health.Kinds = append(core.Health.Kinds, k.Name)
	}
	if o.Drain == 0 {
		o.Drain = 5 * time.Second
	}
	return &Runtime{core: core, o: o}, nil
}

// Check refuses kinds and addresses that nothing could run.
func Check(kinds []engine.Kind, workers []engine.WorkerKind, live []messages.Address) error {
	if err := engine.CheckKinds(kinds, workers); err != nil {
		return err
	}
	for _, a := range live {
		if err := a.Validate(); err != nil {
			return fmt.Errorf("runtime: an actor that is live from the start: %w", err)
		}
		if !slices.ContainsFunc(kinds, func(k engine.Kind) bool { return k.Name == a.Kind() }) {
			return fmt.Errorf("runtime: an actor that is live from the start: %s: there is no kind %q", a, a.Kind())
		}
	}
	return nil
}

// Ready is closed once the actors run. It is also closed when Run ends before that: then Healthy
// returns [ErrNotRunning], and Run has returned what is wrong.
func (r *Runtime) Ready() <-chan struct{} { return r.core.Ready() }

// Healthy returns nil while the runtime takes calls and nothing is known to be wrong, else what
// is, or [ErrNotRunning].
func (r *Runtime) Healthy() error { return r.core.Healthy() }

// Inject sends a message to an actor from outside. A durable message is stored when Inject
// returns nil. With a key, a second injection of the same key to the same actor has no effect.
func (r *Runtime) Inject(ctx context.Context, to messages.Address, msg messages.Message, key string) error {
	return r.core.Inject(ctx, to, msg, key)
}

// Subscribe registers a reader of the durable events, before Run. It gets every event once and in
// order, after the last one that a subscription of this name has acknowledged by returning nil,
// in this process or an earlier one. An event whose handler fails comes again. Healthy tells of
// that, and of a handler that has not returned for 30 seconds.
func (r *Runtime) Subscribe(name string, handler follow.Handler, opts ...follow.Option) error {
	return r.core.Subscribe(name, handler, opts)
}

// DeadLetters lists what was put aside, the oldest first: messages that their actor could not
// handle in several attempts, calls that ended the process, and events that a subscription has
// parked. They contain what was sent.
func (r *Runtime) DeadLetters() ([]engine.DeadLetter, error) {
	e, err := r.core.Engine()
	if err != nil {
		return nil, err
	}
	return e.DeadLetters()
}

// RetryDeadLetter sends a dead letter again, as a new message with all its attempts; an event goes
// to its subscription once more, out of order.
func (r *Runtime) RetryDeadLetter(ctx context.Context, id string) error {
	e, err := r.core.Engine()
	if err != nil {
		return err
	}
	if err := e.RetryDeadLetter(ctx, id); err != nil {
		return err
	}
	r.core.Readers.Retry()
	return nil
}

// DiscardDeadLetter deletes a dead letter.
func (r *Runtime) DiscardDeadLetter(ctx context.Context, id string) error {
	e, err := r.core.Engine()
	if err != nil {
		return err
	}
	return e.DiscardDeadLetter(ctx, id)
}

// Subscriptions lists the readers that have a place in the event log, sorted by name, also those
// that this program does not have: how far each is, and why it is stuck.
func (r *Runtime) Subscriptions() ([]engine.Subscription, error) {
	e, err := r.core.Engine()
	if err != nil {
		return nil, err
	}
	return r.served().List(e)
}

// DropSubscription deletes the place of a subscription that this program no longer has, with the
// events that it has parked. A later one of that name begins at the first event that is kept.
func (r *Runtime) DropSubscription(ctx context.Context, name string) error {
	e, err := r.core.Engine()
	if err != nil {
		return err
	}
	return r.served().Drop(ctx, name, r.core.following(e))
}

// ParkEvent puts the next event of a subscription aside, as a dead letter, if this program cannot
// read it, as its type or its key is gone for good: until then the subscription stops there. The dead
// letter says what is missing; once that is back, the event can be sent to the subscription again. Of many
// calls at once, one puts the event aside; the others fail with [engine.ErrPassed], or are for the next event.
func (r *Runtime) ParkEvent(ctx context.Context, subscription string) error {
	e, err := r.core.Engine()
	if err != nil {
		return err
	}
	if err := r.served().Park(ctx, subscription, r.core.following(e)); err != nil {
		return err
	}
	r.core.Readers.Retry()
	return nil
}

func (r *Runtime) served() follow.Served { return r.core.Readers.Served() }

// maintenance deletes what is too old, and frees its space.
func (r *Runtime) maintenance(e *engine.Engine) maintenance.Loop {
	return maintenance.Loop{Disk: r.disk, Log: r.o.Log, Keep: r.o.Retention,
		Readers: func() (follow.Served, follow.Options, error) { return r.served(), r.core.following(e), nil }}
}

// Run runs the actors until ctx ends, drains work that is under way, and closes the store. The
// error is an [Unfinished] if work was left: the next start continues. A runtime runs once.
func (r *Runtime) Run(ctx context.Context) error {
	return r.core.Run(ctx, context.WithoutCancel(ctx), Plan{
		Probe: func() error { return nil },
		Store: r.openStore,
		Hands: func() (Hands, error) {
			if r.o.Data == "" {
				return NoHands{}, nil
			}
			return OpenHands(r.o.Data)
		},
		Sealer: func() (engine.Sealer, error) {
			if r.o.Data == "" {
				return nil, nil
			}
			return keyring.OpenAlone(filepath.Join(r.o.Data, "keys"))
		},
		Seat:   Alone,
		System: r.system,
		Load:   func(*engine.Engine) error { return nil },
		Services: func(e *engine.Engine) []follow.Service {
			return []follow.Service{follow.NewService("maintenance", true, follow.At(r.maintenance(e).Run))}
		},
		Running:  func() { r.o.Log.Info().Str("data", r.o.Data).Msg("running") },
		Drain:    r.o.Drain,
		Stopping: func(context.Context, *engine.Engine) {},
		Shut:     func() {},
		Close:    func() error { return nil },
	})
}

func (r *Runtime) openStore() (engine.Store, error) {
	if r.o.Data == "" {
		st := mem.New()
		r.disk = maintenance.DiskOf(st)
		return st, nil
	}
	if err := private.Make(r.o.Data, private.Unwritable); err != nil {
		return nil, err
	}
	st, err := store.Open(store.Options{Dir: filepath.Join(r.o.Data, "store"), Logger: r.o.Log,
		MinFree: engine.DefaultMinFree, OnStop: r.core.StoreStopped, Alone: true})
	if err != nil {
		return nil, err
	}
	r.disk = st
	return st, nil
}

func (r *Runtime) system(o live.Options) live.Options {
	names := telemetry.Names{Alone: true}
	failures := telemetry.Log(r.o.Log.Level(max(r.o.Log.GetLevel(), zerolog.WarnLevel)), names)
	o.Name, o.Activate = names.Actor, r.o.Live
	o.Engine.Kinds, o.Engine.Workers, o.Engine.Sync = r.o.Actors, r.o.Workers, !r.o.Process
	o.Engine.Idle, o.Engine.MinFree = engine.DefaultIdle, engine.DefaultMinFree
	o.Engine.Sealing = func(rows int) { maintenance.Sealing(r.disk, r.o.Log, rows) }
	o.Engine.OnCommit = func(int, int) { r.core.Health.Committed() }
	o.Engine.Listener = func(ev Event) {
		r.core.Listen(ev, func() {
			failures(ev)
			if r.o.Listen != nil {
				r.o.Listen(ev)
			}
		})
	}
	return o
}

// Alone is the seat of a machine that has no others.
func Alone(_ engine.Store, keys engine.Sealer) (*engine.Replica, engine.Sealer, func() error, error) {
	return nil, keys, func() error { return nil }, nil
}

// OpenHands opens the file of a data directory that remembers what was in progress.
func OpenHands(data string) (Hands, error) { return store.OpenHands(filepath.Join(data, "inhand")) }

// NoHands remember nothing.
type NoHands struct{}

// Suspects implements [engine.Hands].
func (NoHands) Suspects() map[uint64]int { return nil }

// Take implements [engine.Hands].
func (NoHands) Take(uint64) int { return 0 }

// Drop implements [engine.Hands].
func (NoHands) Drop(int) {}

// Survived implements [engine.Hands].
func (NoHands) Survived(uint64) {}

// Close implements [Hands].
func (NoHands) Close() error { return nil }
