package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/btree"

	"github.com/kehai-run/kehai/runtime/engine"
)

// Most rows of the kernel do not live long: a message until it is handled, the state of an
// actor until its next turn. So a batch is written as one entry, its record, and its rows
// stay in memory. When the records have foldAt bytes, the oldest are folded: what is left
// of their rows is written, and then they are removed. A row that came and went in between
// was never written. Open reads the records that are left; to write a row a second time
// does no harm.

const (
	// recordLimit is the most that a record holds. What a larger batch writes lives longer.
	recordLimit = 256 << 10
	foldAt      = 4 << 20
	foldStep    = 64 << 10 // at least so many bytes of records at a time
)

func recordKey(n uint64) []byte { return binary.BigEndian.AppendUint64([]byte{recordKeys, '/'}, n) }

// recent holds the rows of the batches whose records are there. It changes only under
// Store.writing.
type recent struct {
	mu      sync.RWMutex
	rows    *btree.BTreeG[row]
	records [][]byte     // those that are there, the oldest first
	first   uint64       // number of the oldest
	bytes   int          // of all
	moves   atomic.Int64 // how often rows went from here to Badger

	limit, foldAt, foldStep int // what the constants are, but for tests
}

// next is the number of the next record.
func (r *recent) next() uint64 { return r.first + uint64(len(r.records)) }

// row is what the records say of a key. Its bytes are part of a record and never change.
type row struct {
	key, value []byte
	record     uint64 // the newest that names the key
	gone       bool   // it was deleted
	young      bool   // Badger has nothing under this key
}

func newRecent() *recent {
	return &recent{limit: recordLimit, foldAt: foldAt, foldStep: foldStep,
		rows: btree.NewG(32, func(a, b row) bool { return bytes.Compare(a.key, b.key) < 0 })}
}

// get returns a copy of a value. known means that the records decide about the key.
func (r *recent) get(key []byte) (value []byte, ok, known bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	found, known := r.rows.Get(row{key: key})
	if !known || found.gone {
		return nil, false, known
	}
	return append([]byte{}, found.value...), true, true
}

// from returns the rows with a prefix from a key on. The caller holds mu.
func (r *recent) from(prefix, from []byte) (rows []row) {
	r.rows.AscendGreaterOrEqual(row{key: from}, func(found row) bool {
		if !bytes.HasPrefix(found.key, prefix) {
			return false
		}
		rows = append(rows, found)
		return true
	})
	return rows
}

// add takes in the next record. ops says which of its keys are new; nil: that is not known.
func (r *recent) add(record []byte, ops []engine.Op) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.next()
	r.records = append(r.records, record)
	r.bytes += len(record)
	for i := 0; len(record) > 0; i++ {
		op, rest, err := nextOp(record)
		if err != nil {
			return err
		}
		record = rest
		at := row{key: op.Key, value: op.Value, record: n, gone: op.Delete, young: ops != nil && ops[i].New}
		if at.gone {
			if old, known := r.rows.Delete(at); !known || !old.young {
				r.rows.ReplaceOrInsert(at)
			}
			continue
		}
		if old, known := r.rows.ReplaceOrInsert(at); known && old.young != at.young {
			at.young = old.young
			r.rows.ReplaceOrInsert(at)
		}
	}
	return nil
}

// oldest returns what is left of the rows of the oldest records, of at least size bytes,
// and the removal of these records. The oldest goes first, so that those that are left
// always lead to the same rows.
func (r *recent) oldest(size int) (rows, gone []engine.Op) {
	next := r.first
	for ; size > 0 && next < r.next(); next++ {
		size -= len(r.records[next-r.first])
		gone = append(gone, engine.Op{Key: recordKey(next), Delete: true})
	}
	r.rows.Ascend(func(at row) bool {
		if at.record < next {
			rows = append(rows, engine.Op{Key: at.key, Value: at.value, Delete: at.gone})
		}
		return true
	})
	return rows, gone
}

// written is told which rows Badger has now.
func (r *recent) written(ops []engine.Op) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, op := range ops {
		r.rows.Delete(row{key: op.Key})
	}
	r.moves.Add(1)
}

// removed is told that the oldest records are gone.
func (r *recent) removed(records int) {
	for _, record := range r.records[:records] {
		r.bytes -= len(record)
	}
	clear(r.records[:records])
	r.records = r.records[records:]
	r.first += uint64(records)
}

// record writes a batch of the engine as a record. The caller holds s.writing.
func (s *Store) record(batch []engine.Op, sync bool) error {
	record := appendOps(nil, []byte{userKeys}, batch)
	if err := s.write([]engine.Op{{Key: recordKey(s.recent.next()), Value: record}}, sync); err != nil {
		return err
	}
	return s.recent.add(record, batch)
}

// fold writes what is left of the rows of the oldest records, of at least size bytes, and
// then removes these records. Views see no difference at any time. The caller holds
// s.writing.
func (s *Store) fold(size int) (err error) {
	defer s.caught(&err)
	if err := s.gate.halted(); err != nil {
		return err
	}
	r := s.recent
	rows, gone := r.oldest(size)
	if err := s.foldParts(rows, r.written); err != nil {
		return err
	}
	return s.foldParts(gone, func(ops []engine.Op) { r.removed(len(ops)) })
}

// foldAll folds the records that are there, in small steps, so that no commit waits for long. What
// is recorded meanwhile goes last, all that is left of it at once: its rows may stand before older ones that
// Badger has.
func (s *Store) foldAll(ctx context.Context) error {
	s.writing.Lock()
	last := s.recent.next()
	s.writing.Unlock()
	for later := 0; ctx.Err() == nil; {
		s.writing.Lock()
		size, done := max(s.recent.foldStep/4, 1), false
		if s.recent.first >= last {
			later++
			done = s.recent.bytes <= size || later > foldLater
		}
		if done {
			size = s.recent.bytes
		}
		err := s.fold(size)
		s.writing.Unlock()
		if done || err != nil {
			return err
		}
		if err := s.letCommit(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// foldLater is how many steps foldAll takes at most with what is recorded meanwhile: others may write faster.
const foldLater = 64

// commitTurn is how long long work keeps away from Store.writing between two of its steps. Whoever takes a mutex
// again at once gets it before the one who waits for it: a commit would wait for two steps, not for the rest of one.
const commitTurn = time.Millisecond

// letCommit lets those who wait for Store.writing have it.
func (s *Store) letCommit(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.gate.stopped:
		return s.gate.why
	case <-time.After(commitTurn):
		return nil
	}
}

// foldParts writes ops in parts, and tells of each. Without space it ends between two: what
// is written so far stays true.
func (s *Store) foldParts(ops []engine.Op, written func([]engine.Op)) error {
	for len(ops) > 0 {
		if err := s.reserve(nil); isFull(err) {
			return s.full()
		} else if err != nil {
			return s.unwritable(err)
		}
		n, err := s.commitPrefix(ops)
		if err != nil {
			return s.unwritable(err)
		}
		written(ops[:n])
		ops = ops[n:]
	}
	return nil
}

var errRecord = errors.New("the record of a batch is missing")

// readRecords takes in the records that an earlier process left.
func (s *Store) readRecords() error {
	c, err := s.scan([]byte{recordKeys, '/'}, nil)
	if err != nil {
		return err
	}
	defer c.close()
	for r := s.recent; ; {
		key, value, ok, err := c.next()
		if err != nil {
			return err
		}
		if !ok {
			return c.fault()
		}
		if len(key) != len(recordKey(0)) {
			return fmt.Errorf("%w: a name has %d bytes", errRecord, len(key))
		}
		n := binary.BigEndian.Uint64(key[len(key)-8:])
		if len(r.records) == 0 {
			r.first = n
		}
		if n != r.next() {
			return errRecord
		}
		if err := r.add(slices.Clip(value), nil); err != nil {
			return err
		}
	}
}
