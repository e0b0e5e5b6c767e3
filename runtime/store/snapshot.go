package store

import (
	"errors"
	"io"

	"github.com/dgraph-io/badger/v4"

	"github.com/kehai-run/kehai/runtime/engine"
)

// restoreKey exists while a snapshot is restored: any other keys are then incomplete, and
// are removed when the store is opened again.
var restoreKey = []byte{metaKeys, '/', 'r', 'e', 's', 't', 'o', 'r', 'e'}

// Snapshot reads every table first, because a Badger iterator skips what it cannot read.
func (s *Store) Snapshot(w io.Writer) error {
	if err := s.gate.enter(); err != nil {
		return err
	}
	err := s.verify()
	s.gate.leave()
	if err != nil {
		return err
	}
	return engine.WriteSnapshot(w, func(yield func(k, v []byte) bool) error { return s.Scan(nil, nil, yield) })
}

// Restore implements [engine.Store]. Readers wait for its end.
func (s *Store) Restore(r io.Reader) error {
	if err := s.gate.enter(); err != nil {
		return err
	}
	defer s.gate.leave()
	s.writing.Lock()
	defer s.writing.Unlock()
	empty, err := s.empty()
	switch {
	case err != nil:
		return err
	case !empty:
		return engine.ErrNotEmpty
	}
	if err := s.fold(s.recent.bytes); err != nil {
		return err
	}
	s.whole.Lock()
	defer s.whole.Unlock()
	if err := s.write([]engine.Op{{Key: restoreKey}}, true); err != nil {
		return interrupted(err)
	}
	s.bigWritten.Store(true)
	err = engine.ReadSnapshot(r, func(batch []engine.Op) error {
		for i := range batch {
			batch[i].Key = userKey(batch[i].Key)
		}
		return s.parts(batch)
	})
	if err != nil {
		return errors.Join(err, s.dropPart())
	}
	// First everything, then the removal of the mark.
	if err := s.write(nil, true); err != nil {
		return interrupted(err)
	}
	if err := s.write([]engine.Op{{Key: restoreKey, Delete: true}}, true); err != nil {
		return interrupted(err)
	}
	return nil
}

func (s *Store) parts(ops []engine.Op) (err error) {
	defer s.caught(&err)
	if err := s.gate.halted(); err != nil {
		return err
	}
	if err := s.commitParts(ops); err != nil {
		return interrupted(s.unwritable(err))
	}
	return nil
}

func (s *Store) empty() (bool, error) {
	c, err := s.scan([]byte{userKeys}, nil)
	if err != nil {
		return false, err
	}
	defer c.close()
	_, _, some, err := c.next()
	if err == nil && !some {
		err = c.fault()
	}
	return !some, err
}

// dropPart deletes what was restored of an incomplete snapshot, and then the mark.
func (s *Store) dropPart() error {
	from := []byte{userKeys}
	for {
		gone, err := s.keysFrom(from)
		if err != nil {
			return err
		}
		if len(gone) == 0 {
			return s.write([]engine.Op{{Key: restoreKey, Delete: true}}, true)
		}
		if err := s.parts(gone); err != nil {
			return err
		}
		from = gone[len(gone)-1].Key
	}
}

// keysFrom returns deletions for some of the engine's keys from a key on. The caller
// holds s.whole.
func (s *Store) keysFrom(from []byte) (gone []engine.Op, err error) {
	defer s.caught(&err)
	defer faults()()
	txn := s.db.NewTransaction(false)
	defer txn.Discard()
	it := txn.NewIterator(badger.IteratorOptions{Prefix: []byte{userKeys}})
	defer it.Close()
	for it.Seek(from); it.ValidForPrefix([]byte{userKeys}) && len(gone) < 1000; it.Next() {
		gone = append(gone, engine.Op{Key: it.Item().KeyCopy(nil), Delete: true})
	}
	if cause := iteratorFault(it); cause != nil {
		why := s.unreadable(cause)
		return nil, s.halt(why, why)
	}
	return gone, nil
}

// endRestore undoes a restore that a crash cut short.
func (s *Store) endRestore() (err error) {
	defer s.caught(&err)
	txn := s.view()
	_, ok, err := s.get(txn.Txn, restoreKey)
	txn.Discard()
	if err != nil || !ok {
		return err
	}
	return s.dropPart()
}
