package live

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/eventstream"
	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Options configure a system. Engine is required, without Driver.
type Options struct {
	// Engine describes the kernel. Its Clock is nil or one that goes at the
	// pace of the machine's; nil means engine.SystemClock. A panic of its
	// Listener is logged and goes no further.
	Engine engine.Options
	// Activate lists actors that are live from the start, even without mail.
	Activate []messages.Address
	// Horizon: Stop also waits for durable timers that fall due within this time after it
	// looks. With 0 it waits for timers that are due already.
	Horizon time.Duration
	// Last is called by Stop after all actors have stopped and before the committer
	// does: the last moment at which a host can acknowledge events. It must return
	// when ctx ends, which it does with the context of Stop and by Kill. After a
	// Kill it is not called. Nil: nothing.
	Last func(ctx context.Context)
	// Log receives problems of the system itself, and protoactor's warnings. The zero
	// value writes nothing.
	Log zerolog.Logger
	// Name writes an address for the log, because a key may name a person. Nil: only its
	// kind is written.
	Name func(messages.Address) string
	// Cores is how many turns run at a time; 0 means GOMAXPROCS.
	Cores int
	// Throughput is how many turns of one actor run before the others have
	// their turn; 0 means 32.
	Throughput int
}

// System runs one engine. Its methods may be called concurrently.
type System struct {
	o          Options
	engine     engine.Control
	clock      engine.Clock
	log        zerolog.Logger
	dispatcher *dispatcher
	activity   *activity
	calls      group
	besides    group // what the engine runs in the background

	guardian        *guardian
	workers, actors *supervisor
	pools           map[string]*pool
	children        sync.Map // *engine.Activation → *child

	mu       sync.Mutex
	state    state
	stopping atomic.Bool
	killed   chan struct{}
	kill     sync.Once
	commit   loop
	timer    loop
	stopped  chan struct{}
	left     engine.Left
}

// registryParts is how many parts protoactor's registry of processes has, of 32 maps
// with a lock each.
const registryParts = 4

type state int

const (
	fresh state = iota
	running
	stopped
)

// ErrStarted says that a system was started or stopped before.
var ErrStarted = errors.New("live: the system was started or stopped before: make a new one")

// New makes a system. Nothing runs and nothing is read before Start.
func New(o Options) (*System, error) {
	if o.Engine.Driver != nil {
		return nil, errors.New("live: Options.Engine.Driver is the system itself: leave it nil")
	}
	if o.Engine.Clock == nil {
		o.Engine.Clock = engine.SystemClock{}
	}
	if o.Name == nil {
		o.Name = func(a messages.Address) string { return a.Kind() }
	}
	if o.Cores <= 0 {
		o.Cores = runtime.GOMAXPROCS(0)
	}
	if o.Throughput <= 0 {
		o.Throughput = 32
	}
	s := &System{
		o: o, clock: o.Engine.Clock, log: o.Log, activity: newActivity(), pools: map[string]*pool{},
		dispatcher: newDispatcher(o.Cores, o.Throughput),
		killed:     make(chan struct{}), stopped: make(chan struct{}),
		commit: newLoop(), timer: newLoop(),
	}
	o.Engine.Driver = s
	o.Engine.Listener = s.guarded(o.Engine.Listener)
	e, err := engine.New(o.Engine)
	if err != nil {
		return nil, err
	}
	s.engine = e.Control()
	s.engine.Background(s.beside)
	s.dispatcher.crowded = s.engine.Crowded
	s.guardian = &guardian{sys: s, box: newMailbox(s.activity), down: make(chan struct{})}
	s.workers, s.actors = s.newSupervisor("workers"), s.newSupervisor("actors")
	for _, kind := range s.Engine().WorkerKinds() {
		p := &pool{kind: kind}
		s.pools[kind.Name] = p
		for n := range kind.Size {
			c := s.newChild(messages.To(kind.Name, fmt.Sprint(n+1)))
			c.runner = &slot{sys: s, pool: p, self: c, supervision: s.engine.NewSupervision(c.addr)}
			p.slots = append(p.slots, c)
		}
		s.workers.first = append(s.workers.first, p.slots...)
	}
	return s, nil
}

// Engine is the kernel that the system runs.
func (s *System) Engine() *engine.Engine { return s.engine.Engine() }

// Start reads the store and runs everything. After an error nothing runs.
func (s *System) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != fresh {
		return ErrStarted
	}
	s.state = running
	// The dispatcher holds back what recovery wakes: nothing runs on a store
	// that is still being read.
	err := s.startTree()
	if err == nil {
		err = s.engine.Recover()
	}
	for _, a := range s.o.Activate {
		if err == nil {
			err = s.Engine().Activate(a)
		}
	}
	if err != nil {
		s.state = stopped
		s.dispatcher.close()
		s.engine.Close()
		close(s.stopped)
		return err
	}
	go s.commitLoop()
	go s.timerLoop()
	s.dispatcher.start()
	return nil
}

// startTree makes the protoactor system and its guardian. ActorSystem.Shutdown is
// never called: it stops nothing, and the system is garbage once the guardian is
// down.
func (s *System) startTree() error {
	quiet := slog.New(zerolog.NewSlogHandler(s.log.Level(max(s.log.GetLevel(), zerolog.WarnLevel))))
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return quiet }))
	// Its registry has 32,768 maps, and each keeps the room of all entries it ever had.
	parts := &system.ProcessRegistry.LocalPIDs.LocalPIDs
	*parts = slices.Clone((*parts)[:registryParts])
	// protoactor's own subscribers log dead letters and keep a goroutine for a
	// second to throttle that. Nobody asks or watches from outside the tree, so
	// nobody needs the answers they give either.
	system.EventStream = eventstream.NewEventStream()
	system.EventStream.Subscribe(func(event any) {
		if d, ok := event.(*actor.DeadLetterEvent); ok {
			s.log.Debug().Str("to", s.o.Name(addressOf(d.PID))).Type("message", d.Message).
				Msg("message to an actor that has stopped")
		}
	})
	props := propsOf(s.guardian, s.guardian.box, s.dispatcher).Configure(actor.WithGuardian(s.guardian))
	_, err := system.Root.SpawnNamed(props, "kehai")
	return err
}

// Wake implements [engine.Driver].
func (s *System) Wake(act *engine.Activation) {
	if v := act.Tag.Load(); v != nil { // its only child ever
		v.(*child).box.Load().wake()
		return
	}
	if act.Asleep() { // it had a child
		return
	}
	c := s.newChild(act.Address())
	c.runner = &actorRunner{s, s.engine, act, c}
	if v, loaded := s.children.LoadOrStore(act, c); loaded {
		v.(*child).post(wake{})
		return
	}
	act.Tag.Store(c)
	s.actors.box.PostUserMessage(spawn{c})
}

// WakeWorkers implements [engine.Driver].
func (s *System) WakeWorkers(kind string) {
	if p := s.pools[kind]; p != nil {
		p.wake()
	}
}

// beside runs what takes long, such as the search of a deletion. A stop waits for it as for all that is under way.
func (s *System) beside(fn func()) {
	s.activity.begin()
	s.besides.run(func() {
		defer s.activity.end()
		fn()
	})
}

// Abandoned counts the calls of workers that were given up and have not returned:
// goroutines that no stop can end.
func (s *System) Abandoned() int {
	n := 0
	for _, p := range s.pools {
		n += p.stuck(shared) + p.stuck(isolated)
	}
	return n
}

// guarded protects the turn or the commit that reports from a listener's panic.
func (s *System) guarded(listener func(engine.Published)) func(engine.Published) {
	if listener == nil {
		return nil
	}
	return func(p engine.Published) {
		defer func() {
			if r := recover(); r != nil {
				s.log.Error().Stringer("event", p.Message.MessageType()).Str("panic", harmless(r)).
					Str("stack", string(debug.Stack())).Msg("a listener panicked")
			}
		}()
		listener(p)
	}
}

// harmless describes a panic of a host's code without its value, which may be private.
// Panics of the Go runtime have no private value.
func harmless(r any) string {
	if e, ok := r.(runtime.Error); ok {
		return engine.Foreign(e).Error()
	}
	return fmt.Sprintf("a %T", r)
}

func (s *System) logBug(addr messages.Address, reason any) {
	e := s.log.Error().Str("actor", s.o.Name(addr)).Str("reason", s.masked(addr, fmt.Sprint(reason)))
	if b, ok := reason.(*bug); ok {
		e = e.Str("stack", string(b.stack))
	}
	e.Msg("an actor failed outside its turn")
}

// masked removes an actor's key from a text if the log does not write it.
func (s *System) masked(addr messages.Address, what string) string {
	key := addr.Key()
	if key == "" || strings.Contains(s.o.Name(addr), key) {
		return what
	}
	for _, k := range []string{key, url.PathEscape(key)} {
		what = strings.ReplaceAll(what, k, "…")
	}
	return what
}
