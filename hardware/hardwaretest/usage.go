package hardwaretest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware"
)

// UsageFixture is a usage driver that was opened without titles, and the means to
// act as a person at the computer that it observes.
type UsageFixture struct {
	Usage  hardware.Usage
	App    string   // the application that is active
	Secret []string // titles and what is typed
	// Touch presses keys and moves or clicks the mouse this many times, as a person
	// does, and returns once the system has seen it.
	Touch func(keys, mouse int)
	// Await waits until a condition is true and fails the test if it stays false.
	// The suite calls it after Touch. Nil means that it is true at once.
	Await func(what string, condition func() bool)
	Break func()       // takes away the observed system; nil if a test cannot
	Mend  func()       // ends Break
	Close func() error // nil if the driver has nothing to close
}

// Usage checks a driver. fixture makes a fresh one; it is called several times.
func Usage(t *testing.T, fixture func(t *testing.T) UsageFixture) {
	t.Run("counts", func(t *testing.T) { checkCounts(t, fixture(t)) })
	t.Run("private", func(t *testing.T) { checkPrivate(t, fixture(t)) })
	t.Run("context", func(t *testing.T) { checkUsageContext(t, fixture(t)) })
	t.Run("concurrent", func(t *testing.T) { checkConcurrentUsage(t, fixture(t)) })
	t.Run("break", func(t *testing.T) { checkBreak(t, fixture(t)) })
	t.Run("close", func(t *testing.T) { checkUsageCloses(t, fixture(t)) })
}

func (f UsageFixture) input(t *testing.T) hardware.Input {
	t.Helper()
	in, err := f.Usage.Input(t.Context())
	if err != nil {
		t.Fatalf("Input() = %v, want no error", err)
	}
	return in
}

func (f UsageFixture) await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	if f.Await != nil {
		f.Await(what, condition)
	} else if !condition() {
		t.Errorf("it is not so that %s", what)
	}
}

func checkCounts(t *testing.T, f UsageFixture) {
	before := f.input(t)
	if again := f.input(t); again.Keys != before.Keys || again.Mouse != before.Mouse {
		t.Errorf("Input() twice = %+v, %+v, want the same counts while nobody does anything", before, again)
	}
	const keys, mouse = 7, 5
	f.Touch(keys, mouse)
	var in hardware.Input
	f.await(t, "all input is counted", func() bool {
		in = f.input(t)
		return in.Keys >= before.Keys+keys && in.Mouse >= before.Mouse+mouse
	})
	if got := in.Keys - before.Keys; got != keys {
		t.Errorf("Input() counted %d keys, want %d", got, keys)
	}
	if got := in.Mouse - before.Mouse; got != mouse {
		t.Errorf("Input() counted %d mouse events, want %d", got, mouse)
	}
	if in.SinceKey < 0 || in.SinceKey > time.Minute {
		t.Errorf("Input().SinceKey = %v, want a short time", in.SinceKey)
	}
	if idle, err := f.Usage.Idle(t.Context()); err != nil || idle < 0 || idle > time.Minute {
		t.Errorf("Idle() after input = %v, %v, want a short time", idle, err)
	}
}

func checkPrivate(t *testing.T, f UsageFixture) {
	app, err := f.Usage.ActiveApp(t.Context())
	if err != nil || app.Name != f.App || app.PID < 0 || app.Title != "" {
		t.Errorf("ActiveApp() = %+v, %v, want %s and no title", app, err, f.App)
	}
}

// all calls every method and returns the errors by method name.
func (f UsageFixture) all(ctx context.Context) map[string]error {
	_, app := f.Usage.ActiveApp(ctx)
	_, idle := f.Usage.Idle(ctx)
	_, input := f.Usage.Input(ctx)
	return map[string]error{"ActiveApp()": app, "Idle()": idle, "Input()": input}
}

func checkUsageContext(t *testing.T, f UsageFixture) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 {
		for call, err := range f.all(ctx) {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s with an ended context = %v, want %v", call, err, context.Canceled)
			}
		}
		// Such a call does not change the driver.
		for call, err := range f.all(t.Context()) {
			if err != nil {
				t.Errorf("%s after one with an ended context = %v, want no error", call, err)
			}
		}
	}
}

func checkConcurrentUsage(t *testing.T, f UsageFixture) {
	f.input(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			var last hardware.Input
			for range 5 {
				for call, err := range f.all(t.Context()) {
					if err != nil {
						t.Errorf("%s among others = %v, want no error", call, err)
					}
				}
				in, err := f.Usage.Input(t.Context())
				if err != nil || in.Keys < last.Keys || in.Mouse < last.Mouse {
					t.Errorf("Input() = %+v, %v after %+v, want counts that only grow", in, err, last)
				}
				last = in
			}
		})
	}
	f.Touch(3, 2)
	wg.Wait()
}

func checkBreak(t *testing.T, f UsageFixture) {
	if f.Break == nil {
		return
	}
	before := f.input(t)
	f.Break()
	f.await(t, "every method says that the system is gone", func() bool {
		for call, err := range f.all(t.Context()) {
			if err == nil {
				return false
			}
			wantTyped(t, call+" without the system", err, err, f.Secret)
		}
		return true
	})
	f.Mend()
	for call, err := range f.all(t.Context()) {
		if err != nil {
			t.Errorf("%s once the system is back = %v, want no error", call, err)
		}
	}
	if in := f.input(t); in.Keys < before.Keys || in.Mouse < before.Mouse {
		t.Errorf("Input() = %+v after %+v and a system that was gone, want counts that only grow", in, before)
	}
}

func checkUsageCloses(t *testing.T, f UsageFixture) {
	if f.Close == nil {
		return
	}
	closes(t, func() { f.all(t.Context()) }, f.Close)
	for call, err := range f.all(t.Context()) {
		wantTyped(t, call+" after Close", err, hardware.ErrUnavailable, f.Secret)
	}
}
