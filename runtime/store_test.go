package runtime_test

import (
	"fmt"
	"sync/atomic"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

func memStore() engine.Store { return mem.New() }

// dyingStore answers nothing any more once it is dead, as Badger does after a
// write that failed half way.
type dyingStore struct {
	engine.Store
	dead atomic.Bool
}

func (s *dyingStore) err() error {
	if s.dead.Load() {
		return fmt.Errorf("%w: a write failed", engine.ErrClosed)
	}
	return nil
}

func (s *dyingStore) Get(key []byte) ([]byte, bool, error) {
	if err := s.err(); err != nil {
		return nil, false, err
	}
	return s.Store.Get(key)
}

func (s *dyingStore) Apply(ops []engine.Op, sync bool) error {
	if err := s.err(); err != nil {
		return err
	}
	return s.Store.Apply(ops, sync)
}
