package bare

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/engine/live"
	"github.com/kehai-run/kehai/runtime/follow"
	"github.com/kehai-run/kehai/runtime/health"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store"
)

// ErrNotRunning is returned by methods that need a running runtime.
var ErrNotRunning = errors.New("runtime: not running")

// Core is what every runtime has: a kernel while it runs, the readers of its event log, and what
// is wrong. It runs once. Methods may be called concurrently.
type Core struct {
	Log     zerolog.Logger
	Codec   *messages.Codec
	Health  *health.Monitor
	Readers follow.Readers // of the event log

	ready     chan struct{}
	readyOnce sync.Once

	mu      sync.Mutex
	state   state
	engine  *engine.Engine
	started time.Time

	broken     context.Context // ends when the store has stopped; its cause says why
	storeBroke context.CancelCauseFunc
}

type state int

const (
	stateNew state = iota
	stateRunning
	stateEnded
)

// NewCore returns one that knows the message types of Kehai and these.
func NewCore(log zerolog.Logger, own []messages.Table) (*Core, error) {
	codec, err := messages.NewCodec(append([]messages.Table{events.Core()}, own...)...)
	if err != nil {
		return nil, err
	}
	c := &Core{Log: log, Codec: codec, Health: health.NewMonitor(log), ready: make(chan struct{})}
	c.Health.Aside = c.aside
	c.broken, c.storeBroke = context.WithCancelCause(context.Background())
	return c, nil
}

// Plan is what [Core.Run] runs. All functions are called on its goroutine, in this order.
type Plan struct {
	Probe  func() error // fails before anything is opened
	Store  func() (engine.Store, error)
	Hands  func() (Hands, error)
	Sealer func() (engine.Sealer, error)
	// Seat takes a place among other machines, with what is stored and sealed there; rise leaves it.
	Seat func(engine.Store, engine.Sealer) (_ *engine.Replica, _ engine.Sealer, rise func() error, _ error)
	// System says how to run the actors; Last is set already.
	System   func(live.Options) live.Options
	Load     func(*engine.Engine) error            // reads what is stored before calls are accepted
	Services func(*engine.Engine) []follow.Service // the first one that fails ends the run
	Running  func()                                // everything runs
	Drain    time.Duration                         // for what is under way, at the end
	Stopping func(context.Context, *engine.Engine) // before the draining
	Shut     func()                                // calls are refused; the store is closed next
	Close    func() error                          // what was opened before Run
}

// Hands remember what was in progress when the process died.
type Hands interface {
	engine.Hands
	Close() error
}

// Begin records that a runtime runs; it succeeds once.
func (c *Core) Begin() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != stateNew {
		return errors.New("runtime: Run was called before: make a new runtime")
	}
	c.state = stateRunning
	return nil
}

// End records that a runtime has run.
func (c *Core) End() {
	c.mu.Lock()
	c.state = stateEnded
	c.mu.Unlock()
	c.readyOnce.Do(func() { close(c.ready) })
}

// Ready is closed once the actors run, or when Run ends before that.
func (c *Core) Ready() <-chan struct{} { return c.ready }

// Engine returns the kernel while calls are accepted, else [ErrNotRunning].
func (c *Core) Engine() (*engine.Engine, error) {
	e, _ := c.Now()
	if e == nil {
		return nil, ErrNotRunning
	}
	return e, nil
}

// Now returns the kernel, nil unless calls are accepted, and since when it has run.
func (c *Core) Now() (*engine.Engine, time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != stateRunning {
		return nil, c.started
	}
	return c.engine, c.started
}

func (c *Core) take(e *engine.Engine) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.engine = e; e != nil {
		c.started = time.Now()
	}
}

// Healthy lists what is wrong; it is [ErrNotRunning] unless calls are accepted.
func (c *Core) Healthy() error {
	if _, err := c.Engine(); err != nil {
		return err
	}
	var errs []error
	for _, p := range c.Health.Problems() {
		errs = append(errs, errors.New(p))
	}
	return errors.Join(errs...)
}

// aside counts the messages of the last hour that are dead letters.
func (c *Core) aside() (n int, err error) {
	e, err := c.Engine()
	if err != nil {
		return 0, err
	}
	list, err := e.DeadLetters()
	since := time.Now().Add(-time.Hour)
	for _, d := range list {
		if d.Subscription == "" && d.At.After(since) {
			n++
		}
	}
	return n, err
}

// Inject sends a message to an actor from outside. A durable message is stored when Inject
// returns nil. With a key, a second injection of the same key to the same actor has no effect.
func (c *Core) Inject(ctx context.Context, to messages.Address, msg messages.Message, key string) error {
	if _, err := c.Engine(); err != nil {
		return err
	}
	select { // what is not stored must not reach an actor before
	case <-c.ready:
	case <-ctx.Done():
		return fmt.Errorf("runtime: not running yet: %w", ctx.Err())
	}
	e, err := c.Engine()
	if err != nil {
		return err
	}
	return e.Inject(ctx, to, msg, key)
}

// Subscribe registers a reader of the durable events, before Run.
func (c *Core) Subscribe(name string, handler follow.Handler, opts []follow.Option) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != stateNew {
		return errors.New("runtime: subscribe before Run")
	}
	if err := c.Readers.Add(name, handler, opts); err != nil {
		return fmt.Errorf("runtime: %w", err)
	}
	return nil
}

// Run works until ctx ends or something fails; abort ends the draining. It is long because it is
// one sequence: it closes what it opened in reverse order, even if a step fails.
func (c *Core) Run(ctx, abort context.Context, p Plan) (err error) {
	if err := c.Begin(); err != nil {
		return err
	}
	defer func() {
		c.End()
		err = errors.Join(err, p.Close())
	}()
	if err := p.Probe(); err != nil {
		return err
	}
	st, err := p.Store()
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := st.Close(); closeErr != nil && !errors.Is(err, closeErr) {
			err = errors.Join(err, closeErr)
		}
	}()
	hands, err := p.Hands()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hands.Close()) }()
	defer func() {
		c.take(nil)
		p.Shut()
	}()
	sealer, err := p.Sealer()
	if err != nil {
		return err
	}
	keys := sealer
	replica, sealer, rise, err := p.Seat(st, sealer)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rise()) }()
	if replica == nil { // else the others fill it
		if err := c.checkNew(st, keys); err != nil {
			return err
		}
	}
	return c.work(ctx, abort, p, live.Options{
		Engine: engine.Options{Store: st, Codec: c.Codec, Clock: engine.SystemClock{}, Hands: hands, Sealer: sealer,
			Replica: replica, OnLog: c.Readers.Wake},
		Log: c.Log,
	})
}

// checkNew tells of a store on disk that is empty though something was sealed for one: it was lost, or
// its volume is not there. Nothing else would: it looks like a first start.
func (c *Core) checkNew(st engine.Store, keys engine.Sealer) error {
	ring, sealed := keys.(*keyring.Ring)
	if _, disk := st.(*store.Store); !disk || !sealed || ring.Len() == 0 {
		return nil
	}
	empty := true
	err := st.Scan(nil, nil, func(_, _ []byte) bool { empty = false; return false })
	if err != nil || !empty {
		return err
	}
	mend := c.Health.Advice("run `kehai restore FILE`", "restore the data directory from a copy")
	c.Log.Warn().Int("keys", ring.Len()).Str("mend", "if the one before was lost, "+mend).Msg("store_is_new")
	c.Health.Set("new store", fmt.Sprintf("the store is new, though keys of one before it are there (%d): if that was "+
		"lost, or its volume is not there, end this run and %s", ring.Len(), mend))
	return nil
}

// work runs the actors, the services and the subscriptions.
func (c *Core) work(ctx, abort context.Context, p Plan, o live.Options) error {
	// Subscriptions may acknowledge until the actors have stopped.
	following, endFollowing := context.WithCancel(context.WithoutCancel(ctx))
	defer endFollowing()
	var followers sync.WaitGroup
	o.Last = func(ctx context.Context) {
		endFollowing()
		follow.WaitOr(&followers, ctx)
	}
	sys, err := live.New(p.System(o))
	if err != nil {
		return err
	}
	if err := p.Load(sys.Engine()); err != nil {
		return err
	}
	c.take(sys.Engine())
	services, stopServices := context.WithCancel(context.WithoutCancel(ctx))
	defer stopServices()
	list := p.Services(sys.Engine())
	run := follow.Group{Failed: make(chan error, len(c.Readers.All())+len(list))}
	serving, err := run.Open(services, list)
	if err == nil {
		err = sys.Start()
	}
	if err != nil {
		stopServices() // serve until the context of what was opened ends, which closes it
	}
	run.Serve(services, serving)
	if err == nil {
		o := c.following(sys.Engine())
		for _, s := range c.Readers.All() {
			run.Spawn(&followers, "subscription "+s.Name(), func() error { return s.Follow(following, services, o) })
		}
		p.Running()
		c.readyOnce.Do(func() { close(c.ready) })
		select {
		case <-ctx.Done():
		case err = <-run.Failed:
		case <-c.broken.Done():
		}
	}
	left := c.stop(abort, p, sys)
	if broken := context.Cause(c.broken); broken != nil {
		err = broken // the other errors are consequences
	}
	endFollowing()
	stopServices()
	follow.WaitHandlers(c.broken, &followers)
	for _, name := range c.Readers.Leave() {
		c.Log.Error().Str("subscription", name).
			Msg("did not stop in time: its handler does not return; it is left behind")
	}
	follow.WaitUnless(c.broken, &run.All)
	c.Log.Info().Msg("stopped")
	if err == nil {
		err = c.unfinished(left, sys.Engine())
	}
	return err
}

// unfinished returns an [Unfinished] if work is left, or a subscription is behind.
func (c *Core) unfinished(left engine.Left, e *engine.Engine) error {
	behind := c.Readers.Behind()
	if left.None() && len(behind) == 0 {
		return nil
	}
	return &Unfinished{Left: left, Blocked: e.Busy(), Behind: behind,
		why: c.Health.Advice("`kehai subscriptions list`", "Runtime.Subscriptions")}
}

func (c *Core) following(e *engine.Engine) follow.Options {
	return follow.Options{Engine: e, Log: c.Log, Trouble: c.Health.Set, Advice: c.Health.Advice}
}

// stop drains the system within its time limit, or ends it at once when abort ends or the store
// has stopped.
func (c *Core) stop(abort context.Context, p Plan, sys *live.System) engine.Left {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(abort), p.Drain)
	defer cancel()
	defer context.AfterFunc(abort, sys.Kill)()
	defer context.AfterFunc(c.broken, sys.Kill)()
	p.Stopping(ctx, sys.Engine())
	return sys.Stop(ctx)
}

// Listen keeps what Healthy and the readers need of an event. What else hears of events is
// called in between.
func (c *Core) Listen(ev engine.Published, others func()) {
	c.Health.Note(ev.Message)
	_, commitFailed := ev.Message.(events.CommitFailed)
	if commitFailed {
		c.checkStore(ev.Err)
	}
	others()
	if ev.Seq > 0 || commitFailed { // its events may be in the log all the same
		c.Readers.Wake()
	}
}

// checkStore ends the run when a commit failed and the store cannot be read
// either. A store of another kind than ours does not say that it has stopped.
func (c *Core) checkStore(why error) {
	e, err := c.Engine()
	if err != nil {
		return
	}
	if _, _, err = e.Setting("store"); err == nil { // one row: a scan may hang
		return
	}
	if errors.Is(err, engine.ErrCorrupt) && !errors.Is(why, engine.ErrCorrupt) {
		why = err // which tells more
	}
	c.StoreStopped(why)
}

// StoreStopped ends the run, because a store that has stopped works only after
// a new start, which reads what is really there. Until then nothing would be
// delivered.
func (c *Core) StoreStopped(why error) {
	if c.broken.Err() != nil {
		return
	}
	next := "; start again: nothing that was delivered is lost"
	if errors.Is(why, engine.ErrCorrupt) { // it says what to do
		next = ""
	}
	err := fmt.Errorf("runtime: the store stopped, so this run ends%s: %w", next, why)
	c.Log.Error().Err(err).Msg("store_stopped")
	c.Health.Set("store", err.Error())
	c.storeBroke(err)
}
