package mem_test

import (
	"fmt"
	"testing"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/runtime/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.RunPersistent(t,
		func(*testing.T) engine.Store { return mem.New() },
		func(t *testing.T, s engine.Store) engine.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return s.(*mem.Store).Clone()
		})
}

func has(t *testing.T, s engine.Store, key string) bool {
	t.Helper()
	_, ok, err := s.Get([]byte(key))
	if err != nil {
		t.Fatalf("Get(%q) = %v, want no error", key, err)
	}
	return ok
}

func TestClonesShareThePastOnly(t *testing.T) {
	s := mem.New()
	write := func(s engine.Store, key string, sync bool) {
		t.Helper()
		if err := s.Apply([]engine.Op{{Key: []byte(key)}}, sync); err != nil {
			t.Fatalf("Apply(%q) = %v, want no error", key, err)
		}
	}
	write(s, "synced", true)
	write(s, "applied", false)
	killed, cut := s.Clone(), s.CloneSynced()
	write(s, "later", true)
	write(killed, "after the kill", false)

	for _, c := range []struct {
		name  string
		store engine.Store
		want  map[string]bool
	}{
		{"original", s, map[string]bool{"synced": true, "applied": true, "later": true}},
		{"Clone", killed, map[string]bool{"synced": true, "applied": true, "after the kill": true}},
		{"CloneSynced", cut, map[string]bool{"synced": true}},
	} {
		for _, key := range []string{"synced", "applied", "later", "after the kill"} {
			if got := has(t, c.store, key); got != c.want[key] {
				t.Errorf("%s: has(%q) = %v, want %v", c.name, key, got, c.want[key])
			}
		}
	}
	if has(t, killed.CloneSynced(), "applied") {
		t.Error("a power cut after a clone keeps what was never synced, want it gone")
	}
}

func BenchmarkApply(b *testing.B) {
	s := mem.New()
	batch := make([]engine.Op, 64)
	value := make([]byte, 200)
	for n := 0; b.Loop(); n++ {
		for i := range batch {
			batch[i] = engine.Op{Key: fmt.Appendf(nil, "k/%08d", n*64+i), Value: value}
		}
		if err := s.Apply(batch, false); err != nil {
			b.Fatal(err)
		}
	}
}
