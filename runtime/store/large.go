package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/dgraph-io/badger/v4"

	"github.com/kehai-run/kehai/runtime/engine"
)

// A Badger transaction holds at most 15 % of a memtable, and memtables large enough for
// engine.MaxBatch would cost more memory than everything else together. So a batch that
// does not fit is first stored as a redo record, then applied in several transactions;
// then the record is removed. The batch counts as applied once r/end exists: Open applies
// a complete record and removes an incomplete one.

const redoPart = 256 << 10

var redoEnd = []byte{redoKeys, '/', 'e', 'n', 'd'}

func redoKey(part int) []byte { return fmt.Appendf(nil, "%c/%06d", redoKeys, part) }

func (s *Store) applyLarge(ops []engine.Op) error {
	var record []engine.Op
	for part := range slices.Chunk(appendOps(nil, nil, ops), redoPart) {
		record = append(record, engine.Op{Key: redoKey(len(record)), Value: part})
	}
	// The end marker is in the last transaction of the record, or in one that
	// follows it: never before the parts.
	record = append(record, engine.Op{Key: redoEnd, Value: fmt.Append(nil, len(record))})
	if err := s.commitParts(record); err != nil {
		return err
	}
	return s.carryOut(ops, record)
}

// carryOut applies a complete redo record and then removes it. An earlier process may
// have begun to apply it.
func (s *Store) carryOut(ops, record []engine.Op) error {
	s.whole.Lock()
	defer s.whole.Unlock()
	if err := s.commitParts(ops); err != nil {
		return err
	}
	return s.removeRecord(record)
}

// removeRecord deletes the end marker first: parts without it count for nothing.
func (s *Store) removeRecord(record []engine.Op) error {
	gone := []engine.Op{{Key: redoEnd, Delete: true}}
	for _, op := range record {
		gone = append(gone, engine.Op{Key: op.Key, Delete: true})
	}
	return s.commitParts(gone)
}

// commitParts writes ops in order, in as few transactions as possible.
func (s *Store) commitParts(ops []engine.Op) error {
	for len(ops) > 0 {
		n, err := s.commitPrefix(ops)
		if err != nil {
			return err
		}
		ops = ops[n:]
	}
	return nil
}

func (s *Store) commitPrefix(ops []engine.Op) (n int, err error) {
	if err := s.reserve(nil); err != nil {
		return 0, err
	}
	txn := s.db.NewTransaction(true)
	defer txn.Discard()
	for n < len(ops) {
		err := stage(txn, ops[n], new(badger.Entry))
		if errors.Is(err, badger.ErrTxnTooBig) && n > 0 {
			break
		}
		if err != nil {
			return 0, err
		}
		s.logs.values = s.logs.values || len(ops[n].Value) >= valueThreshold
		n++
	}
	if err := s.ended(txn); err != nil {
		return 0, err
	}
	return n, s.logs.written()
}

// redo finishes a large batch that a crash cut short.
func (s *Store) redo() error {
	var encoded []byte
	var record []engine.Op
	complete := false
	c, err := s.scan([]byte{redoKeys, '/'}, nil)
	if err != nil {
		return err
	}
	defer c.close()
	for {
		key, value, ok, err := c.next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		record = append(record, engine.Op{Key: key})
		if string(key) == string(redoEnd) {
			complete = string(value) == fmt.Sprint(len(record)-1)
			continue
		}
		encoded = append(encoded, value...)
	}
	if len(record) == 0 {
		return nil
	}
	if !complete {
		return s.removeRecord(record)
	}
	ops, err := decodeOps(encoded)
	if err != nil {
		return err
	}
	return s.carryOut(ops, record)
}

// appendOps appends for each op: 1 for a delete or 0, the length of the key, the key, which
// begins with prefix, and, for a put, the length of the value and the value. Lengths are
// unsigned varints. Stores on disk contain this form: new kinds may be added, the two
// existing ones must not change.
func appendOps(b, prefix []byte, ops []engine.Op) []byte {
	size := 0
	for i := range ops {
		key, value := len(prefix)+len(ops[i].Key), len(ops[i].Value)
		if size += 1 + varintLen(key) + key; !ops[i].Delete {
			size += varintLen(value) + value
		}
	}
	b = slices.Grow(b, size)
	for i := range ops {
		op, kind := &ops[i], byte(0)
		if op.Delete {
			kind = 1
		}
		b = binary.AppendUvarint(append(b, kind), uint64(len(prefix)+len(op.Key)))
		b = append(append(b, prefix...), op.Key...)
		if !op.Delete {
			b = append(binary.AppendUvarint(b, uint64(len(op.Value))), op.Value...)
		}
	}
	return b
}

// varintLen is how many bytes an unsigned varint has, of seven bits each.
func varintLen(n int) int { return (bits.Len(uint(n)|1) + 6) / 7 }

var errRedo = errors.New("the record of a batch cannot be read")

func decodeOps(b []byte) (ops []engine.Op, err error) {
	for len(b) > 0 {
		var op engine.Op
		if op, b, err = nextOp(b); err != nil {
			return nil, err
		}
		ops = append(ops, op)
	}
	return ops, nil
}

// nextOp reads the first op of b, which shares its bytes.
func nextOp(b []byte) (op engine.Op, rest []byte, err error) {
	kind := b[0]
	if kind > 1 {
		return op, nil, errRedo
	}
	op.Delete = kind == 1
	if op.Key, b, err = nextBytes(b[1:]); err == nil && !op.Delete {
		op.Value, b, err = nextBytes(b)
	}
	return op, b, err
}

func nextBytes(b []byte) (s, rest []byte, err error) {
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(len(b)-used) {
		return nil, nil, errRedo
	}
	end := used + int(n)
	return b[used:end:end], b[end:], nil
}
