package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit"
)

// stuckKeys can be read, and none destroyed while on.
type stuckKeys struct {
	*keyring.Ring
	on atomic.Bool
}

func (k *stuckKeys) Destroy(subject string) error {
	if _, there, err := k.KeyOf(subject); k.on.Load() && (there || err != nil) {
		return fmt.Errorf("keys/list: make its volume writable: %w", engine.ErrKeyAway)
	}
	return k.Ring.Destroy(subject)
}

// TestForgettingTwoThatAreOneWaits for the keys of both, and goes on by itself, also after a crash.
func TestForgettingTwoThatAreOneWaits(t *testing.T) {
	for _, crash := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			keys := &stuckKeys{Ring: keyring.Memory(nil)}
			s := testkit.Start(t, testkit.WithRuntime(runtime.WithSealer(keys)))
			s.Friend("Hana", "Good morning from Hana", "How are you today?")
			s.Advance(20 * time.Second)
			s.Friend("Kenji", "Kenji says hello", "When do we meet?")
			s.Advance(20 * time.Second)
			hana := s.ID("Hana")
			if err := s.Runtime.Merge(t.Context(), "Kenji", "line:Hana"); err != nil {
				t.Fatal(err)
			}
			s.Advance(20 * time.Second)
			s.Friend("Hana", "Hana speaks again")
			s.Advance(20 * time.Second)
			if got := listed(t, s, hana); len(got) != 5 {
				t.Fatalf("listed %q, want what both said", got)
			}
			keys.on.Store(true)
			if _, err := s.Runtime.Forget(t.Context(), hana); !errors.Is(err, engine.ErrKeyAway) {
				t.Errorf("Forget() = %v, want that it waits for a key", err)
			}
			if crash {
				s.Crash()
			}
			keys.on.Store(false)
			s.Advance(time.Hour)
			if got := listed(t, s, hana); len(got) > 0 {
				t.Errorf("crash %v: %q is left an hour after the keys are back", crash, got)
			}
		})
	}
}

// TestForgettingTwoThatAreOneGoesOn with both, though whoever asked for it has gone away.
func TestForgettingTwoThatAreOneGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t)
		s.Friend("Hana", "Good morning from Hana", "How are you today?")
		s.Advance(20 * time.Second)
		s.Friend("Kenji", "Kenji says hello", "When do we meet?")
		s.Advance(20 * time.Second)
		hana := s.ID("Hana")
		if err := s.Runtime.Merge(t.Context(), "Kenji", "line:Hana"); err != nil {
			t.Fatal(err)
		}
		s.Advance(20 * time.Second)
		if got := listed(t, s, hana); len(got) != 4 {
			t.Fatalf("listed %q, want what both said", got)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		_, err := s.Runtime.Forget(gone, hana)
		s.Advance(time.Minute)
		if got := listed(t, s, hana); len(got) > 0 {
			t.Errorf("a minute after Forget() = %v %q is left", err, got)
		}
	})
}

// TestAGuestsKeyEndsAtOnce, also where the deletion of the conversation waits for a key.
func TestAGuestsKeyEndsAtOnce(t *testing.T) {
	data, keys := t.TempDir(), &stuckKeys{Ring: keyring.Memory(nil)}
	rt, stop := talking(t, data, runtime.WithSealer(keys))
	k := newClient(t, rt)
	k.json(http.StatusCreated, opTalks, "POST", opTalks, `{"channel":"web","name":"guest"}`)
	link, err := rt.Backend().(control.PageBackend).PageLink(t.Context(), "web:guest")
	if err != nil {
		t.Fatal(err)
	}
	guest := opened(t, link).token
	keys.on.Store(true)
	if _, err := rt.Forget(t.Context(), "web:guest"); !errors.Is(err, engine.ErrKeyAway) {
		t.Errorf("Forget() = %v, want that it waits for a key", err)
	}
	for _, restarted := range []bool{false, true} {
		if restarted {
			stop()
			rt, stop = talking(t, data, runtime.WithSealer(keys))
		}
		k = newClient(t, rt)
		k.token = guest
		if resp := k.ask("GET", opTalks, ""); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("restarted %v: the guest's key opens the page: %d, want 401", restarted, resp.StatusCode)
		}
	}
	stop()
}

// TestNobodyIsToldApartWhoIsBeingForgotten: what was told apart would outlive that.
func TestNobodyIsToldApartWhoIsBeingForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keys := &stuckKeys{Ring: keyring.Memory(nil)}
		s := testkit.Start(t, testkit.WithRuntime(runtime.WithSealer(keys)))
		s.Friend("Kenji", "Kenji says hello", "When do we meet?")
		s.Advance(20 * time.Second)
		kenji, said := s.ID("Kenji"), s.Messages()
		keys.on.Store(true)
		if _, err := s.Runtime.Forget(t.Context(), kenji); !errors.Is(err, engine.ErrKeyAway) {
			t.Fatalf("Forget() = %v, want that it waits for a key", err)
		}
		split := control.Split{Conversation: kenji, Name: "Other", Messages: []messages.MessageID{said[0].ID}}
		if _, err := s.Runtime.Split(t.Context(), split); !errors.Is(err, control.ErrNoConversation) {
			t.Errorf("Split() of who is being forgotten = %v, want %v", err, control.ErrNoConversation)
		}
	})
}

// TestANameIsNotEnoughToForget while a conversation is out of reach, which may have it too. An id is.
func TestANameIsNotEnoughToForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, keys, ctx := mem.New(), oneAway{keyring.Memory(nil), &atomic.Value{}}, t.Context()
		keys.whose.Store("")
		begin := func() (*runtime.Runtime, func() error) {
			rt := newRuntime(t, noWindow(t), runtime.WithSealer(keys),
				runtime.WithStore(func() (engine.Store, error) { return st, nil }))
			return rt, start(t, rt)
		}
		rt, stop := begin()
		aki, err := rt.Conversation(ctx, "line", "Aki")
		if err != nil {
			t.Fatal(err)
		}
		ken, err := rt.Conversation(ctx, "line", "Ken")
		if err != nil {
			t.Fatal(err)
		}
		if err := rt.Rename(ctx, ken, "Aki"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		st = st.Clone()
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		keys.whose.Store(string(aki))
		rt, stop = begin()
		within, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		if _, err := rt.Forget(within, "Aki"); !errors.Is(err, engine.ErrKeyAway) {
			t.Errorf("Forget(Aki) = %v, want %v: the other one has this name too", err, engine.ErrKeyAway)
		}
		if err := rt.Rename(within, "Aki", "Aki two"); !errors.Is(err, engine.ErrKeyAway) {
			t.Errorf("Rename(Aki) = %v, want %v", err, engine.ErrKeyAway)
		}
		if _, err := rt.Forget(within, ken); err != nil && !errors.Is(err, engine.ErrRest) {
			t.Errorf("Forget(%s) = %v, want it forgotten", ken, err)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// oneDamaged is a sealer of which one key is damaged.
type oneDamaged struct{ oneAway }

func (d oneDamaged) Open(place, sealed []byte) ([]byte, error) {
	if w := d.whose.Load().(string); w != "" && d.Under(w, sealed) {
		return nil, fmt.Errorf("keys/1234 is damaged: %w", engine.ErrNoKey)
	}
	return d.Sealer.Open(place, sealed)
}

func (d oneDamaged) Ready(subject string) error { return d.Sealer.Ready(subject) }

// TestTheNameOfALostKeyIsNotForgotten: where the key of a conversation is damaged, its name finds nothing, and
// nothing may be called gone that a copy of the key brings back. Its id, and other names, are forgotten.
func TestTheNameOfALostKeyIsNotForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, keys, ctx := mem.New(), oneDamaged{oneAway{keyring.Memory(nil), &atomic.Value{}}}, t.Context()
		keys.whose.Store("")
		rt := newRuntime(t, noWindow(t), runtime.WithSealer(keys),
			runtime.WithStore(func() (engine.Store, error) { return st, nil }))
		stop := start(t, rt)
		aki, err := rt.Conversation(ctx, "line", "Aki")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rt.Conversation(ctx, "line", "Ken"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		keys.whose.Store(string(aki))
		_, err = rt.Forget(ctx, "line:Aki")
		for _, want := range []string{"kehai key restore FILE", "kehai forget " + string(aki)} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("Forget(the name of a damaged key) = %v, want %q in it", err, want)
			}
		}
		if _, err := rt.Forget(ctx, "line:Ken"); err != nil {
			t.Errorf("Forget(Ken) = %v, want it forgotten: its name is known", err)
		}
		if _, err := rt.Forget(ctx, aki); err != nil {
			t.Errorf("Forget(%s) = %v, want it forgotten", aki, err)
		}
		if _, err := rt.Forget(ctx, "line:Aki"); err != nil {
			t.Errorf("Forget(Aki) after its id = %v, want that nothing is left", err)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}
