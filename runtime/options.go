package runtime

import (
	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/drivers"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/offline"
	"github.com/kehai-run/kehai/runtime/parts"
	"github.com/kehai-run/kehai/runtime/pause"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// Config is everything that can be set, see package config.
type Config = config.Config

// Default is the configuration that holds where nothing is set.
func Default() Config { return config.Default() }

// OpenOffline opens the store of a configuration while no Kehai runs on it, to look
// and to tidy up; the error wraps engine.ErrInUse otherwise. Of the options it uses
// the logger, the message types and the kinds of actors that say whom their rows
// are about. Close it after use.
func OpenOffline(cfg Config, opts ...Option) (*offline.Store, error) {
	set := newSettings(cfg, opts)
	return offline.Open(cfg, set.log, set.tables, append(set.kinds, bound(cfg)...))
}

// bound are the kinds of the topology that are bound to this node, so that what they
// keep is found in the same place while none of them runs.
func bound(cfg Config) (kinds []engine.Kind) {
	rows, _ := topology(&parts.Parts{Config: cfg, Pauses: &pause.State{}})
	for _, row := range rows {
		if row.lives == here {
			kinds = append(kinds, engine.Kind{Name: row.kind, Here: true, About: row.with.about, Whose: row.with.whose,
				New: row.make})
		}
	}
	return kinds
}

// Option changes what New builds.
type Option func(*settings)

// settings are what the options say: who is told, what the host adds, what it wraps,
// and the drivers.
type settings struct {
	version   string
	log       zerolog.Logger
	eventLog  *zerolog.Logger // nil: events are not logged
	listeners []func(Event)

	llmLocal bool // the host's own model runs on this machine

	sealer   engine.Sealer // nil: the keys in the data directory
	tables   []messages.Table
	kinds    []engine.Kind
	workers  []engine.WorkerKind
	activate []messages.Address

	store      func() (engine.Store, error) // nil: Badger in the data directory
	wrapStore  []func(engine.Store) engine.Store
	wrapWorker []func(string, actors.Worker) actors.Worker

	drivers.Set
	llm llm.Options // Host and Transport
}

func newSettings(cfg Config, opts []Option) settings {
	s := settings{log: zerolog.Nop(), version: "devel", Set: drivers.Builtin(cfg)}
	for _, o := range opts {
		o(&s)
	}
	return s
}

// WithLogger logs to a zerolog logger what the runtime does and, at the levels warn and
// error, what fails: turns with the beginning of their stack, calls, commits, captures.
// It holds no texts and no names, as [WithEventLog], which logs every event. Without
// either nothing is logged.
func WithLogger(l zerolog.Logger) Option { return func(s *settings) { s.log = l } }

// WithListener calls fn for every event, durable or not, as it happens: in
// order for each actor, from any goroutine. It must not block; use
// Runtime.Subscribe for what must not be missed.
func WithListener(fn func(Event)) Option {
	return func(s *settings) { s.listeners = append(s.listeners, fn) }
}

// WithMessages adds message types of the host's own. A durable one says whom it
// is about, so that [Runtime.Forget] finds it: see [messages.Durable].
func WithMessages(t messages.Table) Option {
	return func(s *settings) { s.tables = append(s.tables, t) }
}

// WithActor adds an actor kind, or replaces the one of that name. The actors
// named by keys are live from the start; others begin with their first message.
func WithActor(k engine.Kind, keys ...string) Option {
	return func(s *settings) {
		s.kinds = append(s.kinds, k)
		for _, key := range keys {
			s.activate = append(s.activate, messages.To(k.Name, key))
		}
	}
}

// WithFunc is WithActor for actors without fields: all of the kind are the same
// function, for example one made by [actors.On].
func WithFunc(kind string, receive actors.Func, keys ...string) Option {
	if receive == nil { // New refuses a kind that nothing makes
		return WithActor(engine.Kind{Name: kind}, keys...)
	}
	return WithActor(engine.Kind{Name: kind, New: func(messages.Address) actors.Actor { return receive }}, keys...)
}

// WithWorker adds a worker kind, or replaces the one of that name.
func WithWorker(k engine.WorkerKind) Option {
	return func(s *settings) { s.workers = append(s.workers, k) }
}

// WithWorkerWrapper wraps every worker as it is made, to measure it or to make
// it fail. Wrappers apply in order, the last one outermost. What a worker reports
// while it works goes no further than a wrapper that is no [actors.Reporter].
func WithWorkerWrapper(wrap func(kind string, w actors.Worker) actors.Worker) Option {
	return func(s *settings) { s.wrapWorker = append(s.wrapWorker, wrap) }
}

// WithStoreWrapper wraps the store once it is open.
func WithStoreWrapper(wrap func(engine.Store) engine.Store) Option {
	return func(s *settings) { s.wrapStore = append(s.wrapStore, wrap) }
}

// WithStore keeps state in another store than Badger in the data directory. The
// runtime closes it. Without a data directory there is no control socket. Only with
// [WithSealer] is sealed what is stored there.
func WithStore(open func() (engine.Store, error)) Option {
	return func(s *settings) { s.store = open }
}

// WithSealer seals what is stored with other keys than those in the data directory, and
// a store of the host's own with any, such as those of package keyring.
func WithSealer(keys engine.Sealer) Option { return func(s *settings) { s.sealer = keys } }

// InMemory keeps state in memory alone: it ends with the process, or with the run.
func InMemory() Option {
	return WithStore(func() (engine.Store, error) { return mem.New(), nil })
}

// WithVersion sets the version that Inspect and the page report.
func WithVersion(v string) Option { return func(s *settings) { s.version = v } }

// WithEventLog writes every event to l, failures too, which the logger is not told then.
// A line holds no text, and the names of contacts only as [Runtime.LogName] has them;
// with debug.text it holds both.
func WithEventLog(l zerolog.Logger) Option { return func(s *settings) { s.eventLog = &l } }
