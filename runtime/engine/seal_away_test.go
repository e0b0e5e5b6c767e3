package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
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

// away is a simulation with diaries and with keys that can be out of reach.
type away struct {
	*engine.Sim
	t      *testing.T
	store  *mem.Store
	keys   badKeys
	health []events.ActorUnhealthy
	failed []events.MessageFailed
}

// newAway makes one whose actors and workers o names.
func newAway(t *testing.T, o engine.SimOptions) *away {
	t.Helper()
	codec, err := messages.NewCodec(events.Core(), simMessages, messages.Table{messages.Durable[diary](nil)})
	if err != nil {
		t.Fatal(err)
	}
	a := &away{t: t, store: mem.New(), keys: badKeys{Sealer: keyring.Memory(nil), away: map[string]bool{},
		bad: map[string]bool{}, late: map[string]bool{}}}
	o.Engine.Store, o.Engine.Sealer, o.Engine.Codec = a.store, a.keys, codec
	o.Engine.Listener = func(p engine.Published) {
		switch m := p.Message.(type) {
		case events.ActorUnhealthy:
			a.health = append(a.health, m)
		case events.MessageFailed:
			a.failed = append(a.failed, m)
		}
	}
	if a.Sim, err = engine.NewSim(o); err != nil {
		t.Fatal(err)
	}
	return a
}

// kind is a kind of actors, one function each.
func kind(name string, fn func(*actors.Turn, messages.Message) error) engine.Kind {
	return engine.Kind{Name: name, New: func(messages.Address) actors.Actor { return actors.Func(fn) }}
}

// tell sends an actor a diary.
func (a *away) tell(to messages.Address, whom messages.ConversationID, words messages.Text) {
	a.t.Helper()
	if _, err := a.Inject(to, diary{whom, words}, ""); err != nil {
		a.t.Fatal(err)
	}
}

// crash starts anew while the keys of some are out of reach.
func (a *away) crash(whoms ...string) {
	a.t.Helper()
	for _, whom := range whoms {
		a.keys.away[whom] = true
	}
	if err := a.Crash(); err != nil {
		a.t.Fatal(err)
	}
}

// Several turns of an actor wait for one commit, and the key of one goes away after it was ready. What the turns
// before it send is delivered, and the turns after it run again on what the store holds.
func TestATurnThatCannotBeSealedLeavesThoseBeforeIt(t *testing.T) {
	got := map[messages.ConversationID]int{}
	from := kind("from", func(turn *actors.Turn, m messages.Message) error {
		if d, ok := m.(diary); ok {
			names.Put(turn, string(d.Whom), string(d.Words))
			turn.Send(messages.To("to", string(d.Whom)), d)
		}
		return nil
	})
	from.SubjectOf = func(row string, _ []byte) messages.ConversationID {
		_, key := actors.SplitRow(row)
		return messages.ConversationID(key)
	}
	to := kind("to", func(turn *actors.Turn, m messages.Message) error {
		if d, ok := m.(diary); ok {
			got[d.Whom]++
		}
		return nil
	})
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{from, to}}})
	for _, whom := range []messages.ConversationID{"ken", "hana", "aki"} {
		a.tell("from/x", whom, "words")
	}
	a.Control().Commit(3) // the mail
	for a.Turn() {
	}
	a.keys.late["hana"] = true
	if n, _ := a.Control().Commit(3); n != 3 {
		t.Fatalf("a commit took %d turns, want all", n)
	}
	a.Advance(time.Hour)
	for _, whom := range whoms {
		if got[whom] != 1 {
			t.Errorf("got from %s: %d, want 1", whom, got[whom])
		}
	}
}

// An actor that reads its rows when it starts waits for their key: no message has failed, and people are told
// once which key it is. Its mail is handled once the key is back.
func TestAnActorThatReadsItsRowsAtItsStartWaitsForAKey(t *testing.T) {
	starts := 0
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{
		kind("one", func(turn *actors.Turn, m messages.Message) error {
			for range names.All(turn) {
				continue
			}
			switch m := m.(type) {
			case messages.Started:
				starts++
			case diary:
				names.Put(turn, string(m.Words), "")
			}
			return nil
		}),
	}}})
	a.tell("one/hana", "hana", "first")
	a.Settle()
	a.crash()
	a.tell("one/hana", "hana", "second")
	a.Commit()
	a.keys.away["hana"] = true
	a.Advance(time.Hour)
	if len(a.failed) > 0 {
		t.Errorf("%d messages have failed, the first of them %+v, want none", len(a.failed), a.failed[0])
	}
	if len(a.health) != 1 || !strings.Contains(a.health[0].Key, "key of hana") {
		t.Errorf("told of health is %+v, want once that hana's key is away", a.health)
	}
	delete(a.keys.away, "hana")
	starts = 0
	a.Advance(time.Minute)
	if got, want := told(t, a.store, a.keys), `one/hana first=1 ""; one/hana second=1 ""`; got != want {
		t.Errorf("with the key back stored is %s, want %s", got, want)
	}
	if starts != 1 {
		t.Errorf("with the key back the actor was started %d times, want once", starts)
	}
	if len(a.health) != 2 || !a.health[1].Healthy {
		t.Errorf("told of health is %+v, want that it works again", a.health)
	}
}

// People are told of the key that is still away, not of one that is back, and what the actor does.
func TestPeopleAreToldWhichKeyIsStillAway(t *testing.T) {
	shared := kind("shared", func(turn *actors.Turn, m messages.Message) error {
		d, ok := m.(diary)
		if !ok {
			return nil
		}
		for range names.All(turn) {
			continue
		}
		names.Put(turn, string(d.Whom), string(d.Words))
		return nil
	})
	shared.SubjectOf = func(row string, _ []byte) messages.ConversationID {
		_, key := actors.SplitRow(row)
		return messages.ConversationID(key)
	}
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{shared}}})
	a.tell("shared/x", "aki", "words")
	a.tell("shared/x", "hana", "words")
	a.Settle()
	a.keys.away["aki"], a.keys.away["hana"] = true, true
	a.tell("shared/x", "ken", "words")
	for _, whom := range []string{"aki", "hana"} {
		a.Advance(time.Hour)
		last := a.health[len(a.health)-1]
		if !strings.Contains(last.Key, "key of "+whom) || !strings.Contains(last.Reason, "it goes on by itself") {
			t.Errorf("told of health is %+v, want that it waits for the key of %s, and goes on by itself", last, whom)
		}
		delete(a.keys.away, whom)
	}
	a.Advance(time.Hour)
	if len(a.health) != 3 || !a.health[2].Healthy {
		t.Errorf("told of health is %+v, want each key once, and that it works again", a.health)
	}
}

// People are not told for ever that an actor waits for a key: not once the mail or the timer that needs it is
// forgotten, or put aside because the key is lost. The actor says so at once, whether more mail comes or not.
func TestAnActorWaitsForNoKeyOnceNothingNeedsIt(t *testing.T) {
	forgotten := func(a *away) error {
		return a.Await(func(ctx context.Context) error {
			_, err := a.Engine().Forget(ctx, engine.Forgetting{Conversation: "hana"})
			return err
		})
	}
	lost := func(a *away) error {
		delete(a.keys.away, "hana")
		a.keys.bad["hana"] = true
		return nil
	}
	for name, c := range map[string]struct {
		words messages.Text
		end   func(*away) error
		step  engine.Progress // that tells
	}{
		"mail forgotten":  {"first", forgotten, engine.Idle},
		"mail lost":       {"first", lost, engine.Stepped},
		"timer forgotten": {"set", forgotten, engine.Stepped},
		"timer lost":      {"set", lost, engine.Stepped},
	} {
		t.Run(name, func(t *testing.T) {
			var trace bytes.Buffer
			a := newAway(t, engine.SimOptions{Trace: &trace, Engine: engine.Options{
				Kinds: []engine.Kind{kind("one", waiter)},
			}})
			a.tell("one/hana", "hana", c.words)
			if c.words == "set" {
				a.Settle()
				a.keys.away["hana"] = true
				a.Advance(3 * time.Hour)
			} else {
				a.Commit()
				a.crash("hana")
			}
			a.Advance(time.Hour)
			if len(a.health) != 1 || a.health[0].Key == "" {
				t.Fatalf("told of health is %+v, want once for which key it waits", a.health)
			}
			if err := c.end(a); err != nil {
				t.Fatal(err)
			}
			a.Advance(time.Hour)
			if len(a.health) != 2 || !a.health[1].Healthy {
				t.Errorf("told of health is %+v, want that it waits no more", a.health)
			}
			_, after, _ := strings.Cut(trace.String()[strings.LastIndex(trace.String(), "actor_unhealthy"):], "\n")
			if step, _, _ := strings.Cut(after, "\n"); !strings.HasSuffix(step, fmt.Sprint("one/hana ", int(c.step))) {
				t.Errorf("told in %q, want in a step that is %d", step, c.step)
			}
		})
	}
}

// An actor that fails at each fleeting message is unhealthy until it handles one, and not once none is left.
func TestAnActorThatFailsIsNotHealthyWithoutMail(t *testing.T) {
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{
		kind("one", func(_ *actors.Turn, m messages.Message) error {
			if g, ok := m.(glance); ok && g.N == 0 {
				return errors.New("no good")
			}
			return nil
		}),
	}}})
	send := func(n int) {
		if _, err := a.Inject("one/x", glance{N: n}, ""); err != nil {
			t.Fatal(err)
		}
		a.Advance(time.Minute)
	}
	for range 12 {
		send(0)
	}
	if len(a.health) != 1 || a.health[0].Healthy || a.health[0].Key != "" {
		t.Errorf("told of health is %+v, want once that it fails", a.health)
	}
	send(1)
	if len(a.health) != 2 || !a.health[1].Healthy {
		t.Errorf("told of health is %+v, want that it works again", a.health)
	}
}

// Mail is handled up to what needs a key that is out of reach.
func TestMailDoesNotWaitForTheKeyOfWhatIsBehindIt(t *testing.T) {
	got := map[messages.ConversationID]int{}
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{
		kind("one", func(_ *actors.Turn, m messages.Message) error {
			if d, ok := m.(diary); ok {
				got[d.Whom]++
			}
			return nil
		}),
	}}})
	for _, whom := range []messages.ConversationID{"ken", "hana", "aki"} {
		a.tell("one/x", whom, "words")
	}
	a.Control().Commit(3)
	a.crash("hana")
	a.Advance(time.Hour)
	if want := map[messages.ConversationID]int{"ken": 1}; !maps.Equal(got, want) {
		t.Errorf("handled %v without the key of hana, want %v", got, want)
	}
	delete(a.keys.away, "hana")
	a.Advance(time.Minute)
	if want := map[messages.ConversationID]int{"ken": 1, "hana": 1, "aki": 1}; !maps.Equal(got, want) {
		t.Errorf("handled %v with it, want %v", got, want)
	}
}
