// Package storetest checks what every engine.Store must do. Run is for any store,
// RunPersistent for one that can be opened again; mem and the store on disk both pass.
package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/kehai-run/kehai/runtime/engine"
)

// Open returns a new, empty store. The suite closes it.
type Open func(t *testing.T) engine.Store

// Reopen closes the store and returns the one that a later process would see.
type Reopen func(t *testing.T, s engine.Store) engine.Store

// Run checks one kind of store.
func Run(t *testing.T, open Open) { run(t, open, nil) }

// RunPersistent checks a store that keeps its data when it is opened again.
func RunPersistent(t *testing.T, open Open, reopen Reopen) { run(t, open, reopen) }

func run(t *testing.T, open Open, reopen Reopen) {
	for _, c := range []struct {
		name  string
		check func(*testing.T, engine.Store)
	}{
		{"put, get, delete", putGetDelete},
		{"last op wins", lastOpWins},
		{"scan", scan},
		{"binary keys", binaryKeys},
		{"empty key and value", emptyKeyAndValue},
		{"scan stops early", scanStops},
		{"scan is one view", scanIsOneView},
		{"calls inside a scan", callsInsideScan},
		{"callers keep their bytes", bytesAreCopied},
		{"atomic batches", atomicBatches},
		{"largest batches", largestBatches},
		{"too large", tooLarge},
		{"closed", closed},
		{"free", free},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			defer closeStore(t, s)
			c.check(t, s)
		})
	}
	t.Run("snapshots", func(t *testing.T) { snapshots(t, open) })
	t.Run("model", func(t *testing.T) { model(t, open, reopen) })
	if reopen != nil {
		t.Run("reopen", func(t *testing.T) { reopened(t, open, reopen) })
	}
}

func put(key, value string) engine.Op { return engine.Op{Key: []byte(key), Value: []byte(value)} }
func del(key string) engine.Op        { return engine.Op{Key: []byte(key), Delete: true} }

func apply(t testing.TB, s engine.Store, ops ...engine.Op) {
	t.Helper()
	if err := s.Apply(ops, false); err != nil {
		t.Fatalf("Apply(%d ops) = %v, want no error", len(ops), err)
	}
}

func closeStore(t testing.TB, s engine.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v, want no error", err)
	}
}

func wantGet(t testing.TB, s engine.Store, key, want string, wantOK bool) {
	t.Helper()
	got, ok, err := s.Get([]byte(key))
	if err != nil || ok != wantOK || string(got) != want {
		t.Fatalf("Get(%.40q) = %d bytes %.40q, %v, %v, want %d bytes %.40q, %v", key, len(got), got, ok, err,
			len(want), want, wantOK)
	}
}

func wantScan(t testing.TB, s engine.Store, prefix, from string, want ...string) {
	t.Helper()
	got := scanned(t, s, []byte(prefix), []byte(from))
	if !slices.Equal(got, want) {
		t.Fatalf("Scan(%q, %q) = %q, want %q", prefix, from, got, want)
	}
}

// scanned returns key=value in the order of the scan.
func scanned(t testing.TB, s engine.Store, prefix, from []byte) []string {
	t.Helper()
	var got []string
	err := s.Scan(prefix, from, func(k, v []byte) bool {
		got = append(got, string(k)+"="+string(v))
		return true
	})
	if err != nil {
		t.Fatalf("Scan(%q, %q) = %v, want no error", prefix, from, err)
	}
	return got
}

func putGetDelete(t *testing.T, s engine.Store) {
	wantGet(t, s, "a", "", false)
	apply(t, s, put("a", "1"), put("b", "2"))
	wantGet(t, s, "a", "1", true)
	wantGet(t, s, "b", "2", true)
	apply(t, s, put("a", "3"), del("b"), del("never there"))
	wantGet(t, s, "a", "3", true)
	wantGet(t, s, "b", "", false)
	wantGet(t, s, "never there", "", false)
	apply(t, s)
	if err := s.Apply([]engine.Op{put("c", "4")}, true); err != nil {
		t.Fatalf("Apply(sync) = %v, want no error", err)
	}
	if err := s.Apply(nil, true); err != nil {
		t.Fatalf("Apply(nothing, sync) = %v, want no error", err)
	}
	wantGet(t, s, "c", "4", true)
}

func lastOpWins(t *testing.T, s engine.Store) {
	apply(t, s, put("a", "1"), put("a", "2"), put("b", "1"), del("b"), del("c"), put("c", "2"))
	wantScan(t, s, "", "", "a=2", "c=2")
}

func scan(t *testing.T, s engine.Store) {
	apply(t, s, put("b/2", "2"), put("a", "0"), put("b/1", "1"), put("b/3", "3"), put("c", "4"),
		put("b", "9"), put("b/2/x", "5"))
	apply(t, s, del("b/3"), put("b/2", "two"))
	wantScan(t, s, "", "", "a=0", "b=9", "b/1=1", "b/2=two", "b/2/x=5", "c=4")
	wantScan(t, s, "b/", "", "b/1=1", "b/2=two", "b/2/x=5")
	wantScan(t, s, "b/", "b/2", "b/2=two", "b/2/x=5")
	wantScan(t, s, "b/", "b/2\x00", "b/2/x=5")
	wantScan(t, s, "b/", "a", "b/1=1", "b/2=two", "b/2/x=5")
	wantScan(t, s, "b/", "c")
	wantScan(t, s, "", "b/2/", "b/2/x=5", "c=4")
	wantScan(t, s, "d", "")
	wantScan(t, s, "b/3", "")
}

func binaryKeys(t *testing.T, s engine.Store) {
	keys := []string{"\x00", "\x00\x00", "\x00\xff", "!badger!x", "!badger!txn", "\x7f", "\xff", "\xff\xff",
		"\xff\xff\x00", "気配", "気配\x00"}
	for i, k := range keys {
		apply(t, s, put(k, fmt.Sprint(i)))
	}
	for i, k := range keys {
		wantGet(t, s, k, fmt.Sprint(i), true)
	}
	order := slices.Sorted(slices.Values(keys))
	var got []string
	for _, kv := range scanned(t, s, nil, nil) {
		got = append(got, kv[:bytes.LastIndexByte([]byte(kv), '=')])
	}
	if !slices.Equal(got, order) {
		t.Fatalf("Scan of binary keys = %q, want %q", got, order)
	}
	wantScan(t, s, "\xff", "", "\xff=6", "\xff\xff=7", "\xff\xff\x00=8")
	wantScan(t, s, "\xff\xff\xff", "")
	long := string(bytes.Repeat([]byte{0xab}, 4096))
	apply(t, s, put(long, "long"))
	wantGet(t, s, long, "long", true)
}

func emptyKeyAndValue(t *testing.T, s engine.Store) {
	apply(t, s, put("", "nameless"), put("a", ""), engine.Op{Key: []byte("b")})
	wantGet(t, s, "", "nameless", true)
	wantGet(t, s, "a", "", true)
	wantGet(t, s, "b", "", true)
	wantScan(t, s, "", "", "=nameless", "a=", "b=")
	apply(t, s, del(""))
	wantGet(t, s, "", "", false)
}

func scanStops(t *testing.T, s engine.Store) {
	for i := range 50 {
		apply(t, s, put(fmt.Sprintf("k%02d", i), "v"))
	}
	calls := 0
	err := s.Scan([]byte("k"), []byte("k10"), func(k, _ []byte) bool {
		calls++
		return string(k) != "k12"
	})
	if err != nil || calls != 3 {
		t.Fatalf("Scan until k12 = %d calls, %v, want 3 calls", calls, err)
	}
}

func callsInsideScan(t *testing.T, s engine.Store) {
	apply(t, s, put("a", "1"), put("b", "1"))
	var got []string
	err := s.Scan(nil, nil, func(k, v []byte) bool {
		wantGet(t, s, "b", map[bool]string{true: "1", false: "2"}[string(k) == "a"], true)
		apply(t, s, put("b", "2"), put("c", "2"))
		got = append(got, string(k)+"="+string(v))
		return true
	})
	if want := []string{"a=1", "b=1"}; err != nil || !slices.Equal(got, want) {
		t.Fatalf("Scan with writes inside = %q, %v, want %q", got, err, want)
	}
	wantScan(t, s, "", "", "a=1", "b=2", "c=2")
}

// bytesAreCopied checks that neither side's later changes reach the other.
func bytesAreCopied(t *testing.T, s engine.Store) {
	op := put("key", "value")
	apply(t, s, op)
	op.Key[0], op.Value[0] = 'X', 'X'
	wantScan(t, s, "", "", "key=value")
	got, _, err := s.Get([]byte("key"))
	if err != nil {
		t.Fatal(err)
	}
	got[0] = 'X'
	var keys, values [][]byte
	apply(t, s, put("key2", "value2"))
	err = s.Scan(nil, nil, func(k, v []byte) bool {
		keys, values = append(keys, k), append(values, v)
		return true
	})
	if err != nil || len(keys) != 2 {
		t.Fatalf("Scan = %d keys, %v, want 2", len(keys), err)
	}
	if string(keys[0]) != "key" || string(values[0]) != "value" {
		t.Fatalf("kept from a scan = %q=%q, want key=value", keys[0], values[0])
	}
	for i := range keys {
		clear(keys[i])
		clear(values[i])
	}
	wantScan(t, s, "", "", "key=value", "key2=value2")
}

func tooLarge(t *testing.T, s engine.Store) {
	apply(t, s, put("a", "1"))
	half := make([]byte, engine.MaxBatch/2)
	batches := map[string][]engine.Op{
		"one byte over": {put("a", "2"), {Key: []byte("b"), Value: half},
			{Key: []byte("c"), Value: half[:len(half)-3]}},
		"one value":       {put("a", "2"), {Key: []byte("b"), Value: make([]byte, engine.MaxBatch)}},
		"one long key":    {put("a", "2"), {Key: make([]byte, engine.MaxKey+1)}},
		"one deleted key": {put("a", "2"), {Key: make([]byte, engine.MaxKey+1), Delete: true}},
		"many over in sum": append(slices.Repeat([]engine.Op{{Key: []byte("k"), Value: make([]byte, 1<<16)}}, 128),
			put("a", "2")),
		"written key twice": {put("a", "2"), {Key: []byte("b"), Value: half}, {Key: []byte("b"), Value: half}},
	}
	for name, batch := range batches {
		if err := s.Apply(batch, false); !errors.Is(err, engine.ErrTooLarge) {
			t.Errorf("Apply(%s) = %v, want ErrTooLarge", name, err)
		}
	}
	wantScan(t, s, "", "", "a=1")
}

func closed(t *testing.T, s engine.Store) {
	apply(t, s, put("a", "1"))
	closeStore(t, s)
	if _, _, err := s.Get([]byte("a")); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("Get after Close = %v, want ErrClosed", err)
	}
	err := s.Scan(nil, nil, func(k, _ []byte) bool {
		t.Errorf("Scan after Close yields %q, want nothing", k)
		return true
	})
	if !errors.Is(err, engine.ErrClosed) {
		t.Errorf("Scan after Close = %v, want ErrClosed", err)
	}
	for _, sync := range []bool{false, true} {
		if err := s.Apply([]engine.Op{put("a", "2")}, sync); !errors.Is(err, engine.ErrClosed) {
			t.Errorf("Apply(sync %v) after Close = %v, want ErrClosed", sync, err)
		}
	}
}

func free(t *testing.T, s engine.Store) {
	if n, err := s.Free(); err != nil || n == 0 {
		t.Errorf("Free() = %d, %v, want more than 0", n, err)
	}
}
