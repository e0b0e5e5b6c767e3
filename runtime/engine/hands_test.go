package engine_test

import (
	"context"
	"errors"
	"maps"
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

// deaths remembers what was in hand when the process died; the test tells it.
type deaths struct {
	places map[int]uint64
	counts map[uint64]int
	last   map[int]uint64 // what was in hand at the death; nil: it lives
}

func (d *deaths) Suspects() map[uint64]int { return maps.Clone(d.counts) }
func (d *deaths) Drop(place int)           { delete(d.places, place) }

func (d *deaths) Survived(id uint64) {
	if d.last == nil {
		delete(d.counts, id)
	}
}

func (d *deaths) Take(id uint64) int {
	place := 1
	for d.places[place] != 0 {
		place++
	}
	d.places[place] = id
	return place
}

// die notes the death; the next process begins with what was in hand then.
func (d *deaths) die() { d.last = maps.Clone(d.places) }

// mortal is a store that writes nothing once the process is dead.
type mortal struct {
	*mem.Store
	*deaths
}

func (s mortal) Apply(ops []engine.Op, sync bool) error {
	if s.last != nil {
		panic(killed{})
	}
	return s.Store.Apply(ops, sync)
}

// again starts the process after a death and has it run for a while.
func (d *deaths) again(t *testing.T, s *engine.Sim) {
	t.Helper()
	d.next()
	if err := s.Crash(); err != nil {
		t.Fatal(err)
	}
	dies(func() { s.Advance(time.Minute) })
}

func (d *deaths) next() {
	for _, id := range d.last {
		d.counts[id]++
	}
	d.places, d.last = map[int]uint64{}, nil
}

// A message ends the process whenever it is handled. A call that takes long was in
// hand with it once. The message is put aside, the call is answered.
func TestOnlyTheKillerIsPutAside(t *testing.T) {
	for seed := range uint64(200) {
		onlyTheKillerIsPutAside(t, seed)
	}
}

func onlyTheKillerIsPutAside(t *testing.T, seed uint64) {
	hands := &deaths{places: map[int]uint64{}, counts: map[uint64]int{}}
	var answered []messages.Message
	killing := actors.Func(func(_ *actors.Turn, m messages.Message) error {
		if _, ok := m.(number); ok {
			hands.die()
		}
		return nil
	})
	asking := actors.Func(func(t *actors.Turn, m messages.Message) error {
		switch m := m.(type) {
		case number:
			t.Call("slow", ask{1}, actors.CallOptions{Deadline: time.Minute})
		case twice, messages.CallFailed:
			answered = append(answered, m)
		}
		return nil
	})
	of := func(a actors.Actor) func(messages.Address) actors.Actor {
		return func(messages.Address) actors.Actor { return a }
	}
	codec, err := messages.NewCodec(events.Core(), stepTypes)
	if err != nil {
		t.Fatal(err)
	}
	s, err := engine.NewSim(engine.SimOptions{Seed: seed, Latency: 10 * time.Second, Engine: engine.Options{
		Store: mortal{mem.New(), hands}, Codec: codec, Hands: hands,
		Kinds: []engine.Kind{{Name: "killer", New: of(killing)}, {Name: "asker", New: of(asking)}},
		Workers: []engine.WorkerKind{{Name: "slow", New: func() (actors.Worker, error) {
			return actors.WorkerFunc(func(context.Context, messages.Message) (messages.Message, error) {
				return twice{1}, nil
			}), nil
		}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []messages.Address{"asker/a", "killer/a"} {
		if _, err := s.Inject(to, number{1}, ""); err != nil {
			t.Fatal(err)
		}
		dies(s.Settle) // the call is under way before the killer comes
	}
	died := 0
	for ; hands.last != nil && died < 20; died++ {
		hands.again(t, s)
	}
	list, err := s.Engine().DeadLetters()
	if err != nil || len(list) != 1 || list[0].Actor != "killer/a" || list[0].Attempts != engine.MaxAttempts ||
		!strings.Contains(list[0].Error, "5 times") || died != engine.MaxAttempts {
		t.Fatalf("seed %d: after %d deaths the dead letters are %+v, %v, want the killer's message after %d", seed,
			died, list, err, engine.MaxAttempts)
	}
	if len(answered) == 0 || answered[len(answered)-1] != (twice{1}) {
		t.Fatalf("the slow call was answered with %v, want an answer of the worker", answered)
	}
	if len(hands.counts) != 0 || len(hands.places) != 0 {
		t.Errorf("%v are still suspects and %v in hand, want none", hands.counts, hands.places)
	}
}

// A message that was in hand in a death, and then fails, has the attempts that are left: the death
// counts once.
func TestADeathIsOneAttempt(t *testing.T) {
	hands := &deaths{places: map[int]uint64{}, counts: map[uint64]int{}}
	deadly, handled, attempts := true, false, []int(nil)
	failing := actors.Func(func(turn *actors.Turn, m messages.Message) error {
		if _, ok := m.(number); !ok {
			return nil
		}
		if deadly {
			deadly = false
			hands.die()
			return nil
		}
		if attempts = append(attempts, turn.Cause().Attempt); len(attempts) < engine.MaxAttempts-1 {
			return errors.New("not yet")
		}
		handled = true
		return nil
	})
	codec, err := messages.NewCodec(events.Core(), stepTypes)
	if err != nil {
		t.Fatal(err)
	}
	s, err := engine.NewSim(engine.SimOptions{Engine: engine.Options{
		Store: mortal{mem.New(), hands}, Codec: codec, Hands: hands,
		Kinds: []engine.Kind{{Name: "failing", New: func(messages.Address) actors.Actor { return failing }}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Inject("failing/a", number{1}, ""); err != nil {
		t.Fatal(err)
	}
	dies(s.Settle)
	hands.again(t, s)
	list, err := s.Engine().DeadLetters()
	if want := []int{2, 3, 4, 5}; err != nil || len(list) > 0 || !handled || !slices.Equal(attempts, want) {
		t.Errorf("after a death it was tried as attempts %v, handled: %t, dead letters %+v, %v, want %v and handled",
			attempts, handled, list, err, want)
	}
}

// A call whose worker ends the process is answered, and its request can be asked
// again.
func TestKillingCallIsPutAside(t *testing.T) {
	hands := &deaths{places: map[int]uint64{}, counts: map[uint64]int{}}
	mended := false
	var answers []messages.Message
	asking := actors.Func(func(t *actors.Turn, m messages.Message) error {
		switch m := m.(type) {
		case number:
			t.Call("fatal", ask{1}, actors.CallOptions{Deadline: time.Minute, Tag: "tag"})
		case twice, messages.CallFailed:
			if t.Cause().Tag != "tag" {
				return context.Canceled
			}
			if hands.last == nil {
				answers = append(answers, m)
			}
		}
		return nil
	})
	codec, err := messages.NewCodec(events.Core(), stepTypes)
	if err != nil {
		t.Fatal(err)
	}
	s, err := engine.NewSim(engine.SimOptions{Seed: 1, Latency: time.Second, Engine: engine.Options{
		Store: mortal{mem.New(), hands}, Codec: codec, Hands: hands,
		Kinds: []engine.Kind{{Name: "asker", New: func(messages.Address) actors.Actor { return asking }}},
		Workers: []engine.WorkerKind{{Name: "fatal", New: func() (actors.Worker, error) {
			return actors.WorkerFunc(func(context.Context, messages.Message) (messages.Message, error) {
				if !mended {
					hands.die()
				}
				return twice{1}, nil
			}), nil
		}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Inject("asker/a", number{1}, ""); err != nil {
		t.Fatal(err)
	}
	dies(s.Settle)
	died := 0
	for ; hands.last != nil && died < 20; died++ {
		hands.again(t, s)
	}
	list, err := s.Engine().DeadLetters()
	if err != nil || len(list) != 1 || list[0].Type != "test_ask" || died != engine.MaxAttempts {
		t.Fatalf("after %d deaths the dead letters are %+v, %v, want the request after %d", died, list, err,
			engine.MaxAttempts)
	}
	if failed, ok := answers[0].(messages.CallFailed); !ok || failed.Kind != messages.FailurePanic ||
		len(answers) != 1 {
		t.Errorf("the caller got %v, want one typed failure", answers)
	}
	mended = true
	err = s.Await(func(ctx context.Context) error { return s.Engine().RetryDeadLetter(ctx, list[0].ID) })
	if err != nil {
		t.Fatal(err)
	}
	s.Advance(time.Minute)
	if len(answers) != 2 || answers[1] != (twice{1}) {
		t.Errorf("once it is sent again the caller got %v, want the answer", answers)
	}
	if list, _ := s.Engine().DeadLetters(); len(list) != 0 {
		t.Errorf("the dead letters are %+v, want none", list)
	}
}
