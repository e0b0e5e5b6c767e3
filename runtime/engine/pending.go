package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// pendingCommit waits in the committer's queue: a *turn, a *hostRequest or an *exclusive.
type pendingCommit interface {
	// writes is what it adds to a batch; nil if it has to be alone.
	writes() *changes
	// committed is called once the batch is in the store and its change with it.
	committed(*Engine)
	// refused is called instead if the change is not in the store and never will be. err
	// says why; it is nil if a condition did not hold, which status names.
	refused(e *Engine, status Status, err error)
	// unknown is called instead if the store may or may not hold the change: only the
	// store itself can tell.
	unknown(e *Engine, err error)
}

// changes are a change with what is delivered once it has committed.
type changes struct {
	shard Shard
	Change
	// The records are the mail, then the events, the verdicts and the dead letter.
	mail   []storedMail
	events []storedEvent
	dead   *deadLetterChange
	size   int // in bytes, about; see measure
}

// storedMail is a durable message to an actor.
type storedMail struct {
	env   Envelope // without its number
	seq   uint64
	key   []byte // of its row; nil: not known
	index int    // in the outcome of its turn; -1 for a host's
}

// storedEvent is a durable event.
type storedEvent struct {
	seq   uint64
	index int // in the outcome of its turn
}

// deadLetterChange is a message that moves to the dead letters.
type deadLetterChange struct {
	record   deadRecord
	typeName string
	seq      uint64
}

// number gives deliveries the numbers under which they are stored: first is the number of the
// first record in the change's shard, over the number of the first one in the other shard.
func (w *changes) number(first, over uint64) {
	for i, r := range w.Records {
		next := &first
		if r.Shard != w.shard {
			next = &over
		}
		switch event := i - len(w.mail); {
		case event < 0:
			w.mail[i].seq, w.mail[i].key = *next, r.key
		case event < len(w.events):
			w.events[event].seq = *next
		case r.Class == ClassDeadLetter:
			w.dead.seq = *next
		}
		if *next > 0 { // else nobody knows yet
			*next++
		}
	}
}

// crosses reports whether records go to the other shard.
func (w *changes) crosses() bool {
	return slices.ContainsFunc(w.Records, func(r Record) bool { return r.Shard != w.shard })
}

// sealRoom is how much longer a row becomes when it is sealed.
const sealRoom = 64

// measure estimates how much a batch grows by the changes.
func (w *changes) measure() int {
	w.size = 0
	for _, op := range w.Ops {
		w.size += len(op.Key) + len(op.Value) + sealRoom
	}
	for _, r := range w.Records {
		w.size += len(r.To) + len(r.Value) + 16 + sealRoom
	}
	return w.size
}

// effect is what a turn wants.
type effect struct {
	act         *Activation
	incarnation uint64
	cause       actors.Cause
	out         *actors.Outcome
}

// turn is the result of handling one message: an outcome, the record of a failed
// attempt, or the move to the dead letters. Only the first has an out.
type turn struct {
	effect
	space      *actors.Space // that holds out
	generation uint64        // of the activation; if that has risen, the turn is void
	durable    bool          // it writes something
	done       bool          // committed, or nothing to commit; guarded by act.mu
	changes

	// Space for the first of each: most turns have no more.
	firstOps    [2]Op
	firstMail   [1]storedMail
	firstRecord [1]Record
}

// turns are recycled turns.
var turns = sync.Pool{New: func() any { return new(turn) }}

// release recycles a turn that was performed. Nobody uses it any more: neither the
// activation, nor the committer. A turn that was taken back may still be in the
// committer's queue, and is left to the garbage collector.
func (t *turn) release() {
	*t = turn{}
	turns.Put(t)
}

// newTurn begins the turn of an activation that handles an envelope.
func newTurn(act *Activation, env *Envelope) *turn {
	t := turns.Get().(*turn)
	t.act = act
	t.Ops, t.mail, t.Records = t.firstOps[:0], t.firstMail[:0], t.firstRecord[:0]
	t.shard, t.Actor, t.Epoch = act.kind.shard(), act.addr, act.epoch
	if env.Durable() {
		t.Receipt = bytesOf(env.receipt)
	}
	return t
}

func (t *turn) writes() *changes { return &t.changes }

// void reports whether the turn was taken back.
func (t *turn) void() bool {
	t.act.mu.Lock()
	defer t.act.mu.Unlock()
	return t.act.generation != t.generation
}

func (t *turn) committed(e *Engine) {
	act := t.act // once it is done another goroutine may recycle it
	act.mu.Lock()
	t.done = true
	act.mu.Unlock()
	e.releaseReady(act)
}

// errStale is the reason to take back a turn whose conditions did not hold.
var errStale = errors.New("engine: the turn was run on what the store does not hold")

// refused takes the turn back, and with it every later one of the same actor.
func (t *turn) refused(e *Engine, _ Status, err error) {
	t.act.mu.Lock()
	if t.act.generation == t.generation {
		t.act.takeBack()
		t.act.becomeStale(cmp.Or(err, errStale))
	}
	t.act.mu.Unlock()
	e.driver.Wake(t.act)
}

// unknown restarts the actor from the store, and makes everybody look there for what the
// turn may have sent.
func (t *turn) unknown(e *Engine, err error) {
	t.refused(e, Refused, err)
	e.lookFor(t.mail)
}

// lookFor makes the receivers of mail that may be stored read their inboxes.
func (e *Engine) lookFor(mail []storedMail) {
	for _, m := range mail {
		kind, ok := e.kinds[m.env.To.Kind()]
		if !ok || !e.mine(m.env.To) {
			continue
		}
		upTo := e.upTo(kind.shard())
		e.reach(m.env.To, func(act *Activation) bool { return act.box.look(upTo) })
	}
}

// upTo is the last number of a shard.
func (e *Engine) upTo(s Shard) uint64 {
	last, err := e.readCounter(string(s.seqKey()), 0)
	if err != nil {
		return math.MaxUint64 // whatever is there
	}
	return last
}

// hostRequest is a change that a host asks for.
type hostRequest struct {
	missing  error       // the answer when what it needs is gone
	used     error       // the answer when it was made before; nil: it counts as done
	finished func(error) // called once
	changes
}

func (r *hostRequest) writes() *changes { return &r.changes }

func (r *hostRequest) committed(e *Engine) {
	for i := range r.mail {
		e.deliverStored(&r.mail[i])
	}
	r.finished(nil)
}

// refused answers the host.
func (r *hostRequest) refused(_ *Engine, status Status, err error) {
	switch {
	case err == nil && status == Refused:
		err = r.missing
	case err == nil && status == Duplicate:
		err = r.used
	}
	r.finished(err)
}

func (r *hostRequest) unknown(e *Engine, err error) {
	e.lookFor(r.mail)
	r.finished(err)
}

// exclusive is a change made alone, in its turn: everything queued before it is in the
// store, and nothing else is written meanwhile. So it must be quick. It is synced, since nobody
// would delete again what a power cut brings back.
type exclusive struct {
	prepare  func() ([shards]Batch, error)
	done     func()      // called before finished once the change is stored; nil: nothing
	finished func(error) // called once
}

func (x *exclusive) writes() *changes { return nil }

func (x *exclusive) committed(*Engine) {
	if x.done != nil {
		x.done()
	}
	x.finished(nil)
}

func (x *exclusive) refused(_ *Engine, _ Status, err error) { x.finished(err) }
func (x *exclusive) unknown(_ *Engine, err error)           { x.finished(err) }

// request hands a host's change to the committer and waits for it.
func (e *Engine) request(ctx context.Context, r *hostRequest) error {
	r.measure()
	return e.await(ctx, r, &r.finished)
}

// write is request for plain ops, each in its shard.
func (e *Engine) write(ctx context.Context, ops ...Op) error {
	var of [shards][]Op
	for _, op := range ops {
		s := e.shardOfKey(string(op.Key))
		of[s] = append(of[s], op)
	}
	for s, ops := range of {
		if len(ops) == 0 {
			continue
		}
		req := &hostRequest{changes: changes{shard: Shard(s), Change: Change{Ops: ops}}}
		if err := e.request(ctx, req); err != nil {
			return err
		}
	}
	return nil
}

// await hands p to the committer and waits until it has called finished.
func (e *Engine) await(ctx context.Context, p pendingCommit, finished *func(error)) error {
	done := make(chan error, 1)
	*finished = func(err error) { done <- err }
	e.enqueue(p)
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("engine: %w (the change may still be stored)", ctx.Err())
	}
}

// addMail adds a durable message; record is its mailRecord, about its subject, index
// its place in the outcome of the turn. Mail is added first.
func (w *changes) addMail(to Shard, env *Envelope, record []byte, about string, index int) {
	w.mail = append(w.mail, storedMail{env: *env, index: index})
	w.mail[len(w.mail)-1].env.size = len(record)
	w.Records = append(w.Records, Record{Class: ClassMail, Shard: to, To: env.To, Value: record, about: about})
}

// durable reports whether a message is of a durable type. It fails for one of no known
// type.
func (e *Engine) durable(m messages.Message) (bool, error) {
	entry, err := e.codec.Lookup(m)
	return entry.Durable, err
}
