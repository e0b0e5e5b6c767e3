package journal_test

import (
	"sync/atomic"
	"testing"

	"github.com/kehai-run/kehai/runtime/engine"
)

// tight is a store on a volume that may be full.
type tight struct {
	engine.Store
	full *atomic.Bool
}

func (s tight) Free() (uint64, error) {
	if s.full.Load() {
		return 0, nil
	}
	return s.Store.Free()
}

// A node whose disk is full holds up nobody, even if it has led, loses nothing, and follows again
// once there is room.
func TestAFullDiskOnOneNode(t *testing.T) {
	c := newNodes(t, 3)
	full := make([]atomic.Bool, len(c.all))
	for i, m := range c.all {
		m.store, m.log = tight{m.store, &full[i]}, tight{m.log, &full[i]}
	}
	c.found()
	for i := range c.all {
		c.puts(i, 10)
	}
	c.settled()
	stuck := c.leader()
	full[stuck].Store(true)
	for _, m := range c.all {
		if m.i != stuck {
			c.puts(m.i, 20)
		}
	}
	for _, m := range c.all {
		if m.i != stuck {
			c.until("receipts beside a full disk", func() bool {
				return len(rows(t, m, had, gateOf(m.i))) >= m.put
			})
		}
	}
	full[stuck].Store(false)
	c.puts(stuck, 10)
	c.settled()
}
