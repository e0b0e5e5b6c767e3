package live_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/engine/live"
	"github.com/kehai-run/kehai/runtime/store"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// In the soak a feeder gets numbers from outside. It sends each to the keeper
// itself, and to a doubler that asks a worker and passes what the worker
// answers on in bursts. So each number must be in the keeper's table twice:
// once from the feeder, once from the doubler.
type soak struct{ calm atomic.Bool }

// flaky makes turns fail before or after their work, but never the last attempt.
func (s *soak) flaky(fn func(t *actors.Turn, m messages.Message)) func(*actors.Turn, messages.Message) error {
	return func(t *actors.Turn, m messages.Message) error {
		if s.calm.Load() || t.Cause().Attempt == engine.MaxAttempts {
			fn(t, m)
			return nil
		}
		dice := rand.IntN(100)
		if dice < 5 {
			panic("before")
		}
		fn(t, m)
		if dice < 10 {
			return errors.New("after")
		}
		return nil
	}
}

func (s *soak) kinds() []engine.Kind {
	return []engine.Kind{
		kind("feeder", s.flaky(func(t *actors.Turn, m messages.Message) {
			if n, ok := m.(number); ok {
				t.Send(messages.To("doubler", t.Self().Key()), n)
				t.Send("keeper/all", n)
			}
		})),
		kind("doubler", s.flaky(func(t *actors.Turn, m messages.Message) {
			switch m := m.(type) {
			case number:
				t.Call("calc", ask(m), actors.CallOptions{Deadline: time.Second, Retries: 1000})
			case answer:
				appendTo(t, "burst", m.N)
				t.After("burst", 200*time.Millisecond, due{})
			case due:
				l, _ := list.Get(t, "burst")
				for _, n := range l {
					t.Send("keeper/all", number{n})
				}
				list.Delete(t, "burst")
			}
		})),
		kind("keeper", s.flaky(func(t *actors.Turn, m messages.Message) {
			if n, ok := m.(number); ok {
				appendTo(t, t.Cause().From.Kind(), n.N)
			}
		})),
	}
}

func (s *soak) worker() engine.WorkerKind {
	return engine.WorkerKind{Name: "calc", Size: 3, New: func() (actors.Worker, error) {
		if !s.calm.Load() && rand.IntN(10) == 0 {
			return nil, errors.New("no device")
		}
		return actors.WorkerFunc(func(ctx context.Context, m messages.Message) (messages.Message, error) {
			if !s.calm.Load() {
				switch rand.IntN(20) {
				case 0:
					return nil, errors.New("broken")
				case 1:
					panic("broken")
				case 2:
					<-ctx.Done() // misses its deadline
					return nil, ctx.Err()
				case 3:
					pause(3 * time.Second) // is abandoned, and answers late
				default:
					pause(time.Duration(rand.IntN(50)) * time.Millisecond)
				}
			}
			return answer{m.(ask).N}, nil
		}), nil
	}}
}

// flakyStore fails some batches but those of a start, before anything is written.
type flakyStore struct {
	engine.Store
	soak *soak
}

func (s flakyStore) Apply(batch []engine.Op, sync bool) error {
	start := len(batch) > 0 && strings.HasPrefix(string(batch[0].Key), "m/")
	if !s.soak.calm.Load() && !start && rand.IntN(20) == 0 {
		return errors.New("disk on fire")
	}
	return s.Store.Apply(batch, sync)
}

// feed injects the numbers of one feeder until each is stored.
func (r *rig) feed(ctx context.Context, feeder string, numbers []int) {
	for _, n := range numbers {
		for r.Engine().Inject(ctx, messages.To("feeder", feeder), number{n}, fmt.Sprint(n)) != nil {
			if ctx.Err() != nil {
				return
			}
			pause(10 * time.Millisecond)
		}
	}
}

func wantTwice(t *testing.T, st engine.Store, n int) {
	t.Helper()
	for _, from := range []string{"feeder", "doubler"} {
		got := rows(t, st, "keeper/all", from)
		slices.Sort(got)
		if !slices.Equal(got, upTo(n)) {
			t.Errorf("keeper has %d numbers from the %ss: %v, want 0 to %d once each", len(got), from, got, n-1)
		}
	}
}

const soakFeeders, soakNumbers = 8, 40

func TestSoakEveryNumberArrivesOnce(t *testing.T) {
	for round := range 5 {
		synctest.Test(t, func(t *testing.T) {
			s := &soak{}
			disk := mem.New()
			var begun sync.WaitGroup
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			// Every life but the last ends in a kill; feeders begin again from zero.
			for life := range 4 {
				o := live.Options{Engine: engine.Options{Kinds: s.kinds(), Workers: []engine.WorkerKind{s.worker()}},
					Horizon: time.Second}
				r := start(t, flakyStore{disk, s}, o)
				feeding, stopFeeding := context.WithCancel(ctx)
				for f := range soakFeeders {
					begun.Go(func() {
						r.feed(feeding, fmt.Sprint(f), upTo(soakNumbers * soakFeeders)[f*soakNumbers:(f+1)*soakNumbers])
					})
				}
				if life < 3 {
					pass(time.Duration(rand.IntN(3000)) * time.Millisecond)
					r.Kill()
					stopFeeding()
					begun.Wait()
					disk = disk.Clone()
					continue
				}
				begun.Wait()
				s.calm.Store(true)
				stopFeeding()
				r.stop()
				pass(3 * time.Second) // for the calls that hang
			}
			wantTwice(t, disk, soakNumbers*soakFeeders)
			if t.Failed() {
				t.Logf("round %d", round)
			}
		})
	}
}

func TestSoakOnBadger(t *testing.T) {
	dir := t.TempDir()
	s := &soak{}
	for life := range 3 {
		disk, err := store.Open(store.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		s.calm.Store(life == 2)
		o := engine.Options{Kinds: s.kinds(), Workers: []engine.WorkerKind{s.worker()}, Sync: life%2 == 0}
		r := start(t, flakyStore{disk, s}, live.Options{Engine: o, Horizon: time.Second})
		var feeding sync.WaitGroup
		for f := range soakFeeders {
			feeding.Go(func() {
				r.feed(t.Context(), fmt.Sprint(f), upTo(soakNumbers * soakFeeders)[f*soakNumbers:(f+1)*soakNumbers])
			})
		}
		feeding.Wait()
		if life < 2 {
			r.Kill()
		} else {
			r.stop()
			wantTwice(t, disk, soakNumbers*soakFeeders)
		}
		if err := disk.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
