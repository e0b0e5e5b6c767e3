package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// shared is what of a store all nodes have: not what begins with l, and not the
// rows of kinds that are bound to a node, here of the kind "here".
func shared(t *testing.T, s *mem.Store) string {
	t.Helper()
	var b strings.Builder
	for line := range bytes.Lines(dump(t, s)) {
		key, _, _ := strings.Cut(string(line)[1:], " = ")
		if class, rest, _ := strings.Cut(key, "/"); class[0] != 'l' && !strings.HasPrefix(rest, "here") {
			b.Write(line)
		}
	}
	return b.String()
}

// Nodes that apply the same batches of what may live anywhere hold the same bytes
// of it, whatever else each of them does. Part of the one's own work crosses over
// to all.
func TestTheSharedPartIsTheSameOnAllNodes(t *testing.T) {
	crossed := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		nodes := []*mem.Store{mem.New(), mem.New()}
		own := func(node int) (out []engine.Batch) {
			b := randomBatch(rng, engine.Here)
			for i := range b.Changes {
				if rng.IntN(3) == 0 {
					b.Changes[i].Records = append(b.Changes[i].Records, mailTo("anywhere/1", fmt.Sprint(rng.IntN(100))))
				}
			}
			return carryOut(t, nodes[node], b).Out
		}
		all := func(b engine.Batch) {
			one, two := carryOut(t, nodes[0], b), carryOut(t, nodes[1], b)
			if fmt.Sprint(one) != fmt.Sprint(two) {
				t.Fatalf("seed %d: Apply() = %+v on one node, %+v on another", seed, one, two)
			}
		}
		for range 30 {
			switch rng.IntN(3) {
			case 0:
				all(randomBatch(rng, engine.Anywhere))
			case 1:
				own(1) // its way over is not played
			default:
				for _, b := range own(0) {
					crossed++
					for range 1 + rng.IntN(2) { // an outbox may send again
						all(b)
					}
				}
			}
		}
		if a, b := shared(t, nodes[0]), shared(t, nodes[1]); a != b || a == "" {
			t.Fatalf("seed %d: the nodes share\n%s\nand\n%s", seed, a, b)
		}
	}
	if crossed < 300 {
		t.Errorf("only %d batches crossed over", crossed)
	}
}

// pair is the actors window and ledger. With here the window is bound to this node: each number
// goes over and comes back.
func pair(here bool) []engine.Kind {
	passes := func(to messages.Address) func(messages.Address) actors.Actor {
		return func(messages.Address) actors.Actor {
			return actors.Func(func(t *actors.Turn, m messages.Message) error {
				if n, ok := m.(number); ok {
					list, _ := received.Get(t, "all")
					received.Put(t, "all", append(list, n.N))
					t.Drop("test", "dropped", events.Detail{})
					t.Publish(n)
					if n.N%10 < 5 {
						t.Send(to, number{n.N + 1})
					}
				}
				return nil
			})
		}
	}
	return []engine.Kind{{Name: "window", Here: here, New: passes("ledger/a")},
		{Name: "ledger", New: passes("window/a")}}
}

func pairSim(t *testing.T, store engine.Store, here bool) *engine.Sim {
	t.Helper()
	s, err := engine.NewSim(engine.SimOptions{Seed: 1, Engine: engine.Options{
		Store: store, Codec: testCodec(t), Kinds: pair(here),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Actors of both shards work together as if there were one. The event log has one
// order of all; verdicts are told by their time.
func TestActorsOfBothShards(t *testing.T) {
	store := mem.New()
	s := pairSim(t, store, true)
	for n := range 3 {
		if _, err := s.Inject("window/a", number{n * 10}, fmt.Sprint(n)); err != nil {
			t.Fatal(err)
		}
		s.Advance(time.Second)
	}
	if err := s.Crash(); err != nil {
		t.Fatal(err)
	}
	s.Advance(time.Second)
	for who, want := range map[string]string{"window/a": "[0 2 4 10 12 14 20 22 24]",
		"ledger/a": "[1 3 5 11 13 15 21 23 25]"} {
		raw, _, _ := store.Get([]byte("s/" + who + "\x00received\x00all"))
		if got, _ := received.Decode(raw); fmt.Sprint(got) != want {
			t.Errorf("%s received %v, want %s", who, got, want)
		}
	}
	var log []messages.Message
	var last uint64
	if err := s.Engine().ReadLog(0, func(p engine.Published) bool {
		if p.Seq <= last {
			t.Errorf("event %d follows %d", p.Seq, last)
		}
		last = p.Seq
		log = append(log, p.Message)
		return true
	}); err != nil || len(log) != 18 || log[17] != messages.Message(number{25}) {
		t.Errorf("ReadLog() = %v, %v, want 18 in order", log, err)
	}
	var causes []string
	if err := s.Engine().ReadVerdicts(func(v events.Verdict) bool {
		causes = append(causes, v.Cause)
		return len(causes) < 12
	}); err != nil || len(causes) != 12 || !slices.Contains(causes, "l1") || !slices.Contains(causes, "m1") {
		t.Errorf("ReadVerdicts() tells of %q, %v, want the first twelve of l1, m1 and so on", causes, err)
	}
	if n := len(keys(t, store, "lv/")); n != 9 {
		t.Errorf("%d verdicts are bound to this node, want 9", n)
	}
}

// Dead letters are found, retried and discarded in both shards.
func TestDeadLettersOfBothShards(t *testing.T) {
	broken := true
	kind := func(name string, here bool) engine.Kind {
		return engine.Kind{Name: name, Here: here, New: func(messages.Address) actors.Actor {
			return actors.Func(func(t *actors.Turn, m messages.Message) error {
				if n, ok := m.(number); ok && broken {
					return errors.New("broken")
				} else if ok {
					t.Publish(n)
				}
				return nil
			})
		}}
	}
	store := mem.New()
	s, err := engine.NewSim(engine.SimOptions{Seed: 1, Engine: engine.Options{
		Store: store, Codec: testCodec(t), Kinds: []engine.Kind{kind("window", true), kind("ledger", false)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []messages.Address{"window/a", "ledger/a"} {
		for n := range 2 {
			if _, err := s.Inject(to, number{n}, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.Advance(time.Hour)
	broken = false
	list, err := s.Engine().DeadLetters()
	if err != nil || len(list) != 4 {
		t.Fatalf("DeadLetters() = %+v, %v, want four", list, err)
	}
	seen := map[string]bool{}
	for i, d := range list {
		seen[strings.TrimRight(d.ID, "0123456789")] = true
		do := s.Engine().RetryDeadLetter
		if i%2 == 1 {
			do = s.Engine().DiscardDeadLetter
		}
		if err := s.Await(func(ctx context.Context) error { return do(ctx, d.ID) }); err != nil {
			t.Errorf("dead letter %s: %v", d.ID, err)
		}
	}
	s.Advance(time.Hour)
	left, err := s.Engine().DeadLetters()
	if err != nil || len(left) > 0 || len(seen) != 2 || len(keys(t, store, "e/")) != 2 {
		t.Errorf("%d dead letters are left, ids begin with %v, %d were handled at last; want none, two kinds, two",
			len(left), seen, len(keys(t, store, "e/")))
	}
}

// An actor whose kind moves from one shard to the other keeps the order of its
// mail.
func TestAKindMoves(t *testing.T) {
	store := mem.New()
	for i, here := range []bool{false, true, false} {
		s := pairSim(t, store, here)
		for n := range 5 {
			if _, err := s.Inject("ledger/a", number{100*i + 10*n + 5}, ""); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Inject("window/a", number{100*i + 10*n + 5}, ""); err != nil {
				t.Fatal(err)
			}
		}
		for {
			if took, _ := s.Control().Commit(100); took == 0 {
				break
			}
		}
	}
	s := pairSim(t, store, false)
	s.Advance(time.Second)
	for _, who := range []string{"window/a", "ledger/a"} {
		raw, _, _ := store.Get([]byte("s/" + who + "\x00received\x00all"))
		got, _ := received.Decode(raw)
		if len(got) != 15 || !slices.IsSorted(got) {
			t.Errorf("%s received %v, want 15 in order", who, got)
		}
	}
}

// A power cut takes back what was not synced, but no number and no id is given
// again for something else.
func TestAPowerCutGivesNoNumberTwice(t *testing.T) {
	for _, here := range []bool{false, true} {
		store := mem.New()
		given := map[string]int{}
		for life := range 5 {
			var told []engine.Published
			e, err := engine.NewSim(engine.SimOptions{Seed: uint64(life), Engine: engine.Options{
				Store: store, Codec: testCodec(t), Kinds: pair(here),
				Listener: func(p engine.Published) { told = append(told, p) },
			}})
			if err != nil {
				t.Fatal(err)
			}
			for range 3 + 40*life {
				if _, err := e.Inject("window/a", number{0}, ""); err != nil {
					t.Fatal(err)
				}
				e.Settle()
			}
			for _, p := range told {
				if n, ok := p.Message.(number); ok {
					for _, id := range []string{fmt.Sprint("event ", p.Seq), fmt.Sprint(p.Trace, " of ", n.N)} {
						if before, ok := given[id]; ok {
							t.Fatalf("here=%v: life %d gives %s again, which life %d gave", here, life, id, before)
						}
						given[id] = life
					}
				}
			}
			store = store.CloneSynced()
		}
	}
}

// Without a sync in between fewer numbers are given out than a start jumps.
func TestManyNumbersAreSynced(t *testing.T) {
	store := mem.New()
	give := func(store *mem.Store, n int) (last string) {
		e := resting(t, store)
		if err := e.Recover(); err != nil {
			t.Fatal(err)
		}
		for range n {
			if _, err := e.Engine().Post("", "fusion/a", messages.TranscriptGap{}, ""); err != nil {
				t.Fatal(err)
			}
		}
		for took := 1; took > 0; {
			took, _ = e.Commit(512)
		}
		list := keys(t, store, "i/fusion/a")
		return list[len(list)-1]
	}
	last := give(store, 70_000)
	if next := give(store.CloneSynced(), 1); next <= last {
		t.Errorf("after a power cut %q is given, at or below the last number %q", next, last)
	}
}
