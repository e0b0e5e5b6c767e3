package store_test

import (
	"testing"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
	"github.com/kehai-run/kehai/runtime/store/storetest"
)

func open(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(o)
	if err != nil {
		t.Fatalf("Open(%s) = %v, want no error", o.Dir, err)
	}
	return s
}

// bothKeys are none and one of so many bytes. The race detector has nothing to
// find in a cipher: a short run leaves it out.
func bothKeys(n int) map[string][]byte {
	keys := map[string][]byte{"plain": nil, "encrypted": []byte("0123456789abcdef0123456789abcdef")[:n]}
	if testing.Short() {
		delete(keys, "encrypted")
	}
	return keys
}

func TestStore(t *testing.T) {
	for name, key := range bothKeys(32) {
		t.Run(name, func(t *testing.T) { conforms(t, key, func(*store.Store) {}) })
	}
	t.Run("folding", func(t *testing.T) { conforms(t, nil, store.FoldOften) })
}

func conforms(t *testing.T, key []byte, opened func(*store.Store)) {
	dirs := map[engine.Store]string{}
	at := func(t *testing.T, dir string) engine.Store {
		s := open(t, store.Options{Dir: dir, Key: key})
		opened(s)
		dirs[s] = dir
		return s
	}
	storetest.RunPersistent(t,
		func(t *testing.T) engine.Store { return at(t, t.TempDir()) },
		func(t *testing.T, s engine.Store) engine.Store {
			if err := s.Close(); err != nil {
				t.Fatalf("Close() = %v, want no error", err)
			}
			return at(t, dirs[s])
		})
}
