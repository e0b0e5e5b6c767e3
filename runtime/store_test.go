package runtime_test

import (
	"errors"
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
	dead  atomic.Pointer[error]
	hangs atomic.Pointer[chan struct{}] // reads wait for its end once it is dead
}

func (s *dyingStore) die(why error) {
	err := fmt.Errorf("%w: a write failed", why)
	s.dead.Store(&err)
}

func (s *dyingStore) Get(key []byte) ([]byte, bool, error) {
	if err := s.dead.Load(); err != nil {
		return nil, false, *err
	}
	return s.Store.Get(key)
}

// Scan waits where it is told to: Badger's readers wait for a write that never ends.
func (s *dyingStore) Scan(prefix, from []byte, yield func(k, v []byte) bool) error {
	if err := s.dead.Load(); err != nil {
		if end := s.hangs.Load(); end != nil {
			<-*end
		}
		return *err
	}
	return s.Store.Scan(prefix, from, yield)
}

func (s *dyingStore) Apply(ops []engine.Op, sync bool) error {
	if err := s.dead.Load(); err != nil {
		return *err
	}
	return s.Store.Apply(ops, sync)
}

// flakyStore fails to write while it is told to.
type flakyStore struct {
	engine.Store
	failing atomic.Bool
}

var errFlaky = errors.New("the disk was asleep")

func (s *flakyStore) Apply(ops []engine.Op, sync bool) error {
	if s.failing.Load() {
		return errFlaky
	}
	return s.Store.Apply(ops, sync)
}
