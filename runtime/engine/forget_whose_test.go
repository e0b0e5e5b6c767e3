package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// An actor that is about many loses the rows about whom is forgotten, whether they are
// sealed or not, and what it had in mind of them.
func TestForgettingReachesRowsOfOthersAndWhatTheyHaveInMind(t *testing.T) {
	codec, err := messages.NewCodec(events.Core(), simMessages)
	if err != nil {
		t.Fatal(err)
	}
	store := mem.New()
	sim, err := engine.NewSim(engine.SimOptions{Engine: engine.Options{Store: store, Codec: codec,
		Kinds: []engine.Kind{{Name: "shared",
			New: func(messages.Address) actors.Actor {
				inMind := map[string]string{}
				return actors.Func(func(turn *actors.Turn, m messages.Message) error {
					if n, ok := m.(number); ok {
						who := string(whoms[n.N%len(whoms)])
						if inMind[who] == "" {
							inMind[who], _ = names.Get(turn, who)
						}
						inMind[who] += fmt.Sprint(n.N, " ")
						names.Put(turn, who, inMind[who])
					}
					return nil
				})
			},
			SubjectOf: func(row string, _ []byte) messages.ConversationID {
				_, key := actors.SplitRow(row)
				return messages.ConversationID(key)
			}}}}})
	if err != nil {
		t.Fatal(err)
	}
	say := func(from, to int) {
		for n := from; n < to; n++ {
			if _, err := sim.Inject("shared/app", number{n}, ""); err != nil {
				t.Fatal(err)
			}
		}
		sim.Advance(1e12)
	}
	say(0, 6)
	var sum engine.Forgotten
	err = sim.Await(func(ctx context.Context) error {
		sum, err = sim.Engine().Forget(ctx, engine.Forgetting{Conversation: "hana"})
		return err
	})
	if err != nil || sum.Rows != 1 {
		t.Errorf("Forget() = %+v, %v, want a row", sum, err)
	}
	if got, want := told(t, store, nil), `shared/app aki=1 "0 3 "; shared/app ken=1 "2 5 "`; got != want {
		t.Errorf("after the deletion stored is %s, want %s", got, want)
	}
	say(6, 9)
	want := `shared/app aki=1 "0 3 6 "; shared/app hana=1 "7 "; shared/app ken=1 "2 5 8 "`
	if got := told(t, store, nil); got != want {
		t.Errorf("later stored is %s, want %s", got, want)
	}
}

// say injects what is said to actors, each about who its key names, and lets all settle.
func say(t *testing.T, sim *engine.Sim, to map[messages.Address]diary) {
	t.Helper()
	for a, d := range to {
		if _, err := sim.Inject(a, d, ""); err != nil {
			t.Fatal(err)
		}
	}
	sim.Settle()
}

// forgets asks for a deletion in a simulation.
func forgets(sim *engine.Sim, c messages.ConversationID) (sum engine.Forgotten, err error) {
	err = sim.Await(func(ctx context.Context) (err error) {
		sum, err = sim.Engine().Forget(ctx, engine.Forgetting{Conversation: c})
		return err
	})
	return sum, err
}

// A conversation is forgotten while its key is out of reach, so that the key cannot be destroyed. No start
// fails for it, people are told which key, and once it is back all of it goes: by itself or at a start.
func TestADeletionWaitsForItsKey(t *testing.T) {
	for name, restart := range map[string]bool{"by itself": false, "at a start": true} {
		t.Run(name, func(t *testing.T) {
			store := mem.New()
			k := badKeys{Sealer: keyring.Memory(nil), away: map[string]bool{}}
			var health []events.ActorUnhealthy
			sim := keySimTold(t, store, k, func(p engine.Published) {
				if m, ok := p.Message.(events.ActorUnhealthy); ok && m.Actor.Kind() == events.Deletions {
					health = append(health, m)
				}
			})
			say(t, sim, map[messages.Address]diary{"one/hana": {"hana", "canary"}, "one/ken": {"ken", "stays"}})
			k.away["hana"] = true
			if _, err := forgets(sim, "hana"); !strings.Contains(engine.KeyAway(err), "key of hana") ||
				errors.Is(err, engine.ErrRest) {
				t.Errorf("Forget() = %v, want which key is out of reach", err)
			}
			for range 2 {
				if err := sim.Crash(); err != nil {
					t.Fatalf("a start fails for everybody: %v", err)
				}
				if sim.Advance(time.Hour); len(health) == 0 || !strings.Contains(health[0].Key, "key of hana") {
					t.Errorf("told of health is %+v, want which key is waited for", health)
				}
			}
			if len(health) != 3 {
				t.Errorf("told %d times of three runs, want once in each", len(health))
			}
			if delete(k.away, "hana"); restart {
				if err := sim.Crash(); err != nil {
					t.Fatal(err)
				}
			} else if sim.Advance(10 * time.Minute); !health[len(health)-1].Healthy {
				t.Errorf("told of health is %+v, want that it is over", health)
			}
			say(t, sim, map[messages.Address]diary{"one/hana": {"hana", "new"}})
			if err := sim.Crash(); err != nil {
				t.Fatal(err)
			}
			sim.Advance(time.Hour)
			if got, want := told(t, store, k), `one/hana said=1 "new"; one/ken said=1 "stays"`; got != want {
				t.Errorf("with the key back stored is %s, want %s", got, want)
			}
		})
	}
}

// windowSim has windows that keep words of many, sealed for the window, beside actors that are about one.
func windowSim(t *testing.T, s engine.Store, keys engine.Sealer) *engine.Sim {
	t.Helper()
	codec, err := messages.NewCodec(events.Core(), messages.Table{messages.Durable[diary](nil)})
	if err != nil {
		t.Fatal(err)
	}
	keep := actors.Func(func(turn *actors.Turn, m messages.Message) error {
		if d, ok := m.(diary); ok {
			names.Put(turn, string(d.Whom), string(d.Words))
		}
		return nil
	})
	kept := func(messages.Address) actors.Actor { return keep }
	row := func(row string, _ []byte) messages.ConversationID {
		_, key := actors.SplitRow(row)
		return messages.ConversationID(key)
	}
	sim, err := engine.NewSim(engine.SimOptions{Engine: engine.Options{Store: s, Sealer: keys, Codec: codec,
		Kinds: []engine.Kind{{Name: "one", New: kept}, {Name: "shared", New: kept, SubjectOf: row},
			{Name: "window", New: kept, About: func(c messages.ConversationID, r string, v []byte) bool {
				return row(r, v) == c
			}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return sim
}

// Ken is forgotten while the key of a window that keeps words of ken is out of reach. All else goes at once,
// and nothing comes back with the key: by itself or at a start, what the window kept goes too. What ken says
// after the deletion stays.
func TestNothingForgottenComesBackWithAnotherKey(t *testing.T) {
	for name, restart := range map[string]bool{"by itself": false, "at a start": true} {
		t.Run(name, func(t *testing.T) {
			store := mem.New()
			k := badKeys{Sealer: keyring.Memory(nil), away: map[string]bool{}}
			sim := windowSim(t, store, k)
			say(t, sim, map[messages.Address]diary{"window/w1": {"ken", "secret"}, "window/w2": {"ken", "secret"},
				"one/ken": {"ken", "secret"}})
			k.away["w1"] = true
			sum, err := forgets(sim, "ken")
			if !errors.Is(err, engine.ErrRest) || !strings.Contains(engine.KeyAway(err), "key of w1") ||
				sum.Rows != 2 || sum.Unknown != 0 {
				t.Errorf("Forget() = %+v, %v, want two rows, and which key is out of reach", sum, err)
			}
			if got := told(t, store, k.Sealer); got != `window/w1 ken=1 "secret"` {
				t.Errorf("stored is %s, want only what cannot be read", got)
			}
			say(t, sim, map[messages.Address]diary{"one/ken": {"ken", "new"}})
			if err := sim.Crash(); err != nil {
				t.Fatal(err)
			}
			sim.Advance(time.Hour)
			if delete(k.away, "w1"); restart {
				if err := sim.Crash(); err != nil {
					t.Fatal(err)
				}
			} else {
				sim.Advance(10 * time.Minute)
			}
			if got, want := told(t, store, k), `one/ken ken=1 "new"`; got != want {
				t.Errorf("with the key back stored is %s, want %s", got, want)
			}
			if left := keys(t, store, "f/"); len(left) > 0 {
				t.Errorf("intents are left: %q", left)
			}
		})
	}
}

// A row that was sealed for somebody else, by an actor whose rows are about one each, is not about who is
// forgotten: a key out of reach says nothing then.
func TestADeletionWaitsForNoKeyOfAnother(t *testing.T) {
	k := badKeys{Sealer: keyring.Memory(nil), away: map[string]bool{}}
	sim := windowSim(t, mem.New(), k)
	say(t, sim, map[messages.Address]diary{"shared/app": {"aki", "stays"}, "one/aki": {"aki", "stays"},
		"one/ken": {"ken", "secret"}})
	k.away["aki"] = true
	if sum, err := forgets(sim, "ken"); err != nil || sum.Rows != 1 || sum.Unknown != 0 {
		t.Errorf("Forget() = %+v, %v, want one row", sum, err)
	}
}
