package engine_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// believing is an engine whose commits a test makes.
func believing(t *testing.T, s engine.Store) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Options{Store: s, Codec: testCodec(t), Clock: engine.SystemClock{}, Driver: still{},
		Kinds: []engine.Kind{{Name: "keeper", Here: true, New: func(messages.Address) actors.Actor { return nil }}}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// wantStatus applies changes and wants to know what became of them.
func wantStatus(t *testing.T, e *engine.Engine, want string, changes ...engine.Change) {
	t.Helper()
	results, err := e.ApplyHere(changes...)
	var list []engine.Status
	for _, r := range results {
		list = append(list, r.Status)
	}
	if got := fmt.Sprint(list); err != nil || got != want {
		t.Errorf("the changes are %s, %v, want %s", got, err, want)
	}
}

func mailKey(n uint64) []byte { return binary.BigEndian.AppendUint64([]byte("i/keeper/a\x00"), n) }

func claim(epoch uint64) engine.Op {
	return engine.Op{Key: engine.EpochKey("keeper/a"), Value: binary.BigEndian.AppendUint64(nil, epoch)}
}

// After a write that may or may not have happened, nothing remembered of the store counts:
// neither that mail is there, nor who owns an actor.
func TestNothingIsBelievedAfterAnUnknownWrite(t *testing.T) {
	for _, writes := range []bool{true, false} {
		store := &silent{Store: mem.New(), writes: writes}
		e := believing(t, store)
		turn := engine.Change{Actor: "keeper/a", Epoch: 1, Receipt: mailKey(1)}
		mail := engine.Op{Key: mailKey(1), Value: []byte("{}")}
		wantStatus(t, e, "[committed committed]", engine.Change{Ops: []engine.Op{mail}}, turn)
		store.next = true
		_, err := e.ApplyHere(engine.Change{Ops: []engine.Op{{Key: mailKey(1), Delete: true}}})
		if !errors.Is(err, engine.ErrUnknown) {
			t.Fatal(err)
		}
		want := map[bool]string{true: "[stale]", false: "[committed]"}[writes]
		wantStatus(t, e, want, turn)
		store.next = true
		if _, err = e.ApplyHere(engine.Change{Ops: []engine.Op{claim(2)}}); !errors.Is(err, engine.ErrUnknown) {
			t.Fatal(err)
		}
		turn.Receipt = nil
		wantStatus(t, e, want, turn)
	}
}

// Where a transaction changes whose an actor is, what was believed of it does not count
// for what follows in it, nor later.
func TestAClaimCountsAtOnce(t *testing.T) {
	e := believing(t, mem.New())
	old, now := engine.Change{Actor: "keeper/a", Epoch: 1}, engine.Change{Actor: "keeper/a", Epoch: 2}
	wantStatus(t, e, "[committed]", old)
	wantStatus(t, e, "[committed stale]", engine.Change{Ops: []engine.Op{claim(2)}}, old)
	wantStatus(t, e, "[stale]", old)
	wantStatus(t, e, "[committed]", now)
	wantStatus(t, e, "[committed committed]", engine.Change{Ops: []engine.Op{claim(3)}},
		engine.Change{Actor: "keeper/a", Epoch: 3})
	wantStatus(t, e, "[stale]", now)
}

// However much is written, no more is kept in mind than it says.
func TestWhatIsBelievedIsBounded(t *testing.T) {
	e := believing(t, mem.New())
	const atOnce = 1 << 10
	for n := 0; n < engine.MaxKnown+2*atOnce; n += atOnce {
		var changes []engine.Change
		for i := range atOnce {
			changes = append(changes, engine.Change{Actor: messages.To("keeper", fmt.Sprint(n+i)), Epoch: 1,
				Ops: []engine.Op{{Key: mailKey(uint64(n + i)), Value: []byte("{}")}}})
		}
		if _, err := e.ApplyHere(changes...); err != nil {
			t.Fatal(err)
		}
		mail, epochs := e.Known()
		if mail > engine.MaxKnown || epochs > engine.MaxKnown || mail == 0 || epochs == 0 {
			t.Fatalf("%d messages and %d owners are in mind, want some, and %d at most", mail, epochs, engine.MaxKnown)
		}
	}
}
