package store

import (
	"errors"

	"github.com/dgraph-io/badger/v4"

	"github.com/kehai-run/kehai/runtime/engine"
)

// Apply writes a batch. An empty one with sync makes what was applied before
// survive a power cut.
//
// After an error that wraps ErrUnknown the store has stopped.
func (s *Store) Apply(batch []engine.Op, sync bool) error {
	if err := s.gate.enter(); err != nil {
		return err
	}
	defer s.gate.leave()
	s.writing.Lock()
	defer s.writing.Unlock()
	ops, big, err := prepare(batch)
	if err != nil {
		return err
	}
	if big {
		s.bigWritten.Store(true)
	}
	if err := s.write(ops, sync || big); err != nil {
		return interrupted(err)
	}
	return nil
}

// prepare checks a batch and puts our prefix before its keys. big tells that a
// value goes to the value log. Such a batch is always synced: otherwise a power
// cut could keep the key and lose the value.
func prepare(batch []engine.Op) (ops []engine.Op, big bool, err error) {
	if err := engine.CheckBatch(batch); err != nil {
		return nil, false, err
	}
	keys := 0
	for _, op := range batch {
		big = big || len(op.Value) >= valueThreshold
		keys += len(op.Key) + 1
	}
	ops = make([]engine.Op, len(batch))
	buf := make([]byte, 0, keys)
	for i, op := range batch {
		start := len(buf)
		buf = append(append(buf, userKeys), op.Key...)
		ops[i] = engine.Op{Key: buf[start:len(buf):len(buf)], Value: op.Value, Delete: op.Delete}
	}
	return ops, big, nil
}

func (s *Store) write(ops []engine.Op, sync bool) (err error) {
	defer s.caught(&err)
	if len(ops) > 0 {
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
	for _, op := range ops {
		if err := stage(txn, op); err != nil {
			return err
		}
	}
	if err := txn.Commit(); err != nil {
		return err
	}
	return s.logs.written()
}

func stage(txn *badger.Txn, op engine.Op) error {
	if op.Delete {
		return txn.Delete(op.Key)
	}
	return txn.Set(op.Key, op.Value)
}
