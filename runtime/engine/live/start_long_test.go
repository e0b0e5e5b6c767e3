//go:build long

package live

import (
	"fmt"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
)

// What sleeps costs nothing at the start: only what has something to do is read.
func TestStartWithAMillionConversations(t *testing.T) {
	const conversations, batch = 1_000_000, 2000
	dir := t.TempDir()
	disk, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for from := 0; from < conversations; from += batch {
		var ops []engine.Op
		for n := range batch {
			key := fmt.Sprintf("s/keeper/c-%08d\x00sums\x00sum", from+n)
			ops = append(ops, engine.Op{Key: []byte(key), Value: fmt.Appendf(nil, "1 %d", n)})
		}
		if err := disk.Apply(ops, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := disk.Close(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if disk, err = store.Open(store.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	opened := time.Since(began)
	kinds := []engine.Kind{kindOf("keeper", func(t *actors.Turn, m messages.Message) {
		if m, ok := m.(touch); ok {
			n, _ := sums.Get(t, "sum")
			sums.Put(t, "sum", n+m.N)
		}
	})}
	s := dozing(t, Options{Engine: engine.Options{Store: disk, Kinds: kinds}})
	if err := s.Engine().Inject(t.Context(), "keeper/c-00000007", touch{100}, ""); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	t.Logf("opened in %v, the first message stored after %v", opened, took)
	if took > 2*time.Second {
		t.Errorf("the start with %d conversations took %v, want at most 2s", conversations, took)
	}
	if left := s.Stop(t.Context()); !left.None() {
		t.Errorf("Stop() = %+v", left)
	}
	wantSum(t, s, "keeper/c-00000007", "sum", 107)
	if err := disk.Close(); err != nil {
		t.Fatal(err)
	}
}
