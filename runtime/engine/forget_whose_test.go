package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
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
