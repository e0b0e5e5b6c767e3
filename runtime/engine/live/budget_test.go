package live_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/engine/live"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// What a durable turn may allocate, its share of the commit and of the store included.
const (
	turnAllocs = 25
	turnBytes  = 2560
)

// A durable turn keeps its budget of memory. The figure with sealing is only logged.
func TestADurableTurnKeepsItsBudget(t *testing.T) {
	const actors = 64
	turns := 32 * actors * window // so many that it matters little what the store makes now and then
	if racing() {
		turns /= 32 // it is only seen to work
	}
	benchFor(t, fmt.Sprintf("%dx", turns))
	for _, c := range []struct {
		name   string
		sealer engine.Sealer
	}{{"plain", nil}, {"sealed", keyring.Memory(nil)}} {
		var done int64
		r := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			done = spinTurns(b, store.Options{}, false, actors, c.sealer)
		})
		if done != int64(turns) {
			t.Fatalf("%s: %d turns, want %d", c.name, done, turns)
		}
		t.Logf("%s: %d allocations and %d bytes a durable turn, %.0f turns a commit", c.name, r.AllocsPerOp(),
			r.AllocedBytesPerOp(), r.Extra["turns/commit"])
		if c.sealer == nil && !racing() && (r.AllocsPerOp() > turnAllocs || r.AllocedBytesPerOp() > turnBytes) {
			t.Errorf("%d allocations and %d bytes a durable turn, want at most %d and %d", r.AllocsPerOp(),
				r.AllocedBytesPerOp(), turnAllocs, turnBytes)
		}
	}
}

// racing reports whether the race detector is there, with which a sync.Pool loses some of what it has.
func racing() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// benchFor has the benchmarks of a test run for a time, or a number of times.
func benchFor(t *testing.T, long string) {
	t.Helper()
	before := flag.Lookup("test.benchtime").Value.String()
	if err := flag.Set("test.benchtime", long); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set("test.benchtime", before) })
}

// weighed counts how often it is encoded and decoded. It is durable.
type weighed struct{ N int }

var encoded, decoded atomic.Int64

func (weighed) MessageType() messages.Type { return messages.Type{Name: "test_weighed", Version: 1} }

func (w weighed) MarshalJSON() ([]byte, error) {
	encoded.Add(1)
	return json.Marshal(w.N)
}

func (w *weighed) UnmarshalJSON(raw []byte) error {
	decoded.Add(1)
	return json.Unmarshal(raw, &w.N)
}

// A durable message is encoded once between the turn that sends it and the one that handles it,
// and its delivery reads it back from nowhere: sealing and committing it do not either.
func TestADurableMessageIsEncodedOnce(t *testing.T) {
	for how, send := range map[string]func(t *actors.Turn, m messages.Message){
		"sent":      func(t *actors.Turn, m messages.Message) { t.Send("taker/a", m) },
		"timed":     func(t *actors.Turn, m messages.Message) { t.After("later", time.Second, m) },
		"published": func(t *actors.Turn, m messages.Message) { t.Publish(m) },
	} {
		for sealing, sealer := range map[string]engine.Sealer{"plain": nil, "sealed": keyring.Memory(nil)} {
			t.Run(how+"/"+sealing, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					const times = 100
					taken := 0
					take := func(_ *actors.Turn, m messages.Message) error {
						if _, ok := m.(weighed); ok {
							taken++
						}
						return nil
					}
					r := start(t, mem.New(), live.Options{Engine: engine.Options{Sealer: sealer, Kinds: []engine.Kind{
						kind("taker", take),
						kind("giver", func(t *actors.Turn, m messages.Message) error {
							if n, ok := m.(number); ok {
								send(t, weighed(n))
								return nil
							}
							return take(t, m)
						}),
					}}})
					for _, a := range []messages.Address{"taker/a", "giver/a"} { // who wakes reads what is stored
						if err := r.Engine().Activate(a); err != nil {
							t.Fatal(err)
						}
					}
					synctest.Wait()
					encoded.Store(0)
					decoded.Store(0)
					for n := range times {
						r.inject("giver/a", number{n})
						pass(2 * time.Second)
					}
					if how == "published" {
						taken = len(of[weighed](r.events))
					}
					if e, d := encoded.Load(), decoded.Load(); taken != times || e != times || d != 0 {
						t.Errorf("%d of %d messages came, encoded %d and decoded %d times, want each once and never",
							taken, times, e, d)
					}
					r.stop()
				})
			})
		}
	}
}
