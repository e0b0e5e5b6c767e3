package live_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/engine/live"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// The messages of the tests. number, ask and answer are durable.
type (
	number  struct{ N int }
	ask     struct{ N int }
	answer  struct{ N int }
	due     struct{}
	fleet   struct{ N int }
	glimpse struct{ N int }
)

func (number) MessageType() messages.Type  { return messages.Type{Name: "test_number", Version: 1} }
func (ask) MessageType() messages.Type     { return messages.Type{Name: "test_ask", Version: 1} }
func (answer) MessageType() messages.Type  { return messages.Type{Name: "test_answer", Version: 1} }
func (due) MessageType() messages.Type     { return messages.Type{Name: "test_due", Version: 1} }
func (fleet) MessageType() messages.Type   { return messages.Type{Name: "test_fleet", Version: 1} }
func (glimpse) MessageType() messages.Type { return messages.Type{Name: "test_glimpse", Version: 1} }

var list = actors.NewTable[[]int]("list")

func codec(t testing.TB) *messages.Codec {
	t.Helper()
	c, err := messages.NewCodec(events.Core(), messages.Table{
		messages.Durable[number](nil).AboutNobody(), messages.Durable[ask](nil).AboutNobody(),
		messages.Durable[answer](nil).AboutNobody(),
		messages.Durable[due](nil).AboutNobody(), messages.Durable[heavy](nil).AboutNobody(),
		messages.Durable[weighed](nil).AboutNobody(),
		messages.Fleeting[fleet](), messages.Fleeting[glimpse](), messages.Fleeting[ball](),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// kind makes an actor kind of a function.
func kind(name string, fn func(t *actors.Turn, m messages.Message) error) engine.Kind {
	return engine.Kind{Name: name, New: func(messages.Address) actors.Actor { return actors.Func(fn) }}
}

// reports keeps what the engine reports.
type reports struct {
	mu  sync.Mutex
	all []engine.Published
}

func (e *reports) listen(p engine.Published) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, p)
}

// of returns the reported events of a type.
func of[M messages.Message](e *reports) []M {
	e.mu.Lock()
	defer e.mu.Unlock()
	var found []M
	for _, p := range e.all {
		if m, ok := p.Message.(M); ok {
			found = append(found, m)
		}
	}
	return found
}

// rig is a system under test in a bubble.
type rig struct {
	*live.System
	t      testing.TB
	store  engine.Store
	events *reports
}

// start runs a system; store nil means a new one in memory.
func start(t testing.TB, store engine.Store, o live.Options) *rig {
	t.Helper()
	if store == nil {
		store = mem.New()
	}
	ev := &reports{}
	o.Engine.Store, o.Engine.Codec = store, codec(t)
	if o.Engine.Listener == nil {
		o.Engine.Listener = ev.listen
	}
	s, err := live.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	return &rig{s, t, store, ev}
}

func (r *rig) inject(to messages.Address, m messages.Message) {
	r.t.Helper()
	if err := r.Engine().Inject(r.t.Context(), to, m, ""); err != nil {
		r.t.Fatalf("Inject(%s) = %v", to, err)
	}
}

// stop ends the system and wants nothing to be left.
func (r *rig) stop() {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Hour)
	defer cancel()
	if left := r.Stop(ctx); !left.None() {
		r.t.Errorf("Stop() = %+v, want nothing left", left)
	}
}

// rows reads a table of lists of an actor from the store.
func rows(t testing.TB, store engine.Store, a messages.Address, key string) []int {
	t.Helper()
	raw, ok, err := store.Get([]byte("s/" + string(a) + "\x00list\x00" + key))
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return nil
	}
	v, err := list.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// pass lets time go by in the bubble.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func upTo(n int) []int {
	var all []int
	for i := range n {
		all = append(all, i)
	}
	return all
}

func appendTo(t *actors.Turn, key string, n int) {
	l, _ := list.Get(t, key)
	list.Put(t, key, append(l, n))
}

// sink keeps every number.
var sink = kind("sink", func(t *actors.Turn, m messages.Message) error {
	if n, ok := m.(number); ok {
		appendTo(t, "all", n.N)
	}
	return nil
})

// relay passes every number on to the sink.
var relay = kind("relay", func(t *actors.Turn, m messages.Message) error {
	if n, ok := m.(number); ok {
		t.Send(messages.To("sink", t.Self().Key()), n)
	}
	return nil
})

func TestMessagesArriveInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil, live.Options{Engine: engine.Options{Kinds: []engine.Kind{relay, sink}}})
		for n := range 500 {
			r.inject("relay/a", number{n})
		}
		r.stop()
		if got := rows(t, r.store, "sink/a", "all"); !slices.Equal(got, upTo(500)) {
			t.Errorf("sink/a = %v, want 0 to 499 in order", got)
		}
	})
}

func TestHundredsOfActors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil, live.Options{Engine: engine.Options{Kinds: []engine.Kind{relay, sink}}, Throughput: 2})
		var wg sync.WaitGroup
		for a := range 300 {
			wg.Go(func() {
				for n := range 10 {
					r.inject(messages.To("relay", fmt.Sprint("line:花/", a)), number{n})
				}
			})
		}
		wg.Wait()
		r.stop()
		for a := range 300 {
			addr := messages.To("sink", fmt.Sprint("line:花/", a))
			if got := rows(t, r.store, addr, "all"); !slices.Equal(got, upTo(10)) {
				t.Errorf("%s = %v, want 0 to 9 in order", addr, got)
			}
		}
	})
}

// What a listener panics with may be private text: the log says where it was.
func TestAListenerPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		one := kind("one", func(t *actors.Turn, _ messages.Message) error {
			t.Publish(glimpse{1})
			return nil
		})
		r := start(t, nil, live.Options{Log: zerolog.New(&log), Engine: engine.Options{
			Kinds: []engine.Kind{one},
			Listener: func(p engine.Published) {
				if p.Message == (glimpse{1}) {
					panic("secret text")
				}
			},
		}})
		r.inject("one/a", number{})
		pass(time.Minute)
		r.stop()
		for _, want := range []string{"a listener panicked", "a string", "live_test.go"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log lacks %q:\n%s", want, log.String())
			}
		}
		if strings.Contains(log.String(), "secret") {
			t.Errorf("the log holds private text:\n%s", log.String())
		}
	})
}

// A listener that is slow to note a cause still notes it before the effects.
func TestListenersHearOfACauseBeforeItsEffects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := &reports{}
		first := kind("first", func(t *actors.Turn, m messages.Message) error {
			if _, ok := m.(number); ok {
				t.Publish(glimpse{1})
				t.Send("second/a", fleet{})
			}
			return nil
		})
		second := kind("second", func(t *actors.Turn, m messages.Message) error {
			if _, ok := m.(fleet); ok {
				t.Publish(glimpse{2})
			}
			return nil
		})
		r := start(t, nil, live.Options{Engine: engine.Options{
			Kinds: []engine.Kind{first, second},
			Listener: func(p engine.Published) {
				if p.Message == (glimpse{1}) {
					<-time.After(time.Second)
				}
				heard.listen(p)
			},
		}})
		r.inject("first/a", number{})
		pass(time.Minute)
		if got, want := of[glimpse](heard), []glimpse{{1}, {2}}; !slices.Equal(got, want) {
			t.Errorf("the listener heard %v, want %v", got, want)
		}
		r.stop()
	})
}

// leaping is a clock that can be set ahead while the machine's goes on.
type leaping struct{ ahead atomic.Int64 }

func (c *leaping) Now() time.Time { return time.Now().Round(0).Add(time.Duration(c.ahead.Load())) }

// A durable timer that was set for six hours fires soon after the machine has slept
// for them, in which no timer of Go has gone on.
func TestTimerAfterTheMachineSlept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := &leaping{}
		var fired time.Time
		alarm := kind("alarm", func(t *actors.Turn, m messages.Message) error {
			switch m.(type) {
			case number:
				t.After("alarm", 6*time.Hour, due{})
			case due:
				fired = time.Now()
			}
			return nil
		})
		s := start(t, nil, live.Options{Engine: engine.Options{Kinds: []engine.Kind{alarm}, Clock: clock}})
		s.inject("alarm/a", number{})
		time.Sleep(time.Hour)
		synctest.Wait()
		woke := time.Now()
		clock.ahead.Store(int64(7 * time.Hour))
		time.Sleep(time.Hour)
		synctest.Wait()
		if late := fired.Sub(woke); fired.IsZero() || late > 30*time.Second {
			t.Errorf("the timer fired %v after the machine woke, want within 30s", late)
		}
		s.stop()
	})
}
