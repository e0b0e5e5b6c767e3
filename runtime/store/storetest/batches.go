package storetest

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/kehai-run/kehai/runtime/engine"
)

// generation is one batch that gives each of its keys the same value. A reader must see
// all of it or nothing.
func generation(n, keys, size int) []engine.Op {
	batch := make([]engine.Op, keys)
	for i := range batch {
		batch[i] = engine.Op{
			Key:   fmt.Appendf(nil, "g/%04d", i),
			Value: bytes.Repeat(fmt.Appendf(nil, "%08d", n), size/8),
		}
	}
	return batch
}

// oneGeneration scans g/ and reports an error unless every value is the same.
func oneGeneration(s engine.Store, keys int) error {
	var first []byte
	n, mixed := 0, false
	err := s.Scan([]byte("g/"), nil, func(_, v []byte) bool {
		if n++; n == 1 {
			first = v
		}
		mixed = mixed || !bytes.Equal(first, v)
		return true
	})
	if err != nil {
		return err
	}
	if mixed || n != keys {
		return fmt.Errorf("a scan sees %d keys, mixed %v, want %d keys of one batch", n, mixed, keys)
	}
	return nil
}

// atomicBatches reads while small and large batches are written.
func atomicBatches(t *testing.T, s engine.Store) {
	for _, c := range []struct{ keys, size, rounds int }{{50, 64, 200}, {600, 8 << 10, 6}} {
		apply(t, s, generation(0, c.keys, c.size)...)
		whileReading(t, func() error { return oneGeneration(s, c.keys) }, func() {
			for n := range c.rounds {
				apply(t, s, generation(n, c.keys, c.size)...)
			}
		})
		for i := range c.keys {
			apply(t, s, del(fmt.Sprintf("g/%04d", i)))
		}
	}
}

// scanIsOneView writes from inside a scan and at the same time as one.
func scanIsOneView(t *testing.T, s engine.Store) {
	const keys = 100
	apply(t, s, generation(0, keys, 8)...)
	n := 0
	err := s.Scan([]byte("g/"), nil, func(k, v []byte) bool {
		n++
		apply(t, s, generation(n, keys+n, 8)...)
		if string(v) != "00000000" {
			t.Errorf("Scan yields %s=%s of a later batch, want 00000000", k, v)
		}
		return true
	})
	if err != nil || n != keys {
		t.Fatalf("Scan = %d keys, %v, want %d of the view at its start", n, err, keys)
	}
}

// whileReading runs write and, on another goroutine, read until write is done.
func whileReading(t *testing.T, read func() error, write func()) {
	t.Helper()
	done := make(chan struct{})
	var readers sync.WaitGroup
	readers.Go(func() {
		for {
			if err := read(); err != nil {
				t.Error(err)
				return
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	defer readers.Wait()
	defer close(done)
	write()
}

// largestBatches writes MaxBatch bytes in shapes that may be hard for a store.
func largestBatches(t *testing.T, s engine.Store) {
	for _, c := range []struct {
		name string
		keys int
	}{{"one value", 1}, {"1 MiB values", 8}, {"64 KiB values", 128}, {"1 KiB values", 8 << 10},
		{"small values", 80_000}} {
		batch := make([]engine.Op, c.keys)
		each := engine.MaxBatch / c.keys
		for i := range batch {
			key := fmt.Appendf(nil, "%08d", i)
			batch[i] = engine.Op{Key: key, Value: bytes.Repeat(key, each/8)[:each-len(key)]}
		}
		if err := s.Apply(batch, true); err != nil {
			t.Fatalf("Apply(%s) = %v, want no error", c.name, err)
		}
		i := 0
		err := s.Scan(nil, nil, func(k, v []byte) bool {
			if i >= len(batch) || !bytes.Equal(k, batch[i].Key) || !bytes.Equal(v, batch[i].Value) {
				t.Errorf("after Apply(%s) Scan yields a wrong pair at %d: key %q, %d bytes", c.name, i, k, len(v))
				return false
			}
			i++
			return true
		})
		if err != nil || i != c.keys {
			t.Fatalf("after Apply(%s) Scan = %d keys, %v, want %d", c.name, i, err, c.keys)
		}
		for i := range batch {
			batch[i] = engine.Op{Key: batch[i].Key, Delete: true}
		}
		apply(t, s, batch...)
		wantScan(t, s, "", "")
	}
	apply(t, s, put("value", string(make([]byte, 1_000_000))))
	wantGet(t, s, "value", string(make([]byte, 1_000_000)), true)
}
