package bare_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/bare"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/follow"
)

// till is a host that counts coins, and keeps what it counted for half an hour.
func till(data string, log *bytes.Buffer) bare.Options {
	return bare.Options{
		Data: data, Log: zerolog.New(zerolog.SyncWriter(log)), Retention: bare.Retention{Events: 30 * time.Minute},
		Actors: []engine.Kind{bare.Func("purse", actors.On(func(turn *actors.Turn, m coin) error {
			if m.Cents < 0 {
				return errors.New("no such coin")
			}
			turn.Publish(counted(m))
			return nil
		}))},
		Messages: []messages.Table{{
			messages.Durable[coin](nil).AboutNobody(), messages.Durable[counted](nil).AboutNobody(),
		}},
	}
}

// during runs a host for what use does.
func during(t *testing.T, o bare.Options, subscribed map[string]follow.Handler, use func(*bare.Runtime)) error {
	t.Helper()
	rt, err := bare.New(o)
	for name, handler := range subscribed {
		if err == nil {
			err = rt.Subscribe(name, handler)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- rt.Run(ctx) }()
	<-rt.Ready()
	use(rt)
	stop()
	return <-ended
}

func inject(t *testing.T, rt *bare.Runtime, cents ...int) {
	t.Helper()
	for _, n := range cents {
		if err := rt.Inject(t.Context(), "purse/mine", coin{n}, ""); err != nil {
			t.Fatal(err)
		}
	}
}

// A subscription that is behind keeps the events, until the program no longer has it and drops its
// place.
func TestADroppedSubscriptionFreesTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data, log := filepath.Join(t.TempDir(), "data"), bytes.Buffer{}
		list := func(rt *bare.Runtime) (s engine.Subscription) {
			t.Helper()
			list, err := rt.Subscriptions()
			if err != nil || len(list) > 1 {
				t.Fatalf("Subscriptions() = %+v, %v, want one at most", list, err)
			}
			for _, s = range list {
			}
			return s
		}
		stuck := func(context.Context, bare.Event) error { return errors.New("the till is shut") }
		during(t, till(data, &log), map[string]follow.Handler{"old": stuck}, func(rt *bare.Runtime) {
			inject(t, rt, 1, 2, 3)
			<-time.After(90 * time.Minute)
			if s := list(rt); s.Name != "old" || s.Behind != 3 || !s.Served || s.Error != "the till is shut" {
				t.Errorf("Subscriptions() = %+v, want all three events kept, and why", s)
			}
			if err := rt.DropSubscription(t.Context(), "old"); err == nil {
				t.Error("DropSubscription() of one that is served = nil")
			}
		})
		during(t, till(data, &log), nil, func(rt *bare.Runtime) {
			synctest.Wait()
			if s := list(rt); s.Name != "old" || s.Served || s.Behind != 0 {
				t.Errorf("Subscriptions() = %+v, want the old one, not served, with nothing kept for it", s)
			}
			if err := rt.DropSubscription(t.Context(), "old"); err != nil {
				t.Error(err)
			}
			if err := rt.DropSubscription(t.Context(), "old"); !errors.Is(err, engine.ErrNoSubscription) {
				t.Errorf("dropping it again = %v, want ErrNoSubscription", err)
			}
			<-time.After(90 * time.Minute)
			if err := rt.Healthy(); err != nil {
				t.Errorf("Healthy() = %v, want nil", err)
			}
		})
		during(t, till(data, &log), map[string]follow.Handler{"new": stuck}, func(rt *bare.Runtime) {
			<-time.After(time.Minute)
			if s := list(rt); s.Name != "new" || s.Behind != 0 || s.Error != "" {
				t.Errorf("Subscriptions() = %+v, want nothing left for a new one", s)
			}
		})
	})
}

// What goes wrong in a host is mended with what the host has, which is no command of Kehai.
func TestAHostIsSentToNoCommandOfKehai(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data, log := filepath.Join(t.TempDir(), "data"), bytes.Buffer{}
		var said []string
		say := func(want string, err error) {
			t.Helper()
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the host is told %v, want %q", err, want)
				return
			}
			said = append(said, err.Error())
		}
		over := make(chan struct{})
		err := during(t, till(data, &log), map[string]follow.Handler{
			"hangs": func(context.Context, bare.Event) error { <-over; return nil },
			"fails": func(context.Context, bare.Event) error { return errors.New("the till is shut") },
			"old":   func(context.Context, bare.Event) error { return nil },
		}, func(rt *bare.Runtime) {
			inject(t, rt, 1, -1)
			<-time.After(10 * time.Minute)
			say("Runtime.Subscriptions", rt.Healthy())
			say("Runtime.DeadLetters", rt.Healthy())
			say("Runtime.DropSubscription", rt.DropSubscription(t.Context(), "fails"))
			_, err := bare.New(bare.Options{Data: data})
			if err != nil {
				t.Fatal(err)
			}
			say("this process", during(t, till(data, &log), nil, func(*bare.Runtime) {}))
		})
		close(over)
		say("Runtime.Subscriptions", err)
		during(t, till(data, &log), nil, func(rt *bare.Runtime) {
			inject(t, rt, 2)
			<-time.After(90 * time.Minute)
			say("Runtime.DropSubscription", rt.Healthy()) // the others have missed an event
		})
		took := func(context.Context, bare.Event) error { return nil }
		during(t, till(data, &log), map[string]follow.Handler{"old": took}, func(rt *bare.Runtime) {
			synctest.Wait()
			say("Options.Retention", rt.Healthy())
		})
		keys := filepath.Join(data, "keys")
		entries, err := os.ReadDir(keys)
		if err != nil {
			t.Fatal(err)
		}
		whole := map[string][]byte{}
		for _, e := range entries {
			if e.Name() != "list" && e.Name() != "node" {
				whole[e.Name()], err = os.ReadFile(filepath.Join(keys, e.Name()))
				if err = errors.Join(err, os.Remove(filepath.Join(keys, e.Name()))); err != nil {
					t.Fatal(err)
				}
			}
		}
		if len(whole) > 0 {
			say("put it back", during(t, till(data, &log), nil, func(*bare.Runtime) {}))
			for name, raw := range whole {
				if err := os.WriteFile(filepath.Join(keys, name), raw, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := os.Remove(filepath.Join(data, "store", "MANIFEST")); err != nil {
			t.Fatal(err)
		}
		say("a copy of the data directory", during(t, till(data, &log), nil, func(*bare.Runtime) {}))
		for _, text := range append(said, log.String()) {
			if strings.Contains(text, "kehai ") {
				t.Errorf("a host is told of a command: %s", text)
			}
		}
		if !strings.Contains(log.String(), "set aside as a dead letter") {
			t.Errorf("the log has no dead letter:\n%s", &log)
		}
	})
}
