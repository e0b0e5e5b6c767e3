//go:build long

package live

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store"
)

// What sleeps costs nothing at the start: only what has something to do is read, and no key is
// but those that it needs.
func TestStartWithAMillionConversations(t *testing.T) {
	const conversations, batch = 1_000_000, 2000
	dir := t.TempDir()
	keyDir, storeDir := filepath.Join(dir, "keys"), filepath.Join(dir, "store")
	summed := make(chan int, 1)
	kinds := []engine.Kind{kindOf("keeper", func(t *actors.Turn, m messages.Message) {
		if m, ok := m.(touch); ok {
			n, _ := sums.Get(t, "sum")
			sums.Put(t, "sum", n+m.N)
			summed <- n + m.N
		}
	})}
	var keysOpened, storeOpened time.Duration
	// started runs until the conversation has had one message, and returns its sum then.
	started := func(n int) (sum int, took time.Duration) {
		began := time.Now()
		ring, err := keyring.Open(keyDir)
		if err != nil {
			t.Fatal(err)
		}
		keysOpened = time.Since(began)
		disk, err := store.Open(store.Options{Dir: storeDir})
		if err != nil {
			t.Fatal(err)
		}
		storeOpened = time.Since(began) - keysOpened
		s := dozing(t, Options{Engine: engine.Options{Store: disk, Kinds: kinds, Sealer: ring}})
		if err := s.Engine().Inject(t.Context(), "keeper/c-00000007", touch{n}, ""); err != nil {
			t.Fatal(err)
		}
		took = time.Since(began)
		sum = <-summed
		if left := s.Stop(t.Context()); !left.None() {
			t.Errorf("Stop() = %+v", left)
		}
		if err := disk.Close(); err != nil {
			t.Fatal(err)
		}
		return sum, took
	}
	started(7)
	storeLike(t, storeDir, "c-00000007", conversations, batch)
	keysLike(t, keyDir, conversations)
	if _, err := keyring.Open(keyDir); err != nil { // takes them into its list
		t.Fatal(err)
	}
	sum, took := started(100)
	t.Logf("opened the keys in %v, the store in %v, the first message stored after %v", keysOpened, storeOpened, took)
	if took > 2*time.Second {
		t.Errorf("the start with %d conversations took %v, want at most 2s", conversations, took)
	}
	if sum != 107 {
		t.Errorf("the sum is %d, want 107", sum)
	}
}

// storeLike stores the row of one conversation for many others too, under which it does not open.
func storeLike(t *testing.T, dir, one string, conversations, batch int) {
	t.Helper()
	disk, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	place := func(c string) []byte { return fmt.Appendf(nil, "s/keeper/%s\x00sums\x00sum", c) }
	row, ok, err := disk.Get(place(one))
	if !ok || err != nil {
		t.Fatalf("Get(%q) = %v, %v, want the row", place(one), ok, err)
	}
	for from := 0; from < conversations && err == nil; from += batch {
		var ops []engine.Op
		for n := range batch {
			if key := place(fmt.Sprintf("c-%08d", from+n)); !bytes.Equal(key, place(one)) {
				ops = append(ops, engine.Op{Key: key, Value: row})
			}
		}
		err = disk.Apply(ops, false)
	}
	if err = errors.Join(err, disk.Close()); err != nil {
		t.Fatal(err)
	}
}

// keysLike gives one of the keys very many names, each of which is a key of its own to who does not
// read it.
func keysLike(t *testing.T, dir string, keys int) {
	t.Helper()
	const links = 50_000 // of one file, at most
	files, err := filepath.Glob(filepath.Join(dir, "????????????????????????????????"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has the keys %v, %v, want some", dir, files, err)
	}
	raw, err := os.ReadFile(files[0])
	for n := 0; n < keys && err == nil; n++ {
		of := func(n int) string {
			return filepath.Join(dir, fmt.Sprintf("%016x%016x", uint64(n)*0x9e3779b97f4a7c15, n))
		}
		if n%links == 0 {
			err = os.WriteFile(of(n), raw, 0o600)
		} else {
			err = os.Link(of(n-n%links), of(n))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
