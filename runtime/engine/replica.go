package engine

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kehai-run/kehai/messages"
)

// Log brings entries to all nodes, in one order: each node hands them to its
// [Replica.Apply]. The replicated log of a cluster is one, and a simulation has another.
type Log interface {
	// Append begins to bring an entry into the log, and tries until Done is closed. The
	// entry may come more than once, and after that. Append must not wait, and must not call
	// the replica before it returns.
	Append(p Proposal)
}

// Proposal is an entry on its way into the log.
type Proposal struct {
	Entry []byte
	Done  <-chan struct{} // closed once this node has seen it in the log, or will never ask again
}

// ReplicaOptions configure a replica. Node, Store and Kinds are required.
type ReplicaOptions struct {
	Node  string
	Store Store  // in which nobody else writes, besides the engine that runs on the replica
	Kinds []Kind // which of them are bound to their node
	// Home is the node of an actor that is bound to one. Nil: what follows the last @ of its
	// key, or else the key.
	Home func(messages.Address) string
	// Zone names in words, with blanks between them, what this node has and others may not, see
	// [Kind.Zoned]. "": nothing, so that nothing of this node is bound. What a start says counts until
	// the next one. An actor that is told something in two zones, neither of which has all words of the
	// other, keeps to the first.
	Zone string
	// Note handles a note of the log, durably; it comes again until there is no error. Nil: notes are
	// passed over.
	Note func(topic, from string, note []byte) error
	// Pass sends a fleeting message to the [Replica.Receive] of another node. It must not wait, and
	// may lose it. Nil: all are lost.
	Pass func(node string, form []byte)
	// ID makes a name for a store that has none, which no other store has. Nil: a random one.
	ID func() string
}

// Replica is a node's copy of what a cluster shares, in the same store as what is bound to
// the node. The log writes the one, and an engine that was given the replica the other; see
// the package comment. All methods may be called concurrently, but Apply and Restore only one
// at a time: what follows from an entry happens before either returns.
type Replica struct {
	node  string
	store Store
	here  map[string]bool
	home  func(messages.Address) string
	note  func(topic, from string, note []byte) error
	pass  func(node string, form []byte)
	zone  zone

	mu      sync.Mutex // held by whoever writes the store
	known   *known
	log     Log
	engine  *Engine
	applied uint64
	boot    uint64 // counts the starts of this node's name; 0: the engine has not started
	n       uint64 // of the newest proposal
	id      string // of the store
	taken   uint64 // changes that came from the shard Anywhere
	said    uint64 // what of that the others know
	greeted bool   // this start's hello is in the log
	rivals  int    // hellos of other machines under this name, since it was last said that nobody is there
	flight  *flight
	wanted  []request
	outbox  []Change // that cross over and are not in the log yet, as far as is known
	torn    bool     // a part of a snapshot is missing
	noting  sync.Mutex

	look     sync.RWMutex // guards what follows; written with mu held
	joined   bool         // what this node owns is known
	holders  map[messages.Address]string
	claiming map[messages.Address]bool // and not in the log yet
	members  map[string]uint64         // boots of the nodes that are there
	zones    map[string]zone           // of nodes that have one
}

// flight is the proposal under way: one at a time, so that a node's entries keep their order.
type flight struct {
	n       uint64
	done    chan struct{}
	settled func(results []Result, err error) // err wraps ErrUnknown
	turns   int                               // which of its batches is the committer's; -1: none
}

// request is a proposal that waits. settled may be nil.
type request struct {
	entry   entry
	settled func(err error)
}

// NewReplica reads what the store knows of the cluster.
func NewReplica(o ReplicaOptions) (*Replica, error) {
	r := &Replica{node: o.Node, store: o.Store, here: map[string]bool{}, home: o.Home, note: o.Note, pass: o.Pass,
		zone: zone{name: o.Zone}, known: newKnown(), claiming: map[messages.Address]bool{}}
	if r.home == nil {
		r.home = homeByKey
	}
	for _, k := range o.Kinds {
		r.here[k.Name] = k.Here
		if k.Zoned {
			r.zone.kinds = append(r.zone.kinds, k.Name)
		}
	}
	if o.ID == nil {
		o.ID = rand.Text
	}
	return r, errors.Join(r.identify(o.ID), r.read())
}

func homeByKey(a messages.Address) string {
	key := a.Key()
	return key[strings.LastIndexByte(key, '@')+1:]
}

// shardOf is where an actor's rows and mail are.
func (r *Replica) shardOf(a messages.Address) Shard {
	if r.here[a.Kind()] {
		return Here
	}
	return Anywhere
}

// read reads from the store what is kept in memory.
func (r *Replica) read() (err error) {
	tx := &transaction{view: r.store}
	count := func(key string) (n uint64) {
		if err == nil {
			n, err = tx.counter([]byte(key), 0)
		}
		return n
	}
	r.applied = count(keyApplied)
	r.taken = count(Here.key(keyTaken + Anywhere.String()))
	r.said = count(keyUnboxed + r.node)
	if err != nil {
		return err
	}
	if _, r.torn, err = r.store.Get([]byte(keyRestoring)); err != nil {
		return fmt.Errorf("engine: look for a snapshot that was not restored: %w", err)
	}
	return errors.Join(r.readOutbox(), r.readHolders())
}

// StoreID tells this node's store from every other.
func (r *Replica) StoreID() string { return r.id }

// StoreID is the name of a store, and whether it holds something of a cluster. One that was always alone has no name.
func StoreID(st Store) (id string, shares bool, err error) {
	raw, _, err := st.Get([]byte(keyStoreID))
	if err == nil {
		_, shares, err = st.Get([]byte(keyApplied))
	}
	if err != nil {
		return "", false, fmt.Errorf("engine: read the store's id: %w", err)
	}
	return string(raw), shares, nil
}

// identify reads the store's id, or gives it one.
func (r *Replica) identify(make func() string) error {
	id, ok, err := r.store.Get([]byte(keyStoreID))
	if r.id = string(id); err == nil && !ok {
		r.id = make()
		err = r.write([]Op{{Key: []byte(keyStoreID), Value: []byte(r.id)}}, true)
	}
	if err != nil {
		return fmt.Errorf("engine: read the store's id: %w", err)
	}
	return nil
}

// write is where the store is written besides the committer's transaction: by the log, with
// a snapshot, or with what is known of these. The caller holds r.mu.
func (r *Replica) write(ops []Op, sync bool) error {
	err := r.store.Apply(ops, sync)
	if err != nil {
		r.known.forget()
	} else {
		r.known.learn(ops)
	}
	return err
}

func (r *Replica) readOutbox() (err error) {
	r.outbox = nil
	serr := r.store.Scan([]byte(keyOutbox), nil, func(_, v []byte) bool {
		var b Batch
		if err = b.UnmarshalBinary(v); err == nil {
			r.outbox = append(r.outbox, b.Changes...)
		}
		return err == nil
	})
	if err = errors.Join(serr, err); err != nil {
		return fmt.Errorf("engine: read what waits for the cluster: %w", err)
	}
	return nil
}

func (r *Replica) readHolders() (err error) {
	holders, members, zones := map[messages.Address]string{}, map[string]uint64{}, map[string]zone{}
	err = r.store.Scan([]byte(keyHolder), nil, func(k, v []byte) bool {
		holders[messages.Address(k[len(keyHolder):])] = string(v)
		return true
	})
	if err == nil {
		err = r.store.Scan([]byte(keyMember), nil, func(k, v []byte) bool {
			if len(v) == 8 {
				members[string(k[len(keyMember):])] = binary.BigEndian.Uint64(v)
			}
			return true
		})
	}
	if err == nil {
		err = r.store.Scan([]byte(keyZone), nil, func(k, v []byte) bool {
			zones[string(k[len(keyZone):])] = zoneOf(v)
			return true
		})
	}
	if err != nil {
		return fmt.Errorf("engine: read who owns what: %w", err)
	}
	r.look.Lock()
	r.holders, r.members, r.zones = holders, members, zones
	r.look.Unlock()
	return nil
}

// from is how changes of this store name the shard that they come from.
func (r *Replica) from() string { return fromNode(r.node, r.id) }

func fromNode(node, id string) string { return Here.String() + "/" + node + "/" + id }

// Node is the name of this node.
func (r *Replica) Node() string { return r.node }

// witness reports whether this node runs no actors: it keeps nothing of its own.
func (r *Replica) witness() bool { return len(r.here) == 0 }

// Applied is the index of the newest entry that the store holds.
func (r *Replica) Applied() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.applied
}

// Holder is the node that owns an actor, as far as this node knows; "" for nobody.
func (r *Replica) Holder(a messages.Address) string {
	r.look.RLock()
	defer r.look.RUnlock()
	return r.holders[a]
}

// owned lists the actors of this node, sorted.
func (r *Replica) owned() (list []messages.Address) {
	r.look.RLock()
	defer r.look.RUnlock()
	for a, node := range r.holders {
		if node == r.node {
			list = append(list, a)
		}
	}
	slices.Sort(list)
	return list
}

// Holdings counts what each node owns. Nodes that are there and own nothing are in it too.
func (r *Replica) Holdings() map[string]int {
	r.look.RLock()
	defer r.look.RUnlock()
	owns := map[string]int{}
	for node := range r.members {
		owns[node] = 0
	}
	for _, node := range r.holders {
		owns[node]++
	}
	return owns
}

// Members are the nodes that are there, and their boots: see [Replica.Down].
func (r *Replica) Members() map[string]uint64 {
	r.look.RLock()
	defer r.look.RUnlock()
	up := make(map[string]uint64, len(r.members))
	for node, boot := range r.members {
		up[node] = boot
	}
	return up
}

// mine reports whether this node may run an actor of the shard Anywhere.
func (r *Replica) mine(a messages.Address) bool {
	r.look.RLock()
	defer r.look.RUnlock()
	return r.joined && r.holders[a] == r.node
}

// Connect gives the replica the log to which it appends. Until then what it proposes waits.
func (r *Replica) Connect(log Log) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = log
	r.pump()
}

// start is called by the engine: from now on the node takes part.
func (r *Replica) start(e *Engine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.engine, r.boot, r.n, r.greeted, r.rivals = e, e.boot, 0, false, 0
	r.pump()
}

// Down says that a node is not there any more, as [Replica.Members] had it: what it owns
// moves to the others. A node that is there after all says so itself.
func (r *Replica) Down(node string, boot uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, q := range r.wanted {
		if q.entry.kind == entryDown && q.entry.gone == node && q.entry.goneBoot == boot {
			return // it waits already
		}
	}
	r.wanted = append(r.wanted, request{entry: entry{kind: entryDown, gone: node, goneBoot: boot}})
	r.pump()
}

// Announce appends a note to the log; done is called once that has happened.
func (r *Replica) Announce(topic string, note []byte, done func(error)) {
	r.want(request{entry: entry{kind: entryNote, topic: topic, note: note}, settled: done})
}

// Barrier returns once this node has carried out all that the log held when it was called, which a
// majority has confirmed, or with an error of ctx.
func (r *Replica) Barrier(ctx context.Context) error {
	passed := make(chan error, 1)
	r.want(request{entry: entry{kind: entryCommit}, settled: func(err error) { passed <- err }})
	select {
	case err := <-passed:
		return err
	case <-ctx.Done():
		return fmt.Errorf("engine: no majority confirms in time: %w", ctx.Err())
	}
}

func (r *Replica) want(q request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted = append(r.wanted, q)
	r.pump()
}

// Say lets the others know what this node has received, so that they need not keep it any
// longer. Otherwise that goes with the next proposal.
func (r *Replica) Say() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.greeted && r.flight == nil && r.said < r.taken {
		r.propose(entry{kind: entryCommit}, flight{turns: -1})
	}
}

// busy reports whether a commit has to wait.
func (r *Replica) busy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.idle()
}

// idle reports whether this node takes part and nothing is under way. The caller holds r.mu.
func (r *Replica) idle() bool { return r.log != nil && r.greeted && r.flight == nil }

// proposeTurns proposes a batch of the shard Anywhere, with what waits in the outbox. It
// returns false if another proposal is under way: try again after that.
func (r *Replica) proposeTurns(b Batch, settled func([]Result, error)) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.idle() {
		return false
	}
	en := entry{kind: entryCommit, batches: append(r.crossing(), b)}
	r.propose(en, flight{settled: settled, turns: len(en.batches) - 1})
	return true
}

// crossing is what waits in the outbox, as much as one entry takes. The caller holds r.mu.
func (r *Replica) crossing() []Batch {
	n, size := 0, 0
	for n < len(r.outbox) && n < batchTurns && size < batchBytes {
		for _, rec := range r.outbox[n].Records {
			size += len(rec.Value) + len(rec.To)
		}
		n++
	}
	if n == 0 {
		return nil
	}
	return []Batch{{Shard: Anywhere, From: r.from(), Changes: slices.Clone(r.outbox[:n])}}
}

// pump proposes what waits, besides turns. The caller holds r.mu.
func (r *Replica) pump() {
	switch {
	case r.log == nil || r.boot == 0 || r.flight != nil:
	case !r.greeted && r.rivals > maxRivals: // another machine has the name and lives: each would go on for ever
	case !r.greeted:
		_ = r.follow() // if it fails the hello comes back as a repetition, once the store takes entries again
		hello := entry{kind: entryHello, store: r.id, crossed: r.given(), note: r.zone.form()}
		r.propose(hello, flight{turns: -1})
	case len(r.wanted) > 0:
		q := r.wanted[0]
		r.wanted = r.wanted[1:]
		f := flight{turns: -1}
		if q.settled != nil {
			f.settled = func(_ []Result, err error) { q.settled(err) }
		}
		r.propose(q.entry, f)
	case len(r.outbox) > 0:
		r.propose(entry{kind: entryCommit, batches: r.crossing()}, flight{turns: -1})
	}
}

// maxRivals is how many late hellos of machines that had the name before may come into the log. More come of one that
// lives.
const maxRivals = 16

// Contested reports whether another machine lives under this node's name: this one says no more that it is there.
func (r *Replica) Contested() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.greeted && r.rivals > maxRivals
}

// follow counts the starts of this machine on from those of one that had its name, as far as it is known:
// the others would take what has a lower number for a repetition. The caller holds r.mu.
func (r *Replica) follow() error {
	id, _, err := r.store.Get([]byte(keyStoreOf + r.node))
	if err != nil || string(id) == r.id {
		return err
	}
	boot, _, err := r.proposed(r.node)
	if err != nil || boot < r.boot {
		return err
	}
	if err := r.write([]Op{{Key: []byte(keyMetaBoot), Value: []byte(seqBytes(boot + 1))}}, true); err != nil {
		return err
	}
	r.boot, r.n = boot+1, 0
	return nil
}

// given is the number of the newest change that crossed over and is in the log. The caller
// holds r.mu.
func (r *Replica) given() uint64 {
	if len(r.outbox) > 0 {
		return r.outbox[0].Crossed - 1
	}
	n, err := (&transaction{view: r.store}).counter(Here.givenKey(Anywhere), 0)
	if err != nil {
		return 0 // the store has stopped
	}
	return n
}

// propose hands an entry to the log. The caller holds r.mu.
func (r *Replica) propose(en entry, f flight) {
	r.n++
	en.node, en.boot, en.n, en.took = r.node, r.boot, r.n, r.taken
	form, err := en.encode()
	if err != nil { // a batch always has a form
		panic(err)
	}
	f.n, f.done = r.n, make(chan struct{})
	r.flight = &f
	r.log.Append(Proposal{Entry: form, Done: f.done})
}

// land ends the flight if the log has carried it out, and returns what is to be called
// without the lock. The caller holds r.mu.
func (r *Replica) land(boot, n uint64, results [][]Result, err error) func() {
	f := r.flight
	if f == nil || boot != r.boot || f.n != n {
		return func() {}
	}
	close(f.done)
	r.flight = nil
	e := r.engine
	return func() {
		if f.settled != nil {
			var mine []Result
			switch {
			case err != nil || f.turns < 0:
			case f.turns < len(results):
				mine = results[f.turns]
			default:
				err = errOvertaken
			}
			f.settled(mine, err)
		}
		r.mu.Lock()
		r.pump()
		r.mu.Unlock()
		if e != nil {
			e.committer.poke()
		}
	}
}

// Close lets go of what is under way: it may still happen.
func (r *Replica) Close() {
	r.mu.Lock()
	r.log = nil
	var ended func()
	if r.flight != nil {
		ended = r.land(r.boot, r.flight.n, nil, errLeft)
	}
	r.mu.Unlock()
	if ended != nil {
		ended()
	}
}

// errLeft answers what was under way when the node stopped taking part.
var errLeft = fmt.Errorf("engine: the node has left the log: %w", ErrUnknown)
