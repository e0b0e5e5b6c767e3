package live_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
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

// slowInbox is a store in which reading one inbox takes until it is let go.
type slowInbox struct {
	*mem.Store
	prefix  string
	reading chan struct{} // closed once somebody reads it
	once    *sync.Once
	letGo   chan struct{}
}

func (s slowInbox) Scan(prefix, from []byte, yield func(k, v []byte) bool) error {
	if bytes.HasPrefix(prefix, []byte(s.prefix)) {
		s.once.Do(func() { close(s.reading) })
		<-s.letGo
	}
	return s.Store.Scan(prefix, from, yield)
}

// An inbox that takes long to read holds up its own actor alone: not the committer,
// which has new mail for it, nor anybody else.
func TestSlowInboxHoldsUpNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := slowInbox{mem.New(), "i/keeper/slow\x00", make(chan struct{}), new(sync.Once), make(chan struct{})}
		keep := kind("keeper", func(t *actors.Turn, m messages.Message) error {
			if n, ok := m.(number); ok {
				got, _ := list.Get(t, "got")
				list.Put(t, "got", append(got, n.N))
			}
			return nil
		})
		s := start(t, store, live.Options{Engine: engine.Options{Kinds: []engine.Kind{keep}}})
		s.inject("keeper/slow", number{1})
		<-store.reading
		s.inject("keeper/slow", number{2}) // the bubble would end if the committer waited
		s.inject("keeper/other", number{3})
		synctest.Wait()
		if got := rows(t, store, "keeper/other", "got"); !slices.Equal(got, []int{3}) {
			t.Errorf("the other actor has %v, want [3] while the inbox is read", got)
		}
		close(store.letGo)
		s.stop()
		if got := rows(t, store, "keeper/slow", "got"); !slices.Equal(got, []int{1, 2}) {
			t.Errorf("the slow actor has %v, want [1 2]", got)
		}
	})
}

// The sender sends far more durable messages than the receiver's window holds, and
// after them a fleeting one.
func TestOrderOfDurableAndFleeting(t *testing.T) {
	const burst = 300
	synctest.Test(t, func(t *testing.T) {
		var got []int
		kinds := []engine.Kind{
			kind("sender", func(t *actors.Turn, m messages.Message) error {
				if _, ok := m.(due); ok {
					for n := range burst {
						t.Send("receiver/a", number{n})
					}
					t.Send("receiver/a", fleet{burst})
					t.Send("receiver/a", number{burst + 1})
				}
				return nil
			}),
			kind("receiver", func(_ *actors.Turn, m messages.Message) error {
				switch m := m.(type) {
				case number:
					got = append(got, m.N)
				case fleet:
					got = append(got, m.N)
				}
				return nil
			}),
		}
		s := start(t, nil, live.Options{Engine: engine.Options{Kinds: kinds}})
		s.inject("sender/a", due{})
		s.stop()
		if !slices.IsSorted(got) || len(got) != burst+2 {
			t.Errorf("the receiver got %d messages in the order %v, want %d in the order they were sent",
				len(got), got, burst+2)
		}
	})
}

// heavy is a large durable message.
type heavy struct{ Text string }

func (heavy) MessageType() messages.Type { return messages.Type{Name: "test_heavy", Version: 1} }

// heavyBytes is its size.
const heavyBytes = 1 << 20

func openBadger(t *testing.T, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// killed copies the files of a store that is open, and that nobody writes: what a kill leaves behind.
func killed(t *testing.T, dir string) (left string) {
	t.Helper()
	left = filepath.Join(t.TempDir(), "store")
	if err := errors.Join(os.Mkdir(left, 0o700), os.CopyFS(left, os.DirFS(dir))); err != nil {
		t.Fatal(err)
	}
	return left
}

// After a kill, an inbox of large messages is read piece by piece, and soon.
func TestLargeInboxIsReadInPieces(t *testing.T) {
	dir := t.TempDir()
	text := strings.Repeat("x", heavyBytes)
	gate := make(chan struct{})
	hung := make(chan struct{}, heavyMessages)
	var first time.Time
	var mu sync.Mutex
	most, handled := uint64(0), 0
	reader := func(fn func()) engine.Kind {
		return kind("reader", func(_ *actors.Turn, m messages.Message) error {
			if _, ok := m.(heavy); ok {
				fn()
			}
			return nil
		})
	}
	st := openBadger(t, dir)
	s := start(t, st, live.Options{Engine: engine.Options{Kinds: []engine.Kind{reader(func() {
		hung <- struct{}{}
		<-gate
	})}}})
	for n := range heavyMessages {
		s.inject("reader/a", heavy{fmt.Sprint(n) + text})
	}
	<-hung
	left := killed(t, dir)
	s.Kill()
	close(gate) // one turn was under way
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}

	began := time.Now()
	st = openBadger(t, left)
	defer st.Close()
	opened := time.Since(began)
	rest := heapNow()
	s = start(t, st, live.Options{Engine: engine.Options{Kinds: []engine.Kind{reader(func() {
		mu.Lock()
		defer mu.Unlock()
		if handled++; handled == 1 {
			first = time.Now()
		}
		if handled%8 == 1 {
			most = max(most, heapNow())
		}
	})}}})
	s.stop()
	if handled != heavyMessages {
		t.Errorf("%d messages were handled, want %d", handled, heavyMessages)
	}
	t.Logf("first turn after %v, of which %v to open the store, at most %d MiB above rest",
		first.Sub(began), opened, (max(most, rest)-rest)>>20)
	if most > rest+heavyHeap {
		t.Errorf("heap is %d MiB above rest, want at most %d", (most-rest)>>20, heavyHeap>>20)
	}
	if took := first.Sub(began); took > heavyWait {
		t.Errorf("the first turn came after %v, want within %v", took, heavyWait)
	}
}

func heapNow() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
