package engine

import (
	"errors"
	"fmt"
	"sync"

	"github.com/kehai-run/kehai/messages/events"
)

// Bounds of one transaction of the committer.
const (
	batchTurns = 512
	batchBytes = 768 << 10 // what the store on Badger writes as one transaction of its own
	maxTurn    = MaxBatch - batchBytes - 64<<10
)

// ErrStopped answers a wish that the engine was given too late.
var ErrStopped = errors.New("engine: stopped before the change was stored: make it again after the next start")

// committer is the only writer of the store: it takes the turns that wait at
// the moment, writes them as one transaction, and releases their deliveries in
// order. It owns no goroutine; commitBatch is called by one goroutine at a time.
type committer struct {
	mu     sync.Mutex
	queue  []*staged
	wake   chan struct{}
	seq    uint64 // last sequence number given out
	paused bool   // for want of space
	closed bool   // nobody commits any more
}

func newCommitter() *committer { return &committer{wake: make(chan struct{}, 1)} }

// submit hands a cell's turn to the committer, or releases it at once when it
// needs no store and nothing before it waits. It reports false when the cell's
// pending turns were thrown away meanwhile.
func (e *Engine) submit(c *Cell, gen uint64, st *staged) bool {
	st.cell, st.gen = c, gen
	c.mu.Lock()
	if c.gen != gen {
		c.mu.Unlock()
		return false
	}
	st.done = !st.durable
	c.pending = append(c.pending, st)
	for _, op := range st.ops {
		if c.view == nil {
			c.view = map[string]overlay{}
		}
		c.view[string(op.Key)] = overlay{value: op.Value, ok: !op.Delete, by: st}
	}
	if st.out != nil {
		for _, t := range st.out.Timers {
			e.markTimer(c, t)
		}
	}
	c.mu.Unlock()
	if st.durable {
		if st.size == 0 {
			st.measure()
		}
		e.enqueue(st)
	} else {
		e.releaseReady(c)
	}
	return true
}

// markTimer makes the setting of a fleeting timer visible to the next turn.
func (e *Engine) markTimer(c *Cell, t timerWish) {
	delete(c.fleeting, t.Key)
	if !t.Cancel && !e.durable(t.Message) {
		c.fleeting[t.Key] = t.Gen
	}
}

func (e *Engine) enqueue(st *staged) {
	k := e.committer
	k.mu.Lock()
	closed := k.closed
	if !closed {
		k.queue = append(k.queue, st)
	}
	k.mu.Unlock()
	if closed {
		st.refuse()
		return
	}
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// Close says that nobody will call Commit any more: hosts that wait for their
// wish, or have one later, get ErrStopped. It is for drivers.
func (e *Engine) Close() {
	k := e.committer
	k.mu.Lock()
	left := k.queue
	k.queue, k.closed = nil, true
	k.mu.Unlock()
	for _, st := range left {
		st.refuse()
	}
}

func (st *staged) refuse() {
	if st.finished != nil {
		st.finished(ErrStopped)
	}
}

// take removes the next batch from the queue: at most n turns.
func (k *committer) take(n int) []*staged {
	k.mu.Lock()
	defer k.mu.Unlock()
	size, i := 0, 0
	for i < len(k.queue) && i < n {
		if i > 0 && k.queue[i].alone != nil {
			break
		}
		if size += k.queue[i].size; i > 0 && size > batchBytes {
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

// Commit writes one batch of at most n waiting turns and releases it. It
// returns how many turns it took, and paused when the volume is too full: then
// nothing was taken and the caller tries again later.
func (e *Engine) Commit(n int) (took int, paused bool) {
	if e.committer.waiting() == 0 {
		return 0, false
	}
	if e.lowSpace() {
		return 0, true
	}
	batch := e.committer.take(min(n, batchTurns))
	defer clear(batch) // it shares the queue's array, which must not keep what was released
	if len(batch) == 1 && batch[0].alone != nil {
		batch[0].finished(batch[0].alone())
		return 1, false
	}
	live, ops := e.assemble(batch)
	if len(live) == 0 {
		return len(batch), false
	}
	var err error
	if len(ops) > 0 {
		err = e.store.Apply(ops, e.sync)
	}
	if err != nil {
		e.report(events.CommitFailed{Turns: len(live), Reason: err.Error(), At: e.clock.Now()})
		e.undo(live, err)
		return len(batch), false
	}
	e.onCommit(len(live), len(ops))
	for _, st := range live {
		e.release(st)
	}
	return len(batch), false
}

// assemble numbers what a batch sends and publishes, and joins its ops. Turns
// whose state was taken back are left out.
func (e *Engine) assemble(batch []*staged) (live []*staged, ops []Op) {
	k := e.committer
	first := k.seq
	used := map[string]bool{}
	for _, st := range batch {
		if st.cell != nil {
			st.cell.mu.Lock()
			void := st.cell.gen != st.gen
			st.cell.mu.Unlock()
			if void {
				continue
			}
		}
		if err := e.check(st, used); err != nil {
			st.finished(err)
			continue
		}
		live = append(live, st)
		ops = append(ops, st.ops...)
		for i := range st.mail {
			m := &st.mail[i]
			k.seq++
			m.seq = k.seq
			ops = append(ops, Op{Key: []byte(inboxKey(m.to, m.seq)), Value: m.record})
		}
		for i := range st.events {
			k.seq++
			st.events[i].seq = k.seq
			ops = append(ops, Op{Key: []byte(keyLog + seqBytes(k.seq)), Value: st.events[i].record})
		}
		for _, v := range st.stored() {
			k.seq++
			ops = append(ops, Op{Key: []byte(keyVerdict + seqBytes(k.seq)), Value: encodeRecord(v)})
		}
		if st.dead != nil {
			k.seq++
			st.deadSeq = k.seq
			ops = append(ops, Op{Key: []byte(keyDead + seqBytes(k.seq)), Value: encodeRecord(*st.dead)})
		}
	}
	if k.seq != first {
		ops = append(ops, Op{Key: []byte(keyMetaSeq), Value: []byte(seqBytes(k.seq))})
	}
	return live, ops
}

// check looks at what a host's wish rests on, as the store will be just before
// it; used holds the keys that the batch has used so far. An injection whose key
// was used before does nothing; what needs a key that is gone is an error.
func (e *Engine) check(st *staged, used map[string]bool) error {
	key := st.once + st.needs
	if key == "" {
		return nil
	}
	_, ok, err := e.store.Get([]byte(key))
	switch {
	case err != nil:
		return fmt.Errorf("engine: look for an earlier use: %w", err)
	case st.once != "" && (ok || used[key]):
		st.ops, st.mail = nil, nil
	case st.needs != "" && (!ok || used[key]):
		return st.missing
	}
	used[key] = true
	return nil
}

// undo takes back the turns of a failed batch, and with them every later turn
// of the same actors.
func (e *Engine) undo(live []*staged, err error) {
	for _, st := range live {
		if st.cell == nil {
			st.finished(err)
			continue
		}
		c := st.cell
		c.mu.Lock()
		if c.gen == st.gen {
			c.gen++
			c.view, c.pending = nil, nil
			c.broken = err
		}
		c.mu.Unlock()
		e.driver.Wake(c)
	}
}

// release marks a committed turn and performs what is ready.
func (e *Engine) release(st *staged) {
	if st.cell == nil {
		e.deliverMail(st)
		st.finished(nil)
		return
	}
	c := st.cell
	c.mu.Lock()
	st.done = true
	c.mu.Unlock()
	e.releaseReady(c)
}

// releaseReady performs a cell's turns from the front as far as they are
// committed.
func (e *Engine) releaseReady(c *Cell) {
	c.release.Lock()
	defer c.release.Unlock()
	for {
		c.mu.Lock()
		if len(c.pending) == 0 || !c.pending[0].done {
			c.mu.Unlock()
			return
		}
		st := c.pending[0]
		c.pending[0] = nil
		c.pending = c.pending[1:]
		blocked := len(c.pending) == maxPipelined-1
		for _, op := range st.ops {
			if c.view[string(op.Key)].by == st {
				delete(c.view, string(op.Key))
			}
		}
		c.mu.Unlock()
		e.perform(c, st)
		if blocked {
			e.driver.Wake(c)
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
