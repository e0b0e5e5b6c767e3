package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// The simulated set: a feeder's inbox is filled from outside with numbers; it
// sends each to a double, which asks a flaky worker for twice the number and
// passes the answers on in bursts to a sink; the feeder also sends each number to
// the sink itself. The sink appends what it gets to its table.
type (
	number struct{ N int }
	ask    struct{ N int }
	twice  struct{ N int }
	flush  struct{}
)

func (number) MessageType() messages.Type { return messages.Type{Name: "test_number", Version: 1} }
func (ask) MessageType() messages.Type    { return messages.Type{Name: "test_ask", Version: 1} }
func (twice) MessageType() messages.Type  { return messages.Type{Name: "test_twice", Version: 1} }
func (flush) MessageType() messages.Type  { return messages.Type{Name: "test_flush", Version: 1} }

var (
	buffered = actors.NewTable[[]int]("buffered")
	received = actors.NewTable[[]int]("received")
)

// faults says how often things go wrong, out of 1.
type faults struct {
	turn, call, crash, commit, unknown float64
}

// failTurn fails or panics before or after the turn's work.
func failTurn(rng *rand.Rand, p float64, work func()) error {
	switch x := rng.Float64(); {
	case x < p/4:
		panic("before")
	case x < p/2:
		return errors.New("before")
	case x < 3*p/4:
		work()
		panic("after")
	case x < p:
		work()
		return errors.New("after")
	}
	work()
	return nil
}

func kinds(rng *rand.Rand, f *faults) []engine.Kind {
	receive := func(fn func(t *actors.Turn, m messages.Message)) func(messages.Address) actors.Actor {
		return func(messages.Address) actors.Actor {
			return actors.Func(func(t *actors.Turn, m messages.Message) error {
				p := f.turn
				if t.Cause().Attempt == engine.MaxAttempts {
					p = 0 // the last attempt works: nothing may end as a dead letter
				}
				return failTurn(rng, p, func() { fn(t, m) })
			})
		}
	}
	return []engine.Kind{
		{Name: "feeder", New: receive(func(t *actors.Turn, m messages.Message) {
			if n, ok := m.(number); ok {
				t.Send(messages.To("double", t.Self().Key()), n)
				t.Send("sink/all", n)
			}
		})},
		{Name: "double", New: receive(func(t *actors.Turn, m messages.Message) {
			switch m := m.(type) {
			case number:
				t.Call("calc", ask(m), actors.CallOptions{Retries: 50, Deadline: time.Second})
			case twice:
				list, _ := buffered.Get(t, "all")
				buffered.Put(t, "all", append(list, m.N))
				t.After("flush", 200*time.Millisecond, flush{})
			case flush:
				list, _ := buffered.Get(t, "all")
				for _, n := range list {
					t.Send("sink/all", number{n})
				}
				buffered.Delete(t, "all")
			}
		})},
		{Name: "sink", New: receive(func(t *actors.Turn, m messages.Message) {
			if n, ok := m.(number); ok {
				from := string(t.Cause().From)
				list, _ := received.Get(t, from)
				received.Put(t, from, append(list, n.N))
			}
		})},
	}
}

func calc(rng *rand.Rand, f *faults) engine.WorkerKind {
	return engine.WorkerKind{Name: "calc", Size: 2, New: func() (actors.Worker, error) {
		return actors.WorkerFunc(func(_ context.Context, m messages.Message) (messages.Message, error) {
			switch x := rng.Float64(); {
			case x < f.call/3:
				panic("calc")
			case x < 2*f.call/3:
				return nil, errors.New("calc")
			case x < f.call:
				return nil, engine.ErrHang
			}
			return twice{2 * m.(ask).N}, nil
		}), nil
	}}
}

// crashing is a store whose Apply may fail, or not tell whether it has, or kill
// the process before or after the batch is written.
type crashing struct {
	*mem.Store
	rng *rand.Rand
	f   *faults
}

type killed struct{}

func (s crashing) Apply(ops []engine.Op, sync bool) error {
	if s.rng.Float64() < s.f.commit {
		return errors.New("disk says no")
	}
	if x := s.rng.Float64(); x < s.f.unknown {
		if x < s.f.unknown/2 {
			if err := s.Store.Apply(ops, sync); err != nil {
				return err
			}
		}
		return fmt.Errorf("no answer: %w", engine.ErrUnknown)
	}
	x := s.rng.Float64()
	if x < s.f.crash/2 {
		panic(killed{})
	}
	err := s.Store.Apply(ops, sync)
	if x < s.f.crash {
		panic(killed{})
	}
	return err
}

func testCodec(t testing.TB) *messages.Codec {
	t.Helper()
	codec, err := messages.NewCodec(events.Core(), messages.Table{
		messages.Durable[number](nil).AboutNobody(), messages.Durable[ask](nil).AboutNobody(), messages.Durable[twice](nil).AboutNobody(), messages.Durable[flush](nil).AboutNobody(),
		messages.Durable[carrier](nil).AboutNobody(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return codec
}

// simulate runs one seeded schedule and returns its trace and a fault found.
func simulate(t testing.TB, codec *messages.Codec, seed uint64, trace *bytes.Buffer) error {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	f := &faults{}
	store := mem.New()
	o := engine.SimOptions{
		Seed: seed, Latency: time.Duration(rng.IntN(3)) * 100 * time.Millisecond,
		Engine: engine.Options{
			Store: crashing{store, rng, f}, Codec: codec,
			Kinds: kinds(rng, f), Workers: []engine.WorkerKind{calc(rng, f)},
		},
	}
	if trace != nil {
		o.Trace = trace
	}
	s, err := engine.NewSim(o)
	if err != nil {
		t.Fatal(err)
	}
	crashProb := rng.Float64() * 0.03
	*f = faults{turn: rng.Float64() * 0.3, call: rng.Float64() * 0.4, crash: rng.Float64() * 0.05,
		commit: rng.Float64() * 0.05, unknown: rng.Float64() * 0.05}
	const feeders, numbers = 2, 5
	sent := map[string][]int{}
	next := 0
	inject := func() {
		key := fmt.Sprint(next % feeders)
		n := next
		id := fmt.Sprint(n)
		next++
		sent[key] = append(sent[key], n)
		// As a host does: until it is known to be stored, with the same key.
		injectUntilStored(s, messages.To("feeder", key), number{n}, id)
	}
	for i := 0; next < feeders*numbers || i < 100; i++ {
		crashed := guarded(func() {
			if next < feeders*numbers && rng.IntN(4) == 0 {
				inject()
			}
			if !s.Step() {
				s.Advance(50 * time.Millisecond)
			}
		})
		if crashed || rng.Float64() < crashProb {
			save := *f
			*f = faults{}
			if err := s.Crash(); err != nil {
				return err
			}
			*f = save
		}
	}
	*f = faults{}
	s.Advance(10 * time.Minute)
	return verify(s, store, sent)
}

func verify(s *engine.Sim, store *mem.Store, sent map[string][]int) error {
	dead, err := s.Engine().DeadLetters()
	if err != nil || len(dead) > 0 {
		return fmt.Errorf("DeadLetters() = %v, %v, want none", dead, err)
	}
	for key, want := range sent {
		if got := sunk(store, "feeder/"+key); !slices.Equal(got, want) {
			return fmt.Errorf("sink got %v from feeder/%s, want %v", got, key, want)
		}
		got := sunk(store, "double/"+key)
		slices.Sort(got) // calls may overtake each other
		for i := range want {
			want[i] *= 2
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("sink got %v from double/%s, want %v", got, key, want)
		}
	}
	if left := s.Engine().Left(time.Hour); !left.None() {
		return fmt.Errorf("Left() = %+v, want none", left)
	}
	return nil
}

func sunk(store *mem.Store, from string) []int {
	raw, _, _ := store.Get([]byte("s/sink/all\x00received\x00" + from))
	list, _ := received.Decode(raw)
	return list
}

// guarded runs fn and reports whether the process "died" in it.
func guarded(fn func()) (crashed bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(killed); !ok {
				panic(r)
			}
			crashed = true
		}
	}()
	fn()
	return false
}

// injectUntilStored does what a host does: it injects with the same key until it
// is told that the message is stored.
func injectUntilStored(s *engine.Sim, to messages.Address, m messages.Message, key string) {
	for stored := false; !stored; {
		crashed := guarded(func() {
			done, err := s.Inject(to, m, key)
			for err == nil {
				select {
				case err = <-done:
					stored = err == nil
					if stored {
						return
					}
				default:
					if !s.Step() {
						s.Advance(10 * time.Millisecond)
					}
				}
			}
		})
		for err := error(nil); crashed || err != nil; {
			crashed = guarded(func() { err = s.Crash() })
		}
	}
}

// TestSimulation plays seeded schedules with failing turns, calls and commits,
// and crashes between any two steps. KEHAI_SEED=n plays one of them with its
// trace; KEHAI_SCHEDULES=n sets how many.
func TestSimulation(t *testing.T) {
	codec := testCodec(t)
	if seed := env(t, "KEHAI_SEED", 0); seed > 0 {
		var trace bytes.Buffer
		err := simulate(t, codec, seed, &trace)
		t.Logf("%s", trace.String())
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	for seed := uint64(1); seed <= env(t, "KEHAI_SCHEDULES", 10000); seed++ {
		if err := simulate(t, codec, seed, nil); err != nil {
			t.Fatalf("seed %d: %v\nreplay: KEHAI_SEED=%d go test -v -run TestSimulation ./runtime/engine", seed, err,
				seed)
		}
	}
}

func TestSimulationRepeatsByteForByte(t *testing.T) {
	codec := testCodec(t)
	for seed := uint64(1); seed <= 50; seed++ {
		var first, second bytes.Buffer
		if err := errors.Join(simulate(t, codec, seed, &first), simulate(t, codec, seed, &second)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if first.Len() == 0 || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("seed %d: two runs differ (%d and %d bytes of trace)", seed, first.Len(), second.Len())
		}
	}
}

func env(t *testing.T, name string, def uint64) uint64 {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return def
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatalf("%s=%q: want a number", name, s)
	}
	return n
}
