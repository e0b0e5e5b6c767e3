package engine

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
)

// Snapshot writes what the cluster shares, as it stands at one moment, and up to which entry
// of the log that is. Entries may be applied meanwhile.
func (r *Replica) Snapshot(w io.Writer) error {
	return WriteSnapshot(w, func(yield func(k, v []byte) bool) error {
		return r.store.Scan(nil, nil, func(k, v []byte) bool {
			if string(k) != keyApplied && shardOfKey(r.shardOf, string(k)) == Here {
				return true
			}
			return yield(k, v)
		})
	})
}

// Found begins the count of entries at an index: what the store holds is what a new cluster
// begins with. One that was in a cluster before, or comes from a backup of such a one, counts as new:
// others may know its former self.
func (r *Replica) Found(index uint64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	ops, id := []Op{{Key: []byte(keyApplied), Value: []byte(seqBytes(index))}}, r.id
	if r.applied > index {
		id = rand.Text()
		ops = append(ops, Op{Key: []byte(keyStoreID), Value: []byte(id)})
	}
	if err := r.write(ops, true); err != nil {
		return fmt.Errorf("engine: found a cluster: %w", err)
	}
	r.applied, r.id = index, id
	return nil
}

// Sync makes everything that was applied survive a power cut.
func (r *Replica) Sync() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.write(nil, true)
}

// Torn reports that a Restore did not come to its end: the snapshot has to be restored again.
func (r *Replica) Torn() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.torn
}

var errTorn = errors.New("engine: only a part of a snapshot was restored: restore it again")

// Restore puts a snapshot in the place of the rows that the cluster shares. Rows bound
// to this node stay. After an error, or a crash on the way, nothing of the cluster can
// be used until another Restore has succeeded: see [Replica.Torn].
func (r *Replica) Restore(from io.Reader) error {
	r.mu.Lock()
	r.look.Lock()
	r.joined, r.greeted = false, false
	r.look.Unlock()
	e, had := r.engine, r.applied > 0
	r.mu.Unlock()
	if e != nil {
		e.letGoAll()
	}
	r.mu.Lock()
	err := r.restore(from)
	var landed func()
	if err == nil {
		landed, err = r.overtaken(had)
	}
	if err == nil {
		r.pump()
	}
	r.mu.Unlock()
	if err != nil {
		return fmt.Errorf("engine: restore what the cluster shares: %w", err)
	}
	if landed(); e != nil {
		e.onLog()
	}
	r.passNotes()
	return nil
}

// restore does so. The caller holds r.mu.
func (r *Replica) restore(from io.Reader) error {
	if err := r.write([]Op{{Key: []byte(keyRestoring)}}, true); err != nil {
		return err
	}
	r.torn = true
	for {
		var gone []Op
		err := r.store.Scan(nil, nil, func(k, _ []byte) bool {
			if shardOfKey(r.shardOf, string(k)) == Anywhere {
				gone = append(gone, Op{Key: k, Delete: true})
			}
			return len(gone) < 4*trimBatch
		})
		if err != nil {
			return err
		}
		if len(gone) == 0 {
			break
		}
		if err := r.write(gone, false); err != nil {
			return err
		}
	}
	var applied []byte
	err := ReadSnapshot(from, func(ops []Op) error {
		kept := ops[:0]
		for _, op := range ops {
			switch {
			case string(op.Key) == keyApplied:
				applied = op.Value
			case shardOfKey(r.shardOf, string(op.Key)) == Anywhere:
				kept = append(kept, op)
			}
		}
		return r.write(kept, false)
	})
	if err != nil {
		return err
	}
	if len(applied) != 8 {
		return fmt.Errorf("%w: it does not say which entry of the log it ends with", ErrSnapshot)
	}
	last := []Op{{Key: []byte(keyApplied), Value: applied}}
	if err := r.write(last, true); err != nil {
		return err
	}
	return r.read()
}

// overtaken brings what is bound to this node up to the snapshot: what crossed over and is
// in it, and what was forgotten meanwhile; had says that the node had something before. Only
// with that the snapshot is restored. The caller holds r.mu.
func (r *Replica) overtaken(had bool) (landed func(), err error) {
	var boxed []Change
	prefix := []byte(keyBox + r.node + "\x00")
	var bad error
	err = r.store.Scan(prefix, boxKey(r.node, r.taken+1), func(_, v []byte) bool {
		var b Batch
		bad = b.UnmarshalBinary(v)
		boxed = append(boxed, b.Changes...)
		return bad == nil
	})
	if err == nil {
		err = bad
	}
	if err != nil {
		return nil, err
	}
	c := carried{r: r, en: &entry{}, tx: &transaction{view: r.store, written: map[string]int{}, known: r.known}}
	for _, change := range boxed {
		if err := c.take(change); err != nil {
			return nil, err
		}
	}
	if err := c.missed(had); err != nil {
		return nil, err
	}
	sent, err := c.tx.counter(Anywhere.takenKey(r.from()), 0)
	if err != nil {
		return nil, err
	}
	for len(r.outbox) > 0 && r.outbox[0].Crossed <= sent {
		c.tx.write(Op{Key: outboxKey(r.outbox[0].Crossed), Delete: true})
		r.outbox = r.outbox[1:]
	}
	c.tx.write(Op{Key: []byte(keyRestoring), Delete: true})
	if err := r.write(c.tx.ops, true); err != nil {
		return nil, err
	}
	r.torn = false
	r.taken = max(r.taken, c.took)
	if r.engine != nil {
		r.engine.arrived(c.mail) // as after an entry
	}
	settle := func() {}
	if f := r.flight; f != nil {
		boot, n, err := r.proposed(r.node)
		if err != nil {
			return nil, err
		}
		if boot > r.boot || boot == r.boot && n >= f.n { // it has come about, or not, or it never will
			settle = r.land(r.boot, f.n, nil, errOvertaken)
		}
	}
	return settle, nil
}

// errOvertaken answers what is part of a snapshot.
var errOvertaken = fmt.Errorf("engine: the log was replaced by a snapshot: %w", ErrUnknown)

// proposed is the place of a node's newest entry that was carried out.
func (r *Replica) proposed(node string) (boot, n uint64, err error) {
	raw, ok, err := r.store.Get([]byte(keyProposed + node))
	if ok && len(raw) == 16 {
		boot, _ = seqOf(string(raw[:8]))
		n, _ = seqOf(string(raw[8:]))
	}
	return boot, n, err
}

// passNotes hands on the notes that this node has not had, in order, until one fails.
func (r *Replica) passNotes() {
	r.noting.Lock()
	defer r.noting.Unlock()
	done, err := (&transaction{view: r.store}).counter([]byte(keyNoted), 0)
	for err == nil {
		var raw []byte
		var ok bool
		if raw, ok, err = r.store.Get(noteKey(done + 1)); err != nil || !ok {
			return
		}
		w := batchReader{left: raw}
		topic, from, note := w.text(), w.text(), w.bytes()
		if r.note != nil && w.err == nil {
			if r.note(topic, from, note) != nil {
				return
			}
		}
		done++
		r.mu.Lock()
		err = r.write([]Op{{Key: []byte(keyNoted), Value: []byte(seqBytes(done))}}, true)
		r.mu.Unlock()
	}
}
