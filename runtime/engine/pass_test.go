package engine_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// A gate asks an oracle every second, and the oracle answers, both in passing.
type (
	askIt  struct{ From string }
	tellIt struct{ By string }
	wakeUp struct{}
)

func (askIt) MessageType() messages.Type  { return messages.Type{Name: "test_ask", Version: 1} }
func (tellIt) MessageType() messages.Type { return messages.Type{Name: "test_tell", Version: 1} }
func (wakeUp) MessageType() messages.Type { return messages.Type{Name: "test_wake", Version: 1} }

// An actor that may live anywhere is found by what is fleeting, wherever it lives, and
// answers who is bound to another node; also after its node has died.
func TestFleetingMessagesCrossNodes(t *testing.T) {
	codec, err := messages.NewCodec(events.Core(), messages.Table{messages.Fleeting[askIt](),
		messages.Fleeting[tellIt](), messages.Fleeting[wakeUp]()})
	if err != nil {
		t.Fatal(err)
	}
	heard := map[string]map[string]int{} // by gate and node of the oracle
	kinds := func(node string) []engine.Kind {
		heard[node] = map[string]int{}
		gate := actors.Func(func(turn *actors.Turn, msg messages.Message) error {
			switch m := msg.(type) {
			case wakeUp:
				turn.Send("oracle/x", askIt{node})
				turn.After("again", time.Second, wakeUp{})
			case tellIt:
				heard[node][m.By]++
			}
			return nil
		})
		oracle := actors.Func(func(turn *actors.Turn, msg messages.Message) error {
			if m, ok := msg.(askIt); ok {
				turn.Send(messages.Address("gate/line@"+m.From), tellIt{node})
			}
			return nil
		})
		return []engine.Kind{
			{Name: "gate", Here: true, New: func(messages.Address) actors.Actor { return gate }},
			{Name: "oracle", New: func(messages.Address) actors.Actor { return oracle }}}
	}
	names := []string{nodeName(0), nodeName(1), nodeName(2)}
	options := func(name string) engine.SimOptions {
		return engine.SimOptions{Engine: engine.Options{Store: mem.New(), Codec: codec, Sync: true, Kinds: kinds(name)}}
	}
	c, err := engine.NewSimCluster(engine.SimClusterOptions{Nodes: names, Seed: 1, Node: options})
	if err != nil {
		t.Fatal(err)
	}
	c.Advance(5 * time.Second)
	for i := range names {
		if _, err := c.Node(i).Inject(gateOf(i), wakeUp{}, strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	c.Advance(10 * time.Second)
	owner := c.Replica(0).Holder("oracle/x")
	for _, name := range names {
		if owner == "" || heard[name][owner] == 0 || len(heard[name]) != 1 {
			t.Errorf("%s has heard %v, want answers of %q alone", name, heard[name], owner)
		}
	}
	dead := int(owner[len(owner)-1] - '0')
	c.Kill(dead)
	c.Advance(20 * time.Second)
	other := (dead + 1) % 3
	next := c.Replica(other).Holder("oracle/x")
	if next == owner || heard[names[other]][next] == 0 {
		t.Errorf("after %s died, %s has heard %v of %q", owner, names[other], heard[names[other]], next)
	}
}

// Whatever another node sends: an error, or nothing where no engine runs.
func FuzzReceive(f *testing.F) {
	f.Add([]byte(`{"to":"counter/a","from":"counter/b","at":"2026-01-01T00:00:00Z","msg":{}}`))
	f.Add([]byte(`{"to":"","msg":null}`))
	r, err := engine.NewReplica(engine.ReplicaOptions{Node: "mac-a", Store: mem.New()})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(_ *testing.T, form []byte) { _ = r.Receive("mac-b", form) })
}

// Actors bound to a node speak from there alone.
func TestReceiveFromAnother(t *testing.T) {
	r, err := engine.NewReplica(engine.ReplicaOptions{Node: "mac-a", Store: mem.New(),
		Kinds: []engine.Kind{{Name: "gate", Here: true}, {Name: "counter"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, node string
		refused    bool
	}{
		{"gate/line@mac-a", "mac-b", true},
		{"gate/line@mac-c", "mac-b", true},
		{"gate/line@mac-b", "mac-b", false},
		{"gate/of-a-host", "mac-b", false},
		{"counter/line@mac-a", "mac-b", false},
	} {
		err := r.Receive(c.node, []byte(`{"to":"counter/a","from":"`+c.from+`","at":"2026-01-01T00:00:00Z","msg":{}}`))
		if errors.Is(err, engine.ErrBatch) != c.refused {
			t.Errorf("Receive(%s) of %s = %v, want refused: %t", c.node, c.from, err, c.refused)
		}
	}
}
