package runtime_test

import (
	"bytes"
	"context"
	"fmt"
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
		if err := stop(); err != nil {
			t.Error(err)
		}
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
