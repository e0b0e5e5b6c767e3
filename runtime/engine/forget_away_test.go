package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
)

// fading are keys of which that of w1 goes out of reach once it has opened so many rows; negative: never.
type fading struct {
	badKeys
	left *int
}

func (f fading) Open(place, sealed []byte) ([]byte, error) {
	if *f.left >= 0 && f.Under("w1", sealed) {
		if *f.left == 0 {
			return nil, f.errAway("w1")
		}
		*f.left--
	}
	return f.badKeys.Open(place, sealed)
}

// A key goes out of reach after a deletion has read a row with it, and before the row is deleted: then a rest waits
// for it, also over a crash.
func TestAKeyGoesAwayDuringADeletion(t *testing.T) {
	codec, err := messages.NewCodec(events.Core(), simMessages, messages.Table{messages.Durable[diary](nil)})
	if err != nil {
		t.Fatal(err)
	}
	for _, crashes := range []bool{false, true} {
		for read := range 3 { // by the scan, by the first look and by the next one
			left := -1
			a := newAway(t, engine.SimOptions{})
			a.Sim, err = engine.NewSim(engine.SimOptions{Engine: engine.Options{Store: a.store, Codec: codec,
				Sealer: fading{a.keys, &left}, Kinds: []engine.Kind{kind("one", waiter), windows()}}})
			if err != nil {
				t.Fatal(err)
			}
			a.tell("window/w1", "hana", "secret")
			a.tell("one/hana", "hana", "secret")
			a.Settle()
			left = read
			err := a.forget(engine.Forgetting{})
			if stored := told(t, a.store, a.keys); stored != "" && !errors.Is(err, engine.ErrRest) {
				t.Errorf("away after %d rows: Forget() = %v, and stored is %s", read, err, stored)
			}
			if left = -1; crashes {
				a.crash()
			}
			a.Advance(time.Hour)
			if got := told(t, a.store, a.keys) + strings.Join(keys(t, a.store, "f/"), " "); got != "" {
				t.Errorf("away after %d rows: an hour after it is back, left is %s", read, got)
			}
		}
	}
}

// Nothing is stored of a conversation but its key, which cannot be destroyed for now. It is later, as a backup may
// hold rows that it opens.
func TestForgettingNothingButAKeyWaitsForIt(t *testing.T) {
	for _, sync := range []bool{false, true} {
		o := engine.SimOptions{Engine: engine.Options{Sync: sync, Kinds: []engine.Kind{
			kind("one", func(turn *actors.Turn, m messages.Message) error {
				if d, ok := m.(diary); ok && d.Words == "drop" {
					names.Delete(turn, "x")
				} else if ok {
					names.Put(turn, "x", string(d.Words))
				}
				return nil
			})}}}
		a := newAway(t, o, holds)
		a.tell("one/hana", "hana", "old")
		a.Settle()
		place := []byte("s/one/hana\x00names\x00x")
		backup, _, _ := a.store.Get(place)
		a.tell("one/hana", "hana", "drop")
		a.Settle()
		a.keys.away["hana"] = true
		if err := a.forget(engine.Forgetting{}); engine.KeyAway(err) == "" {
			t.Errorf("sync %v: Forget() = %v, want that it waits", sync, err)
		}
		a.crash()
		delete(a.keys.away, "hana")
		a.Advance(time.Hour)
		if plain, err := engine.OpenRow(a.keys, place, backup); err == nil {
			t.Errorf("sync %v: an hour after the key is back, a backup still opens: %s", sync, plain)
		}
		if left := keys(t, a.store, "f/"); len(left) > 0 {
			t.Errorf("sync %v: intents %q are left", sync, left)
		}
	}
}

// While a deletion waits for its key, it restarts nobody each time that it is tried.
func TestADeletionThatWaitsDisturbsNobody(t *testing.T) {
	codec, err := messages.NewCodec(events.Core(), simMessages, messages.Table{messages.Durable[diary](nil)})
	if err != nil {
		t.Fatal(err)
	}
	a := newAway(t, engine.SimOptions{}, holds)
	restarts := map[messages.Address]int{}
	a.Sim, err = engine.NewSim(engine.SimOptions{Engine: engine.Options{Store: a.store, Codec: codec, Sealer: a.keys,
		Kinds: []engine.Kind{kind("one", waiter), windows()},
		Listener: func(p engine.Published) {
			if m, ok := p.Message.(events.ActorRestarted); ok {
				restarts[m.Actor]++
			}
		}}})
	if err != nil {
		t.Fatal(err)
	}
	a.tell("window/w1", "ken", "words")
	a.tell("one/hana", "hana", "words")
	a.Settle()
	a.keys.away["hana"] = true
	if err := a.forget(engine.Forgetting{}); engine.KeyAway(err) == "" {
		t.Fatalf("Forget() = %v, want that it waits", err)
	}
	a.Advance(time.Minute)
	clear(restarts)
	a.Advance(24 * time.Hour)
	if len(restarts) > 0 {
		t.Errorf("restarted in a day are %v, want nobody", restarts)
	}
}

// While a rest waits for a key, nobody begins anew each time that it is tried.
func TestARestThatWaitsDisturbsNobody(t *testing.T) {
	w, made := windows(), 0
	inner := w.New
	w.New = func(addr messages.Address) actors.Actor {
		made++
		return inner(addr)
	}
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{w}}})
	a.tell("window/w1", "hana", "words")
	a.tell("window/w2", "ken", "words")
	a.Settle()
	a.keys.away["w1"] = true
	if err := a.forget(engine.Forgetting{}); !errors.Is(err, engine.ErrRest) {
		t.Fatalf("Forget() = %v, want that a rest waits", err)
	}
	a.Advance(time.Minute)
	made = 0
	a.Advance(24 * time.Hour)
	if made > 0 {
		t.Errorf("%d actors began anew in a day, want none", made)
	}
}

// A row that a turn before has deleted, and that is not committed yet, is not out of reach.
func TestARowThatIsDeletedIsNotOutOfReach(t *testing.T) {
	looked, out := 0, 0
	k := kind("many", func(turn *actors.Turn, m messages.Message) error {
		switch d, _ := m.(diary); d.Words {
		case "drop":
			names.Delete(turn, "hana")
		case "look":
			_, away := names.InReach(turn)
			looked, out = looked+1, out+len(away)
		default:
			names.Put(turn, string(d.Whom), string(d.Words))
		}
		return nil
	})
	k.SubjectOf = func(row string, _ []byte) messages.ConversationID {
		_, key := actors.SplitRow(row)
		return messages.ConversationID(key)
	}
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{k}}})
	a.tell("many/x", "hana", "words")
	a.Settle()
	a.crash("hana")
	a.tell("many/x", "ken", "drop")
	a.tell("many/x", "ken", "look")
	a.Control().Commit(10)
	for a.Turn() {
	}
	if looked != 1 || out > 0 {
		t.Errorf("it looked %d times before a commit, and %d rows were out of reach, want once and none", looked, out)
	}
}
