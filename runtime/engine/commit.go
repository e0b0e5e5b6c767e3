package engine

import (
	"errors"
	"sync"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages/events"
)

// Bounds of one transaction of the committer.
const (
	batchTurns = 512
	batchBytes = 768 << 10 // what the store on Badger writes as one transaction of its own
	maxTurn    = MaxBatch - batchBytes - 64<<10
)

// ErrStopped answers a host's request that comes too late.
var ErrStopped = errors.New("engine: stopped before the change was stored: make it again after the next start")

// committer is the only writer of the store. It takes the turns that wait, writes them as
// one transaction, and then releases their deliveries in order. It has no goroutine of
// its own; Commit is never called concurrently.
type committer struct {
	mu     sync.Mutex
	queue  []pendingCommit
	wake   chan struct{}
	paused bool           // too little free space
	synced [shards]uint64 // the last number of each shard that a power cut cannot take back
	known  *known
	closed bool // nobody commits any more
	alone  bool // what is exclusive is under way

	// Space of the transaction under way.
	written map[string]int
	ops     []Op
	live    [shards][]pendingCommit
	changes [shards][]Change
	place   []byte
	sealed  []byte // room for sealed rows
}

func newCommitter() *committer {
	return &committer{wake: make(chan struct{}, 1), written: map[string]int{}, known: newKnown()}
}

// emptied is a slice's memory for reuse, once nobody needs its values.
func emptied[T any](s []T) []T {
	clear(s)
	return s[:0]
}

// submit hands a turn to the committer. If it needs no store and nothing before it waits,
// it is released at once, and the caller must not use it any more. ok is false if the
// pending turns of its activation were taken back meanwhile.
func (e *Engine) submit(t *turn, generation uint64) (ok, released bool) {
	act, durable := t.act, t.durable
	t.generation = generation
	if !durable && e.performAtOnce(&t.effect, generation) {
		return true, true
	}
	act.mu.Lock()
	if act.generation != generation {
		act.mu.Unlock()
		return false, false
	}
	if t.out != nil {
		act.turns++
	}
	t.done = !t.durable
	if act.pending = append(act.pending, t); t.durable {
		act.uncommitted++
	}
	for _, op := range t.Ops {
		if act.view == nil {
			act.view = map[string]overlay{}
		}
		act.view[unsafeString(op.Key)] = overlay{value: op.Value, ok: !op.Delete, by: t}
	}
	e.mark(&t.effect)
	act.mu.Unlock()
	if durable { // otherwise it may be gone by now
		e.enqueue(t)
	} else {
		e.releaseReady(act)
	}
	return true, false
}

// performAtOnce performs what needs no store if nothing before it waits, or if it is
// nothing. It returns false if something may wait, or if the turn was taken back.
func (e *Engine) performAtOnce(x *effect, generation uint64) bool {
	act, wants := x.act, !x.out.Empty()
	if wants {
		if !act.release.TryLock() {
			return false
		}
		defer act.release.Unlock()
	}
	act.mu.Lock()
	if wants && len(act.pending) > 0 || act.generation != generation {
		act.mu.Unlock()
		return false
	}
	act.turns++
	e.mark(x)
	act.mu.Unlock()
	e.perform(x, nil)
	return true
}

// mark makes fleeting timers and calls that were given up visible to the next turn.
// The caller holds act.mu.
func (e *Engine) mark(x *effect) {
	if x.out == nil {
		return
	}
	act := x.act
	for _, timer := range x.out.Timers {
		e.markTimer(act, timer)
	}
	for _, call := range x.out.Calls {
		if call.Cancel {
			if act.givenUp == nil {
				act.givenUp = map[string]bool{}
			}
			act.givenUp[call.ID] = true
		}
	}
}

// markTimer makes the setting of a fleeting timer visible to the next turn.
func (e *Engine) markTimer(act *Activation, t actors.Timer) {
	delete(act.fleeting, t.Key)
	if !t.Cancel && !e.isDurable(t.Message) {
		act.fleeting[t.Key] = t.Gen
	}
}

func (e *Engine) enqueue(p pendingCommit) {
	k := e.committer
	k.mu.Lock()
	closed := k.closed
	if !closed {
		k.queue = append(k.queue, p)
	}
	k.mu.Unlock()
	if closed {
		e.tooLate(p)
		return
	}
	k.poke()
}

// poke makes the driver look whether there is something to commit.
func (k *committer) poke() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// Close says that nobody will call Commit any more: hosts that wait for a change, or ask
// for one later, get ErrStopped.
func (c Control) Close() {
	k := c.e.committer
	k.mu.Lock()
	left := k.queue
	k.queue, k.closed = nil, true
	k.mu.Unlock()
	for _, p := range left {
		c.e.tooLate(p)
	}
}

// tooLate refuses a host's request. A turn needs no answer: its message comes again at
// the next start.
func (e *Engine) tooLate(p pendingCommit) {
	if _, ok := p.(*turn); !ok {
		p.refused(e, Refused, ErrStopped)
	}
}

// take removes the next batch from the queue: at most n entries, or one that is
// exclusive.
func (k *committer) take(n int) []pendingCommit {
	k.mu.Lock()
	defer k.mu.Unlock()
	size, i := 0, 0
	for i < len(k.queue) && i < n {
		w := k.queue[i].writes()
		if w == nil {
			i = max(i, 1)
			break
		}
		if size += w.size; i > 0 && size > batchBytes {
			break
		}
		i++
	}
	batch := k.queue[:i:i]
	k.queue = k.queue[i:]
	return batch
}

func (k *committer) waiting() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.queue)
}

// Commit writes one batch of at most n waiting turns and requests, and releases it. It
// returns how many it took. paused says that the volume is too full: nothing was taken,
// and the driver tries again later. It must not be called concurrently.
func (c Control) Commit(n int) (took int, paused bool) {
	e := c.e
	if e.committer.waiting() == 0 {
		return 0, false
	}
	if e.lowSpace() {
		return 0, true
	}
	if e.replica != nil {
		return e.commitShared(min(n, batchTurns)), false
	}
	batch := e.committer.take(min(n, batchTurns))
	took = len(batch)
	defer clear(batch) // it shares the queue's array, which must not keep what was released
	if x, ok := batch[0].(*exclusive); ok {
		batches, err := x.prepare()
		if err == nil {
			_, err = e.apply(batches, nil, true)
		}
		if err != nil {
			x.finished(err)
		} else {
			x.committed(e)
		}
		return took, false
	}
	e.commit(batch)
	return took, false
}

// order is the order of the shards in a transaction. Each is followed by what crosses
// over from it, and released in this order, so that an actor's mail is delivered in the
// order of its numbers.
var order = [shards]Shard{Here, Anywhere}

// commit applies what waits, as one batch for each shard, and settles it.
func (e *Engine) commit(waiting []pendingCommit) {
	k := e.committer
	live, batches, n, out := e.batches(waiting)
	if n == 0 {
		out.refuse(e)
		return
	}
	defer func() {
		for s := range shards {
			k.live[s], k.changes[s] = emptied(live[s]), emptied(batches[s].Changes)
		}
	}()
	done, err := e.apply(batches, nil, e.sync)
	if err != nil {
		e.reportFailed(n, err)
	}
	for _, s := range order {
		over := done.over[s]
		for i, p := range live[s] {
			switch {
			case errors.Is(err, ErrUnknown):
				p.unknown(e, err)
				continue
			case err != nil:
				p.refused(e, Refused, err)
				continue
			}
			r := done.results[s][i]
			if r.Status != Committed {
				p.refused(e, r.Status, nil)
				continue
			}
			w := p.writes()
			var elsewhere uint64
			if len(over) > 0 && w.crosses() {
				elsewhere, over = over[0].First, over[1:]
			}
			w.number(r.First, elsewhere)
			p.committed(e)
		}
	}
	out.refuse(e)
}

// reportFailed tells that the store refused turns, and keeps which kind of error it was.
func (e *Engine) reportFailed(turns int, err error) {
	now := e.clock.Now()
	e.listener(Published{At: now, Message: events.CommitFailed{Turns: turns, Reason: err.Error(), At: now}, Err: err})
}

// batches makes a batch for each shard of what waits and is not left out.
func (e *Engine) batches(waiting []pendingCommit) (
	live [shards][]pendingCommit, batches [shards]Batch, n int, out leftOut,
) {
	k := e.committer
	for s := range shards {
		live[s], batches[s].Changes = k.live[s], k.changes[s]
	}
	for _, p := range waiting {
		if !out.admits(e, p) {
			continue
		}
		w := p.writes()
		live[w.shard] = append(live[w.shard], p)
		batches[w.shard].Changes = append(batches[w.shard].Changes, w.Change)
		n++
	}
	return live, batches, n, out
}

// leftOut are the turns that a batch is without: one that cannot be sealed, and the later ones of its actor.
// They are refused once the batch has settled: that takes back all turns of the actor that still wait, and the
// earlier ones may be in the batch.
type leftOut struct {
	turns []pendingCommit
	why   map[*Activation]error
}

// admits seals what waits and reports whether that can be in the batch, unless it was taken back. A host's change
// that cannot be sealed is refused alone.
func (o *leftOut) admits(e *Engine, p pendingCommit) bool {
	t, ok := p.(*turn)
	if ok && t.void() {
		return false
	}
	if ok && o.why[t.act] != nil {
		o.turns = append(o.turns, t)
		return false
	}
	err := e.sealChange(&p.writes().Change)
	switch {
	case err == nil:
		return true
	case !ok:
		p.refused(e, Refused, err)
		return false
	case o.why == nil:
		o.why = map[*Activation]error{}
	}
	o.why[t.act] = err
	o.turns = append(o.turns, t)
	return false
}

// refuse refuses them.
func (o *leftOut) refuse(e *Engine) {
	for _, p := range o.turns {
		t := p.(*turn)
		t.refused(e, Refused, o.why[t.act])
	}
}

// applyAll applies a batch for each shard, each followed by what crosses over.
func (tx *transaction) applyAll(batches [shards]Batch) (done applied, err error) {
	for _, s := range order {
		b := batches[s]
		if len(b.Changes) == 0 && b.Floor == 0 {
			continue
		}
		b.Shard = s
		var out []Batch
		if done.results[s], out, err = tx.apply(b); err != nil {
			return applied{}, err
		}
		for _, o := range out {
			if done.over[s], _, err = tx.apply(o); err != nil {
				return applied{}, err
			}
		}
	}
	return done, nil
}

// applied is the result of a transaction: for the changes in each shard, and for the changes
// that crossed over.
type applied struct{ results, over [shards][]Result }

// apply is the one place that writes the store. It applies a batch for each
// shard, with what they hand over to each other, as one transaction; extra is
// written with them. An error is the store's: nothing was written, unless it wraps
// [ErrUnknown].
func (e *Engine) apply(batches [shards]Batch, extra []Op, sync bool) (done applied, err error) {
	if err := e.sealAll(&batches); err != nil {
		return applied{}, err
	}
	k := e.committer
	if e.replica != nil {
		if len(batches[Anywhere].Changes) > 0 {
			return applied{}, errShared
		}
		return e.applyBound(batches[Here], extra, sync)
	}
	tx := &transaction{view: e.store, written: k.written, ops: k.ops, known: k.known}
	defer func() {
		clear(tx.written)
		k.ops = emptied(tx.ops)
	}()
	if v, ok := e.store.(Viewer); ok {
		err = v.View(func(view View) error {
			tx.view = view
			done, err = tx.applyAll(batches)
			return err
		})
	} else {
		done, err = tx.applyAll(batches)
	}
	if err != nil {
		return applied{}, err
	}
	n := 0
	for _, b := range batches {
		n += len(b.Changes)
	}
	tx.ops = append(tx.ops, extra...)
	if len(tx.ops) == 0 {
		return done, nil
	}
	for s, seq := range tx.seq {
		sync = sync || seq >= k.synced[s]+jump/2
	}
	if err = e.store.Apply(tx.ops, sync); err == nil {
		k.known.learn(tx.ops)
	} else {
		k.known.forget()
	}
	if err == nil && sync {
		for s, seq := range tx.seq {
			k.synced[s] = max(k.synced[s], seq)
		}
	}
	if d := e.deletion.Load(); d != nil {
		d.watch(tx.ops)
	}
	if err != nil {
		return applied{}, err
	}
	e.onCommit(n, len(tx.ops))
	return done, nil
}

// releaseReady performs the committed turns at the front of an activation.
func (e *Engine) releaseReady(act *Activation) {
	act.release.Lock()
	defer act.release.Unlock()
	for space := (*actors.Space)(nil); ; {
		act.mu.Lock()
		if len(act.pending) == 0 {
			act.spaces = nil
		} else if space != nil && len(act.spaces) < maxPipelined {
			space.Clear()
			act.spaces = append(act.spaces, space)
		}
		if len(act.pending) == 0 || !act.pending[0].done {
			act.mu.Unlock()
			return
		}
		t, blocked := act.pending[0], act.full()
		act.pending[0] = nil
		if act.pending = rest(act.pending); t.durable {
			act.uncommitted--
		}
		blocked = blocked && !act.full()
		for _, op := range t.Ops {
			if act.view[string(op.Key)].by == t {
				delete(act.view, string(op.Key))
			}
		}
		act.mu.Unlock()
		e.perform(&t.effect, &t.changes)
		space = t.space
		t.release()
		if blocked {
			e.driver.Wake(act)
		}
	}
}

// lowSpace reports whether the volume is too full for durable work, and tells
// listeners when that changes.
func (e *Engine) lowSpace() bool {
	free, err := e.store.Free()
	low := err == nil && free < e.minFree
	if low == e.committer.paused {
		return low
	}
	e.committer.paused = low
	if low {
		e.report(events.StoreLow{Free: free, Need: e.minFree, At: e.clock.Now()})
	} else {
		e.report(events.StoreRecovered{Free: free, At: e.clock.Now()})
	}
	return low
}
