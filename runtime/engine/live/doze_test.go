package live

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

type (
	touch struct{ N int } // durable
	hint  struct{ N int } // fleeting
	later struct{}        // durable
)

func (touch) MessageType() messages.Type { return messages.Type{Name: "test_touch", Version: 1} }
func (hint) MessageType() messages.Type  { return messages.Type{Name: "test_hint", Version: 1} }
func (later) MessageType() messages.Type { return messages.Type{Name: "test_later", Version: 1} }

var sums = actors.NewTable[int]("sums")

func kindOf(name string, fn func(t *actors.Turn, m messages.Message)) engine.Kind {
	return engine.Kind{Name: name, New: func(messages.Address) actors.Actor {
		return actors.Func(func(t *actors.Turn, m messages.Message) error { fn(t, m); return nil })
	}}
}

func dozing(t testing.TB, o Options) *System {
	t.Helper()
	var err error
	o.Engine.Codec, err = messages.NewCodec(events.Core(), messages.Table{
		messages.Durable[touch](nil).AboutNobody(), messages.Durable[later](nil).AboutNobody(),
		messages.Fleeting[hint](),
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(o)
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *System) awake() []string {
	list := []string{}
	for _, a := range s.Engine().Actors() {
		list = append(list, string(a.Address))
	}
	return list
}

// spawned counts what is kept for actors that run: in the system, and in its tree
// once that stands still.
func (s *System) spawned() (children, inTree int) {
	s.children.Range(func(any, any) bool { children++; return true })
	return children, len(s.actors.children) + len(s.actors.next)
}

// Actors that have nothing to do go to sleep, their protoactors stop, and nothing
// of them is kept. They wake with their next message and know what they knew.
func TestIdleActorsSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		total := func(t *actors.Turn, m messages.Message) {
			switch m := m.(type) {
			case touch:
				n, _ := sums.Get(t, "sum")
				sums.Put(t, "sum", n+m.N)
				if m.N == 7 {
					t.After("later", time.Hour, later{})
				}
			case hint:
				n, _ := sums.Get(t, "hints")
				sums.Put(t, "hints", n+m.N)
			case later:
				sums.Put(t, "late", 1)
			}
		}
		kinds := []engine.Kind{
			kindOf("keeper", total),
			kindOf("ticker", func(t *actors.Turn, m messages.Message) {
				if _, ok := m.(touch); ok {
					t.After("tick", time.Hour, hint{1}) // fleeting: only memory knows it
				}
			}),
			kindOf("asker", func(t *actors.Turn, m messages.Message) {
				if _, ok := m.(touch); ok {
					t.Call("slow", hint{1}, actors.CallOptions{Deadline: 24 * time.Hour})
				}
			}),
		}
		slow := engine.WorkerKind{Name: "slow", New: func() (actors.Worker, error) {
			return actors.WorkerFunc(func(ctx context.Context, m messages.Message) (messages.Message, error) {
				<-answer
				return m, nil
			}), nil
		}}
		s := dozing(t, Options{Activate: []messages.Address{"keeper/pinned"}, Engine: engine.Options{
			Store: mem.New(), Kinds: kinds, Workers: []engine.WorkerKind{slow}, Idle: time.Minute,
		}})
		inject := func(to messages.Address, m messages.Message) {
			t.Helper()
			if err := s.Engine().Inject(t.Context(), to, m, ""); err != nil {
				t.Fatal(err)
			}
		}
		for n := range 50 {
			inject(messages.To("keeper", fmt.Sprint(n)), touch{n})
		}
		inject("ticker/a", touch{})
		inject("asker/a", touch{})
		synctest.Wait()
		goroutines := runtime.NumGoroutine()
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		want := []string{"asker/a", "keeper/pinned", "ticker/a"}
		if got := s.awake(); !slices.Equal(got, want) {
			t.Errorf("awake are %v, want %v", got, want)
		}
		if live, tree := s.spawned(); live != len(want) || tree != len(want) {
			t.Errorf("%d children and %d in the tree are kept, want %d", live, tree, len(want))
		}
		// One for each of the 50 would show; a few of the Go runtime's own may be at work.
		if left := runtime.NumGoroutine(); left > goroutines+10 {
			t.Errorf("%d goroutines, %d before", left, goroutines)
		}
		inject("keeper/1", touch{10})
		inject("keeper/1", hint{5})
		synctest.Wait()
		wantSum(t, s, "keeper/1", "sum", 11)
		wantSum(t, s, "keeper/1", "hints", 5)
		time.Sleep(time.Hour)
		synctest.Wait()
		wantSum(t, s, "keeper/7", "late", 1) // the durable timer woke it
		close(answer)
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := s.awake(); !slices.Equal(got, []string{"keeper/pinned"}) {
			t.Errorf("awake are %v once nothing is waited for, want the pinned one", got)
		}
		if turns := s.Engine().Slept()["keeper"]; turns < 100 {
			t.Errorf("%d turns are known of those that sleep, want those of 50 actors", turns)
		}
		if left := s.Stop(t.Context()); !left.None() {
			t.Errorf("Stop() = %+v", left)
		}
	})
}

func wantSum(t *testing.T, s *System, a messages.Address, row string, want int) {
	t.Helper()
	got := 0
	err := s.Engine().ReadRows(a.Kind(), func(r engine.Row) bool {
		if r.Actor == a && r.Key == row {
			got, _ = sums.Decode(r.Value)
		}
		return true
	})
	if err != nil || got != want {
		t.Errorf("%s of %s = %d, %v, want %d", row, a, got, err, want)
	}
}

// Messages come while their actors go to sleep: each is handled once and in order.
func TestSleepRacesWithMail(t *testing.T) {
	const keys, rounds = 8, 60
	kinds := []engine.Kind{kindOf("keeper", func(t *actors.Turn, m messages.Message) {
		if m, ok := m.(touch); ok {
			n, _ := sums.Get(t, "sum")
			if n+1 != m.N {
				t.Fail(fmt.Errorf("%d after %d", m.N, n))
				return
			}
			sums.Put(t, "sum", m.N)
		}
	})}
	s := dozing(t, Options{Engine: engine.Options{Store: mem.New(), Kinds: kinds, Idle: time.Nanosecond}})
	stop, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-stop:
				return
			default:
				s.dozeOff()
				runtime.Gosched()
			}
		}
	}()
	for n := range rounds {
		for k := range keys {
			if err := s.Engine().Inject(t.Context(), messages.To("keeper", fmt.Sprint(k)), touch{n + 1},
				""); err != nil {
				t.Fatal(err)
			}
		}
		for n%10 == 9 && len(s.awake()) > 0 { // so that some do sleep, however busy the machine is
			<-time.After(time.Millisecond)
		}
	}
	close(stop)
	<-gone
	if left := s.Stop(t.Context()); !left.None() {
		t.Errorf("Stop() = %+v", left)
	}
	for k := range keys {
		wantSum(t, s, messages.To("keeper", fmt.Sprint(k)), "sum", rounds)
	}
	if slept := s.Engine().Slept()["keeper"]; slept < keys*rounds {
		t.Errorf("%d turns were of actors that went to sleep, want at least %d", slept, keys*rounds)
	}
}

// Each conversation is touched once. After a while nothing of it is in memory.
func TestSleepersTakeNoMemory(t *testing.T) {
	disk, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	kinds := []engine.Kind{kindOf("keeper", func(t *actors.Turn, m messages.Message) {
		if m, ok := m.(touch); ok {
			sums.Put(t, "sum", m.N)
		}
	})}
	s := dozing(t, Options{Engine: engine.Options{Store: disk, Kinds: kinds, Idle: time.Nanosecond}})
	rest := heapInUse()
	var waiting []<-chan error
	for n := range touched {
		done, err := s.Engine().Post("", messages.To("keeper", fmt.Sprintf("c-%08d", n)), touch{n}, "")
		if err != nil {
			t.Fatal(err)
		}
		waiting = append(waiting, done)
	}
	for _, done := range waiting {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	most := heapInUse()
	for len(s.awake()) > 0 {
		s.dozeOff()
		<-time.After(10 * time.Millisecond)
	}
	// The store lets go of the room of a compaction only some seconds after it.
	asleep := heapInUse()
	for range 60 {
		if asleep <= sleepersHeap {
			break
		}
		<-time.After(500 * time.Millisecond)
		asleep = heapInUse()
	}
	t.Logf("%d conversations: %d MiB at rest, %d awake, %d asleep", touched, rest>>20, most>>20, asleep>>20)
	if asleep > sleepersHeap {
		t.Errorf("the heap has %d MiB once all are asleep, want at most %d", asleep>>20, sleepersHeap>>20)
	}
	s.Stop(t.Context())
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
