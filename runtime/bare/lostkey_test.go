package bare_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/runtime/bare"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/follow"
)

// lose removes the keys of a data directory but the node's, and returns how they come back. Without
// the list of the keys nothing misses them.
func lose(t *testing.T, data string) (back func()) {
	t.Helper()
	keys := filepath.Join(data, "keys")
	entries, err := os.ReadDir(keys)
	if err != nil {
		t.Fatal(err)
	}
	lost := map[string][]byte{}
	for _, e := range entries {
		if path := filepath.Join(keys, e.Name()); e.Name() != "node" {
			raw, err := os.ReadFile(path)
			if err = errors.Join(err, os.Remove(path)); err != nil {
				t.Fatal(err)
			}
			lost[path] = raw
		}
	}
	if len(lost) < 2 {
		t.Fatal("the store has no key but the node's: this test shows nothing")
	}
	return func() {
		for path, raw := range lost {
			if err := os.WriteFile(path, raw, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// An event whose key is lost stops a subscription, which says what is missing, until it is parked. It
// stays among the dead letters as it is stored, and is tried again when the key is back; not before.
func TestAnEventWhoseKeyIsLostIsParkedAndTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data, log := filepath.Join(t.TempDir(), "data"), bytes.Buffer{}
		var got []int
		book := map[string]follow.Handler{"book": func(_ context.Context, ev bare.Event) error {
			got = append(got, ev.Message.(counted).Cents)
			return nil
		}}
		want := func(what string, cents ...int) {
			t.Helper()
			synctest.Wait()
			if !slices.Equal(got, cents) {
				t.Errorf("%s: the subscription got %v, want %v", what, got, cents)
			}
		}
		o := till(data, &log)
		o.Retention = bare.Retention{}
		during(t, o, nil, func(rt *bare.Runtime) { inject(t, rt, 1) })
		back := lose(t, data)
		parked := ""
		during(t, o, book, func(rt *bare.Runtime) {
			if err := rt.Inject(t.Context(), "purse/yours", coin{2}, ""); err != nil {
				t.Fatal(err)
			}
			want("stopped")
			err := rt.Healthy()
			if err == nil || !strings.Contains(err.Error(), "there is no key") ||
				!strings.Contains(err.Error(), "Runtime.ParkEvent") || strings.Contains(err.Error(), "type") {
				t.Errorf("Healthy() = %v, want which key is missing, and what helps", err)
			}
			if err := rt.ParkEvent(t.Context(), "book"); err != nil {
				t.Fatal(err)
			}
			want("parked", 2)
			if !strings.Contains(log.String(), `"event_parked"`) {
				t.Errorf("the log does not tell of the event:\n%s", &log)
			}
			list, err := rt.DeadLetters()
			if err != nil || len(list) != 1 || list[0].Subscription != "book" || list[0].Type != "unreadable" ||
				!strings.Contains(list[0].Error, "there is no key") {
				t.Fatalf("DeadLetters() = %+v, %v, want the event, and which key is missing", list, err)
			}
			parked = list[0].ID
			if err := rt.RetryDeadLetter(t.Context(), parked); !errors.Is(err, engine.ErrNoKey) {
				t.Errorf("RetryDeadLetter() without the key = %v, want ErrNoKey", err)
			}
			want("sent again without the key", 2)
		})
		back()
		during(t, o, book, func(rt *bare.Runtime) {
			if err := rt.RetryDeadLetter(t.Context(), parked); err != nil {
				t.Fatal(err)
			}
			want("sent again with the key", 2, 1)
			if list, err := rt.DeadLetters(); err != nil || len(list) > 0 {
				t.Errorf("DeadLetters() = %+v, %v, want none", list, err)
			}
		})
	})
}

// A dead letter whose own key is lost can be discarded. It cannot be sent again.
func TestADeadLetterWhoseKeyIsLostIsDiscarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data, log := filepath.Join(t.TempDir(), "data"), bytes.Buffer{}
		o := till(data, &log)
		during(t, o, nil, func(rt *bare.Runtime) {
			inject(t, rt, -1)
			synctest.Wait()
		})
		lose(t, data)
		during(t, o, nil, func(rt *bare.Runtime) {
			list, err := rt.DeadLetters()
			if err != nil || len(list) != 1 || list[0].Type != "unreadable" {
				t.Fatalf("DeadLetters() = %+v, %v, want one that cannot be read", list, err)
			}
			if err := rt.RetryDeadLetter(t.Context(), list[0].ID); !errors.Is(err, engine.ErrNoKey) {
				t.Errorf("RetryDeadLetter() = %v, want ErrNoKey", err)
			}
			if err := rt.DiscardDeadLetter(t.Context(), list[0].ID); err != nil {
				t.Errorf("DiscardDeadLetter() = %v, want nil", err)
			}
			if list, err := rt.DeadLetters(); err != nil || len(list) > 0 {
				t.Errorf("DeadLetters() = %+v, %v, want none", list, err)
			}
		})
	})
}

// block puts a directory in the place of each key but the node's, and returns how they come back.
func block(t *testing.T, data string) (back func()) {
	t.Helper()
	aside := t.TempDir()
	paths, err := filepath.Glob(filepath.Join(data, "keys", strings.Repeat("?", 32)))
	for _, path := range paths {
		err = errors.Join(err, os.Rename(path, filepath.Join(aside, filepath.Base(path))), os.Mkdir(path, 0o700))
	}
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d keys are out of reach, %v: this test shows nothing", len(paths), err)
	}
	return func() {
		for _, path := range paths {
			kept := filepath.Join(aside, filepath.Base(path))
			if err := errors.Join(os.Remove(path), os.Rename(kept, path)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// told fails if what a runtime says of its health lacks a part.
func told(t *testing.T, rt *bare.Runtime, parts ...string) {
	t.Helper()
	err := rt.Healthy()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("Healthy() = %v, want %q in it", err, part)
		}
	}
}

// An event whose key cannot be read stops its subscription only until it can, also across a start: nobody
// has to do more than that, and nothing may put the event aside.
func TestASubscriptionWaitsForAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data, log := filepath.Join(t.TempDir(), "data"), bytes.Buffer{}
		var got []int
		book := map[string]follow.Handler{"book": func(_ context.Context, ev bare.Event) error {
			got = append(got, ev.Message.(counted).Cents)
			return nil
		}}
		o := till(data, &log)
		o.Retention = bare.Retention{}
		during(t, o, nil, func(rt *bare.Runtime) { inject(t, rt, 1) })
		back := block(t, data)
		waits := func(rt *bare.Runtime) {
			t.Helper()
			<-time.After(time.Hour)
			synctest.Wait()
			told(t, rt, `subscription "book" waits`, filepath.Join(data, "keys"), "move the directory away",
				"goes on by itself")
			if err := rt.Healthy(); strings.Contains(fmt.Sprint(err), "ParkEvent") {
				t.Errorf("Healthy() = %v, want no word of putting the event aside", err)
			}
			if err := rt.ParkEvent(t.Context(), "book"); !errors.Is(err, engine.ErrKeyAway) ||
				!strings.Contains(err.Error(), "goes on by itself") {
				t.Errorf("ParkEvent() = %v, want ErrKeyAway", err)
			}
			if list, err := rt.DeadLetters(); err != nil || len(list) > 0 || len(got) > 0 {
				t.Errorf("%+v, %v are put aside, and %v came, want neither", list, err, got)
			}
		}
		during(t, o, book, func(rt *bare.Runtime) {
			if err := rt.Inject(t.Context(), "purse/yours", coin{2}, ""); err != nil {
				t.Fatal(err)
			}
			waits(rt)
		})
		during(t, o, book, func(rt *bare.Runtime) {
			waits(rt)
			if !strings.Contains(log.String(), `"subscription_waits"`) {
				t.Errorf("the log does not say that it waits:\n%s", &log)
			}
			back()
			<-time.After(time.Minute)
			if err := rt.Healthy(); err != nil || !slices.Equal(got, []int{1, 2}) {
				t.Errorf("with the key back the subscription got %v, and Healthy() = %v, want both events", got, err)
			}
		})
	})
}

// A parked event that was sent again is handled once its key can be read, also across a start, and holds up
// no other until then.
func TestARetriedEventWaitsForItsKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data, log := filepath.Join(t.TempDir(), "data"), bytes.Buffer{}
		var got []int
		book := map[string]follow.Handler{"book": func(_ context.Context, ev bare.Event) error {
			got = append(got, ev.Message.(counted).Cents)
			return nil
		}}
		o := till(data, &log)
		o.Retention = bare.Retention{}
		during(t, o, nil, func(rt *bare.Runtime) { inject(t, rt, 1) })
		back := lose(t, data)
		during(t, o, book, func(rt *bare.Runtime) {
			synctest.Wait()
			if err := rt.ParkEvent(t.Context(), "book"); err != nil {
				t.Fatal(err)
			}
		})
		back()
		during(t, o, nil, func(rt *bare.Runtime) {
			list, err := rt.DeadLetters()
			if err != nil || len(list) != 1 {
				t.Fatalf("DeadLetters() = %+v, %v, want the event", list, err)
			}
			if err := rt.RetryDeadLetter(t.Context(), list[0].ID); err != nil {
				t.Fatal(err)
			}
		})
		back = block(t, data)
		for n := range 2 {
			during(t, o, book, func(rt *bare.Runtime) {
				if err := rt.Inject(t.Context(), "purse/yours", coin{2 + n}, ""); err != nil {
					t.Fatal(err)
				}
				<-time.After(time.Hour)
				synctest.Wait()
				told(t, rt, "put aside may wait for a key", filepath.Join(data, "keys"), "move the directory away")
				if n == 0 {
					return
				}
				back()
				<-time.After(time.Minute)
				list, err := rt.DeadLetters()
				err = errors.Join(err, rt.Healthy())
				if err != nil || len(list) > 0 || !slices.Equal(got, []int{2, 3, 1}) {
					t.Errorf("with the key back it got %v, and %+v stay, %v, want all three, none", got, list, err)
				}
			})
		}
	})
}
