package engine

import (
	"sort"
	"strings"

	"github.com/kehai-run/kehai/messages"
)

// read returns the value of a key as the cell's pending turns have left it.
func (e *Engine) read(c *Cell, key string) ([]byte, bool, error) {
	c.mu.Lock()
	o, pending := c.view[key]
	c.mu.Unlock()
	if pending {
		return o.value, o.ok, nil
	}
	return e.store.Get([]byte(key))
}

// cellReader shows an actor its own rows: the store's, under what its pending
// turns have written. A release may move rows from the overlay to the store
// between the two looks, so Scan takes the overlay first.
type cellReader struct {
	e *Engine
	c *Cell
}

func (r cellReader) Get(key string) ([]byte, bool, error) {
	return r.e.read(r.c, stateKey(r.c.addr, key))
}

func (r cellReader) Scan(prefix string, yield func(string, []byte) bool) error {
	full := stateKey(r.c.addr, prefix)
	base := len(full) - len(prefix)
	over := map[string]overlay{}
	r.c.mu.Lock()
	for k, o := range r.c.view {
		if strings.HasPrefix(k, full) {
			over[k] = o
		}
	}
	r.c.mu.Unlock()
	rows := map[string][]byte{}
	err := r.e.store.Scan([]byte(full), nil, func(k, v []byte) bool {
		rows[string(k)] = v
		return true
	})
	if err != nil {
		return err
	}
	for k, o := range over {
		if o.ok {
			rows[k] = o.value
		} else {
			delete(rows, k)
		}
	}
	keys := make([]string, 0, len(rows))
	for k := range rows {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		if !yield(k[base:], rows[k]) {
			break
		}
	}
	return nil
}

func stateKey(a messages.Address, row string) string { return ofActor(keyState, a, row) }
