package live_test

import (
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/persistence"
	"github.com/dgraph-io/badger/v4"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/engine/live"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store"
)

// window is how many messages each actor of a benchmark has under way.
const window = 64

// BenchmarkTurns compares, in one run and on one disk:
//
//   - turns: Kehai's. A message is handled, a row written, a message sent to
//     itself; all of it is one transaction with the acknowledgement.
//   - persisted: protoactor's persistence mixin, with a transaction of Badger
//     per event, and a plain tell to itself.
//   - told: protoactor's tell to itself, nothing durable.
//
// With the durability "power" each transaction is synced to the disk before
// anything leaves the turn. The table at the end shows events per second and how
// many times as many Kehai's are, in the last column for the same time of a processor.
func BenchmarkTurns(b *testing.B) {
	rates, costs := map[string]float64{}, map[string]float64{}
	var table strings.Builder
	fmt.Fprintf(&table, "\n%-10s %7s %12s %14s %14s %12s %10s %16s\n", "durability", "actors", "turns/s",
		"persisted/s", "told/s", "× persisted", "× told", "× its processor")
	for _, power := range []bool{false, true} {
		durability := map[bool]string{false: "process", true: "power"}[power]
		for _, n := range []int{1, 8, 64} {
			at := fmt.Sprintf("%s/actors=%d", durability, n)
			for _, c := range []struct {
				name string
				run  func(b *testing.B, power bool, actors int) (done int64)
			}{{"turns", benchTurns}, {"persisted", benchPersisted}, {"told", benchTold}} {
				b.Run(c.name+"/"+at, func(b *testing.B) {
					b.ReportAllocs()
					before := cpuTime(b)
					done := c.run(b, power, n)
					rates[c.name] = float64(done) / b.Elapsed().Seconds()
					costs[c.name] = (cpuTime(b) - before).Seconds() / float64(done)
					b.ReportMetric(rates[c.name], c.name+"/s")
				})
			}
			fmt.Fprintf(&table, "%-10s %7d %12.0f %14.0f %14.0f %12.2f %10.4f %16.2f\n", durability, n, rates["turns"],
				rates["persisted"], rates["told"], rates["turns"]/rates["persisted"], rates["turns"]/rates["told"],
				costs["persisted"]/costs["turns"])
		}
	}
	fmt.Print(table.String()) // b.Log of a benchmark with parts is not shown
}

// BenchmarkSealedTurns is what sealing rows, and encrypting the files of the store on top,
// cost the same turns. Each seals two rows.
func BenchmarkSealedTurns(b *testing.B) {
	for _, c := range []struct {
		name  string
		seals bool
		key   []byte
	}{{"plain", false, nil}, {"sealed", true, nil}, {"sealed+encrypted", true, make([]byte, 32)}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var keys engine.Sealer
			if c.seals {
				var err error
				if keys, err = keyring.Open(filepath.Join(b.TempDir(), "keys")); err != nil {
					b.Fatal(err)
				}
			}
			before := cpuTime(b)
			turns := float64(spinTurns(b, store.Options{Key: c.key}, true, 8, keys))
			b.ReportMetric(turns/b.Elapsed().Seconds(), "turns/s")
			b.ReportMetric((cpuTime(b)-before).Seconds()/turns*1e6, "µs-cpu/turn")
		})
	}
}

// cpuTime is what this process has used of the processors. Unlike the time of day it
// is the same on a machine that others use too.
func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// rounds is how often each of some messages must go round for at least n events.
func rounds(n, messages int) int { return (n + messages - 1) / messages }

// benchTurns runs b.N turns and returns how many it really were.
func benchTurns(b *testing.B, power bool, n int) int64 {
	return spinTurns(b, store.Options{}, power, n, nil)
}

func spinTurns(b *testing.B, o store.Options, power bool, n int, keys engine.Sealer) int64 {
	o.Dir = b.TempDir()
	disk, err := store.Open(o)
	if err != nil {
		b.Fatal(err)
	}
	var done, ended, commits atomic.Int64
	finished := make(chan struct{})
	all := int64(n * window)
	spinner := kind("spinner", func(t *actors.Turn, m messages.Message) error {
		switch m := m.(type) {
		case fleet:
			for range window {
				t.Send(t.Self(), number(m))
			}
		case number:
			done.Add(1)
			list.Put(t, "last", []int{m.N})
			if m.N > 1 {
				t.Send(t.Self(), number{m.N - 1})
			} else {
				t.Publish(glimpse{})
			}
		}
		return nil
	})
	r := start(b, disk, live.Options{Engine: engine.Options{
		Kinds: []engine.Kind{spinner}, Sync: power, Sealer: keys, OnCommit: func(int, int) { commits.Add(1) },
		Listener: func(p engine.Published) {
			if _, ok := p.Message.(glimpse); ok && ended.Add(1) == all {
				close(finished)
			}
		},
	}})
	for a := range n {
		if err := r.Engine().Activate(messages.To("spinner", fmt.Sprint(a))); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	for a := range n {
		r.inject(messages.To("spinner", fmt.Sprint(a)), fleet{rounds(b.N, n*window)})
	}
	<-finished
	b.StopTimer()
	r.stop()
	if err := disk.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(done.Load())/float64(commits.Load()), "turns/commit")
	return done.Load()
}

// quietSystem is a protoactor system as it comes, but silent.
func quietSystem() *actor.ActorSystem {
	silent := func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }
	return actor.NewActorSystem(actor.WithLoggerFactory(silent))
}

// tick goes round rounds times.
type tick struct{ rounds int }

// spin runs n protoactors with some ticks each until all are spent.
func spin(b *testing.B, n, ticks int, props func(handled func(tick) bool) *actor.Props) int64 {
	var done, ended atomic.Int64
	finished := make(chan struct{})
	all := int64(n * ticks)
	system := quietSystem()
	handled := func(m tick) (again bool) {
		done.Add(1)
		if m.rounds <= 1 && ended.Add(1) == all {
			close(finished)
		}
		return m.rounds > 1
	}
	var pids []*actor.PID
	for a := range n {
		pid, err := system.Root.SpawnNamed(props(handled), fmt.Sprint("spinner", a))
		if err != nil {
			b.Fatal(err)
		}
		pids = append(pids, pid)
	}
	b.ResetTimer()
	for _, pid := range pids {
		for range ticks {
			system.Root.Send(pid, tick{rounds(b.N, n*ticks)})
		}
	}
	<-finished
	b.StopTimer()
	for _, pid := range pids {
		system.Root.Stop(pid)
	}
	return done.Load()
}

func benchTold(b *testing.B, _ bool, n int) int64 {
	return spin(b, n, window, func(handled func(tick) bool) *actor.Props {
		return actor.PropsFromFunc(func(ctx actor.Context) {
			if m, ok := ctx.Message().(tick); ok && handled(m) {
				ctx.Send(ctx.Self(), tick{m.rounds - 1})
			}
		})
	})
}

func benchPersisted(b *testing.B, power bool, n int) int64 { return spinPersisted(b, power, n, window) }

func spinPersisted(b *testing.B, power bool, n, ticks int) int64 {
	db, err := badger.Open(badger.DefaultOptions(b.TempDir()).WithLogger(nil).WithSyncWrites(power).
		WithDetectConflicts(false).WithMetricsEnabled(false))
	if err != nil {
		b.Fatal(err)
	}
	done := spin(b, n, ticks, func(handled func(tick) bool) *actor.Props {
		return actor.PropsFromProducer(func() actor.Actor { return &persisted{handled: handled} },
			actor.WithReceiverMiddleware(persistence.Using(&badgerProvider{db})))
	})
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	return done
}

// persisted keeps an event per tick.
type persisted struct {
	persistence.Mixin
	handled func(tick) bool
	last    int64
}

func (p *persisted) Receive(ctx actor.Context) {
	m, ok := ctx.Message().(tick)
	if !ok {
		return
	}
	self := ctx.Self() // a snapshot takes the message from the context
	event := wrapperspb.Int64(int64(m.rounds))
	p.PersistReceive(event)
	p.last = event.Value
	if p.handled(m) {
		ctx.Send(self, tick{m.rounds - 1})
	}
}

// badgerProvider is a persistence provider as one would write it on Badger: a
// transaction per event. There are no events to read back.
type badgerProvider struct{ db *badger.DB }

func (p *badgerProvider) GetState() persistence.ProviderState { return p }
func (p *badgerProvider) Restart()                            {}
func (p *badgerProvider) GetSnapshotInterval() int            { return math.MaxInt }
func (p *badgerProvider) GetSnapshot(string) (any, int, bool) { return nil, 0, false }
func (p *badgerProvider) PersistSnapshot(string, int, proto.Message) {
}
func (p *badgerProvider) DeleteSnapshots(string, int)             {}
func (p *badgerProvider) GetEvents(string, int, int, func(e any)) {}
func (p *badgerProvider) DeleteEvents(string, int)                {}

func (p *badgerProvider) PersistEvent(name string, index int, event proto.Message) {
	raw, err := proto.Marshal(event)
	if err == nil {
		err = p.db.Update(func(txn *badger.Txn) error {
			return txn.Set(fmt.Appendf(nil, "%s/%012d", name, index), raw)
		})
	}
	if err != nil {
		panic(err) // the interface has no errors
	}
}
