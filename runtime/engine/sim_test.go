package engine_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

func testCodec(t testing.TB) *messages.Codec {
	t.Helper()
	codec, err := messages.NewCodec(events.Core(), simMessages)
	if err != nil {
		t.Fatal(err)
	}
	return codec
}

// newWorld starts a world without faults.
func newWorld(codec *messages.Codec, seed uint64, trace *bytes.Buffer) (*world, error) {
	w := &world{rng: rand.New(rand.NewPCG(seed, 1)), model: newModel(), seen: map[string]int{},
		numbers: map[stored]string{}}
	w.store = &simStore{w: w, Store: mem.New()}
	w.sync = w.rng.IntN(2) == 0
	for n := range w.timers {
		w.timers[n] = w.rng.IntN(timerChoices)
	}
	if w.rng.IntN(2) == 0 {
		w.keys = keyring.Memory(chacha(seed))
	}
	o := engine.SimOptions{
		Seed: seed, Latency: time.Duration(w.rng.IntN(3)) * 100 * time.Millisecond,
		Doze: float64(w.rng.IntN(3)) * 0.05,
		Engine: engine.Options{
			Store: w.store, Codec: codec, Kinds: w.kinds(), Workers: []engine.WorkerKind{w.calc()},
			Sync: w.sync, Listener: w.listen, Sealer: w.keys, MinFree: engine.DefaultMinFree,
		},
	}
	if trace != nil {
		o.Trace = trace
	}
	var err error
	w.sim, err = engine.NewSim(o)
	return w, err
}

// chacha is a source of random bytes that repeats.
func chacha(seed uint64) io.Reader {
	var s [32]byte
	binary.LittleEndian.PutUint64(s[:], seed)
	return rand.NewChaCha8(s)
}

// guard runs fn. If the process dies in it, it starts again.
func (w *world) guard(fn func()) {
	if dies(fn) {
		w.restart()
	}
}

// dies runs fn and reports whether the process was killed in it.
func dies(fn func()) (died bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(killed); !ok {
				panic(r)
			}
			died = true
		}
	}()
	fn()
	return false
}

// restart starts the process again after a kill or a power cut, until a start
// succeeds. After a cut that has taken something back, the host catches up.
func (w *world) restart() {
	w.store.booting = true
	for started := false; !started; {
		if w.rng.IntN(2) == 0 {
			w.cut()
		}
		w.sleeps()
		w.life++
		clear(w.model.glances)
		dies(func() { started = w.sim.Crash() == nil })
	}
	w.store.booting = false
	if w.behind {
		w.behind = false
		w.catchUp()
	}
}

// cut is the worst power cut: what was not synced is gone.
func (w *world) cut() {
	w.seen["power cut"]++
	lost := w.store.loose
	w.store.Store, w.store.loose = w.store.Store.CloneSynced(), 0
	if lost > 0 && !w.sync { // else the engine has promised more than it keeps, which check finds
		w.seen["power cut that takes back"]++
		w.behind = true
		w.model.takeBack(w.store)
	}
}

// simulate plays one seeded schedule, with its trace if that is not nil, and
// returns the fault that it found.
func simulate(codec *messages.Codec, seed uint64, trace *bytes.Buffer) error {
	_, err := play(codec, seed, trace)
	return err
}

func play(codec *messages.Codec, seed uint64, trace *bytes.Buffer) (*world, error) {
	w, err := newWorld(codec, seed, trace)
	if err != nil {
		return nil, err
	}
	chosen := actions[:0:0]
	for _, a := range actions {
		if w.rng.Float64() < a.each {
			chosen = append(chosen, a)
		}
	}
	crashes := w.rng.Float64() * 0.03
	w.f = faults{turn: w.rng.Float64() * 0.3, call: w.rng.Float64() * 0.4, crash: w.rng.Float64() * 0.05,
		commit: w.rng.Float64() * 0.05, unknown: w.rng.Float64() * 0.05}
	if w.rng.IntN(4) == 0 {
		w.f.read = w.rng.Float64() * 0.02
	}
	if w.rng.Float64() < 0.04 {
		// With fewer faults, each of which has the window read the store again, or with none of them.
		w.f = faults{turn: w.f.turn / 10, call: w.f.call}
		if w.rng.IntN(2) == 0 {
			w.f.commit, w.f.unknown, w.f.crash, w.f.read = 0.02, 0.02, 0.01, 0.02
		}
		crashes /= 4
		w.flood(3)
		w.guard(func() { w.sim.Advance(time.Second) }) // the window knows that nothing is left in the store
		w.flood(290)                                   // more than a mailbox holds
		w.seen["overflowing window"]++
	}
	for i := 0; w.model.next < feeders*numbers || i < 100; i++ {
		w.guard(func() {
			if w.model.next < feeders*numbers && w.rng.IntN(4) == 0 {
				w.injectNext()
			}
			if len(chosen) > 0 && w.rng.IntN(8) == 0 {
				chosen[w.rng.IntN(len(chosen))].do(w)
			}
			if !w.sim.Step() {
				w.sim.Advance(50 * time.Millisecond)
			}
		})
		if w.rng.Float64() < crashes {
			w.restart()
		}
	}
	w.f, w.store.lowUntil = faults{}, time.Time{}
	w.sim.Advance(time.Second) // what waited for the volume sets its timers
	w.sim.Advance(10 * time.Minute)
	w.sleeps()
	return w, w.check()
}

// sleeps counts the actors that were put to sleep in this life.
func (w *world) sleeps() {
	for _, n := range w.sim.Engine().Slept() {
		w.seen["sleep"] += int(n)
	}
}

// TestTheSimulationMeetsEverything counts what the first schedules met: a fault or a
// feature that none of them meets is not simulated, whatever the world says.
func TestTheSimulationMeetsEverything(t *testing.T) {
	const schedules = 150
	codec := testCodec(t)
	seen := map[string]int{}
	for seed := uint64(1); seed <= schedules; seed++ {
		w, err := play(codec, seed, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for what, n := range w.seen {
			seen[what] += n
		}
	}
	for _, what := range []string{
		"subscription told", "cursor moved", "trim", "forgetting", "overflowing window", "quarantine", "sleep",
		"fleeting message", "fleeting timer", "durable timer", "cancelled timer", "report", "cancelled call", "hang",
		"low space", "failed read", "failed commit", "unknown commit", "kill in a commit", "power cut",
		"power cut that takes back", "overflow with a failed load", "overflow with a failed commit",
	} {
		if seen[what] == 0 {
			t.Errorf("no %s in %d schedules, want some", what, schedules)
		}
	}
	t.Logf("%v", seen)
}

// TestSimulation plays seeded schedules with failing turns, calls, reads and
// commits, and crashes between any two steps. KEHAI_SEED=n plays one of them with
// its trace; KEHAI_SCHEDULES=n sets how many. Each runs on one goroutine: a short
// run, for the race detector, plays few.
func TestSimulation(t *testing.T) {
	codec := testCodec(t)
	if seed := env(t, "KEHAI_SEED", 0); seed > 0 {
		var trace bytes.Buffer
		err := simulate(codec, seed, &trace)
		t.Logf("%s", trace.String())
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	schedules := uint64(10_000)
	if testing.Short() {
		schedules = 800
	}
	schedules = env(t, "KEHAI_SCHEDULES", schedules)
	var next atomic.Uint64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for seed := next.Add(1); seed <= schedules && !t.Failed(); seed = next.Add(1) {
				if err := simulate(codec, seed, nil); err != nil {
					t.Errorf("seed %d: %v\nreplay: KEHAI_SEED=%d go test -v -run TestSimulation ./runtime/engine",
						seed, err, seed)
				}
			}
		})
	}
	all.Wait()
}

func TestSimulationRepeatsByteForByte(t *testing.T) {
	codec := testCodec(t)
	for seed := uint64(1); seed <= 50; seed++ {
		var first, second bytes.Buffer
		if err := errors.Join(simulate(codec, seed, &first), simulate(codec, seed, &second)); err != nil {
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
