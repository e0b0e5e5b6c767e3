package runtime_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
)

// TestRetentionLeavesNoBytes: what is older than its retention leaves the store at one start and
// its files at the next, whether the log held it or a conversation. The store is written in plain,
// so that it can be found.
func TestRetentionLeavesNoBytes(t *testing.T) {
	for name, c := range map[string]struct {
		leave func(*testing.T, *runtime.Runtime)
		there func(*testing.T, *engine.Engine) bool
	}{
		"log": {
			func(t *testing.T, rt *runtime.Runtime) {
				if err := rt.Inject(t.Context(), "keeper/c1", secret{canary}, ""); err != nil {
					t.Fatal(err)
				}
			},
			func(t *testing.T, e *engine.Engine) (there bool) {
				if err := e.ReadLog(0, func(engine.Published) bool { there = true; return false }); err != nil {
					t.Fatal(err)
				}
				return there
			},
		},
		"conversation": {
			func(t *testing.T, rt *runtime.Runtime) {
				list := []messages.Event{{ID: "m1", Speaker: "Hana", At: time.Now(), Text: canary}}
				if _, err := rt.Remember(t.Context(), "c-1", list); err != nil {
					t.Fatal(err)
				}
			},
			func(t *testing.T, e *engine.Engine) bool {
				_, there, err := e.ReadRow(messages.To(recall.Kind, "c-1"), recall.Events.Row(memory.Key("m1")))
				if err != nil {
					t.Fatal(err)
				}
				return there
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, log := noWindow(t), &logBook{}
			run := func(cfg config.Config) (*runtime.Runtime, func() error) {
				rt := newRuntime(t, cfg,
					runtime.WithMessages(messages.Table{messages.Durable[secret](nil).AboutNobody()}),
					runtime.WithActor(engine.Kind{Name: "keeper", New: func(messages.Address) actors.Actor {
						return actors.Func(func(turn *actors.Turn, m messages.Message) error {
							if s, ok := m.(secret); ok {
								turn.Publish(s)
							}
							return nil
						})
					}}),
					runtime.WithLogger(zerolog.New(log)),
					runtime.WithStore(func() (engine.Store, error) {
						return store.Open(store.Options{Dir: filepath.Join(cfg.Data, "store")})
					}))
				return rt, start(t, rt)
			}
			until := func(rt *runtime.Runtime, there bool) {
				t.Helper()
				e, err := rt.Backend().(admin.Backend).Engine()
				if err != nil {
					t.Fatal(err)
				}
				for end := time.Now().Add(time.Minute); c.there(t, e) != there; {
					if time.Now().After(end) {
						t.Fatalf("in the store: %v, want %v", !there, there)
					}
				}
			}
			rt, stop := run(cfg)
			c.leave(t, rt)
			until(rt, true)
			_ = stop()
			if !holds(t, cfg.Data, canary) {
				t.Fatal("the store is not plain: this test shows nothing")
			}
			cfg.Retention.Messages = time.Nanosecond
			rt, stop = run(cfg)
			until(rt, false)
			_ = stop()
			log.mu.Lock()
			log.b.Reset()
			log.mu.Unlock()
			_, stop = run(cfg)
			for end := time.Now().Add(time.Minute); !strings.Contains(log.String(), `"message":"purged"`); {
				if time.Now().After(end) {
					t.Fatalf("nothing is purged: %s", log)
				}
			}
			if holds(t, cfg.Data, canary) {
				t.Error("the log says purged, and the bytes are in the files")
			}
			_ = stop()
		})
	}
}
