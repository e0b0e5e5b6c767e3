package engine_test

import (
	"bytes"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
)

// book has a row of each name, which stays when somebody is forgotten.
func book() engine.Kind {
	k := kind("book", func(turn *actors.Turn, m messages.Message) error {
		if d, ok := m.(diary); ok {
			names.Put(turn, string(d.Whom), string(d.Words))
		}
		return nil
	})
	k.SubjectOf = func(row string, _ []byte) messages.ConversationID {
		_, key := actors.SplitRow(row)
		return messages.ConversationID(key)
	}
	k.Kept = map[string]func([]byte) []byte{names.Name(): bytes.Clone}
	return k
}

// newDying is newAway over a store that can die.
func newDying(t *testing.T, o engine.SimOptions, change ...func(*badKeys)) (*away, *dying) {
	t.Helper()
	a := newAway(t, o, change...)
	codec, err := messages.NewCodec(events.Core(), simMessages, messages.Table{messages.Durable[diary](nil)})
	if err != nil {
		t.Fatal(err)
	}
	disk := &dying{a.store, math.MaxInt}
	o.Engine.Store, o.Engine.Sealer, o.Engine.Codec = disk, a.keys, codec
	if a.Sim, err = engine.NewSim(o); err != nil {
		t.Fatal(err)
	}
	return a, disk
}

// waiting is a conversation whose deletion waits, as its key cannot be destroyed, and that has been renamed since.
// The store dies after the next writes.
func waiting(t *testing.T) (a *away, disk *dying) {
	t.Helper()
	o := engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{kind("one", waiter), book()}}}
	a, disk = newDying(t, o, func(k *badKeys) { k.stuck = map[string]bool{"hana": true} })
	a.tell("book/x", "hana", "old")
	a.tell("one/hana", "hana", "secret")
	a.Settle()
	if err := a.forget(engine.Forgetting{}); !errors.Is(err, engine.ErrKeyAway) || errors.Is(err, engine.ErrRest) {
		t.Fatalf("Forget() = %v, want that it waits for its key", err)
	}
	a.tell("book/x", "hana", "new")
	a.Advance(time.Minute)
	return a, disk
}

// A deletion has waited for its key, and who is forgotten was renamed meanwhile. The name stays, and nothing else:
// whether it goes on by itself or at a start, also if that dies at any write.
func TestAResumedDeletionKeepsWhatIsThereNow(t *testing.T) {
	for name, starts := range map[string]bool{"by itself": false, "at a start": true} {
		for writes, died := 0, true; died; writes++ {
			a, disk := waiting(t)
			disk.n = writes
			delete(a.keys.stuck, "hana")
			if starts {
				_ = a.Crash() // fails where it dies
			} else {
				a.Advance(10 * time.Minute)
			}
			died = disk.n < 0
			disk.n = math.MaxInt
			if err := a.Crash(); err != nil {
				t.Fatal(err)
			}
			a.Advance(time.Hour)
			if got, want := told(t, a.store, a.keys), `book/x hana=1 "new"`; got != want {
				t.Errorf("%s, died after %d writes: stored is %s, want %s", name, writes, got, want)
			}
			if left := keys(t, a.store, "f/"); len(left) > 0 {
				t.Errorf("%s, died after %d writes: intents %q are left", name, writes, left)
			}
			if !died && writes < 2 {
				t.Errorf("%s: it took %d writes, want more, to die in between", name, writes)
			}
		}
	}
}

// Once a deletion has destroyed the key, only its intent tells what was kept: what comes under the next key, while
// the rows could not be deleted, is no row of whom was forgotten.
func TestWhatIsKeptOutlivesTheKey(t *testing.T) {
	a, disk := waiting(t)
	delete(a.keys.stuck, "hana")
	disk.n = 1 // the intent
	a.Advance(10 * time.Minute)
	if disk.n >= 0 {
		t.Fatal("nothing has failed")
	}
	disk.n = math.MaxInt
	a.tell("book/x", "hana", "next")
	a.Advance(time.Minute)
	if err := a.forget(engine.Forgetting{}); err != nil {
		t.Fatal(err)
	}
	if got, want := told(t, a.store, a.keys), `book/x hana=1 "new"`; got != want {
		t.Errorf("stored is %s, want %s", got, want)
	}
}

// A program without the actors whose rows are kept goes on with a deletion. What was kept at first stays.
func TestAProgramThatCannotTellWhatStays(t *testing.T) {
	one := kind("one", waiter)
	one.Kept = book().Kept
	stuck := func(k *badKeys) { k.stuck = map[string]bool{"hana": true} }
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{one}}}, stuck)
	a.tell("one/hana", "hana", "mark")
	a.Settle()
	if err := a.forget(engine.Forgetting{}); !errors.Is(err, engine.ErrKeyAway) {
		t.Fatalf("Forget() = %v, want that it waits for its key", err)
	}
	delete(a.keys.stuck, "hana")
	codec, err := messages.NewCodec(events.Core())
	if err != nil {
		t.Fatal(err)
	}
	o := engine.SimOptions{Engine: engine.Options{Store: a.store, Sealer: a.keys, Codec: codec}}
	if _, err := engine.NewSim(o); err != nil {
		t.Fatal(err)
	}
	if got, want := told(t, a.store, a.keys), `one/hana mark=1 ""`; got != want || len(keys(t, a.store, "f/")) > 0 {
		t.Errorf("stored is %s, want %s and no intent", got, want)
	}
}

// Where what is kept is out of reach, a deletion that has begun waits for it. If it is lost meanwhile, what was kept
// at first stays.
func TestADeletionWaitsForWhatItKeeps(t *testing.T) {
	a, _ := waiting(t)
	delete(a.keys.stuck, "hana")
	a.keys.away["hana"] = true
	err := a.forget(engine.Forgetting{})
	if !errors.Is(err, engine.ErrKeyAway) || len(keys(t, a.store, "f/")) != 1 {
		t.Errorf("Forget() = %v, want that it waits", err)
	}
	delete(a.keys.away, "hana")
	if err := a.keys.Sealer.Destroy("hana"); err != nil {
		t.Fatal(err)
	}
	a.Advance(time.Hour)
	if got, want := told(t, a.store, a.keys), `book/x hana=1 "old"`; got != want {
		t.Errorf("stored is %s, want %s", got, want)
	}
}

// What a kind keeps stays also where only a rest can delete the row, or who is forgotten again once it is read.
func TestARestKeepsWhatAKindKeeps(t *testing.T) {
	for name, then := range map[string]func(a *away){
		"by itself":  func(*away) {},
		"at a start": func(a *away) { a.crash() },
		"again": func(a *away) {
			if err := a.forget(engine.Forgetting{}); err != nil {
				a.t.Error(err)
			}
		},
	} {
		w := windows()
		w.Kept = map[string]func([]byte) []byte{names.Name(): bytes.ToUpper}
		a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{kind("one", waiter), w}}})
		a.tell("window/w1", "hana", "old")
		a.tell("one/hana", "hana", "old")
		a.Settle()
		a.keys.away["w1"] = true
		if err := a.forget(engine.Forgetting{}); !errors.Is(err, engine.ErrRest) {
			t.Fatalf("Forget() = %v, want that a rest waits", err)
		}
		delete(a.keys.away, "w1")
		then(a)
		a.Advance(time.Hour)
		if got, want := told(t, a.store, a.keys), `window/w1 hana=1 "OLD"`; got != want {
			t.Errorf("%s: stored is %q, want %q", name, got, want)
		}
	}
}

// Older versions did not write for which key they read what is kept. Where there is none any more, only the intent
// tells it.
func TestAnOlderIntentTellsWhatIsKept(t *testing.T) {
	a, _ := waiting(t)
	a.older("key")
	delete(a.keys.stuck, "hana")
	if err := a.keys.Sealer.Destroy("hana"); err != nil {
		t.Fatal(err)
	}
	a.crash()
	a.Advance(time.Hour)
	if got, want := told(t, a.store, a.keys), `book/x hana=1 "old"`; got != want {
		t.Errorf("stored is %s, want %s", got, want)
	}
}
