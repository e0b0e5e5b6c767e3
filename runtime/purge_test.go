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

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
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

// lives is what Hana says in the window: a fact that the memory keeps.
const lives = "私はカナリア町に住んでます"

// leavingAll is a runtime that leaves bytes about Hana and Ken in all places: in the store, in
// the journal of a drawn window, in debugging files, and in a log in a directory of its own, as kehai run
// leaves one where its standard error goes.
func leavingAll(t *testing.T) (cfg config.Config, logs string, rt *runtime.Runtime, delivered <-chan string) {
	t.Helper()
	cfg = noWindow(t)
	cfg.Windows, cfg.OCR.Engine, cfg.Debug.Text = config.Default().Windows, config.OCRDrawn, true
	cfg.Windows[0].Poll, cfg.Windows[0].Script = 50*time.Millisecond, filepath.Join(t.TempDir(), "chat.jsonl")
	chat := `{"at_ms":0,"do":"pace","pace":"reader"}
{"at_ms":0,"who":"friend","text":"` + lives + `","conversation":"Hana"}
{"at_ms":2000,"do":"switch","conversation":"Ken"}
{"at_ms":2100,"who":"friend","text":"Ken's words","conversation":"Ken"}
`
	logs = t.TempDir()
	log, err := os.Create(filepath.Join(logs, "log"))
	if err := errors.Join(err, os.WriteFile(cfg.Windows[0].Script, []byte(chat), 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
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
	seen := make(chan string, 10)
	rt = newRuntime(t, cfg, runtime.WithMessages(messages.Table{messages.Durable[secret](nil).AboutNobody()}),
		runtime.WithActor(engine.Kind{Name: "keeper", New: keeper}), runtime.WithLogger(zerolog.New(log)),
		runtime.WithEventLog(zerolog.New(log)), runtime.WithListener(func(e runtime.Event) {
			if m, ok := e.Message.(messages.MessageDelivered); ok {
				seen <- string(m.Parts[0].Text)
			}
		}))
	return cfg, logs, rt, seen
}

func forgottenBytes(t *testing.T, size int) {
	cfg, logs, rt, seen := leavingAll(t)
	stop := start(t, rt)
	for _, to := range []messages.Address{"keeper/line:Hana", "keeper/line:Ken"} {
		if err := rt.Inject(context.Background(), to, secret{"canary of " + string(to)}, ""); err != nil {
			t.Fatal(err)
		}
	}
	want := func(when string, hana bool) {
		t.Helper()
		for of, words := range map[string]string{"row": "canary of keeper/line:Hana", "window": lives} {
			if got := holds(t, cfg.Data, words); got != hana {
				t.Errorf("%s: Hana's bytes (%s) are in the files: %v, want %v", when, of, got, hana)
			}
		}
		if !holds(t, cfg.Data, "canary of keeper/line:Ken") || !holds(t, cfg.Data, "Ken's words") {
			t.Errorf("%s: Ken's bytes are gone too", when)
		}
	}
	fillUp(t, rt, size)
	for left := 2; left > 0; {
		if text := <-seen; text == lives || text == "Ken's words" {
			left--
		}
	}
	for memory := rt.Backend().(control.MemoryBackend); ; {
		if known, err := memory.Learned(t.Context(), ""); err != nil {
			t.Fatal(err)
		} else if len(known.States) > 0 {
			break
		}
	}
	// What is sealed cannot be found: only the keys of rows, which the turns write.
	for _, who := range []string{"Hana", "Ken"} {
		for end := time.Now().Add(time.Minute); !holds(t, cfg.Data, "canary of keeper/line:"+who); {
			if time.Now().After(end) {
				t.Fatalf("%s's turn stored nothing: this test shows nothing", who)
			}
		}
	}
	want("before", true)
	if files, err := filepath.Glob(filepath.Join(cfg.Data, "debug", "*", "*")); len(files) == 0 || err != nil {
		t.Errorf("no debugging files, %v: this test shows nothing of them", err)
	}
	sum, err := rt.Forget(context.Background(), "line:Hana")
	if err != nil || sum.Events < 2 || sum.Drawn < 1 || !sum.Purged {
		t.Errorf("Forget() = %+v, %v, want two events, a message of the window, and purged", sum, err)
	}
	if left := holds(t, logs, lives); !left || sum.Logged != left {
		t.Errorf("the log still holds what Hana said: %v, and Forget() says %v, want both", left, sum.Logged)
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
