package engine

import (
	"errors"
	"fmt"
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

// ErrStopped answers a request of a host that comes too late.
var ErrStopped = errors.New("engine: stopped before the change was stored: make it again after the next start")

// committer is the only writer of the store. It takes the turns that wait at the
// moment, writes them as one transaction, and then releases their deliveries in
// order. It owns no goroutine; one at a time calls Commit.
type committer struct {
	mu     sync.Mutex
	queue  []pendingCommit
	wake   chan struct{}
	seq    uint64 // the last sequence number given out
	paused bool   // too little free space
	closed bool   // nobody commits any more
}

func newCommitter() *committer { return &committer{wake: make(chan struct{}, 1)} }

// submit hands a turn to the committer, or releases it at once when it needs no
// store and nothing before it waits. It reports false when the pending turns of
// its activation were taken back meanwhile.
func (e *Engine) submit(t *turn, generation uint64) bool {
	act := t.act
	t.generation = generation
	act.mu.Lock()
	if act.generation != generation {
		act.mu.Unlock()
		return false
	}
	t.done = !t.durable
	act.pending = append(act.pending, t)
	for _, op := range t.ops {
		if act.view == nil {
			act.view = map[string]overlay{}
		}
		act.view[string(op.Key)] = overlay{value: op.Value, ok: !op.Delete, by: t}
	}
	if t.out != nil {
		for _, timer := range t.out.Timers {
			e.markTimer(act, timer)
		}
	}
	act.mu.Unlock()
	if t.durable {
		e.enqueue(t)
	} else {
		e.releaseReady(act)
	}
	return true
}

// markTimer makes the setting of a fleeting timer visible to the next turn.
func (e *Engine) markTimer(act *Activation, t actors.Timer) {
	delete(act.fleeting, t.Key)
	if !t.Cancel && !e.durable(t.Message) {
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
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// Close says that nobody will call Commit any more: hosts that wait for a change,
// or ask for one later, get ErrStopped.
func (c Control) Close() {
	k := c.committer
	k.mu.Lock()
	left := k.queue
	k.queue, k.closed = nil, true
	k.mu.Unlock()
	for _, p := range left {
		c.tooLate(p)
	}
}

// tooLate refuses what a host wants. A turn needs no word: its message comes again
// at the next start.
func (e *Engine) tooLate(p pendingCommit) {
	if _, ok := p.(*turn); !ok {
		p.refused(e, ErrStopped)
	}
}

// take removes the next batch from the queue: at most n entries, of which an
// exclusive one is the only one.
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

// Commit writes one batch of at most n waiting turns and requests, and releases
// it. It returns how many it took, and paused when the volume is too full: then
// it took nothing, and the driver tries again later. One goroutine at a time may
// call it.
func (c Control) Commit(n int) (took int, paused bool) {
	e := c.Engine
	if e.committer.waiting() == 0 {
		return 0, false
	}
	if e.lowSpace() {
		return 0, true
	}
	batch := e.committer.take(min(n, batchTurns))
	took = len(batch)
	defer clear(batch) // it shares the queue's array, which must not keep what was released
	if x, ok := batch[0].(*exclusive); ok {
		x.finished(x.run())
		return took, false
	}
	live, ops := e.assemble(batch)
	if len(live) == 0 {
		return took, false
	}
	var err error
	if len(ops) > 0 {
		err = e.store.Apply(ops, e.sync)
	}
	if err != nil {
		e.report(events.CommitFailed{Turns: len(live), Reason: err.Error(), At: e.clock.Now()})
		for _, p := range live {
			p.refused(e, err)
		}
		return took, false
	}
	e.onCommit(len(live), len(ops))
	for _, p := range live {
		p.committed(e)
	}
	return took, false
}

// assemble joins what a batch writes. Turns that were taken back and requests
// that are refused are left out.
func (e *Engine) assemble(batch []pendingCommit) (live []pendingCommit, ops []Op) {
	first := e.committer.seq
	used := map[string]bool{}
	for _, p := range batch {
		switch p := p.(type) {
		case *turn:
			if p.void() {
				continue
			}
		case *hostRequest:
			if err := e.check(p, used); err != nil {
				p.refused(e, err)
				continue
			}
		}
		live = append(live, p)
		ops = e.committer.number(p.writes(), ops)
	}
	if seq := e.committer.seq; seq != first {
		ops = append(ops, Op{Key: []byte(keyMetaSeq), Value: []byte(seqBytes(seq))})
	}
	return live, ops
}

// number gives changes their sequence numbers and adds their ops to a batch.
func (k *committer) number(w *changes, ops []Op) []Op {
	next := func() string {
		k.seq++
		return seqBytes(k.seq)
	}
	ops = append(ops, w.ops...)
	for i := range w.mail {
		m := &w.mail[i]
		key := ofActor(keyInbox, m.env.To, next())
		m.seq = k.seq
		ops = append(ops, Op{Key: []byte(key), Value: m.record})
	}
	for i := range w.events {
		key := keyLog + next()
		w.events[i].seq = k.seq
		ops = append(ops, Op{Key: []byte(key), Value: w.events[i].record})
	}
	for _, v := range w.verdicts {
		ops = append(ops, Op{Key: []byte(keyVerdict + next()), Value: encodeRecord(verdictRecord(v))})
	}
	if w.dead != nil {
		key := keyDead + next()
		w.dead.seq = k.seq
		ops = append(ops, Op{Key: []byte(key), Value: encodeRecord(w.dead.record)})
	}
	return ops
}

// check verifies what a host's request rests on. used holds the keys that earlier
// requests of the batch rest on. An injection whose key was used before does
// nothing; a request that needs a key that is gone is an error.
func (e *Engine) check(r *hostRequest, used map[string]bool) error {
	key := r.once + r.needs
	if key == "" {
		return nil
	}
	_, ok, err := e.store.Get([]byte(key))
	switch {
	case err != nil:
		return fmt.Errorf("engine: look for an earlier use: %w", err)
	case r.once != "" && (ok || used[key]):
		r.changes = changes{}
	case r.needs != "" && (!ok || used[key]):
		return r.missing
	}
	used[key] = true
	return nil
}

// releaseReady performs the turns of an activation from the front, as far as they
// are committed.
func (e *Engine) releaseReady(act *Activation) {
	act.release.Lock()
	defer act.release.Unlock()
	for {
		act.mu.Lock()
		if len(act.pending) == 0 || !act.pending[0].done {
			act.mu.Unlock()
			return
		}
		t := act.pending[0]
		act.pending[0] = nil
		act.pending = act.pending[1:]
		blocked := len(act.pending) == maxPipelined-1
		for _, op := range t.ops {
			if act.view[string(op.Key)].by == t {
				delete(act.view, string(op.Key))
			}
		}
		act.mu.Unlock()
		e.perform(t)
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
