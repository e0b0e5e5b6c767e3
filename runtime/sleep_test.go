package runtime_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
)

// How long actors stay awake is the host's to say, and 0 is for ever.
func TestWhenActorsSleep(t *testing.T) {
	const idle = time.Hour
	for after, want := range map[time.Duration]string{
		config.Default().Actors.Sleep: "asleep", 2 * time.Hour: "awake", 0: "awake",
	} {
		synctest.Test(t, func(t *testing.T) {
			cfg := noWindow(t)
			cfg.Actors.Sleep = after
			rt := newRuntime(t, cfg, runtime.WithStore(func() (engine.Store, error) { return memStore(), nil }))
			stop := start(t, rt)
			if err := rt.Inject(context.Background(), "notebook/a", note{1}, ""); err != nil {
				t.Fatal(err)
			}
			time.Sleep(idle)
			synctest.Wait()
			got := "asleep"
			if slices.ContainsFunc(rt.Inspect().Actors, func(a engine.ActorInfo) bool {
				return a.Address == "notebook/a"
			}) {
				got = "awake"
			}
			if got != want {
				t.Errorf("with actors.sleep %v an actor is %s after %v, want %s", after, got, idle, want)
			}
			if err := stop(); err != nil {
				t.Error(err)
			}
		})
	}
}
