package runtime

import (
	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Config is everything that can be set, see package config.
type Config = config.Config

// Default is the configuration that holds where nothing is set.
func Default() Config { return config.Default() }

// OpenOffline opens the store of a configuration while no Kehai runs on it, to look
// and to tidy up; the error wraps engine.ErrInUse otherwise. Of the options it uses
// the logger, the message types and the kinds of actors that say whom their rows
// are about. Close it after use.
func OpenOffline(cfg Config, opts ...Option) (*admin.Offline, error) {
	set := newSettings(cfg, opts)
	return admin.OpenOffline(cfg, set.log, set.tables, append(set.kinds, bound(cfg)...))
}

// bound are the kinds of the topology that are bound to this node, so that what they
// keep is found in the same place while none of them runs.
func bound(cfg Config) (kinds []engine.Kind) {
	rows, _ := (&parts{cfg: cfg, pauses: &admin.Pauses{}}).topology()
	for _, row := range rows {
		if row.lives == here {
			kinds = append(kinds, engine.Kind{Name: row.kind, Here: true, About: row.with.about, New: row.make})
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

	tables   []messages.Table
	kinds    []engine.Kind
	workers  []engine.WorkerKind
	activate []messages.Address

	store      func() (engine.Store, error) // nil: Badger in the data directory
	wrapStore  []func(engine.Store) engine.Store
	wrapWorker []func(string, actors.Worker) actors.Worker

	drivers
	llm llm.Options // Host and Transport
}

func newSettings(cfg Config, opts []Option) settings {
	s := settings{log: zerolog.Nop(), version: "devel", drivers: builtin(cfg)}
	for _, o := range opts {
		o(&s)
	}
	return s
}

// OpenScreen opens the driver of one watched window and returns it with the
// driver's own name of the window. It is called once by New for each window; if
// the screen is an io.Closer it is closed at the end of Run.
type OpenScreen func(w config.Window) (screen hardware.Screen, ref string, err error)

// OpenTypist opens what types into one watched window, whose ref is that of its
// screen. It is called once by New for each window, after the screen was opened; if
// the typist is an io.Closer it is closed at the end of Run. A typist that is also a
// hardware.Pointer clicks into the field before it types; one that is a
// hardware.Presence waits while a person types, and without it nothing is sent; one that is a hardware.Focus gives
// the keyboard back to the window that had it.
type OpenTypist func(w config.Window) (hardware.Typist, error)

// OpenStructure opens the accessibility tree of one watched window and returns it
// with the driver's own name of the window. It is called once by New for each
// window that names the driver; if the structure is an io.Closer it is closed at
// the end of Run.
type OpenStructure func(w config.Window) (structure hardware.Structure, ref string, err error)

// OpenRecognizer makes one OCR engine. It is called by each OCR worker, and
// again after a failure.
type OpenRecognizer func() (hardware.Recognizer, error)

// WithLogger logs to a zerolog logger. Without it nothing is logged.
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

// WithScreen adds a screen driver under the name that windows have in their
// configuration (driver: NAME), or replaces a built-in one.
func WithScreen(driver string, open OpenScreen) Option {
	return func(s *settings) { s.screens[driver] = open }
}

// WithTypist adds what types into the windows of a screen driver, or replaces a
// built-in one. name is what status calls it. Replies for windows of a driver
// without a typist are not sent, and say so.
func WithTypist(driver, name string, open OpenTypist) Option {
	return func(s *settings) { s.typists[driver] = typist{name, open} }
}

// WithStructure adds a structure driver under the name that windows have in
// their configuration (structure: NAME). Windows that name none are watched by
// their pixels alone.
func WithStructure(driver string, open OpenStructure) Option {
	return func(s *settings) { s.structures[driver] = open }
}

// WithRecognizer adds an OCR engine under its name in the configuration
// (ocr.engine: NAME), or replaces a built-in one.
func WithRecognizer(name string, open OpenRecognizer) Option {
	return func(s *settings) {
		s.recognizers[name] = recognizer{open: open}
	}
}

// WithStore keeps state in another store than Badger in the data directory. The
// runtime closes it. Without a data directory there is no control socket.
func WithStore(open func() (engine.Store, error)) Option {
	return func(s *settings) { s.store = open }
}

// WithVersion sets the version that Inspect and the page report.
func WithVersion(v string) Option { return func(s *settings) { s.version = v } }

// WithEventLog writes every event to l. A line holds no text, and the names of
// contacts only as [Runtime.LogName] has them; with debug.text it holds both.
func WithEventLog(l zerolog.Logger) Option { return func(s *settings) { s.eventLog = &l } }
