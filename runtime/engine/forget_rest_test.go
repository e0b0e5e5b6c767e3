package engine_test

import (
	"bytes"
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
)

// forget forgets Hana.
func (a *away) forget(f engine.Forgetting) error {
	f.Conversation = "hana"
	return a.Await(func(ctx context.Context) error {
		_, err := a.Engine().Forget(ctx, f)
		return err
	})
}

// holds has keys that are out of reach not be destroyed either.
func holds(k *badKeys) { k.destroys = false }

// windows keep under their own keys what was said by whom.
func windows() engine.Kind {
	w := kind("window", func(turn *actors.Turn, m messages.Message) error {
		if d, ok := m.(diary); ok {
			names.Put(turn, string(d.Whom), string(d.Words))
		}
		return nil
	})
	w.About = func(c messages.ConversationID, r string, _ []byte) bool {
		_, key := actors.SplitRow(r)
		return messages.ConversationID(key) == c
	}
	return w
}

// restOf is a conversation that is forgotten but for what window/w1 keeps of it, whose key is out of reach.
func restOf(t *testing.T, o engine.SimOptions) *away {
	t.Helper()
	o.Engine.Kinds = []engine.Kind{kind("one", waiter), windows()}
	a := newAway(t, o)
	a.tell("window/w1", "hana", "old")
	a.tell("window/w2", "hana", "old")
	a.tell("one/hana", "hana", "old")
	a.Settle()
	a.keys.away["w1"] = true
	if err := a.forget(engine.Forgetting{}); !errors.Is(err, engine.ErrRest) {
		t.Fatalf("Forget() = %v, want that a rest waits", err)
	}
	a.Advance(time.Minute)
	return a
}

// What comes after a deletion stays when its rest can be deleted: rows of the conversation, its timers, also of
// an actor that sleeps, and what others keep of it anew.
func TestARestTakesNothingThatCameLater(t *testing.T) {
	for _, doze := range []float64{0, 1} {
		a := restOf(t, engine.SimOptions{Doze: doze})
		a.tell("one/hana", "hana", "set")
		a.tell("window/w2", "hana", "new")
		a.Settle()
		a.Advance(time.Minute)
		delete(a.keys.away, "w1")
		a.Advance(5 * time.Hour)
		if got, want := told(t, a.store, a.keys), `one/hana rang=1 ""; window/w2 hana=1 "new"`; got != want {
			t.Errorf("dozing %v: stored is %s, want %s", doze, got, want)
		}
		if left := keys(t, a.store, "f/"); len(left) > 0 {
			t.Errorf("dozing %v: intents %q are left", doze, left)
		}
	}
}

// A rest is over once its key is lost for good: nobody can read what was sealed with it. So it is after a start.
func TestARestEndsWithItsKey(t *testing.T) {
	for name, starts := range map[string]bool{"running": false, "started": true} {
		a := restOf(t, engine.SimOptions{})
		delete(a.keys.away, "w1")
		a.keys.bad["w1"] = true
		if starts {
			a.crash()
		}
		a.Advance(24 * time.Hour)
		if left := keys(t, a.store, "f/"); len(left) > 0 {
			t.Errorf("%s: intents %q are left", name, left)
		}
	}
}

// A deletion that has waited for its key is carried out once, also if the key of somebody else is lost meanwhile.
func TestADeletionThatWaitedEnds(t *testing.T) {
	one := kind("one", func(turn *actors.Turn, m messages.Message) error {
		if d, ok := m.(diary); ok {
			names.Put(turn, string(d.Words), "")
		}
		return nil
	})
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{one, windows()}}}, holds)
	a.tell("window/ken", "ken", "old")
	a.tell("one/hana", "hana", "old")
	a.Settle()
	a.keys.away["hana"], a.keys.away["ken"] = true, true
	if err := a.forget(engine.Forgetting{}); !errors.Is(err, engine.ErrKeyAway) {
		t.Fatalf("Forget() = %v, want that it waits", err)
	}
	a.Advance(time.Minute)
	clear(a.keys.away)
	a.keys.bad["ken"] = true
	a.Advance(time.Hour)
	a.tell("one/hana", "hana", "new")
	a.Advance(time.Hour)
	if got, want := told(t, a.store, a.keys), `one/hana new=1 ""`; got != want {
		t.Errorf("stored is %s, want %s", got, want)
	}
	if left := keys(t, a.store, "f/"); len(left) > 0 {
		t.Errorf("intents %q are left", left)
	}
}

// A deletion that has not begun, as it cannot read what is to be kept, says so and leaves all timers armed.
func TestADeletionThatDoesNotBegin(t *testing.T) {
	for _, doze := range []float64{0, 1} {
		o := engine.SimOptions{Doze: doze}
		one := kind("one", waiter)
		one.Kept = map[string]func([]byte) []byte{names.Name(): bytes.Clone}
		o.Engine.Kinds = []engine.Kind{one}
		a := newAway(t, o)
		a.tell("one/hana", "hana", "words")
		a.tell("one/hana", "hana", "set")
		a.Settle()
		a.Advance(time.Minute)
		a.keys.away["hana"] = true
		err := a.forget(engine.Forgetting{})
		if !errors.Is(err, engine.ErrKeyAway) || !strings.Contains(err.Error(), "nothing is deleted") {
			t.Errorf("Forget() = %v, want that nothing has begun", err)
		}
		a.Advance(time.Minute)
		delete(a.keys.away, "hana")
		a.Advance(5 * time.Hour)
		if left := keys(t, a.store, "t/"); len(left) > 0 {
			t.Errorf("dozing %v: the timer has not rung", doze)
		}
	}
}

// An actor that has told of a key out of reach does not sleep over it: nobody else could say that it is back.
func TestWhoTellsOfAKeyStaysAwake(t *testing.T) {
	k := kind("many", func(turn *actors.Turn, m messages.Message) error {
		names.InReach(turn)
		if d, ok := m.(diary); ok {
			names.Put(turn, string(d.Whom), string(d.Words))
		}
		return nil
	})
	k.SubjectOf = func(row string, _ []byte) messages.ConversationID {
		_, key := actors.SplitRow(row)
		return messages.ConversationID(key)
	}
	a := newAway(t, engine.SimOptions{Doze: 1, Engine: engine.Options{Kinds: []engine.Kind{k}}})
	a.tell("many/x", "hana", "words")
	a.Settle()
	a.crash("hana")
	a.tell("many/x", "ken", "words")
	a.Advance(time.Hour)
	delete(a.keys.away, "hana")
	a.tell("many/x", "ken", "more")
	a.Advance(time.Hour)
	if n := len(a.health); n != 2 || a.health[0].Key == "" || !a.health[1].Healthy {
		t.Errorf("told of health is %+v, want the key, and that it is back", a.health)
	}
}

// setsAnew are keys with which an actor sets its timer anew, once, while that is read.
type setsAnew struct {
	badKeys
	then *func()
}

func (s setsAnew) Open(place, sealed []byte) ([]byte, error) {
	plain, err := s.badKeys.Open(place, sealed)
	if then := *s.then; then != nil && err == nil && strings.HasPrefix(string(place), "t/") {
		*s.then = nil
		then()
	}
	return plain, err
}

// A timer that is set anew while the old one is read again rings.
func TestATimerSetAnewWhileItIsReadAgain(t *testing.T) {
	rung := 0
	kinds := []engine.Kind{kind("one", func(turn *actors.Turn, m messages.Message) error {
		switch d, _ := m.(diary); d.Words {
		case "set":
			turn.After("k", 3*time.Hour, diary{d.Whom, "rang"})
		case "anew":
			turn.After("k", 4*time.Hour, diary{d.Whom, "rang"})
		case "rang":
			rung++
		}
		return nil
	})}
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: kinds}})
	codec, err := messages.NewCodec(events.Core(), simMessages, messages.Table{messages.Durable[diary](nil)})
	if err != nil {
		t.Fatal(err)
	}
	var then func()
	a.Sim, err = engine.NewSim(engine.SimOptions{Engine: engine.Options{Kinds: kinds, Store: a.store, Codec: codec,
		Sealer: setsAnew{a.keys, &then}}})
	if err != nil {
		t.Fatal(err)
	}
	a.tell("one/x", "hana", "set")
	a.Settle()
	a.crash("hana")
	a.Advance(time.Minute)
	delete(a.keys.away, "hana")
	then = func() {
		a.tell("one/x", "hana", "anew")
		a.Control().Commit(10)
		for a.Turn() {
		}
		a.Control().Commit(10)
	}
	a.Advance(10 * time.Hour)
	if rung != 1 || then != nil {
		t.Errorf("it rang %d times, want once", rung)
	}
}

// longRows keep under their own keys what was said by whom, in n rows with long keys.
func longRows(name string, n int) engine.Kind {
	k := kind(name, func(turn *actors.Turn, m messages.Message) error {
		if d, ok := m.(diary); ok {
			for i := range n {
				row := fmt.Sprintf("%s/%s/%d/%s", d.Whom, string(d.Words), i, strings.Repeat("x", 2500))
				names.Put(turn, row, "")
			}
		}
		return nil
	})
	k.About = func(c messages.ConversationID, r string, _ []byte) bool {
		_, key := actors.SplitRow(r)
		return strings.HasPrefix(key, string(c)+"/")
	}
	return k
}

// The rows that a rest waits for have long keys: its intent fits into a transaction.
func TestARestOfLongKeys(t *testing.T) {
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{longRows("window", 100)}}})
	for i := range 30 {
		a.tell("window/w1", "hana", messages.Text(fmt.Sprint(i)))
		a.Settle()
	}
	a.keys.away["w1"] = true
	if err := a.forget(engine.Forgetting{}); !errors.Is(err, engine.ErrRest) {
		t.Errorf("Forget() = %v, want that a rest waits", err)
	}
	a.crash()
	delete(a.keys.away, "w1")
	a.Advance(time.Hour)
	if left := append(keys(t, a.store, "s/"), keys(t, a.store, "f/")...); len(left) > 0 {
		t.Errorf("with the key back %d rows are left, want none", len(left))
	}
}
