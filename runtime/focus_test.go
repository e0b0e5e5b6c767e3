package runtime_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/testkit"
)

// worker is a person at a computer: a hardware.Usage made up by a test.
type worker struct {
	idle, since atomic.Int64 // seconds
	asked       atomic.Int64 // times
}

func (w *worker) ActiveApp(context.Context) (hardware.App, error) {
	w.asked.Add(1)
	return hardware.App{Name: "Code", Title: "a secret plan"}, nil
}

func (w *worker) Idle(context.Context) (time.Duration, error) {
	return time.Duration(w.idle.Load()) * time.Second, nil
}

func (w *worker) Input(context.Context) (hardware.Input, error) {
	return hardware.Input{Keys: 1, Mouse: 1, SinceKey: time.Duration(w.since.Load()) * time.Second}, nil
}

// desktop is a hardware.Notifier made up by a test.
type desktop struct{ shown atomic.Int64 }

func (d *desktop) Notify(context.Context, string, string) error { d.shown.Add(1); return nil }

// watched starts a system whose desk is watched.
func watched(t *testing.T, w *worker, opts ...runtime.Option) *testkit.System {
	t.Helper()
	return testkit.Start(t,
		testkit.WithConfig(func(c *config.Config) {
			c.Focus.Enabled, c.Focus.Usage, c.Node = true, "made-up", "desk"
		}),
		testkit.WithRuntime(append(opts, runtime.WithUsage("made-up",
			func() (hardware.Usage, error) { return w, nil }))...))
}

// sees sends the camera a snapshot every 5 s for a time.
func sees(t *testing.T, s *testkit.System, c messages.CameraSnapshot, d time.Duration) {
	t.Helper()
	for range d / (5 * time.Second) {
		if err := s.Runtime.Inject(t.Context(), "camera/desk", c, ""); err != nil {
			t.Fatal(err)
		}
		s.Advance(5 * time.Second)
	}
}

var (
	facing = messages.CameraSnapshot{
		FaceDetected: messages.Just(true), EARAverage: messages.Just(0.31), PerclosDrowsy: messages.Just(false),
		Yawning:  messages.Just(false),
		HeadPose: messages.HeadPose{Yaw: messages.Just(2.0), Pitch: messages.Just(-3.0)},
	}
	yawning = messages.CameraSnapshot{FaceDetected: messages.Just(true), PerclosDrowsy: messages.Just(true),
		Yawning: messages.Just(true)}
	empty = messages.CameraSnapshot{FaceDetected: messages.Just(false), FaceNotDetectedRatio: messages.Just(1.0)}
)

// states lists what is stored of the desk, as an operator sees it.
func states(t *testing.T, s *testkit.System) string {
	t.Helper()
	var list []string
	err := s.Runtime.Backend().(control.FocusBackend).FocusChanges(t.Context(), func(c control.FocusChange) error {
		list = append(list, string(c.State))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(list, " ")
}

func TestADeskIsWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, d := &worker{}, &desktop{}
		s := watched(t, w, runtime.WithNotifier(d))
		sees(t, s, facing, 40*time.Second)
		w.idle.Store(30)
		w.since.Store(30)
		sees(t, s, yawning, 2*time.Minute)
		s.Crash()
		w.since.Store(300)
		sees(t, s, empty, time.Minute)
		if got, want := states(t, s), "focused drowsy away"; got != want {
			t.Errorf("stored %q, want %q", got, want)
		}
		notices := 0
		for _, m := range s.Events() {
			switch m := m.(type) {
			case messages.FocusNotice:
				notices++
				if m.State != messages.Drowsy || m.Desk != "desk" {
					t.Errorf("noticed %+v, want drowsiness at the desk", m)
				}
			case messages.FocusJudged:
				if strings.Contains(string(m.Raw.Reasoning), "secret") {
					t.Errorf("judged by a title: %q", string(m.Raw.Reasoning))
				}
			}
		}
		if notices != 1 || d.shown.Load() != 1 {
			t.Errorf("%d notices of which %d were shown, want one", notices, d.shown.Load())
		}
		b := s.Runtime.Backend().(control.FocusBackend)
		desks, err := b.FocusDesks(t.Context())
		if err != nil || len(desks) != 1 || desks[0].Desk != "desk" || desks[0].State != messages.Away ||
			desks[0].Source != messages.FromRule || desks[0].Paused {
			t.Errorf("FocusDesks() = %+v, %v, want the desk, away", desks, err)
		}
		if err := b.PauseNotices(t.Context(), time.Time{}); err != nil {
			t.Fatal(err)
		}
		w.since.Store(0)
		sees(t, s, yawning, 20*time.Minute)
		if d.shown.Load() != 1 {
			t.Errorf("%d notices were shown while paused, want none", d.shown.Load()-1)
		}
		if desks, _ := b.FocusDesks(t.Context()); len(desks) != 1 || !desks[0].Paused {
			t.Errorf("FocusDesks() = %+v, want paused", desks)
		}
		if err := b.ResumeNotices(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Advance(time.Second)
		if d.shown.Load() != 2 {
			t.Errorf("%d notices were shown after the pause, want one", d.shown.Load()-1)
		}
	})
}

// The language model is asked where there is one, and its panic costs nothing.
func TestTheLanguageModelIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{}
		var asked atomic.Int64
		var prompt atomic.Value
		s := watched(t, w, runtime.WithWorker(engine.WorkerKind{Name: messages.WorkerLLM, Size: 1,
			New: func() (actors.Worker, error) {
				return actors.WorkerFunc(func(_ context.Context, m messages.Message) (messages.Message, error) {
					prompt.Store(string(m.(messages.AskLLM).Prompt))
					if asked.Add(1) == 1 {
						panic("the model fell over")
					}
					return messages.LLMAnswer{Text: `{"state":"distracted","confidence":0.8,"reasoning":"drifting"}`},
						nil
				}), nil
			}}))
		turned := facing
		turned.HeadPose.Yaw = messages.Just(60.0)
		sees(t, s, turned, 3*time.Minute)
		if got := states(t, s); got != "distracted" {
			t.Errorf("stored %q, want distracted", got)
		}
		if n := asked.Load(); n < 2 || n > 4 {
			t.Errorf("the model was asked %d times, want once after its rest and for few cases", n)
		}
		if p := prompt.Load().(string); !strings.Contains(p, `"active_app":"Code"`) || strings.Contains(p, "secret") {
			t.Errorf("prompt = %s, want the application and no title", p)
		}
	})
}

func TestNobodyIsWatchedUnlessAsked(t *testing.T) {
	rt := newRuntime(t, noWindow(t))
	stop := start(t, rt)
	defer stop()
	for _, a := range rt.Inspect().Actors {
		if k := a.Address.Kind(); k != messages.ActorOwner && k != messages.ActorStall { // they look at sending only
			t.Errorf("actor %s runs, want none", a.Address)
		}
	}
	if _, err := os.Stat(filepath.Join(t.TempDir(), "focus.sock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Stat(focus.sock) = %v, want no socket", err)
	}
	b := rt.Backend().(control.FocusBackend)
	if err := b.PauseNotices(t.Context(), time.Time{}); !errors.Is(err, control.ErrNoDesk) {
		t.Errorf("PauseNotices() = %v, want ErrNoDesk", err)
	}
}

func TestUnknownUsageDriver(t *testing.T) {
	cfg := noWindow(t)
	cfg.Focus.Enabled, cfg.Focus.Usage = true, "sytem"
	_, err := runtime.New(cfg)
	if !errors.Is(err, config.ErrConfig) || !strings.Contains(err.Error(), "focus.usage") ||
		!strings.Contains(err.Error(), "did you mean system") {
		t.Errorf("New(usage: sytem) = %v, want the nearest name", err)
	}
}

// What a tracker sends over the socket reaches the camera of the desk.
func TestTrackersReachTheCamera(t *testing.T) {
	cfg := noWindow(t)
	cfg.Focus.Enabled, cfg.Focus.Usage, cfg.Node, cfg.Focus.FeedAddr = true, config.UsageNone, "desk", "127.0.0.1:0"
	got := make(chan messages.Message, 4)
	rt := newRuntime(t, cfg, runtime.WithActor(engine.Kind{Name: "camera", New: func(messages.Address) actors.Actor {
		return actors.Func(func(_ *actors.Turn, m messages.Message) error {
			if _, ok := m.(messages.Started); !ok {
				got <- m
			}
			return nil
		})
	}}))
	stop := start(t, rt)
	socket, err := datadir.FeedSocket(cfg.Data)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "{\"at_ms\":7,\"points\":[]}\n"); err != nil {
		t.Fatal(err)
	}
	if f, ok := (<-got).(messages.FaceFrame); !ok || f.At != 7*time.Millisecond || f.Session == "" {
		t.Errorf("the camera got %+v, want the picture", f)
	}
	same := strings.TrimSuffix(strings.Repeat("[100,100],", 478), ",")
	if _, err := fmt.Fprintf(conn, "{\"at_ms\":8,\"points\":[%s]}\n", same); err != nil {
		t.Fatal(err)
	}
	if answer, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(answer, "form no face") {
		t.Errorf("points that are one are answered with %q, %v, want that they form no face", answer, err)
	}
	if info, err := os.Stat(filepath.Join(cfg.Data, "feed.token")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("Stat(feed.token) = %v, %v, want a private file", info, err)
	}
	if err := stop(); err != nil {
		t.Errorf("Run() = %v, want none", err)
	}
	if _, err := net.Dial("unix", socket); err == nil {
		t.Error("the socket answers after the end")
	}
}

// A paused desk collects nothing and judges nothing, across a crash, and its
// history shows the pause as one.
func TestAPausedDesk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{}
		s := watched(t, w)
		sees(t, s, facing, 40*time.Second)
		if err := s.Runtime.Pause(t.Context(), control.Attention); err != nil {
			t.Fatal(err)
		}
		s.Advance(time.Second)
		w.asked.Store(0)
		w.since.Store(300) // whoever types is not away
		sees(t, s, empty, 2*time.Minute)
		s.Crash()
		sees(t, s, empty, 2*time.Minute)
		if n := w.asked.Load(); n != 0 {
			t.Errorf("the computer's use was read %d times during the pause, want never", n)
		}
		if since := s.Runtime.Inspect().AttentionPaused; since == nil {
			t.Error("Inspect().AttentionPaused = nil, want when it began")
		}
		b := s.Runtime.Backend().(control.FocusBackend)
		if desks, err := b.FocusDesks(t.Context()); err != nil || len(desks) != 1 || !desks[0].Unwatched ||
			desks[0].State != messages.Unknown {
			t.Errorf("FocusDesks() = %+v, %v, want one that is not watched", desks, err)
		}
		if err := s.Runtime.Resume(t.Context(), ""); err != nil || s.Runtime.Inspect().AttentionPaused == nil {
			t.Errorf("Resume(all windows) = %v, want none, and attention paused all the same", err)
		}
		if err := s.Runtime.Resume(t.Context(), control.Attention); err != nil {
			t.Fatal(err)
		}
		sees(t, s, empty, time.Minute)
		var list []string
		err := b.FocusChanges(t.Context(), func(c control.FocusChange) error {
			text := string(c.State)
			if c.Paused {
				text = "paused"
			}
			list = append(list, text)
			return nil
		})
		if got, want := strings.Join(list, " "), "focused paused unknown away"; err != nil || got != want {
			t.Errorf("stored %q, %v, want %q", got, err, want)
		}
		if w.asked.Load() == 0 {
			t.Error("the computer's use is not read after the pause")
		}
	})
}

func TestNoDeskToPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t)
		if err := s.Runtime.Pause(t.Context(), control.Attention); !errors.Is(err, control.ErrNoDesk) {
			t.Errorf("Pause(attention) while it is off = %v, want %v", err, control.ErrNoDesk)
		}
	})
}
