package runtime_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	goruntime "runtime"
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

// TestAForgettingThatNobodyWaitsForHasItsReceipt: whoever asked for it may go away, and the run may end, while it
// still looks for what to delete. Either all of it is done, at the latest by the next run, or nothing is.
func TestAForgettingThatNobodyWaitsForHasItsReceipt(t *testing.T) {
	for name, waits := range map[string]func(e *engine.Engine) bool{
		"at once":       func(*engine.Engine) bool { return true },
		"once it began": func(e *engine.Engine) bool { return e.Forgets("c-1") },
		"at its end":    func(*engine.Engine) bool { return false },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := noWindow(t)
			rt := newRuntime(t, cfg)
			stop := start(t, rt)
			learns(t, rt)
			e, err := rt.Backend().(admin.Backend).Engine()
			if err != nil {
				t.Fatal(err)
			}
			key := keyOf(t, rt, "c-1")
			if key == (engine.Key{}) {
				t.Fatal("the conversation has no key")
			}
			gone, leave := context.WithCancel(t.Context())
			asked := make(chan error, 1)
			go func() {
				_, err := rt.Forget(gone, "c-1")
				asked <- err
			}()
			for begun := false; !begun; {
				list, err := os.ReadDir(datadir.Receipts(cfg))
				if err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
				begun = len(list) > 0
			}
			leave()
			for !waits(e) && keyOf(t, rt, "c-1") == key {
				goruntime.Gosched()
			}
			ended := stop() // which waits for what was begun before it
			err = <-asked
			if left := new(runtime.Unfinished); ended != nil && (err == nil || !errors.As(ended, &left)) {
				t.Errorf("after Forget() = %v the run ended with %v", err, ended)
			}
			done := err == nil || errors.Is(err, engine.ErrHalfway)
			if !done && !errors.Is(err, engine.ErrStopped) {
				t.Errorf("Forget() = %v", err)
			}
			rt = newRuntime(t, cfg)
			stop = start(t, rt)
			if still := keyOf(t, rt, "c-1"); (still == engine.Key{}) != done {
				t.Errorf("after Forget() = %v its key is %v", err, still)
			}
			told, terr := keyring.Destroyed(datadir.Receipts(cfg))
			if terr != nil || slices.Contains(told, key) != done {
				t.Errorf("after Forget() = %v the receipts tell of %v, %v, want of %v only if it was done", err, told,
					terr, key)
			}
			if err := stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

// keyOf is the key of a conversation, zero if there is none.
func keyOf(t *testing.T, rt *runtime.Runtime, c messages.ConversationID) engine.Key {
	t.Helper()
	e, err := rt.Backend().(admin.Backend).Engine()
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := e.KeyOf(c)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
