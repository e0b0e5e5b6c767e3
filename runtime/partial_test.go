package runtime_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store"
)

// TestAPartialForgettingHasNoFinishedReceipt: a deletion that a program with more knowledge began
// and that was interrupted keeps its key. The receipt says that it is gone only once it is.
func TestAPartialForgettingHasNoFinishedReceipt(t *testing.T) {
	cfg := noWindow(t)
	rt := newRuntime(t, cfg)
	stop := start(t, rt)
	learns(t, rt)
	if err := stop(); err != nil {
		t.Error(err)
	}
	st, err := store.Open(store.Options{Dir: filepath.Join(cfg.Data, "store")})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := datadir.OpenKeys(cfg)
	if err != nil {
		t.Fatal(err)
	}
	begun := engine.Op{Key: []byte("f/c-1")}
	begun.Value, err = keys.Seal([]byte("\x00ks\x01"), "", begun.Key,
		[]byte(`{"at":"2026-01-01T00:00:00Z","conversation":"c-1","kinds":["hosted"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Apply([]engine.Op{begun}, true); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	forget := func(rt *runtime.Runtime) (sum engine.Forgotten, r keyring.Receipt, key bool) {
		t.Helper()
		stop := start(t, rt)
		sum, err := rt.Forget(t.Context(), "c-1")
		if err != nil {
			t.Fatal(err)
		}
		if r, err = keyring.ReadReceipt(sum.Receipt); err != nil {
			t.Fatal(err)
		}
		e, err := rt.Backend().(admin.Backend).Engine()
		if err != nil {
			t.Fatal(err)
		}
		if _, key, err = e.KeyOf("c-1"); err != nil {
			t.Fatal(err)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		return sum, r, key
	}
	sum, r, key := forget(newRuntime(t, cfg))
	if !sum.Partial || !key || !r.ForgottenAt.IsZero() || r.Deleted != nil || len(r.Keys) != 1 {
		t.Errorf("Forget() = %+v with the key there (%v), its receipt is %+v; want it partial and not finished",
			sum, key, r)
	}
	path := sum.Receipt
	sum, r, key = forget(newRuntime(t, cfg, runtime.WithActor(engine.Kind{Name: "hosted",
		About: func(messages.ConversationID, string, []byte) bool { return false },
		New:   func(messages.Address) actors.Actor { return nil }})))
	if sum.Partial || key || r.ForgottenAt.IsZero() || sum.Receipt != path {
		t.Errorf("then Forget() = %+v with the key there (%v), its receipt is %+v; want %s, finished",
			sum, key, r, path)
	}
}

// TestAForgettingThatGoesOnHasItsReceipt: whoever asked for it may go away while it still looks for what to delete.
func TestAForgettingThatGoesOnHasItsReceipt(t *testing.T) {
	cfg := noWindow(t)
	rt := newRuntime(t, cfg)
	stop := start(t, rt)
	learns(t, rt)
	e, err := rt.Backend().(admin.Backend).Engine()
	if err != nil {
		t.Fatal(err)
	}
	key, ok, err := e.KeyOf("c-1")
	if err != nil || !ok {
		t.Fatalf("KeyOf() = %v, %v", ok, err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, ferr := rt.Forget(gone, "c-1")
	if err := stop(); err != nil { // which waits for what was begun
		t.Error(err)
	}
	rt = newRuntime(t, cfg)
	stop = start(t, rt)
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	if e, err = rt.Backend().(admin.Backend).Engine(); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := e.KeyOf("c-1"); err != nil || ok {
		t.Fatalf("after Forget() = %v the key is there (%v), %v", ferr, ok, err)
	}
	if told, err := keyring.Destroyed(datadir.Receipts(cfg)); err != nil || !slices.Contains(told, key) {
		t.Errorf("after Forget() = %v the receipts tell of %v, %v, want %v", ferr, told, err, key)
	}
}
