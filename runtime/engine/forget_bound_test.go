package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// sharing is a cluster whose windows, one on each node, keep what was said by whom. Each node has its own sight of
// the keys.
type sharing struct {
	*engine.SimCluster
	t      *testing.T
	stores map[string]*mem.Store
	keys   map[string]badKeys
	health map[string][]events.ActorUnhealthy
}

func newSharing(t *testing.T, change ...func(*engine.SimClusterOptions)) *sharing {
	t.Helper()
	codec, err := messages.NewCodec(events.Core(), messages.Table{messages.Durable[diary](nil)})
	if err != nil {
		t.Fatal(err)
	}
	w := &sharing{t: t, stores: map[string]*mem.Store{}, keys: map[string]badKeys{},
		health: map[string][]events.ActorUnhealthy{}}
	ring := keyring.Memory(nil)
	for i := range 3 {
		w.stores[nodeName(i)] = mem.New()
		w.keys[nodeName(i)] = badKeys{Sealer: ring, away: map[string]bool{}}
	}
	bound, many := windows(), windows()
	bound.Here, many.Name = true, "many"
	o := engine.SimClusterOptions{
		Nodes: []string{nodeName(0), nodeName(1), nodeName(2)}, Seed: 3,
		Node: func(name string) engine.SimOptions {
			return engine.SimOptions{Engine: engine.Options{Store: w.stores[name], Sealer: w.keys[name], Codec: codec,
				Sync: true, Kinds: []engine.Kind{kind("one", waiter), bound, many},
				Listener: func(p engine.Published) {
					if m, ok := p.Message.(events.ActorUnhealthy); ok && m.Actor.Kind() == events.Deletions {
						w.health[name] = append(w.health[name], m)
					}
				}}}
		},
	}
	for _, change := range change {
		change(&o)
	}
	if w.SimCluster, err = engine.NewSimCluster(o); err != nil {
		t.Fatal(err)
	}
	w.Advance(5 * time.Second)
	return w
}

func (w *sharing) tell(node int, to messages.Address, words messages.Text) {
	w.t.Helper()
	if _, err := w.Node(node).Inject(to, diary{"hana", words}, ""); err != nil {
		w.t.Fatal(err)
	}
	w.Advance(time.Minute)
}

// forget forgets Hana at a node; ended says what came of it.
func (w *sharing) forget(node int) (ended func() error) {
	err := errors.New("not yet")
	w.Node(node).Engine().ForgetLater(engine.Forgetting{Conversation: "hana"}, func(e error) { err = e })
	w.Advance(time.Minute)
	return func() error { return err }
}

// left are the rows of a node's window, and the intents of both its shards.
func (w *sharing) left(node int) string {
	w.t.Helper()
	s := w.stores[nodeName(node)]
	list := keys(w.t, s, "s/window/")
	return strings.ReplaceAll(strings.Join(append(append(list, keys(w.t, s, "f/")...), keys(w.t, s, "lf/")...), " "),
		"\x00names\x00", "/")
}

// Another node forgets, and the key of a window of this one is out of reach. What the window keeps goes once that is
// back, by itself or at a start, and people are told; what was said since stays.
func TestANodesOwnRestGoesByItself(t *testing.T) {
	for name, starts := range map[string]bool{"by itself": false, "at a start": true} {
		w := newSharing(t)
		const window, key = "window/line@mac-0", "line@mac-0"
		w.tell(0, window, "old")
		w.tell(1, "window/line@mac-1", "old")
		w.tell(1, "one/hana", "old")
		w.keys["mac-0"].away[key] = true
		done := make(chan error, 1)
		w.Node(1).Engine().ForgetLater(engine.Forgetting{Conversation: "hana"}, func(err error) { done <- err })
		w.Advance(time.Minute)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if got, want := w.left(0), "s/window/line@mac-0/hana lf/hana"; got != want || w.left(1) != "" {
			t.Errorf("%s: left are %q and %q, want %q alone", name, got, w.left(1), want)
		}
		if starts {
			w.Kill(0)
			w.Advance(time.Minute)
			if err := w.Restart(0); err != nil {
				t.Fatal(err)
			}
		}
		w.Advance(time.Hour)
		if got, want := w.left(0), "s/window/line@mac-0/hana lf/hana"; got != want {
			t.Errorf("%s: after an hour left are %q, want %q", name, got, want)
		}
		w.tell(1, "window/line@mac-1", "new")
		delete(w.keys["mac-0"].away, key)
		w.Advance(10 * time.Minute)
		if got := w.left(0); got != "" {
			t.Errorf("%s: with the key back left are %q, want nothing", name, got)
		}
		if got, want := w.left(1), "s/window/line@mac-1/hana"; got != want {
			t.Errorf("%s: at the other node left are %q, want %q", name, got, want)
		}
		told := w.health["mac-0"]
		if n := len(told); n < 2 || !strings.Contains(told[0].Key, "key of "+key) || !told[n-1].Healthy ||
			len(w.health["mac-1"]) > 0 {
			t.Errorf("%s: told of health is %+v, want which key, and that it is over, here only", name, w.health)
		}
	}
}

// Another node has left a rest of what the cluster shares, and is gone. This one, which has a rest of its own,
// finishes both when it has started: the one with its key does not end the other.
func TestTheRestOfAnotherNodeStays(t *testing.T) {
	w := newSharing(t)
	w.tell(0, "window/line@mac-0", "old")
	w.tell(1, "many/x", "old")
	w.tell(1, "one/hana", "old")
	for i := range 2 {
		w.keys[nodeName(i)].away["line@mac-0"], w.keys[nodeName(i)].away["x"] = true, true
	}
	w.Node(1).Engine().ForgetLater(engine.Forgetting{Conversation: "hana"}, func(error) {})
	w.Advance(time.Minute)
	w.Kill(1)
	w.Kill(0)
	w.Advance(time.Minute)
	if err := w.Restart(0); err != nil {
		t.Fatal(err)
	}
	w.Advance(time.Minute)
	delete(w.keys["mac-0"].away, "line@mac-0")
	w.Advance(time.Hour)
	many := func() int { return len(keys(t, w.stores["mac-0"], "s/many/")) }
	if got := w.left(0); many() != 1 || !strings.Contains(got, "f/hana") {
		t.Errorf("left are %q and %d rows out of reach, want one, and the intent", got, many())
	}
	delete(w.keys["mac-0"].away, "x")
	w.Advance(time.Hour)
	if got := w.left(0); many() != 0 || got != "" {
		t.Errorf("left are %q and %d rows that were out of reach, want nothing", got, many())
	}
}

// A node cannot say for a while that what it deletes has to leave its files: its own part of a deletion waits for
// that, and is carried out by itself or at a start, while the other nodes are done.
func TestANodesOwnPartGoesOnAfterAnError(t *testing.T) {
	for _, starts := range []bool{false, true} {
		var bad error
		w := newSharing(t, func(o *engine.SimClusterOptions) {
			node := o.Node
			o.Node = func(name string) engine.SimOptions {
				o := node(name)
				if name == nodeName(0) {
					o.Engine.Deletes = func() error { return bad }
				}
				return o
			}
		})
		w.tell(0, "window/line@mac-0", "old")
		w.tell(1, "one/hana", "old")
		bad = errors.New("the volume is full")
		if err := w.forget(1)(); err != nil {
			t.Fatal(err)
		}
		if got, want := w.left(0), "s/window/line@mac-0/hana lf/hana"; got != want {
			t.Errorf("start %v: left are %q, want %q until the files can be told", starts, got, want)
		}
		if bad = nil; starts {
			w.Kill(0)
			w.Advance(time.Minute)
			if err := w.Restart(0); err != nil {
				t.Fatal(err)
			}
		}
		w.Advance(time.Hour)
		if got := w.left(0); got != "" {
			t.Errorf("start %v: left are %q, want nothing", starts, got)
		}
	}
}

// A node dies while it knows of a deletion that ends without it. Once it is back, what has come since stays.
func TestANodeThatComesBackDeletesNothingNew(t *testing.T) {
	var w *sharing
	died := false
	w = newSharing(t, func(o *engine.SimClusterOptions) {
		o.Between = func() {
			if w != nil && !died && len(keys(t, w.stores["mac-0"], "f/")) > 0 {
				died = true
				w.Kill(0)
			}
		}
	})
	w.tell(1, "one/hana", "old")
	if err := w.forget(1)(); err != nil || !died {
		t.Fatalf("Forget() = %v, died %v", err, died)
	}
	w.tell(1, "window/line@mac-1", "new")
	w.tell(1, "one/hana", "new")
	if err := w.Restart(0); err != nil {
		t.Fatal(err)
	}
	w.Advance(time.Hour)
	if got, want := keys(t, w.stores["mac-1"], "s/"), 2; len(got) != want || w.left(0) != "" {
		t.Errorf("stored are %q, and left at the node that was away %q, want %d rows and nothing", got, w.left(0), want)
	}
}

// Where nobody waits for a deletion, as at another node, what goes there leaves the files, too.
func TestANodesOwnPartLeavesTheFiles(t *testing.T) {
	said := map[string]int{}
	w := newSharing(t, func(o *engine.SimClusterOptions) {
		node := o.Node
		o.Node = func(name string) engine.SimOptions {
			o := node(name)
			o.Engine.Deletes = func() error {
				said[name]++
				return nil
			}
			return o
		}
	})
	w.tell(0, "window/line@mac-0", "old")
	w.tell(1, "one/hana", "old")
	if err := w.forget(1)(); err != nil || w.left(0) != "" {
		t.Fatalf("Forget() = %v, and left are %q", err, w.left(0))
	}
	if said["mac-0"] != 1 || said["mac-2"] > 0 {
		t.Errorf("said is %v, want it once where something was deleted", said)
	}
}

// The rest of a deletion waits for a key, and the conversation is forgotten again: what has come since goes from
// the windows of the other nodes, too. Trying the rest alone takes nothing there.
func TestForgettingAgainOverARest(t *testing.T) {
	for _, again := range []bool{false, true} {
		w := newSharing(t)
		w.tell(1, "many/x", "old")
		w.tell(1, "many/y", "old")
		for i := range 3 {
			w.keys[nodeName(i)].away["x"], w.keys[nodeName(i)].away["y"] = true, true
		}
		if err := w.forget(1)(); !errors.Is(err, engine.ErrRest) {
			t.Fatalf("Forget() = %v, want that a rest waits", err)
		}
		w.tell(0, "window/line@mac-0", "new")
		for i := range 3 {
			delete(w.keys[nodeName(i)].away, "y") // the rest becomes smaller
		}
		want := "s/window/line@mac-0/hana f/hana"
		if again {
			for i := range 3 {
				clear(w.keys[nodeName(i)].away)
			}
			want = ""
			if err := w.forget(1)(); err != nil {
				t.Error(err)
			}
		}
		w.Advance(time.Hour)
		if got := w.left(0); got != want {
			t.Errorf("again %v: left are %q, want %q", again, got, want)
		}
	}
}

// A node has a rest of its own part, and another node forgets again: what has come to this one since goes as well.
func TestForgettingAgainOverARestOfAnotherNode(t *testing.T) {
	w := newSharing(t)
	w.tell(0, "window/line@mac-0", "old")
	w.tell(1, "one/hana", "old")
	w.keys["mac-0"].away["line@mac-0"] = true
	if err := w.forget(1)(); err != nil {
		t.Fatal(err)
	}
	w.tell(0, "window/other@mac-0", "new")
	if err := w.forget(1)(); err != nil {
		t.Fatal(err)
	}
	if got, want := w.left(0), "s/window/line@mac-0/hana lf/hana"; got != want {
		t.Errorf("left are %q, want %q", got, want)
	}
}

// unwritten is a store that cannot write the intent of a node's own part.
type unwritten struct {
	engine.Store
	bad *bool
}

func (s unwritten) Apply(ops []engine.Op, sync bool) error {
	for _, op := range ops {
		if *s.bad && string(op.Key) == "lf/hana" {
			return errors.New("the volume is full")
		}
	}
	return s.Store.Apply(ops, sync)
}

// A node cannot write that its own part of a deletion has begun. It goes on by itself; and if the conversation is
// forgotten again before that, what has come since stays.
func TestANodesOwnPartThatCouldNotBegin(t *testing.T) {
	for again, want := range map[bool]string{false: "", true: "s/window/line@mac-0/hana"} {
		bad := false
		w := newSharing(t, func(o *engine.SimClusterOptions) {
			node := o.Node
			o.Node = func(name string) engine.SimOptions {
				o := node(name)
				if name == nodeName(0) {
					o.Engine.Store = unwritten{o.Engine.Store, &bad}
				}
				return o
			}
		})
		w.tell(0, "window/line@mac-0", "old")
		w.tell(1, "one/hana", "old")
		bad = true
		w.forget(1)
		if got, want := w.left(0), "s/window/line@mac-0/hana"; got != want {
			t.Errorf("left are %q, want %q until it can begin", got, want)
		}
		if bad = false; again {
			w.forget(1)
			w.tell(0, "window/line@mac-0", "new")
		}
		w.Advance(time.Hour)
		if got := w.left(0); got != want {
			t.Errorf("again %v: left are %q, want %q", again, got, want)
		}
	}
}

// Another node has left a rest of too much to name it, and is gone. This one, whose own rest is named, finishes both,
// each once its key is back.
func TestTheRestOfAnotherNodeThatNamesNothing(t *testing.T) {
	w := newSharing(t, func(o *engine.SimClusterOptions) {
		node := o.Node
		o.Node = func(name string) engine.SimOptions {
			o := node(name)
			o.Engine.Kinds = append(o.Engine.Kinds, longRows("long", 500))
			return o
		}
	})
	w.tell(0, "window/line@mac-0", "old")
	w.tell(1, "long/x", "old")
	for i := range 2 {
		w.keys[nodeName(i)].away["line@mac-0"], w.keys[nodeName(i)].away["x"] = true, true
	}
	if err := w.forget(1)(); !errors.Is(err, engine.ErrRest) {
		t.Fatalf("Forget() = %v, want that a rest waits", err)
	}
	w.Kill(1)
	w.Kill(0)
	w.Advance(time.Minute)
	if err := w.Restart(0); err != nil {
		t.Fatal(err)
	}
	w.Advance(time.Minute)
	delete(w.keys["mac-0"].away, "x")
	w.Advance(time.Hour)
	if left := keys(t, w.stores["mac-0"], "s/long/"); len(left) > 0 {
		t.Errorf("with their key back %d rows are left, want none", len(left))
	}
	delete(w.keys["mac-0"].away, "line@mac-0")
	w.Advance(time.Hour)
	if got := w.left(0); got != "" {
		t.Errorf("left are %q, want nothing", got)
	}
}

// A node dies once it has learned of a deletion and before its own part has begun: it is carried out at the next
// start, while the other nodes are done.
func TestANodeDiesBeforeItsOwnPart(t *testing.T) {
	var w *sharing
	died := false
	w = newSharing(t, func(o *engine.SimClusterOptions) {
		o.Between = func() {
			if w == nil || died {
				return
			}
			s := w.stores["mac-0"]
			if died = len(keys(t, s, "f/")) > 0 && len(keys(t, s, "lf/")) == 0; died {
				w.Kill(0)
			}
		}
	})
	w.tell(0, "window/line@mac-0", "old")
	w.tell(1, "one/hana", "old")
	if err := w.forget(1)(); err != nil || !died {
		t.Fatalf("Forget() = %v, died %v", err, died)
	}
	if got, want := w.left(0), "s/window/line@mac-0/hana f/hana"; got != want {
		t.Errorf("left are %q, want %q", got, want)
	}
	if err := w.Restart(0); err != nil {
		t.Fatal(err)
	}
	w.Advance(time.Hour)
	if got := w.left(0); got != "" {
		t.Errorf("left are %q, want nothing", got)
	}
}

// A node dies once it has learned that a deletion has begun and that it is over, and before its own part has begun:
// it is carried out at the next start.
func TestANodeDiesAfterADeletionAndBeforeItsOwnPart(t *testing.T) {
	died := 0
	for seed := range uint64(40) {
		var w *sharing
		begun, dead := false, false
		w = newSharing(t, func(o *engine.SimClusterOptions) {
			o.Seed = seed
			o.Between = func() {
				if w == nil || dead {
					return
				}
				intents := w.left(0)
				begun = begun || strings.Contains(intents, " f/hana")
				if dead = begun && intents == "s/window/line@mac-0/hana"; dead {
					w.Kill(0)
				}
			}
		})
		w.tell(0, "window/line@mac-0", "old")
		w.tell(1, "one/hana", "old")
		if err := w.forget(1)(); err != nil {
			t.Fatal(err)
		}
		if !dead {
			continue
		}
		died++
		if err := w.Restart(0); err != nil {
			t.Fatal(err)
		}
		w.Advance(time.Minute)
		if got := w.left(0); got != "" {
			t.Errorf("seed %d: left are %q, want nothing", seed, got)
		}
	}
	if died == 0 {
		t.Error("no node died between the two: this test shows nothing")
	}
}

// A deletion leaves a rest. What comes to the window of another node from then on stays.
func TestARestAtOneNodeTakesNothingNewAtAnother(t *testing.T) {
	w := newSharing(t)
	w.tell(0, "window/line@mac-0", "old")
	w.tell(1, "many/x", "old")
	for i := range 3 {
		w.keys[nodeName(i)].away["x"] = true
	}
	var ended error
	w.Node(1).Engine().ForgetLater(engine.Forgetting{Conversation: "hana"}, func(err error) {
		ended = err
		if _, err := w.Node(0).Inject("window/line@mac-0", diary{"hana", "new"}, ""); err != nil {
			t.Error(err)
		}
	})
	w.Advance(time.Minute)
	if got, want := w.left(0), "s/window/line@mac-0/hana f/hana"; !errors.Is(ended, engine.ErrRest) || got != want {
		t.Errorf("Forget() = %v, and left are %q, want %q", ended, got, want)
	}
}
