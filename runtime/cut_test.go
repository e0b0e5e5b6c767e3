package runtime_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit"
)

// commits is a store that keeps what a kill after each commit would leave.
type commits struct {
	*mem.Store
	mu    sync.Mutex
	on    bool
	after []*mem.Store
}

// Apply implements engine.Store.
func (c *commits) Apply(batch []engine.Op, sync bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.Store.Apply(batch, sync)
	if c.on {
		c.after = append(c.after, c.Clone())
	}
	return err
}

// watch keeps what commits leave from now on, or no more.
func (c *commits) watch(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.on = on; on {
		c.after = []*mem.Store{c.Clone()}
	}
}

// left are the stores that a kill would leave, as the first commit was still to come, and
// after each one.
func (c *commits) left(t *testing.T, least int) []*mem.Store {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.after) < least {
		t.Fatalf("%d commits, want at least %d", len(c.after), least)
	}
	return slices.Clone(c.after)
}

// over is a system over a store.
func over(s engine.Store) testkit.Option {
	return testkit.WithRuntime(runtime.WithStore(func() (engine.Store, error) { return s, nil }))
}

// unset deletes settings, as in the store of a version that did not know them.
func unset(t *testing.T, s *mem.Store, name string) {
	t.Helper()
	var keys []engine.Op
	err := s.Scan(nil, nil, func(k, _ []byte) bool {
		if n := len(k); n >= len(name) && string(k[n-len(name):]) == name {
			keys = append(keys, engine.Op{Key: slices.Clone(k), Delete: true})
		}
		return true
	})
	if err == nil {
		err = s.Apply(keys, true)
	}
	if err != nil || len(keys) != 1 {
		t.Fatalf("%d settings are called %s, %v, want one", len(keys), name, err)
	}
}
