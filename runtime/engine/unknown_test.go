package engine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// silent is a store that does not say whether the next batch was written.
type silent struct {
	*mem.Store
	next, writes bool
	silences     int
}

func (s *silent) Apply(ops []engine.Op, sync bool) error {
	if !s.next {
		return s.Store.Apply(ops, sync)
	}
	s.next = false
	s.silences++
	if s.writes {
		if err := s.Store.Apply(ops, sync); err != nil {
			return err
		}
	}
	return fmt.Errorf("the line is dead: %w", engine.ErrUnknown)
}

// wantSunk checks that numbers have come to the sink, straight and doubled.
func wantSunk(t *testing.T, w *world, numbers []int) {
	t.Helper()
	for from, factor := range map[string]int{"feeder/0": 1, "double/0": 2} {
		var all []int
		for _, n := range numbers {
			all = append(all, n*factor)
		}
		got := w.sunk(from)
		slices.Sort(got)
		if !slices.Equal(got, all) {
			t.Errorf("sink got %v from %s, want %v", got, from, all)
		}
	}
}

// When it is not known whether a commit is in the store, everything that it was
// about is read there again: nothing is lost and nothing done twice, whether it was
// written or not.
func TestUnknownOutcome(t *testing.T) {
	for _, writes := range []bool{true, false} {
		t.Run(fmt.Sprintf("written=%v", writes), func(t *testing.T) {
			store := &silent{Store: mem.New(), writes: writes}
			w := &world{rng: rand.New(rand.NewPCG(1, 1)), model: newModel()}
			w.store = &simStore{w: w, Store: store.Store}
			s, err := engine.NewSim(engine.SimOptions{Seed: 1, Engine: engine.Options{
				Store: store, Codec: testCodec(t), Kinds: w.kinds(), Workers: []engine.WorkerKind{w.calc()},
			}})
			if err != nil {
				t.Fatal(err)
			}
			inject := func(n int) error {
				done, err := s.Inject("feeder/0", number{n}, fmt.Sprint(n))
				if err != nil {
					t.Fatal(err)
				}
				for {
					select {
					case err := <-done:
						return err
					default:
						s.Step()
					}
				}
			}
			// A host is told, and may ask again with the same key.
			store.next = true
			if err := inject(0); !errors.Is(err, engine.ErrUnknown) {
				t.Errorf("Inject() = %v, want %v", err, engine.ErrUnknown)
			}
			if err := inject(0); err != nil {
				t.Errorf("Inject() again = %v", err)
			}
			s.Advance(time.Minute)
			// Each commit on the way of a number, one after the other.
			var want []int
			for n := range feeders * numbers {
				store.next = false
				if want = append(want, n); n > 0 {
					if err := inject(n); err != nil {
						t.Fatal(err)
					}
				}
				for range n {
					s.Step()
				}
				store.next = true
				s.Advance(time.Minute)
				wantSunk(t, w, want) // at once: a later unknown outcome would find what is missing
			}
			if store.silences < 8 {
				t.Errorf("%d commits had an unknown outcome, want 8 at least", store.silences)
			}
			if left := s.Engine().Left(time.Hour); !left.None() {
				t.Errorf("Left() = %+v, want none", left)
			}
		})
	}
}
