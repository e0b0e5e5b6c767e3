package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
)

const canary = "canary-"

// canaries counts the canaries in the files of a store, whatever they are for. A log that
// becomes a table is cut before it is removed: it counts what stands still meanwhile.
func canaries(t *testing.T, dir string) (n int) {
	t.Helper()
	for {
		before := sizes(t, dir)
		n = 0
		for path := range before {
			b, err := os.ReadFile(path)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			n += bytes.Count(b, []byte(canary))
		}
		if maps.Equal(before, sizes(t, dir)) {
			return n
		}
	}
}

// sizes are the files of a store that are there now.
func sizes(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	list := map[string]int64{}
	for _, path := range files(t, dir, "*") {
		if info, err := os.Lstat(path); err == nil {
			list[path] = info.Size()
		}
	}
	return list
}

func wantCanaries(t *testing.T, dir, when string, some bool) {
	t.Helper()
	if n := canaries(t, dir); n > 0 != some {
		t.Errorf("%s: %d canaries in the files, want some: %v", when, n, some)
	}
}

// wantPurge purges, and wants to be told whether all is gone.
func wantPurge(t *testing.T, s *store.Store, gone bool) {
	t.Helper()
	if got, err := s.Purge(t.Context()); got != gone || err != nil {
		t.Fatalf("Purge() = %v, %v, want %v", got, err, gone)
	}
}

func mustApply(t *testing.T, s *store.Store, ops ...engine.Op) {
	t.Helper()
	if err := s.Apply(ops, false); err != nil {
		t.Fatal(err)
	}
}

func later(t *testing.T, s *store.Store) {
	t.Helper()
	if err := s.PurgeLater(); err != nil {
		t.Fatal(err)
	}
}

func closeIt(t *testing.T, s *store.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// secret is an op with a canary in its key and in its value.
func secret(n int, value string) engine.Op {
	return engine.Op{Key: fmt.Appendf(nil, "s/%skey/%d", canary, n), Value: fmt.Append(nil, canary, n, value)}
}

func gone(op engine.Op) engine.Op { return engine.Op{Key: op.Key, Delete: true} }

// TestPurge deletes and overwrites in a small store, where Badger itself would
// never write over anything.
func TestPurge(t *testing.T) {
	dir := t.TempDir()
	s := open(t, store.Options{Dir: dir})
	state := engine.Op{Key: []byte("state"), Value: []byte(canary + "in what is overwritten")}
	mustApply(t, s, secret(1, ""), state, engine.Op{Key: []byte("stays"), Value: []byte("here")})
	wantPurge(t, s, true) // nothing to do
	wantCanaries(t, dir, "before", true)

	later(t, s)
	mustApply(t, s, gone(secret(1, "")))
	state.Value = []byte("harmless")
	mustApply(t, s, state)
	wantCanaries(t, dir, "deleted", true)
	wantPurge(t, s, true)
	wantCanaries(t, dir, "purged", false)
	if got, want := everything(t, s), []string{"state=harmless", "stays=here"}; !slices.Equal(got, want) {
		t.Errorf("after Purge the store holds %q, want %q", got, want)
	}
	closeIt(t, s)
	wantCanaries(t, dir, "closed", false)
	closeIt(t, open(t, store.Options{Dir: dir}))
	wantCanaries(t, dir, "opened again", false)
}

// TestPurgeAfterACrash finds the wish of a process that died before it purged.
func TestPurgeAfterACrash(t *testing.T) {
	live := t.TempDir()
	s := open(t, store.Options{Dir: live})
	mustApply(t, s, secret(1, ""))
	later(t, s)
	mustApply(t, s, gone(secret(1, "")))
	dir := copyDir(t, live)
	closeIt(t, s)

	s = open(t, store.Options{Dir: dir})
	wantCanaries(t, dir, "opened again", true)
	wantPurge(t, s, true)
	wantCanaries(t, dir, "purged", false)
	closeIt(t, s)
	s = open(t, store.Options{Dir: dir})
	mustApply(t, s, secret(2, ""), gone(secret(2, "")))
	wantPurge(t, s, true) // the wish is gone
	wantCanaries(t, dir, "purged without a wish", true)
	closeIt(t, s)
}

// TestPurgeLargeStore deletes from tables of several levels, beside commits and
// with the redo record of a large batch in between.
func TestPurgeLargeStore(t *testing.T) {
	keys := 50
	if testing.Short() {
		keys = 15
	}
	batches := 6 * keys
	dir := t.TempDir()
	s := open(t, store.Options{Dir: dir})
	for n := range batches {
		mustApply(t, s, small(n*1000, 1000)...)
		if n%6 == 0 {
			mustApply(t, s, secret(n/6, ""))
		}
	}
	var large []engine.Op
	for n := range 8 {
		large = append(large, secret(1000+n, string(make([]byte, 500<<10))))
	}
	mustApply(t, s, large...)
	later(t, s)
	for i := range large {
		large[i] = gone(large[i])
	}
	mustApply(t, s, large...)
	for n := range keys {
		mustApply(t, s, gone(secret(n, "")))
	}
	if n := canaries(t, dir); n < 2*keys {
		t.Fatalf("%d canaries in the files before the purge, want at least %d", n, 2*keys)
	}
	purged := make(chan error, 1)
	go func() {
		all, err := s.Purge(context.Background())
		if err == nil && !all {
			err = errors.New("not all is gone")
		}
		purged <- err
	}()
	commits, done := 0, false
	for ; !done && commits < 2000; commits++ {
		mustApply(t, s, small(1000*batches+10*commits, 10)...)
		select {
		case err := <-purged:
			done = true
			if err != nil {
				t.Fatal(err)
			}
		default:
		}
	}
	if !done {
		if err := <-purged; err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d commits beside the purge", commits)
	if commits < 10 {
		t.Errorf("%d commits ended before the purge did, want commits to go on beside it", commits)
	}
	wantCanaries(t, dir, "purged", false)
	if n, want := len(everything(t, s)), 1000*batches+10*commits; n != want {
		t.Errorf("%d keys are left, want %d", n, want)
	}
	closeIt(t, s)
}

// TestPurgeOfBigValues deletes a value from the newest file of the value log,
// which Badger does not rewrite before the next start.
func TestPurgeOfBigValues(t *testing.T) {
	dir := t.TempDir()
	s := open(t, store.Options{Dir: dir})
	big, stays := secret(1, string(make([]byte, 1<<20))), engine.Op{Key: []byte("stays"), Value: make([]byte, 1<<20)}
	mustApply(t, s, big, stays)
	later(t, s)
	mustApply(t, s, gone(big))
	wantPurge(t, s, false)
	closeIt(t, s)
	s = open(t, store.Options{Dir: dir})
	wantCanaries(t, dir, "opened again", true)
	wantPurge(t, s, true)
	wantCanaries(t, dir, "purged", false)
	if got, _, err := s.Get(stays.Key); err != nil || !bytes.Equal(got, stays.Value) {
		t.Errorf("Get(stays) = %d bytes, %v, want %d", len(got), err, len(stays.Value))
	}
	closeIt(t, s)
}

// TestPurgeWaitsForReaders purges while a scan still sees what was deleted.
func TestPurgeWaitsForReaders(t *testing.T) {
	dir := t.TempDir()
	s := open(t, store.Options{Dir: dir})
	mustApply(t, s, secret(1, ""), secret(2, ""))
	purged := make(chan error, 1)
	err := s.Scan(nil, nil, func(k, _ []byte) bool {
		if !bytes.HasSuffix(k, []byte("/1")) {
			return true
		}
		later(t, s)
		mustApply(t, s, gone(secret(1, "")), gone(secret(2, "")))
		ended, end := context.WithCancel(context.Background())
		end()
		if all, err := s.Purge(ended); all || !errors.Is(err, context.Canceled) {
			t.Errorf("Purge() during a scan = %v, %v, want it to wait", all, err)
		}
		go func() {
			_, err := s.Purge(context.Background())
			purged <- err
		}()
		return true
	})
	if err := errors.Join(err, <-purged); err != nil {
		t.Fatal(err)
	}
	wantCanaries(t, dir, "purged", false)
	closeIt(t, s)
}

// TestPurgeOfMovedBigValues deletes a value that an earlier purge has moved to the
// newest file of the value log.
func TestPurgeOfMovedBigValues(t *testing.T) {
	dir := t.TempDir()
	s := open(t, store.Options{Dir: dir})
	first := engine.Op{Key: []byte("first"), Value: make([]byte, 1<<20)}
	moved := secret(1, string(make([]byte, 1<<20)))
	mustApply(t, s, first, moved)
	closeIt(t, s)

	s = open(t, store.Options{Dir: dir})
	later(t, s)
	mustApply(t, s, gone(first))
	wantPurge(t, s, true) // only what is left was moved
	later(t, s)
	mustApply(t, s, gone(moved))
	wantPurge(t, s, false)
	closeIt(t, s)
	s = open(t, store.Options{Dir: dir})
	wantPurge(t, s, true)
	wantCanaries(t, dir, "purged", false)
	closeIt(t, s)
}
