package engine_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
)

// A rest is due while another deletion of the conversation is under way, which leaves a rest of its own: that one
// stays until its key is back.
func TestARestThatIsOvertakenLeavesTheNewerOne(t *testing.T) {
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{kind("one", waiter), windows()}}})
	a.tell("window/w1", "hana", "old")
	a.Settle()
	a.keys.away["w1"] = true
	if err := a.forget(engine.Forgetting{}); !errors.Is(err, engine.ErrRest) {
		t.Fatalf("Forget() = %v, want that a rest waits", err)
	}
	var second error
	a.Control().After("second", 10*time.Minute, func() { // when the rest is due, too
		a.Engine().ForgetLater(engine.Forgetting{Conversation: "hana"}, func(err error) { second = err })
		a.Control().Commit(1)
	})
	a.Advance(6 * time.Minute)
	a.tell("window/w2", "hana", "newer")
	a.Settle()
	delete(a.keys.away, "w1")
	a.keys.away["w2"] = true
	a.Advance(time.Hour)
	if left := keys(t, a.store, "f/"); !errors.Is(second, engine.ErrRest) || len(left) != 1 {
		t.Errorf("the second Forget() = %v, and left are the intents %q, want its rest", second, left)
	}
	delete(a.keys.away, "w2")
	a.Advance(time.Hour)
	if got := told(t, a.store, a.keys); got != "" {
		t.Errorf("stored is %s, want nothing", got)
	}
}

// restarts starts a program of these kinds.
func (a *away) restarts(kinds ...engine.Kind) {
	a.t.Helper()
	codec, err := messages.NewCodec(events.Core(), simMessages, messages.Table{messages.Durable[diary](nil)})
	if err != nil {
		a.t.Fatal(err)
	}
	a.Sim, err = engine.NewSim(engine.SimOptions{Engine: engine.Options{Kinds: kinds, Store: a.store, Codec: codec,
		Sealer: a.keys}})
	if err != nil {
		a.t.Fatal(err)
	}
	a.Advance(time.Hour)
}

// A program that cannot tell what others keep leaves a rest to one that can, also if the conversation is forgotten
// with it again.
func TestOnlyWhoKnowsFinishesARest(t *testing.T) {
	for _, again := range []bool{false, true} {
		a := restOf(t, engine.SimOptions{})
		delete(a.keys.away, "w1")
		a.restarts(kind("one", waiter))
		if again {
			if err := a.forget(engine.Forgetting{}); err != nil {
				t.Fatal(err)
			}
		}
		if left := keys(t, a.store, "f/"); len(left) != 1 {
			t.Errorf("again %v: the program that knows less has left the intents %q, want one", again, left)
		}
		a.restarts(kind("one", waiter), windows())
		if got := told(t, a.store, a.keys) + strings.Join(keys(t, a.store, "f/"), " "); got != "" {
			t.Errorf("again %v: left is %s, want nothing", again, got)
		}
	}
}

// Of a rest that waits for two keys, what can be read goes, by itself or at a start, and people are told of the key
// that is still away.
func TestARestDoesNotWaitForAllKeysTogether(t *testing.T) {
	for _, starts := range []bool{false, true} {
		a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{windows()}}})
		a.tell("window/w1", "hana", "old")
		a.tell("window/w2", "hana", "old")
		a.Settle()
		a.keys.away["w1"], a.keys.away["w2"] = true, true
		if err := a.forget(engine.Forgetting{}); !errors.Is(err, engine.ErrRest) {
			t.Fatalf("Forget() = %v, want that a rest waits", err)
		}
		if delete(a.keys.away, "w1"); starts {
			a.crash()
		}
		a.Advance(time.Hour)
		if got := keys(t, a.store, "s/window/"); len(got) != 1 || !strings.Contains(got[0], "w2") {
			t.Errorf("start %v: left are %q, want that of w2", starts, got)
		}
		if last := a.health[len(a.health)-1]; !strings.Contains(last.Key, "w2") {
			t.Errorf("start %v: people are told %+v, want the key of w2", starts, last)
		}
		delete(a.keys.away, "w2")
		a.Advance(time.Hour)
		left := append(keys(t, a.store, "s/"), keys(t, a.store, "f/")...)
		if last := a.health[len(a.health)-1]; len(left) > 0 || !last.Healthy {
			t.Errorf("start %v: left are %q and people are told %+v, want nothing", starts, left, last)
		}
	}
}

// reading are windows that say what they read of whom they are asked for.
func reading(read *[]string) engine.Kind {
	w := windows()
	inner := w.New
	w.New = func(addr messages.Address) actors.Actor {
		in := inner(addr)
		return actors.Func(func(turn *actors.Turn, m messages.Message) error {
			if d, ok := m.(diary); ok && d.Words == "pass on" {
				one, _ := names.Get(turn, string(d.Whom))
				for _, v := range names.All(turn) {
					one += "," + v
				}
				*read = append(*read, one)
				return nil
			}
			return in.Receive(turn, m)
		})
	}
	return w
}

// Nobody reads a row that a rest is to delete once its key is back, also after a start; what is written there
// since is read, and stays.
func TestNobodyReadsWhatARestIsToDelete(t *testing.T) {
	for _, starts := range []bool{false, true} {
		var read []string
		a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{reading(&read)}}})
		a.tell("window/w1", "hana", "old")
		a.tell("window/w2", "hana", "old")
		a.Settle()
		a.keys.away["w1"], a.keys.away["w2"] = true, true
		if err := a.forget(engine.Forgetting{}); !errors.Is(err, engine.ErrRest) {
			t.Fatalf("Forget() = %v, want that a rest waits", err)
		}
		if starts {
			a.crash()
		}
		delete(a.keys.away, "w1")
		a.tell("window/w1", "hana", "pass on")
		a.Settle()
		a.tell("window/w1", "hana", "new")
		a.tell("window/w1", "hana", "pass on")
		a.Settle()
		a.Advance(time.Minute)
		if want := []string{"", "new,new"}; !slices.Equal(read, want) {
			t.Errorf("start %v: read is %q, want %q", starts, read, want)
		}
		delete(a.keys.away, "w2")
		a.Advance(time.Hour)
		if got, want := told(t, a.store, a.keys), `window/w1 hana=1 "new"`; got != want {
			t.Errorf("start %v: stored is %s, want %s", starts, got, want)
		}
	}
}

// While a rest stands, a message that came since and whose key is then lost is put aside, as it is without one.
func TestARestHidesNoLostKey(t *testing.T) {
	a := restOf(t, engine.SimOptions{})
	a.tell("one/hana", "hana", "new")
	for range 3 {
		a.Control().Commit(3) // nobody acknowledges it
	}
	a.keys.bad["hana"] = true
	a.crash()
	a.Advance(time.Minute)
	if dead, err := a.Engine().DeadLetters(); err != nil || len(dead) != 1 {
		t.Errorf("DeadLetters() = %+v, %v, want the message whose key is lost", dead, err)
	}
}

// What goes by itself or at a start leaves the files and all that is kept outside the store, too: that is said before
// something is deleted, and again at the end.
func TestARestLeavesTheFiles(t *testing.T) {
	for _, starts := range []bool{false, true} {
		var a *away
		var said []string
		var bad error
		left := func() string { return strings.Join(keys(t, a.store, "s/"), " ") }
		o := engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{windows()},
			Deletes:   func() error { said = append(said, "before: "+left()); return bad },
			Elsewhere: func(c messages.ConversationID) { said = append(said, "after "+string(c)+": "+left()) }}}
		a = newAway(t, o)
		a.tell("window/w1", "hana", "old")
		a.Settle()
		a.keys.away["w1"] = true
		if err := a.forget(engine.Forgetting{}); !errors.Is(err, engine.ErrRest) || len(said) > 0 {
			t.Fatalf("Forget() = %v and said is %q, want that a rest waits", err, said)
		}
		a.Advance(time.Minute)
		row := left()
		if delete(a.keys.away, "w1"); starts {
			a.crash()
		} else { // it cannot be said at first
			bad = errors.New("the volume is full")
			a.Advance(5 * time.Minute)
			if said, bad = nil, nil; left() != row {
				t.Errorf("deleted is a row of which it could not be said that it has to leave the files")
			}
		}
		a.Advance(time.Hour)
		if want := []string{"before: " + row, "after hana: "}; !slices.Equal(said, want) {
			t.Errorf("start %v: said is %q, want %q", starts, said, want)
		}
	}
}

// mailFrom is a conversation that has written to plain/w1, whose key is out of reach before the mail is handled.
func mailFrom(t *testing.T, whom messages.ConversationID) *away {
	t.Helper()
	one := kind("one", func(turn *actors.Turn, m messages.Message) error {
		if d, ok := m.(diary); ok {
			turn.Send("plain/w1", diary{"", d.Words + " 1"})
			turn.Send("plain/w1", diary{"", d.Words + " 2"})
		}
		return nil
	})
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{one, kind("plain", waiter)}}})
	a.tell("plain/w1", "", "begin")
	a.Settle()
	a.tell(messages.To("one", string(whom)), whom, "word")
	for len(keys(t, a.store, "i/plain")) == 0 {
		a.Turn()
		a.Control().Commit(1)
	}
	a.keys.away["w1"] = true
	a.Settle()
	return a
}

// Mail waits for the key of whom it is for, in memory or at a start, while Hana is forgotten. Once that is back
// nothing of hers is handled, and all of another.
func TestMailThatWaitsDuringARest(t *testing.T) {
	for _, starts := range []bool{false, true} {
		for whom, want := range map[messages.ConversationID]string{
			"hana": `plain/w1 begin=1 ""`,
			"ken":  `plain/w1 begin=1 ""; plain/w1 word 1=1 ""; plain/w1 word 2=1 ""`,
		} {
			a := mailFrom(t, whom)
			if err := a.forget(engine.Forgetting{}); !errors.Is(err, engine.ErrRest) {
				t.Fatalf("Forget() = %v, want that a rest waits", err)
			}
			if a.Advance(time.Minute); starts {
				a.crash()
			}
			delete(a.keys.away, "w1")
			a.Advance(time.Hour)
			if got := told(t, a.store, a.keys); got != want {
				t.Errorf("from %s, start %v: stored is %s, want %s", whom, starts, got, want)
			}
			if left := append(keys(t, a.store, "i/"), keys(t, a.store, "f/")...); len(left) > 0 {
				t.Errorf("from %s, start %v: left are %q, want nothing", whom, starts, left)
			}
		}
	}
}

// lists are windows that add to what they have.
func lists() engine.Kind {
	w := kind("window", func(turn *actors.Turn, m messages.Message) error {
		if d, ok := m.(diary); ok {
			was, _ := names.Get(turn, string(d.Whom))
			names.Put(turn, string(d.Whom), was+" "+string(d.Words))
		}
		return nil
	})
	w.About = windows().About
	return w
}

// A rest names all rows that could not be read, also those of others: once they can be, they are there, and stay.
func TestARestLeavesWhatIsOfOthers(t *testing.T) {
	for _, starts := range []bool{false, true} {
		a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{lists()}}})
		a.tell("window/w1", "ken", "first")
		a.tell("window/w1", "hana", "old")
		a.Settle()
		a.keys.away["w1"] = true
		if err := a.forget(engine.Forgetting{}); !errors.Is(err, engine.ErrRest) {
			t.Fatalf("Forget() = %v, want that a rest waits", err)
		}
		if starts {
			a.crash()
		}
		delete(a.keys.away, "w1")
		a.tell("window/w1", "ken", "second")
		a.Advance(time.Hour)
		if got, want := told(t, a.store, a.keys), `window/w1 ken=1 " first second"`; got != want {
			t.Errorf("start %v: stored is %s, want %s", starts, got, want)
		}
	}
}

// A deletion dies, and the next start leaves a rest of it: that is hidden, too. Else it would be written anew, and
// outlive the deletion.
func TestNobodyReadsTheRestThatAStartLeaves(t *testing.T) {
	left := 0
	for writes := range 3 {
		o := engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{kind("one", waiter), lists()}}}
		a, disk := newDying(t, o)
		a.tell("window/w1", "hana", "old")
		a.tell("one/hana", "hana", "old")
		a.Settle()
		a.keys.away["w1"] = true
		disk.n = writes
		_ = a.forget(engine.Forgetting{})
		disk.n = math.MaxInt
		a.crash()
		if len(keys(t, a.store, "f/")) == 0 {
			continue
		}
		left++
		a.Advance(time.Minute)
		delete(a.keys.away, "w1")
		a.tell("window/w1", "hana", "new")
		a.Advance(time.Hour)
		if got, want := told(t, a.store, a.keys), `window/w1 hana=1 " new"`; got != want {
			t.Errorf("died after %d writes: stored is %s, want %s", writes, got, want)
		}
	}
	if left == 0 {
		t.Error("no start has left a rest")
	}
}

// A deletion waits for its key, and is due while another one of the conversation is under way, which ends: what has
// come since that stays.
func TestADeletionThatIsOvertakenTakesNothingNew(t *testing.T) {
	stuck := func(k *badKeys) { k.stuck = map[string]bool{"hana": true} }
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{kind("one", waiter)}}}, stuck)
	a.tell("one/hana", "hana", "old")
	a.Settle()
	if err := a.forget(engine.Forgetting{}); !errors.Is(err, engine.ErrKeyAway) {
		t.Fatalf("Forget() = %v, want that it waits", err)
	}
	ends := 0
	a.Control().After("second", 10*time.Minute, func() { // when the first is due, too
		a.Engine().ForgetLater(engine.Forgetting{Conversation: "hana"}, func(err error) {
			if ends++; err != nil {
				t.Error(err)
			}
			a.tell("one/hana", "hana", "new")
		})
		a.Control().Commit(1)
	})
	a.Advance(6 * time.Minute)
	delete(a.keys.stuck, "hana")
	a.Advance(time.Hour)
	if got, want := told(t, a.store, a.keys), `one/hana new=1 ""`; got != want || ends != 1 {
		t.Errorf("stored is %s, want %s", got, want)
	}
	if left := keys(t, a.store, "f/"); len(left) > 0 {
		t.Errorf("intents %q are left", left)
	}
}

// older makes the intent of a deletion of Hana that of an older version, which did not write a field.
func (a *away) older(without string) {
	a.t.Helper()
	key := []byte("f/hana")
	row, _, _ := a.store.Get(key)
	plain, err := engine.OpenRow(a.keys, key, row)
	var fields map[string]json.RawMessage
	if err = errors.Join(err, json.Unmarshal(plain, &fields)); err != nil || fields[without] == nil {
		a.t.Fatalf("%v, or there is no %s in %s", err, without, plain)
	}
	delete(fields, without)
	if plain, err = json.Marshal(fields); err != nil {
		a.t.Fatal(err)
	}
	if row, err = a.keys.Seal([]byte("\x00ks\x01"), "", key, plain); err != nil {
		a.t.Fatal(err)
	}
	if err := a.store.Apply([]engine.Op{{Key: key, Value: row}}, true); err != nil {
		a.t.Fatal(err)
	}
}

// Older versions wrote no digests of the rows that a rest names: it takes them as they are.
func TestARestWithoutDigests(t *testing.T) {
	a := restOf(t, engine.SimOptions{})
	a.older("sums")
	a.crash()
	delete(a.keys.away, "w1")
	a.Advance(time.Hour)
	if got := told(t, a.store, a.keys) + strings.Join(keys(t, a.store, "f/"), " "); got != "" {
		t.Errorf("left is %s, want nothing", got)
	}
}
