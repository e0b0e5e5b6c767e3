package runtime

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors/outbound"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/bare"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/engine/live"
	"github.com/kehai-run/kehai/runtime/feed"
	"github.com/kehai-run/kehai/runtime/follow"
	"github.com/kehai-run/kehai/runtime/maintenance"
	"github.com/kehai-run/kehai/runtime/names"
	"github.com/kehai-run/kehai/runtime/pause"
	"github.com/kehai-run/kehai/runtime/snapshot"
	"github.com/kehai-run/kehai/runtime/telemetry"
	"github.com/kehai-run/kehai/runtime/web"
)

// Runtime is one Kehai: its actors, its store, its hardware. Several may live
// in one process, each with a data directory of its own. Methods may be called
// concurrently.
type Runtime struct {
	cfg     config.Config
	set     settings
	log     zerolog.Logger
	core    *bare.Core
	plan    plan
	metrics *telemetry.Metrics
	names   telemetry.Names // in the log
	hashKey []byte          // for its hashes; the stored one replaces it
	seed    func() string   // makes the seed of conversation ids, once for each store
	admin   admin.Backend
	seen    *snapshot.Windows
	clock   func() time.Time // of what is written on frames; a simulation has its own
	disk    maintenance.Disk // of the store; set when Run opens it
	// barrier is [engine.Replica.Barrier], nil: alone; set when Run takes the seat.
	barrier func(context.Context) error

	mu       sync.Mutex
	page     *web.Server
	trackers *feed.Server
	adopted  map[string][]messages.ConversationID // by application, see [Runtime.adoptedOf]
}

// New checks the configuration and builds a runtime. Nothing runs, and no store is
// opened, before Run. Unknown or duplicate message types, actor kinds, drivers and names
// are errors.
func New(cfg config.Config, opts ...Option) (*Runtime, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	set := newSettings(cfg, opts)
	core, err := bare.NewCore(set.log, set.tables)
	if err != nil {
		return nil, err
	}
	r := &Runtime{
		cfg: cfg, set: set, log: set.log, clock: time.Now, core: core,
		hashKey: make([]byte, names.LogKeyBytes), seen: snapshot.New(snapshot.Of(cfg)),
	}
	rand.Read(r.hashKey) // never fails
	r.seed = rand.Text
	if set.seed != "" {
		r.seed = func() string { return set.seed }
	}
	r.set.Drawn.Attach(r, r.log)
	r.metrics = telemetry.NewMetrics(r.inspectForMetrics)
	r.metrics.WatchSleep(func() map[string]uint64 {
		if e, err := r.core.Engine(); err == nil {
			return e.Slept()
		}
		return nil
	})
	r.admin = admin.Backend{
		Config: cfg, Engine: r.core.Engine, Disk: r.diskNow, Pauses: &pause.State{}, Keys: admin.Keys(cfg.Data),
		Book: names.NewBook(), Memory: recall.NewLibrary(time.Local).Set(cfg.Memory.Rules), Talks: admin.NewTalks(),
		Debug: datadir.DebugFiles(cfg.Data), Drawn: r.set.Drawn, HashKey: r.hashKey,
		Live: &admin.Live{Status: r.Inspect, Problems: core.Health.Problems, Seen: r.seen, Forget: r.forgetSeen,
			Served: core.Readers.Served, Retried: core.Readers.Retry, Trouble: core.Health.Set, Cluster: set.cluster,
			Page: r.pageNow, Taps: set.taps, Reread: func() { r.plan.readings.Reread() }},
	}
	if r.plan, err = r.makePlan(); err != nil {
		return nil, err
	}
	r.admin.Names, r.admin.Log, r.admin.Book.Running = r.names, r.log, core.Ready()
	core.Health.Names, core.Health.Nearest, core.Health.Languages = r.names, names.Nearest, set.Languages(cfg)
	if set.cluster != nil {
		core.Health.Beside = set.cluster.Problems
	}
	return r, nil
}

// Ready is closed once the actors run. It is also closed when Run ends before that: then
// Healthy returns [ErrNotRunning], and Run has returned what is wrong.
func (r *Runtime) Ready() <-chan struct{} { return r.core.Ready() }

// Run opens the store and runs everything until ctx ends. Then it stops the pollers,
// drains work that is under way within the configured time, and closes the store. It
// returns an error if it could not start, or if work was left when the time was over:
// nothing is lost then, and the next start continues. A runtime runs once.
func (r *Runtime) Run(ctx context.Context) error {
	return r.run(ctx, context.WithoutCancel(ctx))
}

// RunUntil is Run with a second context that also ends the draining.
func (r *Runtime) RunUntil(ctx, abort context.Context) error { return r.run(ctx, abort) }

func (r *Runtime) run(ctx, abort context.Context) error {
	var now first
	return r.core.Run(ctx, abort, bare.Plan{
		Probe: func() error { return r.set.ProbeOCR(r.cfg) },
		Store: r.openStore, Hands: r.openHands, Sealer: r.openKeys, Seat: r.seat,
		System:   r.system,
		Load:     func(e *engine.Engine) (err error) { now, err = r.load(e); return err },
		Services: func(e *engine.Engine) []follow.Service { return r.services(e, now) },
		Running: func() {
			r.warnOfHangs()
			r.log.Info().Str("version", r.set.version).Str("data", r.cfg.Data).
				Int("windows", len(r.cfg.Windows)).Msg("running")
		},
		Drain: r.cfg.Shutdown.Drain,
		Stopping: func(ctx context.Context, e *engine.Engine) { // removes half-typed text from the windows
			_ = r.admin.Pauses.End(ctx, e, r.plan.windows) // who is not told has no keys all the same
		},
		Shut: r.admin.Memory.Close, Close: r.plan.close,
	})
}

func (r *Runtime) system(o live.Options) live.Options {
	o.Activate, o.Name = r.plan.activate, r.names.Actor
	// Waiting for a burst is worth it, and for a text in an input field, which is
	// looked at once more; waiting for a host's timer of an hour is not.
	o.Horizon = max(r.cfg.Burst.Cap, r.cfg.Rules.Send.Retry+time.Second)
	o.Engine.Kinds, o.Engine.Workers = r.plan.kinds, r.plan.workers
	o.Engine.Sync, o.Engine.MinFree = r.cfg.Durability == config.DurabilityPower, uint64(r.cfg.Store.MinFree)
	o.Engine.Listener, o.Engine.OnCommit, o.Engine.Idle = r.listen, r.committed, r.cfg.Actors.Sleep
	o.Engine.Sealing = func(rows int) { maintenance.Sealing(r.diskNow(), r.log, rows) }
	o.Engine.Elsewhere = r.admin.ForgetElsewhere
	o.Engine.Deletes, o.Engine.Ends = func() error { return r.diskNow().PurgeLater() }, admin.Receipts(r.cfg).Ends
	return o
}

// first says what has to be stored at a first run, or the first of this version.
type first struct {
	logKey  bool // of the names in the log
	adopted bool // that nothing is left of ids made of names
	adopts  bool // directories adopt such ids
}

// load reads what is stored beside the actors' own data, and admits calls from outside.
func (r *Runtime) load(e *engine.Engine) (now first, err error) {
	if err := r.admin.Pauses.Load(e); err != nil {
		return now, err
	}
	logKey, err := names.LoadLogKey(e)
	if err != nil {
		return now, err
	}
	adopted, done, err := names.LoadAdopted(e, r.cfg.Apps())
	if err != nil {
		return now, err
	}
	r.admin.Memory.Open(admin.Remembered{Engine: e})
	r.mu.Lock()
	copy(r.hashKey, logKey)
	r.adopted = adopted
	r.mu.Unlock()
	if !r.cfg.Debug.Text { // files of an earlier run contain private text
		if err := r.admin.Debug.Destroy(); err != nil {
			return now, err
		}
	}
	return first{logKey: logKey == nil, adopted: !done && len(adopted) == 0,
		adopts: len(adopted) > 0}, nil
}

// adoptedOf are the ids that an older version made of the names of an application's
// conversations.
func (r *Runtime) adoptedOf(app string) []messages.ConversationID {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.adopted[app]
}

// Unfinished says what was under way when the time for draining was over.
type Unfinished = bare.Unfinished

func (r *Runtime) openStore() (engine.Store, error) {
	open := r.set.store
	if open == nil {
		open = func() (engine.Store, error) { return datadir.OpenStore(r.cfg, r.log, r.core.StoreStopped) }
	}
	st, err := open()
	if err != nil {
		return nil, err
	}
	disk := maintenance.DiskOf(st)
	if r.set.moreProcessors {
		disk = datadir.Crowded(disk)
	}
	r.mu.Lock()
	r.disk = disk
	r.mu.Unlock()
	for _, wrap := range r.set.wrapStore {
		st = wrap(st)
	}
	return st, nil
}

// openKeys opens the keys of Kehai's own store. A host that brings a store brings its
// keys too, or a log line says that the store is not sealed.
func (r *Runtime) openKeys() (engine.Sealer, error) {
	if r.set.sealer == nil && r.set.store != nil {
		r.log.Info().Str("mend", "runtime.WithSealer").Msg("store_not_sealed")
	}
	keys, err := r.admin.OpenKeys(r.set.sealer, r.set.store == nil)
	if err == nil {
		err = r.record(keys)
	}
	return keys, err
}

// openHands opens the memory of what is in hand; a host's own store has none.
func (r *Runtime) openHands() (bare.Hands, error) {
	if r.set.store != nil {
		return bare.NoHands{}, nil
	}
	return bare.OpenHands(r.cfg.Data)
}

// Inject sends a message to an actor from outside. A durable message is stored when
// Inject returns nil. With a key, a second injection of the same key to the same actor
// has no effect.
func (r *Runtime) Inject(ctx context.Context, to messages.Address, msg messages.Message, key string) error {
	return r.core.Inject(ctx, to, msg, key)
}

// Pause stops watching a window, all windows if it is "", or the desk if it is
// control.Attention, until Resume; control.Sending stops every reply from being sent. A
// pause is stored, so it survives a restart. Work that is under way is finished.
func (r *Runtime) Pause(ctx context.Context, window string) error {
	return r.admin.Pause(ctx, window)
}

// Resume ends a Pause; for "" all pauses of windows. Messages that came meanwhile and are
// still visible are read then.
func (r *Runtime) Resume(ctx context.Context, window string) error {
	return r.admin.Resume(ctx, window)
}

// Forget deletes everything stored about a conversation, given by its id or a name that
// only it has: messages, what its actors know, verdicts, dead letters, mail. Messages
// that are visible next count as known and are not delivered again, so the
// conversation's name is kept. Subscriptions that have not read its messages yet never
// will. Where ctx ends it waits for the deletion all the same, but not for the files.
func (r *Runtime) Forget(ctx context.Context, c messages.ConversationID) (engine.Forgotten, error) {
	return r.admin.Forget(ctx, c)
}

func (r *Runtime) diskNow() maintenance.Disk {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.disk
}

// Send has a text typed into a watched window and sent, once for each key, as soon
// as the window shows the conversation, its input field is empty and nobody types.
// The text is stored when Send returns nil. What became of it is a
// messages.SendDone with the key, which [Runtime.Subscribe] and [WithListener] hand
// out: confirmed once its own bubble was seen, not_sent if nothing stands in the
// window, unknown if nobody can tell; nothing is ever sent a second time.
//
// The window is named as in the configuration, with or without its node. Line feeds
// are the only control characters of the text that are typed; it has at most
// outbound.MaxText characters.
func (r *Runtime) Send(ctx context.Context, window string, c messages.ConversationID, text messages.Text,
	key string) error {
	reply, err := outbound.Host(c, text, key, r.now())
	if err != nil {
		return fmt.Errorf("runtime: send: %w", err)
	}
	if _, err := r.core.Engine(); err != nil {
		return err
	}
	if window == "" {
		return errors.New("runtime: send: want the name of a window")
	}
	if reply.Window, err = admin.FindWindow(r.cfg, window); err != nil {
		return fmt.Errorf("runtime: send: %w", err)
	}
	return r.Inject(ctx, messages.To(messages.ActorOutbound, string(reply.Window)), reply, "send "+key)
}

// Sending says that a text is about to be sent into a conversation, so that it
// is not taken for somebody else's when it is read back. Call it before the first
// key is pressed; type nothing if it returns an error. Once it returns nil, all who
// read have it in their store. The conversation is given by its id, or by a name
// behind its application, as "line:Hana": one that was never seen gets its id now.
// trace names the sending: calling it again with the same text and trace, for another
// attempt, renews it.
func (r *Runtime) Sending(ctx context.Context, c messages.ConversationID, text messages.Text, trace string) error {
	e, err := r.core.Engine()
	if err != nil {
		return err
	}
	app, name, err := names.Resolve(e, r.cfg.Apps(), &c)
	if err == nil && name != "" {
		c, err = r.Conversation(ctx, app, name)
	}
	if err != nil {
		return fmt.Errorf("runtime: sending %s: %w", trace, err)
	}
	return r.sending(c, text, trace, func(to messages.Address, m messages.Message) error {
		return r.Inject(ctx, to, m, "")
	})
}

func (r *Runtime) sending(c messages.ConversationID, text messages.Text, trace string,
	inject func(messages.Address, messages.Message) error) error {
	sent := messages.TextSent{Conversation: c, Text: text, Trace: trace, At: r.now()}
	for _, to := range r.plan.readers(c) {
		if err := inject(to, sent); err != nil {
			return fmt.Errorf("runtime: sending %s: tell %s before anything is typed: %w", trace, to, err)
		}
	}
	return nil
}

// Typing announces keys that are about to be pressed in a window, for at most d from now.
// The window is not captured meanwhile, so that half a text is never read as news. Call
// it again to extend the time, and with 0 after the last key; what came meanwhile is read
// then. At most messages.MaxTyping counts at once, so a caller that dies or forgets to
// end it delays nobody for long. The window is named as in the configuration, with or
// without its node.
func (r *Runtime) Typing(ctx context.Context, window string, d time.Duration) error {
	e, err := r.core.Engine()
	if err != nil {
		return err
	}
	if window == "" {
		return errors.New("runtime: typing: want the name of a window")
	}
	id, err := admin.FindWindow(r.cfg, window)
	if err != nil {
		return fmt.Errorf("runtime: typing: %w", err)
	}
	return e.Inject(ctx, messages.To(messages.ActorPoller, string(id)),
		messages.Typing{Window: id, Until: time.Now().Add(d)}, "")
}

// now is the present time; a simulation has its own.
func (r *Runtime) now() time.Time { return r.clock() }

// readers are the actors that must know what is sent into a conversation.
func (p *plan) readers(c messages.ConversationID) []messages.Address {
	list := []messages.Address{messages.To(messages.ActorIngress, string(c))}
	for _, id := range p.windows {
		list = append(list, messages.To(messages.ActorFusion, string(id)))
	}
	return list
}
