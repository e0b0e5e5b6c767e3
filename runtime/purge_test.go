package runtime_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
)

// secret is a host's message with a text.
type secret struct{ Text string }

func (secret) MessageType() messages.Type { return messages.Type{Name: "host_secret", Version: 1} }

// TestForgottenBytesLeaveTheFiles looks into all files of a data directory while its
// runtime runs, and afterwards: with a small store, and with a large one.
func TestForgottenBytesLeaveTheFiles(t *testing.T) {
	for name, size := range map[string]int{"small": 0, "large": 30 << 20} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() {
				size /= 10
			}
			forgottenBytes(t, size)
		})
	}
}

// fillUp stores so many bytes about others.
func fillUp(t *testing.T, rt *runtime.Runtime, size int) {
	t.Helper()
	const each, atOnce = 8 << 10, 64
	words := make([]byte, each/2)
	for left := size; left > 0; left -= atOnce * each {
		var all sync.WaitGroup
		for range atOnce {
			_, _ = rand.Read(words) // it never fails
			text := secret{hex.EncodeToString(words)}
			all.Go(func() {
				if err := rt.Inject(context.Background(), "keeper/line:Aki", text, ""); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}

func forgottenBytes(t *testing.T, size int) {
	cfg := noWindow(t)
	secrets := actors.NewTable[string]("secrets")
	keeper := func(messages.Address) actors.Actor {
		return actors.Func(func(t *actors.Turn, m messages.Message) error {
			if s, ok := m.(secret); ok {
				secrets.Put(t, s.Text[:min(len(s.Text), 100)], s.Text)
				t.Publish(s)
			}
			return nil
		})
	}
	rt := newRuntime(t, cfg, runtime.WithMessages(messages.Table{messages.Durable[secret](nil).AboutNobody()}),
		runtime.WithActor(engine.Kind{Name: "keeper", New: keeper}))
	stop := start(t, rt)
	for _, to := range []messages.Address{"keeper/line:Hana", "keeper/line:Ken"} {
		if err := rt.Inject(context.Background(), to, secret{"canary of " + string(to)}, ""); err != nil {
			t.Fatal(err)
		}
	}
	want := func(when string, hana bool) {
		t.Helper()
		if got := holds(t, cfg.Data, "canary of keeper/line:Hana"); got != hana {
			t.Errorf("%s: Hana's bytes are in the files: %v, want %v", when, got, hana)
		}
		if !holds(t, cfg.Data, "canary of keeper/line:Ken") {
			t.Errorf("%s: Ken's bytes are gone too", when)
		}
	}
	fillUp(t, rt, size)
	// What is sealed cannot be found: only the keys of rows, which the turns write.
	for _, who := range []string{"Hana", "Ken"} {
		for end := time.Now().Add(time.Minute); !holds(t, cfg.Data, "canary of keeper/line:"+who); {
			if time.Now().After(end) {
				t.Fatalf("%s's turn stored nothing: this test shows nothing", who)
			}
		}
	}
	sum, err := rt.Forget(context.Background(), "line:Hana")
	if err != nil || sum.Events != 1 || !sum.Purged {
		t.Errorf("Forget() = %+v, %v, want one event and purged", sum, err)
	}
	want("forgotten", false)
	if sum, err := rt.Forget(context.Background(), "line:Nobody"); err != nil || !sum.None() {
		t.Errorf("Forget(nobody) = %+v, %v, want nothing", sum, err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	want("stopped", false)
}

// TestAPurgeIsDoneAtTheNextStart dies between the deletion and the purge.
func TestAPurgeIsDoneAtTheNextStart(t *testing.T) {
	cfg := noWindow(t)
	st, err := store.Open(store.Options{Dir: filepath.Join(cfg.Data, "store")})
	if err != nil {
		t.Fatal(err)
	}
	op := engine.Op{Key: []byte("h/canary of a key"), Value: []byte("canary of a value")}
	for _, err := range []error{
		st.Apply([]engine.Op{op}, false), st.PurgeLater(), st.Apply([]engine.Op{{Key: op.Key, Delete: true}}, false),
		st.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !holds(t, cfg.Data, "canary") {
		t.Fatal("the deleted bytes are gone before the purge: this test shows nothing")
	}
	stop := start(t, newRuntime(t, cfg))
	for end := time.Now().Add(time.Minute); holds(t, cfg.Data, "canary"); {
		if time.Now().After(end) {
			t.Fatal("the deleted bytes stay in the files")
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// holds reports whether a file of a directory holds some words. A log that becomes a
// table is cut before it is removed: what counts was read while names and sizes stood
// still.
func holds(t *testing.T, dir, words string) bool {
	t.Helper()
	for {
		before := regular(t, dir)
		found := false
		for path := range before {
			b, err := os.ReadFile(path)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			found = found || bytes.Contains(b, []byte(words))
		}
		if maps.Equal(before, regular(t, dir)) {
			return found
		}
	}
}

// regular lists the files below a directory that are there now, with their sizes.
func regular(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	sizes := map[string]int64{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return gone(err)
		}
		info, err := d.Info()
		if err == nil {
			sizes[path] = info.Size()
		}
		return gone(err)
	})
	if err != nil {
		t.Fatal(err)
	}
	return sizes
}

// gone takes the absence of what has just become another file for no error.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
