package engine_test

import (
	"context"
	"testing"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

// publishes says of everything that it is told.
func publishes(turn *actors.Turn, m messages.Message) error {
	if d, ok := m.(diary); ok {
		turn.Publish(d)
	}
	return nil
}

// An event that a person moves to another conversation comes from there, and only if it came from that of whom it
// was about. It outlives the one that it was taken from.
func TestAnEventThatMovesComesFromWhereItIs(t *testing.T) {
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{kind("one", publishes)}}})
	a.tell("one/hana", "hana", "of Ken")
	a.tell("one/app", "hana", "of Ken, too")
	a.tell("one/hana", "hana", "of Hana")
	a.Settle()
	moved, err := 0, a.Await(func(ctx context.Context) error {
		_, err := a.Engine().ReviseLog(ctx, func(m messages.Message) (messages.Message, bool) {
			d, ok := m.(diary)
			if !ok || d.Words == "of Hana" {
				return nil, false
			}
			d.Whom = "ken"
			return d, true
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.forget(engine.Forgetting{}); err != nil {
		t.Fatal(err)
	}
	err = a.Engine().ReadLog(0, func(p engine.Published) bool {
		want := map[messages.Text]messages.Address{"of Ken": "one/ken", "of Ken, too": "one/app"}
		if d, ok := p.Message.(diary); ok && d.Whom == "ken" && p.From == want[d.Words] {
			moved++
		} else if ok {
			t.Errorf("left is %+v of %s", d, p.From)
		}
		return true
	})
	if err != nil || moved != 2 {
		t.Errorf("of what was moved to Ken are left %d, %v, want 2", moved, err)
	}
}

// An event is forgotten with whom it is about, not with whoever published it: older versions left it so that one
// which was moved came from the conversation that it was taken from.
func TestAnEventAboutAnotherStays(t *testing.T) {
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{kind("one", publishes)}}})
	a.tell("one/hana", "ken", "of Ken")
	a.tell("one/hana", "", "of nobody")
	a.tell("one/app", "hana", "of Hana")
	a.Settle()
	if err := a.forget(engine.Forgetting{}); err != nil {
		t.Fatal(err)
	}
	var left []messages.Text
	err := a.Engine().ReadLog(0, func(p engine.Published) bool {
		if d, ok := p.Message.(diary); ok {
			left = append(left, d.Words)
		}
		return true
	})
	if err != nil || len(left) != 1 || left[0] != "of Ken" {
		t.Errorf("left is %q, %v, want what is about Ken", left, err)
	}
}
