package store

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/kehai-run/kehai/runtime/engine"
)

// Apply writes a batch. An empty one with sync makes everything applied before survive a
// power cut.
//
// After an error that wraps ErrUnknown the store has stopped.
func (s *Store) Apply(batch []engine.Op, sync bool) error {
	if err := s.gate.enter(); err != nil {
		return err
	}
	defer s.gate.leave()
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := engine.CheckBatch(batch); err != nil {
		return err
	}
	if err := s.accept(batch, sync); err != nil {
		if s.gate.halted() == nil {
			return err // nothing was started
		}
		return interrupted(err)
	}
	return nil
}

// accept writes a batch as a record, or as rows if it is large: all earlier ones are rows then.
// A batch is big if one of its values goes to the value log. It is always synced: otherwise a
// power cut could keep the key and lose the value.
func (s *Store) accept(batch []engine.Op, sync bool) error {
	size, big := 0, false
	for i := range batch {
		op := &batch[i]
		size += 1 + 2*binary.MaxVarintLen32 + 1 + len(op.Key) + len(op.Value)
		big = big || len(op.Value) >= valueThreshold
	}
	rows := big || size > s.recent.limit
	var over int // bytes of records that have to go
	switch {
	case rows:
		over = s.recent.bytes
	case s.recent.bytes+size > s.recent.foldAt:
		over = max(size, s.recent.foldStep)
	}
	if over > 0 {
		if err := s.fold(over); err != nil {
			return err
		}
	}
	if !rows && len(batch) > 0 {
		return s.record(batch, sync)
	}
	if big {
		s.bigWritten.Store(true)
	}
	s.prepare(batch)
	defer clear(s.ops)
	return s.write(s.ops, sync || big)
}

// prepare makes s.ops of a batch, with our prefix before its keys.
func (s *Store) prepare(batch []engine.Op) {
	keys := 0
	for i := range batch {
		keys += len(batch[i].Key) + 1
	}
	buf := make([]byte, 0, keys)
	s.ops = s.ops[:0]
	for _, op := range batch {
		start := len(buf)
		buf = append(append(buf, userKeys), op.Key...)
		op.Key = buf[start:len(buf):len(buf)]
		s.ops = append(s.ops, op)
	}
}

// write refuses a write that waited for one that failed: Badger would end the process.
func (s *Store) write(ops []engine.Op, sync bool) (err error) {
	defer s.caught(&err)
	if err := s.gate.halted(); err != nil {
		return err
	}
	if len(ops) > 0 {
		if err := s.reserve(ops); isFull(err) {
			return s.full()
		} else if err != nil {
			return s.unwritable(err)
		}
		err := s.commit(ops)
		if errors.Is(err, badger.ErrTxnTooBig) {
			err = s.applyLarge(ops)
		}
		if err != nil {
			return s.unwritable(err)
		}
	}
	if sync {
		if err := s.logs.sync(s.db); err != nil {
			return s.unwritable(err)
		}
	}
	return nil
}

// commit writes ops as one transaction. badger.ErrTxnTooBig means that nothing
// was written.
func (s *Store) commit(ops []engine.Op) error {
	txn := s.db.NewTransaction(true)
	defer txn.Discard()
	s.entries = slices.Grow(s.entries[:0], len(ops))[:len(ops)]
	defer func() { clear(s.entries) }()
	for i, op := range ops {
		if err := stage(txn, op, &s.entries[i]); err != nil {
			return err
		}
		s.logs.values = s.logs.values || len(op.Value) >= valueThreshold
	}
	if err := s.ended(txn); err != nil {
		return err
	}
	return s.logs.written()
}

// ended commits a transaction. It does not wait for one for which Badger, of a store
// that has stopped, has no room any more.
func (s *Store) ended(txn *badger.Txn) error {
	done := make(chan error, 1)
	txn.CommitWith(func(err error) { done <- err })
	select {
	case err := <-done:
		return err
	case <-s.gate.stopped:
	}
	select {
	case err := <-done:
		return err
	case <-time.After(stallLimit):
		s.entries = nil // Badger has them
		return s.gate.why
	}
}

// stallLimit is what a transaction may take that was under way when the store stopped.
const stallLimit = time.Second

// stage adds an op to a transaction; entry is its space until the transaction ends.
func stage(txn *badger.Txn, op engine.Op, entry *badger.Entry) error {
	if op.Delete {
		return txn.Delete(op.Key)
	}
	entry.Key, entry.Value = op.Key, op.Value
	return txn.SetEntry(entry)
}
