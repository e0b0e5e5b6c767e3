package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// Kind is one kind of actor.
type Kind struct {
	Name string
	// New makes the value of an actor: at its first message and after each
	// failure. It must not fail, block or share changeable state.
	New func(messages.Address) actors.Actor
	// About reports whether a row of such an actor is about a conversation other than the
	// actor's key; row is "table\x00key". Forgetting deletes these rows. nil: there are
	// none.
	About func(c messages.ConversationID, row string, value []byte) bool
	// SubjectOf says which conversation such a row is about, "" for the actor's key: the row
	// is sealed under the key of that conversation, and forgetting it deletes the row.
	// nil: all rows are about the actor's key.
	SubjectOf func(row string, value []byte) messages.ConversationID
	// Kept says by table what stays of its rows when the conversation that they are about is forgotten, such as
	// a mark that there was something; nil: nothing. It must leave its own result as it is. Kinds that are Here
	// keep nothing.
	Kept map[string]func(value []byte) []byte
	// Unfinished is a row, "table\x00key", that an actor has while it needs a start to go on with what it began, such
	// as a fleeting call. In a cluster it is started where it comes to; elsewhere others have to wake it. "": none.
	Unfinished string
	// Here binds its actors to this node, as to its screen or its camera: they commit apart
	// from actors that may live on any node.
	Here bool
	// Zoned keeps its actors, where their key began on a node with a zone, on nodes that have all words of it in
	// [ReplicaOptions]. While none of them is there, their work waits.
	Zoned bool
	// Source marks actors that begin work by themselves, such as pollers. An
	// ordered shutdown stops them first.
	Source bool
	// Fleeting bounds the fleeting messages that wait; 0 means 256.
	Fleeting int
	// Overflow is what a full mailbox does; "" means DropOldest.
	Overflow Overflow
}

func (k Kind) shard() Shard {
	if k.Here {
		return Here
	}
	return Anywhere
}

// shardOf is where an actor's rows and mail are. An unknown kind may live anywhere.
func (e *Engine) shardOf(a messages.Address) Shard { return e.kinds[a.Kind()].shard() }

// logShard holds the event log and the cursors of its readers. Events published in the
// other shard cross over, so that readers have one order of all.
const logShard = Anywhere

// Driver decides who runs when, by the methods of [Control]. The engine tells it who has
// work, from any goroutine. So its methods must not block, and must not call the engine
// before they return.
type Driver interface {
	Wake(*Activation)        // the actor may have something to do
	WakeWorkers(kind string) // a job may wait
}

// Published is an event on its way to listeners. Seq is its place in the event
// log, 0 for a fleeting type.
type Published struct {
	Seq     uint64
	From    messages.Address
	Trace   string
	At      time.Time
	Message messages.Message
	// Err is why a stored event has no Message; with an events.CommitFailed, what the store
	// answered; else nil.
	Err error
}

// Options configure an engine. Store, Codec, Clock and Driver are required.
type Options struct {
	Store   Store
	Codec   *messages.Codec
	Clock   Clock
	Driver  Driver
	Kinds   []Kind
	Workers []WorkerKind
	Sync    bool   // durability: power instead of process
	MinFree uint64 // bytes; below it durable work pauses; 0 means that it never does
	// Idle is how long an actor must have been without work before it is put to sleep; 0
	// means never. See [Control.Sleep].
	Idle     time.Duration
	Listener func(Published) // called in order per actor, from any goroutine; must not block
	Rand     *rand.Rand      // for jitter; nil means randomly seeded
	// Hands remembers what was in hand when the process died, to put aside a message that
	// kills it repeatedly. Nil: nothing is remembered.
	Hands Hands
	// Sealer seals what is stored. Nil: nothing is sealed, and a sealed store cannot be
	// opened.
	Sealer Sealer
	// Sealing is called before each step and at the end with the number of sealed rows,
	// when an older version had stored rows unsealed. Otherwise it is not called.
	Sealing func(rows int)
	// Replica makes the engine part of a cluster: what may live anywhere is written by the
	// replica's log, and runs here only while this node owns it. Store is the replica's. Nil:
	// the node is alone.
	Replica *Replica
	// OnLog is called when events have come into the event log that the listener did not get
	// with their place: events of another node, or events that crossed over.
	OnLog func()
	// Elsewhere is called, beside the actors, when another node begins to forget a conversation, and
	// when it has, and when a deletion has ended that went on by itself or at a start: what is kept of it on
	// this machine outside the store goes too.
	Elsewhere func(messages.ConversationID)
	// Deletes is called before a deletion that goes on by itself, or at a start, deletes something: it has to leave
	// the store's files. After an error, the deletion is tried again. Nil: nothing has to be done.
	Deletes func() error
	// Ends is called before the key of a conversation is destroyed: its deletion is carried out now, also after a
	// crash. After an error that wraps [ErrKeyAway] it is tried again. Nil: nothing has to be done.
	Ends func(Key) error
	// OnCommit is called after each transaction with what it held.
	OnCommit func(turns, ops int)
}

// DefaultMinFree is the free space in bytes below which durable work pauses, and below
// which no store is opened.
const DefaultMinFree = 128 << 20

// DefaultIdle is how long an actor has nothing to do before it is put to sleep.
const DefaultIdle = 10 * time.Minute

// Engine is the durable kernel. It knows the live actors, the store and the
// committer; its driver decides who runs when. See the package comment.
type Engine struct {
	store     Store
	codec     *messages.Codec
	clock     Clock
	driver    Driver
	kinds     map[string]Kind
	pools     map[string]*pool
	sync      bool
	minFree   uint64
	listener  func(Published)
	onCommit  func(turns, ops int)
	onLog     func()
	elsewhere func(messages.ConversationID)
	deletes   func() error
	ends      func(Key) error
	sealer    Sealer
	sealing   func(rows int)
	sealedAll bool                // everything private is sealed; set by Recover
	divert    func(Envelope) bool // nil: nothing is taken
	divertJob func(*Job) bool
	committer *committer
	replica   *Replica // nil: alone
	inHand    *inHand
	timers    *timers
	asks      asks

	rngMu sync.Mutex
	rng   *rand.Rand

	deletion   atomic.Pointer[deletion] // the one under way; the committer sets it
	background func(func())             // runs what takes long
	intents    intents

	boot      uint64
	recovered [shards]uint64 // the last numbers that were given out before the start
	nextID    atomic.Uint64
	idle      time.Duration

	incarnations atomic.Uint64 // starts of actors

	mu          sync.RWMutex
	activations map[messages.Address]*Activation
	most        int               // activations at a time, since their map was made
	slept       map[string]uint64 // turns of those that sleep, by kind
}

// ErrKinds marks a duplicate or incomplete actor or worker kind.
var ErrKinds = errors.New("engine: bad kinds")

// New makes an engine. Nothing runs and nothing is read before Recover.
func New(o Options) (*Engine, error) {
	if o.Store == nil || o.Codec == nil || o.Clock == nil || o.Driver == nil {
		return nil, errors.New("engine: Store, Codec, Clock and Driver are required")
	}
	if err := CheckKinds(o.Kinds, o.Workers); err != nil {
		return nil, err
	}
	e := &Engine{
		store: o.Store, codec: o.Codec, clock: o.Clock, driver: o.Driver, sync: o.Sync,
		sealer: o.Sealer, minFree: o.MinFree, listener: o.Listener, rng: o.Rand,
		kinds: map[string]Kind{}, pools: map[string]*pool{}, activations: map[messages.Address]*Activation{},
		slept: map[string]uint64{}, idle: o.Idle,
		committer: newCommitter(), replica: o.Replica, inHand: newInHand(o.Hands), timers: newTimers(),
		asks:       asks{open: map[string]*ask{}},
		background: func(fn func()) { go fn() },
		divertJob:  func(*Job) bool { return false },
	}
	if e.listener == nil {
		e.listener = func(Published) {}
	}
	if e.rng == nil {
		e.rng = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	if e.onCommit = o.OnCommit; e.onCommit == nil {
		e.onCommit = func(int, int) {}
	}
	e.elsewhere, e.deletes, e.ends = o.Elsewhere, o.Deletes, o.Ends
	if e.onLog = o.OnLog; e.onLog == nil {
		e.onLog = func() {}
	}
	if e.sealing = o.Sealing; e.sealing == nil {
		e.sealing = func(int) {}
	}
	if e.replica != nil {
		e.committer.known = e.replica.known
	}
	for _, k := range o.Kinds {
		e.kinds[k.Name] = k
	}
	for _, w := range o.Workers {
		w.Size = max(w.Size, 1)
		e.pools[w.Name] = &pool{kind: w}
	}
	return e, nil
}

// CheckKinds checks kinds as New does; its errors wrap [ErrKinds].
func CheckKinds(kinds []Kind, workers []WorkerKind) error {
	check := func(what, name string, made bool, seen map[string]bool) error {
		switch {
		case !validKind(name):
			return fmt.Errorf("%w: %s kind %q: want a name of small letters", ErrKinds, what, name)
		case !made:
			return fmt.Errorf("%w: %s kind %q: nothing makes it: New, or the function, is nil", ErrKinds, what, name)
		case seen[name]:
			return fmt.Errorf("%w: %s kind %q is there twice", ErrKinds, what, name)
		}
		seen[name] = true
		return nil
	}
	seen := map[string]bool{}
	for _, k := range kinds {
		if err := check("actor", k.Name, k.New != nil, seen); err != nil {
			return err
		}
	}
	seen = map[string]bool{}
	for _, w := range workers {
		if err := check("worker", w.Name, w.New != nil, seen); err != nil {
			return err
		}
	}
	return nil
}

func validKind(name string) bool {
	a := messages.To(name, "-")
	return a.Validate() == nil && a.Kind() == name
}

// WorkerKinds returns the pools, sorted by name.
func (e *Engine) WorkerKinds() []WorkerKind {
	var kinds []WorkerKind
	for _, p := range e.pools {
		kinds = append(kinds, p.kind)
	}
	slices.SortFunc(kinds, func(a, b WorkerKind) int { return strings.Compare(a.Name, b.Name) })
	return kinds
}

// Activate makes an actor live, so that it gets Started without any mail. It never
// sleeps.
func (e *Engine) Activate(addr messages.Address) error {
	if err := addr.Validate(); err != nil {
		return err
	}
	pin := func(act *Activation) bool {
		act.mu.Lock()
		defer act.mu.Unlock()
		act.pinned = true
		return act.state != asleep
	}
	if !e.reach(addr, pin) {
		return fmt.Errorf("engine: activate %s: no actor kind %q", addr, addr.Kind())
	}
	return nil
}

// activation returns the live actor of an address, making it live if its kind is
// known.
func (e *Engine) activation(addr messages.Address) *Activation {
	e.mu.RLock()
	act := e.activations[addr]
	e.mu.RUnlock()
	if act != nil {
		return act
	}
	kind, ok := e.kinds[addr.Kind()]
	if !ok {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if act := e.activations[addr]; act != nil {
		return act
	}
	act = &Activation{addr: addr, kind: kind, incarnation: e.incarnations.Add(1)}
	act.rows = rowReader{e: e, act: act}
	act.box.limit, act.box.overflow = kind.Fleeting, kind.Overflow
	if act.box.limit <= 0 {
		act.box.limit = mailboxFleeting
	}
	if act.box.overflow == "" {
		act.box.overflow = DropOldest
	}
	// The store may hold older mail than what is being delivered. Reading the inbox
	// by sequence number keeps the order.
	act.box.more, act.box.floor = true, e.floor(kind.shard())
	if e.deletion.Load().stills(addr) {
		act.becomeFrozen()
	}
	e.activations[addr] = act
	e.most = max(e.most, len(e.activations))
	return act
}

// Inject sends a durable message from outside and returns once it is stored.
// With a key, a second injection of that key to the same actor does nothing.
func (e *Engine) Inject(ctx context.Context, to messages.Address, msg messages.Message, key string) error {
	err := e.InjectNew(ctx, to, msg, key)
	if errors.Is(err, ErrInjected) {
		return nil
	}
	return err
}

// ErrInjected says that a message with the same key was injected before.
var ErrInjected = errors.New("engine: this key was used before: take a new one for a new message")

// InjectNew is Inject, except that a key that was used before is [ErrInjected]. The message
// that came with it waits in the mail, or its turn has committed. It may be this one, if a
// commit of unknown outcome was made again.
func (e *Engine) InjectNew(ctx context.Context, to messages.Address, msg messages.Message, key string) error {
	done, err := e.post("", to, msg, key, ErrInjected)
	if err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("engine: inject into %s: %w (it may still be stored)", to, ctx.Err())
	}
}

// Post is Inject without waiting, on behalf of another actor ("" for none): the channel
// gets the result once the commit has run.
func (e *Engine) Post(from, to messages.Address, msg messages.Message, key string) (<-chan error, error) {
	return e.post(from, to, msg, key, nil)
}

// post is Post with the result for a key that was used before.
func (e *Engine) post(from, to messages.Address, msg messages.Message, key string, used error) (<-chan error, error) {
	if err := to.Validate(); err != nil {
		return nil, err
	}
	if _, ok := e.kinds[to.Kind()]; !ok {
		return nil, fmt.Errorf("engine: inject into %s: no actor kind %q", to, to.Kind())
	}
	durable, err := e.durable(msg)
	if err != nil {
		return nil, fmt.Errorf("engine: inject into %s: %w", to, err)
	}
	done := make(chan error, 1)
	env := Envelope{From: from, To: to, At: e.clock.Now(), Message: msg}
	if !durable {
		env.ID = e.fleetingID()
		e.deliver(&env)
		done <- nil
		return done, nil
	}
	env.At = wall(env.At)
	record, err := e.encodeMail(&env)
	if err != nil {
		return nil, fmt.Errorf("engine: inject into %s: %w", to, err)
	}
	r := &hostRequest{used: used, finished: func(err error) { done <- err }}
	r.shard = e.shardOf(to)
	r.addMail(r.shard, &env, record, e.subject(msg, to), -1)
	if key != "" {
		r.Once = []byte(ofActor(keyInjected, to, key))
		r.Ops = []Op{{Key: r.Once, Value: encodeRecord(injectedRecord{At: env.At})}}
	}
	if n := r.measure(); n > maxTurn {
		return nil, fmt.Errorf("engine: inject into %s: %w: %d bytes, at most %d", to, ErrTooLarge, n, maxTurn)
	}
	if err := e.ready(&r.Change); err != nil {
		return nil, fmt.Errorf("engine: inject into %s: %w", to, err)
	}
	e.enqueue(r)
	return done, nil
}

func (e *Engine) fleetingID() string {
	var space [42]byte // two numbers of at most twenty digits
	id := strconv.AppendUint(append(space[:0], 'f'), e.boot, 10)
	return string(strconv.AppendUint(append(id, '-'), e.nextID.Add(1), 10))
}

func (e *Engine) isDurable(m messages.Message) bool {
	durable, err := e.durable(m)
	return err == nil && durable
}

// isFleeting is false for a type that is unknown.
func (e *Engine) isFleeting(m messages.Message) bool {
	durable, err := e.durable(m)
	return err == nil && !durable
}

func (e *Engine) jitter() *rand.Rand {
	e.rngMu.Lock()
	defer e.rngMu.Unlock()
	return rand.New(rand.NewPCG(e.rng.Uint64(), 0))
}

// report publishes the engine's own event.
func (e *Engine) report(m messages.Message) {
	e.listener(Published{At: e.clock.Now(), Message: m})
}
