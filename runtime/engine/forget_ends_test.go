package engine_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// Whoever wants to know is told of the end of a key once the deletion is sure to be carried out, and before it: if that
// fails, or a crash comes, the next attempt tells it.
func TestTheEndOfAKeyIsToldBeforeIt(t *testing.T) {
	for _, crash := range []bool{false, true} {
		store, keys := mem.New(), keyring.Memory(nil)
		codec, err := messages.NewCodec(events.Core())
		if err != nil {
			t.Fatal(err)
		}
		var fails error
		var told []engine.Key
		made := func() engine.Control {
			e, err := engine.New(engine.Options{Store: store, Codec: codec, Clock: engine.SystemClock{},
				Driver: still{}, Sealer: keys, Sync: true,
				Kinds: []engine.Kind{{Name: "dedup", New: func(messages.Address) actors.Actor { return nil }}},
				Ends: func(key engine.Key) error {
					if now, ok, err := keys.KeyOf("line:Hana"); err != nil || !ok || now != key {
						t.Errorf("Ends(%v) while the key is %v, %v, %v", key, now, ok, err)
					}
					if _, ok, err := store.Get([]byte("f/line:Hana")); !ok || err != nil {
						t.Errorf("Ends() without an intent, %v", err)
					}
					told = append(told, key)
					return fails
				}})
			if err != nil {
				t.Fatal(err)
			}
			return e.Control()
		}
		e := made()
		if err := e.Recover(); err != nil {
			t.Fatal(err)
		}
		row := "s/dedup/line:Hana\x00tail\x001"
		sealed, err := keys.Seal([]byte("\x00ks\x01"), "line:Hana", []byte(row), []byte(`1 {"text":"secret"}`))
		if err != nil {
			t.Fatal(err)
		}
		fill(t, store, map[string]string{row: string(sealed)})
		key, _, err := keys.KeyOf("line:Hana")
		if err != nil {
			t.Fatal(err)
		}
		fails = engine.ErrKeyAway
		if _, err := forget(t, e, forgetHana); !errors.Is(err, engine.ErrKeyAway) {
			t.Errorf("Forget() where it cannot be told = %v, want %v", err, engine.ErrKeyAway)
		}
		if now, ok, err := keys.KeyOf("line:Hana"); err != nil || !ok || now != key {
			t.Errorf("after that the key is %v, %v, %v, want it there", now, ok, err)
		}
		fails = nil
		if crash {
			err = made().Recover()
		} else {
			_, err = forget(t, e, forgetHana)
		}
		if err != nil || !slices.Equal(told, []engine.Key{key, key}) {
			t.Errorf("crash %v: %v, told of %v, want %v twice", crash, err, told, key)
		}
		if _, ok, err := keys.KeyOf("line:Hana"); ok || err != nil {
			t.Errorf("crash %v: the key is there, %v", crash, err)
		}
	}
}
