// Package mem is an engine.Store in memory, for tests and for simulations.
//
// Its main type, Store, does the same work for the same calls: no clock, no random
// numbers, no goroutines. Clone simulates the death of the process, CloneSynced a power
// cut; the old Store is then thrown away. The store that survives real ones is in the
// package above.
package mem

import (
	"bytes"
	"io"
	"slices"
	"sync"

	"github.com/kehai-run/kehai/runtime/engine"
)

// Store keeps everything in memory. The zero value is an empty store. All
// methods may be called concurrently.
type Store struct {
	mu     sync.Mutex
	root   *node
	synced *node // root as of the last Apply with sync
	closed bool
}

var _ engine.Store = (*Store)(nil)

// New returns an empty store.
func New() *Store { return &Store{} }

// Clone returns an open store with everything that was applied, whether this one is
// closed or not: what a new process finds after a kill. It costs the same for any number
// of keys, and neither store sees later writes to the other.
func (s *Store) Clone() *Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Store{root: s.root, synced: s.synced}
}

// CloneSynced is like Clone, but after the worst power cut: batches after the last one
// applied with sync are lost.
func (s *Store) CloneSynced() *Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Store{root: s.synced, synced: s.synced}
}

func (s *Store) view() (*node, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, engine.ErrClosed
	}
	return s.root, nil
}

// Get implements [engine.Store].
func (s *Store) Get(key []byte) ([]byte, bool, error) {
	root, err := s.view()
	if err != nil {
		return nil, false, err
	}
	n := root.find(key)
	if n == nil {
		return nil, false, nil
	}
	return slices.Clone(n.value), true, nil
}

// Scan implements [engine.Store].
func (s *Store) Scan(prefix, from []byte, yield func(key, value []byte) bool) error {
	root, err := s.view()
	if err != nil {
		return err
	}
	if bytes.Compare(from, prefix) < 0 {
		from = prefix
	}
	root.ascend(from, func(n *node) bool {
		return bytes.HasPrefix(n.key, prefix) && yield(slices.Clone(n.key), slices.Clone(n.value))
	})
	return nil
}

// Apply implements [engine.Store].
func (s *Store) Apply(batch []engine.Op, sync bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return engine.ErrClosed
	}
	if err := engine.CheckBatch(batch); err != nil {
		return err
	}
	for _, op := range batch {
		if op.New && s.root.find(op.Key) != nil {
			panic("mem: a key that the engine calls new is there")
		}
		if op.Delete {
			s.root = s.root.without(op.Key)
			continue
		}
		s.root = s.root.with(&node{key: slices.Clone(op.Key), value: slices.Clone(op.Value), rank: rank(op.Key)})
	}
	if sync {
		s.synced = s.root
	}
	return nil
}

// Snapshot implements [engine.Store].
func (s *Store) Snapshot(w io.Writer) error {
	return engine.WriteSnapshot(w, func(yield func(k, v []byte) bool) error { return s.Scan(nil, nil, yield) })
}

// Restore implements [engine.Store].
func (s *Store) Restore(r io.Reader) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return engine.ErrClosed
	case s.root != nil:
		return engine.ErrNotEmpty
	}
	var root *node
	err := engine.ReadSnapshot(r, func(ops []engine.Op) error {
		for _, op := range ops {
			root = root.with(&node{key: op.Key, value: op.Value, rank: rank(op.Key)})
		}
		return nil
	})
	if err == nil {
		s.root, s.synced = root, root
	}
	return err
}

// Free returns the largest number, because memory has no volume.
func (s *Store) Free() (uint64, error) { return ^uint64(0), nil }

// Close makes later calls fail. Calling it again does nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}
