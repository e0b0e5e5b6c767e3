// Package raftlog keeps the log of hashicorp/raft, and what raft has to remember besides, in
// a store of its own. Its main type is [Log]. It takes over what the store gives: a batch
// that was acknowledged survives a power cut, damage is found, a full volume is an error.
//
//	e/index      an entry, under its index of eight bytes, big endian
//	s/key        what raft remembers: its term, and for whom it has voted
//
// A crash can lose nothing that raft was told is stored.
package raftlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"

	"github.com/kehai-run/kehai/runtime/engine"
)

const (
	keyEntry  = "e/"
	keyStable = "s/"
	// entryForm is the version of an entry's form: it, the type, term and time of the entry,
	// the length of its data, the data, and its extensions.
	entryForm = 1
	// deleteBatch bounds one transaction of a DeleteRange.
	deleteBatch = 1000
	// room is how many bytes must be free for entries to be stored. Raft goes on without them, as long
	// as it can store for whom it votes: if it cannot, it ends the process.
	room = 32 << 20
)

// Log implements [raft.LogStore] and [raft.StableStore]. Its methods may be called
// concurrently.
type Log struct {
	store engine.Store

	full atomic.Bool // the last entries found no room

	mu          sync.RWMutex
	first, last uint64 // 0: it is empty
}

var (
	_ raft.LogStore    = (*Log)(nil)
	_ raft.StableStore = (*Log)(nil)
)

// ErrEntry marks an entry that cannot be read: restore the data directory of this node from
// a backup, or let it join the cluster anew.
var ErrEntry = errors.New("raftlog: unreadable entry: let this node leave the cluster and join it again")

// Open reads a log from a store that holds nothing else. Close the store after raft has
// ended.
func Open(store engine.Store) (*Log, error) {
	l := &Log{store: store}
	err := store.Scan([]byte(keyEntry), nil, func(k, _ []byte) bool {
		index := indexOf(k)
		if l.first == 0 {
			l.first = index
		}
		l.last = index
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("raftlog: open: %w", err)
	}
	return l, nil
}

func entryKey(index uint64) []byte { return binary.BigEndian.AppendUint64([]byte(keyEntry), index) }

func indexOf(key []byte) uint64 {
	if len(key) != len(keyEntry)+8 {
		return 0
	}
	return binary.BigEndian.Uint64(key[len(keyEntry):])
}

// FirstIndex implements [raft.LogStore].
func (l *Log) FirstIndex() (uint64, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.first, nil
}

// LastIndex implements [raft.LogStore].
func (l *Log) LastIndex() (uint64, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.last, nil
}

// GetLog implements [raft.LogStore].
func (l *Log) GetLog(index uint64, to *raft.Log) error {
	raw, ok, err := l.store.Get(entryKey(index))
	switch {
	case err != nil:
		return fmt.Errorf("raftlog: read entry %d: %w", index, err)
	case !ok:
		return raft.ErrLogNotFound
	}
	return decode(index, raw, to)
}

// StoreLog implements [raft.LogStore].
func (l *Log) StoreLog(entry *raft.Log) error { return l.StoreLogs([]*raft.Log{entry}) }

// StoreLogs implements [raft.LogStore]. If it fails on the way, a beginning of the entries
// may be there.
func (l *Log) StoreLogs(entries []*raft.Log) error {
	err := Room(l.store)
	if l.full.Store(err != nil); err != nil {
		return err
	}
	var ops []engine.Op
	size := 0
	for i, e := range entries {
		op := engine.Op{Key: entryKey(e.Index), Value: encode(e)}
		ops = append(ops, op)
		size += len(op.Key) + len(op.Value)
		end := i == len(entries)-1
		if !end && size+len(entries[i+1].Data)+len(entries[i+1].Extensions) < engine.MaxBatch/2 {
			continue
		}
		if err := l.store.Apply(ops, end); err != nil {
			return fmt.Errorf("raftlog: store entry %d: %w", e.Index, err)
		}
		l.stored(entries[i+1-len(ops)].Index, e.Index)
		ops, size = nil, 0
	}
	return nil
}

// Room reports that a volume is too full for entries and snapshots.
func Room(store engine.Store) error {
	if free, err := store.Free(); err != nil || free < room {
		return fmt.Errorf("raftlog: store what comes: %w", errors.Join(engine.ErrLowSpace, err))
	}
	return nil
}

// Full reports that there was no room for the last entries that came.
func (l *Log) Full() bool { return l.full.Load() }

func (l *Log) stored(first, last uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == 0 || first < l.first {
		l.first = first
	}
	l.last = max(l.last, last)
}

// DeleteRange implements [raft.LogStore]: raft deletes from the one end or from the other.
func (l *Log) DeleteRange(from, to uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	from, to = max(from, l.first), min(to, l.last)
	if l.first == 0 || from > to {
		return nil
	}
	tail := to == l.last && from > l.first
	for left := to - from + 1; left > 0; {
		n := min(left, deleteBatch)
		var ops []engine.Op
		for i := range n {
			index := from + i // the oldest first, so that no gap is left on the way
			if tail {
				index = to - i
			}
			ops = append(ops, engine.Op{Key: entryKey(index), Delete: true})
		}
		if err := l.store.Apply(ops, left == n); err != nil {
			return fmt.Errorf("raftlog: delete entries %d to %d: %w", from, to, err)
		}
		switch left -= n; {
		case tail:
			to -= n
			l.last = to
		default:
			from += n
			l.first = from
		}
	}
	if l.first > l.last {
		l.first, l.last = 0, 0
	}
	return nil
}

// Set implements [raft.StableStore].
func (l *Log) Set(key, value []byte) error {
	op := engine.Op{Key: append([]byte(keyStable), key...), Value: value}
	if err := l.store.Apply([]engine.Op{op}, true); err != nil {
		return fmt.Errorf("raftlog: remember %s: %w", key, err)
	}
	return nil
}

// Get implements [raft.StableStore]: without a row it is empty.
func (l *Log) Get(key []byte) ([]byte, error) {
	value, _, err := l.store.Get(append([]byte(keyStable), key...))
	if err != nil {
		return nil, fmt.Errorf("raftlog: recall %s: %w", key, err)
	}
	return value, nil
}

// SetUint64 implements [raft.StableStore].
func (l *Log) SetUint64(key []byte, value uint64) error {
	return l.Set(key, binary.BigEndian.AppendUint64(nil, value))
}

// GetUint64 implements [raft.StableStore]: without a row it is 0.
func (l *Log) GetUint64(key []byte) (uint64, error) {
	value, err := l.Get(key)
	switch {
	case err != nil || len(value) == 0:
		return 0, err
	case len(value) != 8:
		return 0, fmt.Errorf("%w: %s has %d bytes, want 8", ErrEntry, key, len(value))
	}
	return binary.BigEndian.Uint64(value), nil
}

func encode(e *raft.Log) []byte {
	form := make([]byte, 0, 32+len(e.Data)+len(e.Extensions))
	form = append(form, entryForm, byte(e.Type))
	form = binary.AppendUvarint(form, e.Term)
	at := int64(0)
	if !e.AppendedAt.IsZero() {
		at = e.AppendedAt.UnixNano()
	}
	form = binary.AppendVarint(form, at)
	form = binary.AppendUvarint(form, uint64(len(e.Data)))
	form = append(form, e.Data...)
	return append(form, e.Extensions...)
}

func decode(index uint64, form []byte, to *raft.Log) error {
	bad := fmt.Errorf("%w: entry %d", ErrEntry, index)
	if len(form) < 2 || form[0] != entryForm {
		return bad
	}
	read := raft.Log{Index: index, Type: raft.LogType(form[1])}
	left := form[2:]
	var n int
	if read.Term, n = binary.Uvarint(left); n <= 0 {
		return bad
	}
	left = left[n:]
	at, n := binary.Varint(left)
	if n <= 0 {
		return bad
	}
	if left = left[n:]; at != 0 {
		read.AppendedAt = time.Unix(0, at).UTC()
	}
	size, n := binary.Uvarint(left)
	if n <= 0 || size > uint64(len(left)-n) {
		return bad
	}
	left = left[n:]
	read.Data = left[:size:size]
	if len(left) > int(size) {
		read.Extensions = left[size:]
	}
	*to = read
	return nil
}
