package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// crew drives an engine with desks by hand. Each adds up its numbers, and sends and publishes them:
// to near, which is in the desks' shard, and but for a 2 to over, which is in the other.
type crew struct {
	engine.Control
	t     *testing.T
	store *mem.Store
	acts  map[messages.Address]*engine.Activation
	turns []int    // the numbers that were handled
	left  []string // what has left the turns
}

func newCrew(t *testing.T, here bool) *crew {
	t.Helper()
	r := &crew{t: t, store: mem.New(), acts: map[messages.Address]*engine.Activation{}}
	kindOf := func(name string, here bool) engine.Kind {
		return engine.Kind{Name: name, Here: here,
			New: func(messages.Address) actors.Actor { return actors.Func(r.work) }}
	}
	e, err := engine.New(engine.Options{
		Store: r.store, Codec: testCodec(t), Driver: r,
		Clock: engine.NewManualClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)),
		Kinds: []engine.Kind{kindOf("desk", here), kindOf("near", here), kindOf("over", !here)},
		Listener: func(p engine.Published) {
			if p.From != "" {
				r.left = append(r.left, fmt.Sprint(p.Message, " is event ", p.Seq))
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Control = e.Control()
	r.Divert(r.deliver, nil)
	if err := r.Recover(); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *crew) Wake(act *engine.Activation) { r.acts[act.Address()] = act }
func (r *crew) WakeWorkers(string)          {}

func (r *crew) work(turn *actors.Turn, m messages.Message) error {
	n, ok := m.(number)
	if !ok {
		return nil
	}
	r.turns = append(r.turns, n.N)
	sum, _ := counts.Get(turn, "sum")
	counts.Put(turn, "sum", sum+n.N)
	turn.Send("near/x", n)
	if n.N != 2 {
		turn.Send("over/x", n)
		turn.Publish(twice(n))
	}
	return nil
}

// deliver takes what the desks send, and wants it to be stored where its delivery says.
func (r *crew) deliver(env engine.Envelope) bool {
	if env.To.Kind() == "desk" {
		return false
	}
	key := env.Receipt()
	row, _, err := r.store.Get([]byte(key))
	want := fmt.Sprintf(`{"N":%d}`, env.Message.(number).N)
	if err != nil || !strings.HasPrefix(key, "i/"+string(env.To)) || !strings.Contains(string(row), want) {
		r.t.Errorf("%v to %s is delivered as %q, which holds %s, %v", env.Message, env.To, key, row, err)
	}
	r.left = append(r.left, fmt.Sprint(env.Message, " to ", env.To))
	return true
}

// step runs the next turn of an actor.
func (r *crew) step(a messages.Address) {
	r.t.Helper()
	if progress, failure := r.Step(r.acts[a]); failure != nil || progress != engine.Stepped {
		r.t.Fatalf("Step(%s) = %v, %v, want a turn", a, progress, failure)
	}
}

// wantLeft wants that what some turns want has left them since, under the numbers of the store.
func (r *crew) wantLeft(turns ...int) {
	r.t.Helper()
	logged := map[int]uint64{}
	if err := r.Engine().ReadLog(0, func(p engine.Published) bool {
		logged[p.Message.(twice).N] = p.Seq
		return true
	}); err != nil {
		r.t.Fatal(err)
	}
	var want []string
	for _, n := range turns {
		if n != 2 {
			want = append(want, fmt.Sprintf("{%d} is event %d", n, logged[n]))
		}
		if want = append(want, fmt.Sprintf("{%d} to near/x", n)); n != 2 {
			want = append(want, fmt.Sprintf("{%d} to over/x", n))
		}
	}
	if !slices.Equal(r.left, want) {
		r.t.Errorf("what has left the turns is\n%s\nwant\n%s", strings.Join(r.left, "\n"), strings.Join(want, "\n"))
	}
	r.left = nil
}

// A batch in which one actor's turns no longer hold is stored and released for the others, whatever
// the refused turns would have sent to the other shard. Theirs come again.
func TestABatchIsRefusedInPart(t *testing.T) {
	for name, here := range map[string]bool{"here": true, "anywhere": false} {
		t.Run(name, func(t *testing.T) {
			r := newCrew(t, here)
			desks := []messages.Address{"desk/a", "desk/b", "desk/a", "desk/b", "desk/b"}
			for i, a := range desks {
				if _, err := r.Engine().Post("", a, number{i + 1}, ""); err != nil {
					t.Fatal(err)
				}
			}
			r.Commit(100)
			for _, a := range append(desks[:2:2], desks...) { // what they are told first is that they start
				r.step(a)
			}
			claim := engine.Op{Key: engine.EpochKey("desk/a"), Value: []byte(seqKey(2))}
			if err := r.Engine().ApplyOfAnother(claim); err != nil {
				t.Fatal(err)
			}

			if took, _ := r.Commit(100); took != len(desks) {
				t.Fatalf("Commit() took %d turns, want all %d as one batch", took, len(desks))
			}
			r.wantLeft(2, 4, 5)
			_, failure := r.Step(r.acts["desk/a"])
			if failure == nil || !strings.Contains(failure.Error(), "does not hold") {
				t.Fatalf("Step() after the batch = %v, want that the turns did not hold", failure)
			}
			r.Restart(r.acts["desk/a"])
			for range 3 {
				r.step("desk/a")
			}
			r.Commit(100)
			r.wantLeft(1, 3)

			if want := []int{1, 2, 3, 4, 5, 1, 3}; !slices.Equal(r.turns, want) {
				t.Errorf("turns were run for %v, want %v", r.turns, want)
			}
			for a, want := range map[string]int{"desk/a": 4, "desk/b": 11} {
				raw, _, _ := r.store.Get([]byte("s/" + a + "\x00counts\x00sum"))
				if sum, err := counts.Decode(raw); sum != want || err != nil {
					t.Errorf("the sum of %s is %d, %v, want %d", a, sum, err, want)
				}
			}
			if mail := keys(t, r.store, "i/desk"); len(mail) > 0 {
				t.Errorf("the inboxes hold %q, want that all was handled", mail)
			}
		})
	}
}
