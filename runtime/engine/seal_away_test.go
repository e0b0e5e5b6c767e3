package engine_test

import (
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
