package engine_test

import (
	"encoding/json"
	"math/rand/v2"
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

// heavier is a parcel of the next version of the program: what came with the version before weighs 1.
type heavier struct{ From, N, Weight int }

func (heavier) MessageType() messages.Type { return messages.Type{Name: "test_parcel", Version: 2} }

func weigh(_ int, body json.RawMessage) (json.RawMessage, error) {
	m := heavier{Weight: 1}
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, err
	}
	return json.Marshal(m)
}

// upgraded is a cluster whose nodes go over to the next version of their program one by one.
type upgraded struct {
	*engine.SimCluster
	codecs []*messages.Codec
	newer  []bool
	put    []int           // by gate
	light  []int           // of it, what the version before was given
	waited map[string]bool // nodes with mail of a version that they do not know
}

// actor is the gate of either version, and the ledger, which notes how heavy a parcel is.
func (w *upgraded) actor(node int) actors.Actor {
	return actors.Func(func(turn *actors.Turn, msg messages.Message) error {
		book := func(from, n, weight int) {
			had, _ := booked.Get(turn, "all")
			booked.Put(turn, "all", append(had, parcel{from, n*10 + weight}))
		}
		switch m := msg.(type) {
		case put:
			if w.newer[node] {
				turn.Send("ledger/all", heavier{node, m.N, 2})
			} else {
				turn.Send("ledger/all", parcel{node, m.N})
			}
		case parcel:
			book(m.From, m.N, 1)
		case heavier:
			book(m.From, m.N, m.Weight)
		}
		return nil
	})
}

func newUpgraded(t *testing.T, seed uint64) *upgraded {
	t.Helper()
	w := &upgraded{newer: make([]bool, 3), put: make([]int, 3), light: make([]int, 3),
		waited: map[string]bool{}}
	o := engine.SimClusterOptions{Seed: seed, Loss: 0.1, Jump: 0.1}
	for i := range w.newer {
		o.Nodes, w.codecs = append(o.Nodes, nodeName(i)), append(w.codecs, clusterCodec(t))
	}
	o.Node = func(name string) engine.SimOptions {
		i := slices.Index(o.Nodes, name)
		actor := func(messages.Address) actors.Actor { return w.actor(i) }
		return engine.SimOptions{Doze: 0.05, Engine: engine.Options{Store: mem.New(), Codec: w.codecs[i], Sync: true,
			Kinds: []engine.Kind{{Name: "gate", Here: true, New: actor}, {Name: "ledger", New: actor}},
			Listener: func(p engine.Published) {
				if d, ok := p.Message.(events.Dropped); ok && d.Detail.Rule == events.RuleNewerType {
					w.waited[name] = true
				}
			}}}
	}
	var err error
	if w.SimCluster, err = engine.NewSimCluster(o); err != nil {
		t.Fatal(err)
	}
	w.Advance(5 * time.Second)
	return w
}

// upgrade starts a node anew with the next version.
func (w *upgraded) upgrade(t *testing.T, i int, next *messages.Codec) {
	t.Helper()
	w.Kill(i)
	w.Advance(5 * time.Second) // what it owned is another's
	*w.codecs[i], w.newer[i], w.light[i] = *next, true, w.put[i]
	if err := w.Restart(i); err != nil {
		t.Fatal(err)
	}
	w.Advance(5 * time.Second)
}

// inject puts the next number into each gate.
func (w *upgraded) inject(t *testing.T) {
	t.Helper()
	for i := range w.put {
		w.put[i]++
		if _, err := w.Node(i).Inject(gateOf(i), put{w.put[i]}, strconv.Itoa(w.put[i])); err != nil {
			t.Fatal(err)
		}
	}
	w.Advance(2 * time.Second)
}

// TestRollingUpgrade has nodes of two versions of a program work together, one of which knows a
// message in a newer version: what a node does not know waits for one that does, with what came
// after it. Nothing is lost, done twice, out of order, or a dead letter.
func TestRollingUpgrade(t *testing.T) {
	next, err := messages.NewCodec(events.Core(), messages.Table{
		messages.Durable[put](nil).AboutNobody(), messages.Durable[heavier](weigh).AboutNobody()})
	if err != nil {
		t.Fatal(err)
	}
	waited := 0
	for seed := range uint64(20) {
		w := newUpgraded(t, seed)
		w.inject(t)
		for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(3) {
			w.upgrade(t, i, next)
			w.inject(t)
			w.inject(t)
		}
		w.Advance(time.Minute)
		waited += len(w.waited)
		for i := range w.put {
			e := w.Node(i).Engine()
			got, err := rowsOf(e, booked, "ledger/all")
			if err != nil {
				t.Fatal(err)
			}
			for from, last := range w.put {
				var want []int
				for n := 1; n <= last; n++ {
					weight := 2
					if n <= w.light[from] {
						weight = 1
					}
					want = append(want, n*10+weight)
				}
				if numbers := numbersFrom(got, from); !slices.Equal(numbers, want) {
					t.Fatalf("seed %d: %s has %v of gate %d, want %v", seed, nodeName(i), numbers, from, want)
				}
			}
			if dead, err := e.DeadLetters(); err != nil || len(dead) > 0 {
				t.Fatalf("seed %d: dead letters at %s: %+v, %v", seed, nodeName(i), dead, err)
			}
		}
	}
	if waited == 0 {
		t.Error("no node had mail of a version that it did not know: this test shows nothing")
	}
	t.Logf("%d times a node kept mail of a newer version", waited)
}
