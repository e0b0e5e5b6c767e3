package runtime_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/testkit"
)

// TestTyping: a window is not captured while keys are pressed in it, and what
// came meanwhile is delivered when that ends, however it ends.
func TestTyping(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, s *testkit.System){
		"said": func(t *testing.T, s *testkit.System) {
			if err := s.Runtime.Typing(t.Context(), "line@test", 0); err != nil {
				t.Error(err)
			}
			s.Advance(4 * time.Second)
		},
		"over": func(_ *testing.T, s *testkit.System) { s.Advance(18 * time.Second) },
		"crash": func(_ *testing.T, s *testkit.System) {
			s.Crash()
			s.Advance(4 * time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := testkit.Start(t)
				s.Friend("Hana", "一")
				s.WantMessages("一")
				if err := s.Runtime.Typing(t.Context(), "line", 25*time.Second); err != nil {
					t.Fatal(err)
				}
				s.Friend("Hana", "二")
				s.Advance(10 * time.Second)
				if n := len(s.Messages()); n != 1 {
					t.Errorf("%d messages while Kehai types, want 1", n)
				}
				skipped := 0
				for _, m := range s.Events() {
					if m, ok := m.(events.Dropped); ok && m.Stage == events.StageCapture &&
						m.Detail.Rule == events.RuleTyping {
						skipped++
					}
				}
				if skipped < 9 {
					t.Errorf("%d polls were counted as skipped in ten seconds, want 9 at least", skipped)
				}
				end(t, s)
				if n := len(s.Messages()); n != 2 {
					t.Errorf("%d messages after the typing, want 2", n)
				}
			})
		})
	}
}

func TestTypingRefusals(t *testing.T) {
	rt := newRuntime(t, noWindow(t))
	if err := rt.Typing(t.Context(), "line", time.Second); !errors.Is(err, runtime.ErrNotRunning) {
		t.Errorf("Typing() before Run = %v, want %v", err, runtime.ErrNotRunning)
	}
	stop := start(t, rt)
	if err := rt.Typing(t.Context(), "lime", time.Second); !errors.Is(err, control.ErrNoWindow) {
		t.Errorf("Typing(lime) = %v, want %v", err, control.ErrNoWindow)
	}
	if err := rt.Typing(t.Context(), "", time.Second); err == nil {
		t.Error("Typing of no window = nil, want an error")
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
