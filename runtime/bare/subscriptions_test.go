package bare_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/bare"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/follow"
	"github.com/kehai-run/kehai/runtime/store"
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

type shut struct{ At int }

func (shut) MessageType() messages.Type { return messages.Type{Name: "test_shut", Version: 1} }

// A subscription that stops at an event of a type that is gone goes on at once when the event is parked;
// a program that knows the type again can have it tried once more, at once as well.
func TestAnEventOfALostTypeIsParkedAndTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data, log := filepath.Join(t.TempDir(), "data"), bytes.Buffer{}
		var got []string
		read := func(_ context.Context, ev bare.Event) error {
			got = append(got, ev.Message.MessageType().Name)
			return nil
		}
		want := func(want ...string) {
			t.Helper()
			synctest.Wait()
			if !slices.Equal(got, want) {
				t.Errorf("the subscription got %v, want %v", got, want)
			}
			got = nil
		}
		during(t, till(data, &log), nil, func(rt *bare.Runtime) { inject(t, rt, 1) })
		o := till(data, &log)
		o.Messages = []messages.Table{{
			messages.Durable[coin](nil).AboutNobody(), messages.Durable[shut](nil).AboutNobody(),
		}}
		o.Actors = []engine.Kind{bare.Func("purse", actors.On(func(turn *actors.Turn, m coin) error {
			turn.Publish(shut{m.Cents})
			return nil
		}))}
		parked := ""
		during(t, o, map[string]follow.Handler{"book": read}, func(rt *bare.Runtime) {
			inject(t, rt, 2)
			<-time.After(time.Minute)
			want()
			if err := rt.ParkEvent(t.Context(), "book"); err != nil {
				t.Fatal(err)
			}
			want("test_shut")
			if err := rt.ParkEvent(t.Context(), "book"); err == nil {
				t.Error("ParkEvent() at the end of the log = nil")
			}
			list, err := rt.DeadLetters()
			if err != nil || len(list) != 1 || list[0].Subscription != "book" {
				t.Fatalf("DeadLetters() = %+v, %v, want the event", list, err)
			}
			parked = list[0].ID
		})
		o = till(data, &log)
		o.Messages = append(o.Messages, messages.Table{messages.Durable[shut](nil).AboutNobody()})
		during(t, o, map[string]follow.Handler{"book": read}, func(rt *bare.Runtime) {
			want()
			if err := rt.RetryDeadLetter(t.Context(), parked); err != nil {
				t.Fatal(err)
			}
			want(counted{}.MessageType().Name)
			if list, err := rt.DeadLetters(); err != nil || len(list) > 0 {
				t.Errorf("DeadLetters() = %+v, %v, want none", list, err)
			}
		})
	})
}

// Each part of the retention deletes what it names, once an hour, and nothing else.
func TestRetentionDeletesWhatItNames(t *testing.T) {
	const half = 30 * time.Minute
	for class, keep := range map[string]bare.Retention{
		"":   {},
		"e/": {Events: half}, "v/": {Verdicts: half}, "d/": {DeadLetters: half}, "k/": {Injections: half},
	} {
		t.Run(strings.Trim(class, "/"), func(t *testing.T) {
			data, log := filepath.Join(t.TempDir(), "data"), bytes.Buffer{}
			synctest.Test(t, func(t *testing.T) {
				o := till(data, &log)
				o.Retention = keep
				o.Actors = []engine.Kind{bare.Func("purse", actors.On(func(turn *actors.Turn, m coin) error {
					if m.Cents < 0 {
						return errors.New("no such coin")
					}
					turn.Pass(events.StageDeliver, events.RuleNewerType, events.Detail{})
					turn.Publish(counted(m))
					return nil
				}))}
				during(t, o, nil, func(rt *bare.Runtime) {
					if err := rt.Inject(t.Context(), "purse/mine", coin{1}, "once"); err != nil {
						t.Fatal(err)
					}
					inject(t, rt, -1)
					<-time.After(150 * time.Minute)
				})
			})
			st, err := store.Open(store.Options{Dir: filepath.Join(data, "store")})
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			for _, prefix := range []string{"e/", "v/", "d/", "k/"} {
				there, want := 0, 1
				if prefix == class {
					want = 0
				}
				err := st.Scan([]byte(prefix), nil, func(_, _ []byte) bool { there++; return true })
				if err != nil || there != want {
					t.Errorf("%d rows of %s are kept, %v, want %d", there, prefix, err, want)
				}
			}
		})
	}
}

// An actor that has had nothing to do is put to sleep, and made anew by its next message.
func TestActorsSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, made := bytes.Buffer{}, 0
		o := till("", &log)
		purse := o.Actors[0].New
		o.Actors[0].New = func(a messages.Address) actors.Actor { made++; return purse(a) }
		during(t, o, nil, func(rt *bare.Runtime) {
			inject(t, rt, 1, 2)
			<-time.After(2 * engine.DefaultIdle)
			inject(t, rt, 3)
			synctest.Wait()
			if made != 2 {
				t.Errorf("the actor was made %d times, want once, and again after its sleep", made)
			}
		})
	})
}
