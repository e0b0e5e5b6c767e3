package runtime_test

import (
	"slices"
	"testing"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// A simulation runs a host's actors and listeners over the caller's store, once, in
// place of Run; another life goes on over the same store.
func TestSimulate(t *testing.T) {
	st := mem.New()
	defer st.Close()
	var got []int
	for range 2 {
		rt := newRuntime(t, noWindow(t), runtime.WithListener(func(ev runtime.Event) {
			if n, ok := ev.Message.(note); ok {
				got = append(got, n.N)
			}
		}))
		sim, err := rt.Simulate(engine.SimOptions{Engine: engine.Options{Store: st}, Seed: 1})
		if err != nil {
			t.Fatalf("Simulate() = %v, want nil", err)
		}
		for range 2 {
			if err := sim.Deliver("notebook/a", note{5}); err != nil {
				t.Errorf("Deliver() = %v, want nil", err)
			}
		}
		sim.Settle()
		if err := sim.Close(); err != nil {
			t.Errorf("Close() = %v, want nil", err)
		}
		if err := rt.Run(t.Context()); err == nil {
			t.Error("Run() after Simulate = nil, want an error")
		}
	}
	if want := []int{5, 10, 15, 20}; !slices.Equal(got, want) {
		t.Errorf("listeners were given sums %v, want %v", got, want)
	}
}
