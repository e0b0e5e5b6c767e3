package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/engine"
)

// keptStore is a store that outlives the runtimes that close it.
type keptStore struct{ engine.Store }

func (keptStore) Close() error { return nil }

// wantProblem checks what Healthy says; "" means nil.
func wantProblem(t *testing.T, rt *runtime.Runtime, words ...string) {
	t.Helper()
	err := rt.Healthy()
	if len(words) == 0 && err != nil {
		t.Errorf("Healthy() = %v, want nil", err)
	}
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("Healthy() = %v, want it to say %q", err, w)
		}
	}
}

// next receives within a minute of virtual time, else 0.
func next[T any](got <-chan T) (v T) {
	select {
	case v = <-got:
	case <-time.After(time.Minute):
	}
	return v
}

func TestAPanickingSubscriberIsRetriedAndReported(t *testing.T) {
	for name, bug := range map[string]func(){
		"a panic with text": func() { panic("secret words of hana") },
		"a runtime error":   func() { _ = strings.Split("secret", ",")[7] },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				rt := newRuntime(t, noWindow(t), runtime.WithLogger(zerolog.New(zerolog.SyncWriter(&log))),
					runtime.WithStore(func() (engine.Store, error) { return memStore(), nil }))
				mended := make(chan uint64, 10)
				tries := 0
				var first uint64
				err := rt.Subscribe("bad", func(_ context.Context, ev runtime.Event) error {
					if tries++; tries <= 3 {
						if first == 0 {
							first = ev.Seq
						}
						bug()
					}
					mended <- ev.Seq
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				good := collect(t, rt, "good")
				stop := start(t, rt)
				began := time.Now()
				for range 2 {
					if err := rt.Inject(context.Background(), "notebook/a", note{1}, ""); err != nil {
						t.Fatal(err)
					}
				}
				next(good)
				next(good)
				synctest.Wait()
				wantProblem(t, rt, `subscription "bad" fails`, "retried")
				if seq := next(mended); seq != first {
					t.Errorf("event %d came after the panics, want %d again", seq, first)
				}
				if waited := time.Since(began); waited != 700*time.Millisecond {
					t.Errorf("three panics were retried within %v, want 100 + 200 + 400 ms", waited)
				}
				if seq := next(mended); seq <= first {
					t.Errorf("event %d came next, want one after %d", seq, first)
				}
				synctest.Wait()
				wantProblem(t, rt)
				if err := stop(); err != nil {
					t.Error(err)
				}
				for _, want := range []string{"subscription_failed", "handler panicked", "events_test.go"} {
					if !strings.Contains(log.String(), want) {
						t.Errorf("the log lacks %q:\n%s", want, log.String())
					}
				}
				if strings.Contains(log.String(), "secret") {
					t.Errorf("the log holds private text:\n%s", log.String())
				}
			})
		})
	}
}

// A program that lacks a type keeps the subscription before the event, and the
// event beyond its time; one that knows the type goes on from there.
func TestAnUnreadableEventIsNotAcknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := keptStore{memStore()}
		withStore := runtime.WithStore(func() (engine.Store, error) { return kept, nil })
		var first atomic.Uint64 // of the notes in the log
		rt := newRuntime(t, noWindow(t), withStore, runtime.WithListener(func(ev runtime.Event) {
			if _, ok := ev.Message.(note); ok {
				first.CompareAndSwap(0, ev.Seq)
			}
		}))
		stop := start(t, rt)
		for range 2 {
			if err := rt.Inject(context.Background(), "notebook/a", note{1}, ""); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if err := stop(); err != nil {
			t.Error(err)
		}

		cfg := noWindow(t)
		cfg.Retention.Messages = time.Hour
		rt, err := runtime.New(cfg, withStore)
		if err != nil {
			t.Fatal(err)
		}
		err = rt.Subscribe("host", func(_ context.Context, ev runtime.Event) error {
			t.Errorf("the handler got event %d, which cannot be read", ev.Seq)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		stop = start(t, rt)
		<-time.After(4 * time.Hour) // the events have outlived their time
		wantProblem(t, rt, `subscription "host" has stopped`, fmt.Sprintf("event %d:", first.Load()),
			`"host_note" version 1`, "table of message types")
		began := time.Now()
		wantBehind(t, stop(), "host")
		if took := time.Since(began); took > time.Second {
			t.Errorf("Run took %v to end: it waited for a subscription that has stopped", took)
		}

		rt = newRuntime(t, noWindow(t), withStore)
		got := collect(t, rt, "host")
		stop = start(t, rt)
		if first, second := next(got), next(got); first != 1 || second != 2 {
			t.Errorf("the handler got %d, %d, want 1, 2", first, second)
		}
		wantProblem(t, rt)
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// wantBehind checks that Run ended with the word that subscriptions are behind.
func wantBehind(t *testing.T, err error, names ...string) {
	t.Helper()
	var left *runtime.Unfinished
	if !errors.As(err, &left) || !slices.Equal(left.Behind, names) || !strings.Contains(err.Error(), names[0]) {
		t.Errorf("Run = %v, want that %q are behind", err, names)
	}
}

func injectNotes(t *testing.T, rt *runtime.Runtime, numbers ...int) {
	t.Helper()
	for _, n := range numbers {
		if err := rt.Inject(context.Background(), "notebook/a", note{n}, ""); err != nil {
			t.Fatal(err)
		}
	}
}

// An event that the handler always refuses is put aside, the next ones come, and
// when it is sent again it comes to this subscription alone.
func TestParkAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := keptStore{memStore()}
		rt := newRuntime(t, noWindow(t), runtime.WithStore(func() (engine.Store, error) { return kept, nil }))
		var tries atomic.Int32
		var mended atomic.Bool
		got := make(chan int, 10)
		err := rt.Subscribe("picky", func(_ context.Context, ev runtime.Event) error {
			n := ev.Message.(note).N
			if n == 3 && !mended.Load() {
				tries.Add(1)
				return errors.New("no threes\nsecond line")
			}
			got <- n
			return nil
		}, runtime.ParkAfter(3))
		if err != nil {
			t.Fatal(err)
		}
		other := collect(t, rt, "other")
		stop := start(t, rt)
		injectNotes(t, rt, 1, 2, 3)
		for _, want := range []int{1, 6} {
			if n := next(got); n != want {
				t.Errorf("the handler got %d, want %d", n, want)
			}
		}
		synctest.Wait()
		wantProblem(t, rt)
		list, err := rt.Backend().DeadLetters(t.Context())
		if err != nil || len(list) != 1 || list[0].Subscription != "picky" || list[0].Attempts != 3 ||
			tries.Load() != 3 {
			t.Fatalf("after %d tries the dead letters are %+v, %v, want one event after 3", tries.Load(), list, err)
		}
		for range 3 {
			if next(other) == 0 {
				t.Error("the other subscription lacks an event")
			}
		}
		if err := rt.Backend().RetryDeadLetter(t.Context(), list[0].ID); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if again, _ := rt.Backend().DeadLetters(t.Context()); len(again) != 1 || again[0].Attempts != 4 {
			t.Errorf("refused once more the dead letters are %+v, want one after 4 attempts", again)
		}
		mended.Store(true)
		if err := rt.Backend().RetryDeadLetter(t.Context(), list[0].ID); err != nil {
			t.Fatal(err)
		}
		if n := next(got); n != 3 {
			t.Errorf("sent again the handler got %d, want 3", n)
		}
		synctest.Wait()
		if again, _ := rt.Backend().DeadLetters(t.Context()); len(again) != 0 || len(other) != 0 {
			t.Errorf("%+v are left, and the other subscription got %d more events, want none", again, len(other))
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// A subscription that fails is behind when Run ends, which says so, at once.
func TestRunSaysWhoIsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := newRuntime(t, noWindow(t), runtime.WithStore(func() (engine.Store, error) { return memStore(), nil }))
		err := rt.Subscribe("host", func(context.Context,
			runtime.Event) error {
			return errors.New("not now\nprivate")
		})
		if err != nil {
			t.Fatal(err)
		}
		stop := start(t, rt)
		injectNotes(t, rt, 1)
		<-time.After(time.Minute)
		list, err := rt.Backend().Subscriptions(t.Context())
		want := []engine.Subscription{{Name: "host", Behind: 1, Error: "not now", Served: true}}
		if err != nil || !slices.Equal(list, want) {
			t.Errorf("Subscriptions() = %+v, %v, want %+v", list, err, want)
		}
		if err := rt.Backend().DropSubscription(t.Context(), "host"); err == nil {
			t.Error("DropSubscription() of one that is served = nil")
		}
		began := time.Now()
		wantBehind(t, stop(), "host")
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("Run took %v to end, want no wait for the next try", took)
		}
	})
}

// A backlog is left to the next start, and a handler that is under way is not
// interrupted.
func TestStopLeavesABacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := keptStore{memStore()}
		withStore := runtime.WithStore(func() (engine.Store, error) { return kept, nil })
		rt := newRuntime(t, noWindow(t), withStore)
		slow := 0
		err := rt.Subscribe("host", func(ctx context.Context, _ runtime.Event) error {
			<-time.After(300 * time.Millisecond)
			slow++
			return ctx.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
		stop := start(t, rt)
		injectNotes(t, rt, slices.Repeat([]int{1}, 50)...)
		began := time.Now()
		if err := stop(); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > 2*time.Second || slow == 0 || slow == 50 {
			t.Errorf("Run took %v to end with %d of 50 events handled, want a second and some", took, slow)
		}
		rt = newRuntime(t, noWindow(t), withStore)
		got := collect(t, rt, "host")
		stop = start(t, rt)
		if n := next(got); n != slow+1 {
			t.Errorf("the next start began with event %d, want %d", n, slow+1)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// Retention passes a subscription that this program does not have, and says so
// until it is dropped.
func TestRetentionPassesAMissingSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := keptStore{memStore()}
		cfg := noWindow(t)
		cfg.Retention.Messages = time.Hour
		withStore := runtime.WithStore(func() (engine.Store, error) { return kept, nil })
		rt := newRuntime(t, cfg, withStore)
		collect(t, rt, "old")
		stop := start(t, rt)
		synctest.Wait()
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		rt = newRuntime(t, cfg, withStore)
		stop = start(t, rt)
		injectNotes(t, rt, 1)
		<-time.After(4 * time.Hour)
		wantProblem(t, rt, `subscription "old" has missed events`, "kehai subscriptions drop old")
		list, err := rt.Backend().Subscriptions(t.Context())
		if err != nil || len(list) != 1 || list[0].Behind != 0 || list[0].Served {
			t.Errorf("Subscriptions() = %+v, %v, want the old one, not served, with nothing kept for it", list, err)
		}
		if err := rt.Backend().DropSubscription(t.Context(), "old"); err != nil {
			t.Fatal(err)
		}
		wantProblem(t, rt)
		if err := rt.Backend().DropSubscription(t.Context(), "old"); !errors.Is(err, engine.ErrNoSubscription) {
			t.Errorf("dropping it again = %v, want ErrNoSubscription", err)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}
