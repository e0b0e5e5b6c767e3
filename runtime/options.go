package runtime

import (
	"context"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/bare"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/drivers"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/offline"
	"github.com/kehai-run/kehai/runtime/parts"
	"github.com/kehai-run/kehai/runtime/pause"
	"github.com/kehai-run/kehai/runtime/recording"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// Config is everything that can be set, see package config.
type Config = config.Config

// Default is the configuration used where nothing is set.
func Default() Config { return config.Default() }

// OpenOffline opens the store of a configuration while no Kehai runs on it, to look
// and to tidy up; otherwise the error wraps engine.ErrInUse. Of the options it uses
// the logger, the message types, and the actor kinds that know whom their rows are
// about. Close it after use.
func OpenOffline(cfg Config, opts ...Option) (*offline.Store, error) {
	set := newSettings(cfg, opts)
	return offline.Open(cfg, set.log, set.tables, append(set.kinds, bound(cfg)...))
}

// bound are the kinds of the topology that are bound to this node, so that their rows are
// found in the same place while no actor runs.
func bound(cfg Config) (kinds []engine.Kind) {
	rows, _ := topology(&parts.Parts{Config: cfg, Pauses: &pause.State{}})
	for _, row := range rows {
		if row.lives == here {
			kinds = append(kinds, engine.Kind{Name: row.kind, Here: true, About: row.with.about,
				SubjectOf: row.with.subject, New: row.make})
		}
	}
	return kinds
}

// Option changes what New builds.
type Option func(*settings)

// settings are the result of the options: listeners, what the host adds and wraps, and
// the drivers.
type settings struct {
	version   string
	log       zerolog.Logger
	eventLog  *zerolog.Logger // nil: events are not logged
	listeners []func(Event)

	llmLocal bool // the host's own model runs on this machine

	taps *recording.Taps
	seed string // of ids; "": drawn

	cluster  Cluster       // nil: alone
	sealer   engine.Sealer // nil: the keys in the data directory
	tables   []messages.Table
	kinds    []engine.Kind
	workers  []engine.WorkerKind
	activate []messages.Address

	store          func() (engine.Store, error) // nil: Badger in the data directory
	wrapStore      []func(engine.Store) engine.Store
	moreProcessors bool
	wrapWorker     []func(string, actors.Worker) actors.Worker

	drivers.Set
	llm llm.Options // Host and Transport
}

func newSettings(cfg Config, opts []Option) settings {
	s := settings{log: zerolog.Nop(), version: "devel", Set: drivers.Builtin(cfg), taps: &recording.Taps{}}
	s.wrapWorker = append(s.wrapWorker, s.taps.Worker)
	for _, o := range opts {
		o(&s)
	}
	return s
}

// Cluster is a machine's seat among others; package runtime/cluster/seat has it. Between
// Start and Close its engine runs on the replica, and Run serves until ctx ends.
type Cluster interface {
	admin.Cluster
	Start(engine.Store, []engine.Kind, engine.Sealer, func(broken error)) (*engine.Replica, engine.Sealer, error)
	// Forgets says, before Start, who removes what this machine keeps of conversations outside the store.
	Forgets(by func(conversations []string) error)
	Run(ctx context.Context) error
	Problems() []string // what is wrong now; asked at any time
	Close() error
}

// WithCluster makes the runtime a member of a cluster.
func WithCluster(c Cluster) Option { return func(s *settings) { s.cluster = c } }

// WithLogger logs what the runtime does to a zerolog logger, and at the levels warn and
// error what fails: turns with the beginning of their stack, calls, commits, captures.
// Like [WithEventLog], which logs every event, it contains no texts and no names. Without
// either, nothing is logged.
func WithLogger(l zerolog.Logger) Option { return func(s *settings) { s.log = l } }

// WithListener calls fn for every event as it happens, durable or not: in order for each
// actor, from any goroutine. It must not block. Use Runtime.Subscribe for events that
// must not be missed.
func WithListener(fn func(Event)) Option {
	return func(s *settings) { s.listeners = append(s.listeners, fn) }
}

// WithMessages adds the host's own message types. A durable type names the conversation it is
// about, so that [Runtime.Forget] finds it: see [messages.Durable].
func WithMessages(t messages.Table) Option {
	return func(s *settings) { s.tables = append(s.tables, t) }
}

// WithActor adds an actor kind, or replaces the one of that name. The actors named by
// keys are live from the start; others start with their first message.
func WithActor(k engine.Kind, keys ...string) Option {
	return func(s *settings) {
		s.kinds = append(s.kinds, k)
		for _, key := range keys {
			s.activate = append(s.activate, messages.To(k.Name, key))
		}
	}
}

// WithFunc is WithActor for actors without fields: all actors of the kind are the same
// function, for example one made by [actors.On].
func WithFunc(kind string, receive actors.Func, keys ...string) Option {
	return WithActor(bare.Func(kind, receive), keys...)
}

// WithWorker adds a worker kind, or replaces the one of that name.
func WithWorker(k engine.WorkerKind) Option {
	return func(s *settings) { s.workers = append(s.workers, k) }
}

// WithWorkerWrapper wraps every worker when it is made, to measure it or to make it fail.
// Wrappers apply in order, the last one outermost. A wrapper that is not an
// [actors.Reporter] stops the reports of its worker.
func WithWorkerWrapper(wrap func(kind string, w actors.Worker) actors.Worker) Option {
	return func(s *settings) { s.wrapWorker = append(s.wrapWorker, wrap) }
}

// WithStoreWrapper wraps the store once it is open.
func WithStoreWrapper(wrap func(engine.Store) engine.Store) Option {
	return func(s *settings) { s.wrapStore = append(s.wrapStore, wrap) }
}

// WithMoreProcessors lets Kehai raise GOMAXPROCS by 16 while it removes forgotten rows
// from the files of its store. With a million events that takes some seconds; without the
// option a change then waits up to a third of a second to be stored.
func WithMoreProcessors() Option { return func(s *settings) { s.moreProcessors = true } }

// WithStore keeps state in another store than Badger in the data directory. The runtime
// closes it. Without a data directory there is no control socket. Rows there are sealed
// only with [WithSealer].
func WithStore(open func() (engine.Store, error)) Option {
	return func(s *settings) { s.store = open }
}

// WithSealer seals the store with other keys than those in the data directory, such as
// those of package keyring. A host's own store is not sealed without it.
func WithSealer(keys engine.Sealer) Option { return func(s *settings) { s.sealer = keys } }

// InMemory keeps state in memory only: it ends with the process, or with the run.
func InMemory() Option {
	return WithStore(func() (engine.Store, error) { return mem.New(), nil })
}

// WithVersion sets the version that Inspect and the page report.
func WithVersion(v string) Option { return func(s *settings) { s.version = v } }

// WithEventLog writes every event to l, failures included, which the logger then does not
// repeat. A line contains no text, and the names of contacts only as [Runtime.LogName]
// writes them; with debug.text it contains both.
func WithEventLog(l zerolog.Logger) Option { return func(s *settings) { s.eventLog = &l } }
