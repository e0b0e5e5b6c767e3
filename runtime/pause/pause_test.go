package pause

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/capture"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// boot starts a kernel that commits by itself as long as the test runs.
func boot(t *testing.T, st engine.Store) *engine.Engine {
	t.Helper()
	codec, err := messages.NewCodec(events.Core())
	if err != nil {
		t.Fatal(err)
	}
	s, err := engine.NewSim(engine.SimOptions{Engine: engine.Options{Store: st, Codec: codec}})
	if err != nil {
		t.Fatal(err)
	}
	done, ctx := make(chan struct{}), t.Context()
	control := s.Control()
	go func() {
		defer close(done)
		for {
			select {
			case <-ctx.Done():
				return
			case <-control.CommitReady():
				control.Commit(100)
			}
		}
	}()
	t.Cleanup(func() { <-done })
	return s.Engine()
}

// refused is the code of a refusal, "" for none.
func refused(t *testing.T, err error) string {
	t.Helper()
	var r *actors.Refusal
	if err != nil && !errors.As(err, &r) {
		t.Fatalf("%v is no refusal", err)
	}
	if err == nil {
		return ""
	}
	return r.Code
}

// What is paused stays so over a restart, and each thing by itself.
func TestPause(t *testing.T) {
	st := mem.New()
	e, p, ctx := boot(t, st), &State{}, t.Context()
	locate := p.Guard(func(context.Context, messages.WindowID) (capture.Source, error) { return capture.Source{}, nil })
	captured := func(w messages.WindowID) string {
		_, err := locate(ctx, w)
		return refused(t, err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(p.SetWindow(ctx, e, "line@a", true))
	if captured("line@a") != messages.CodePaused || captured("slack@a") != "" {
		t.Error("a paused window is captured, or another is not")
	}
	since := p.List()[0].Since
	must(p.SetWindow(ctx, e, "line@a", true))
	if list := p.List(); len(list) != 1 || !list[0].Since.Equal(since.Time) {
		t.Errorf("List() after a second pause = %v, want the first one, since %v", list, since)
	}
	must(p.SetDesk(ctx, e, true))
	must(p.SetSending(ctx, e, true))
	must(p.SetWindow(ctx, e, "", true))
	if captured("slack@a") != messages.CodePaused {
		t.Error("a window is captured while all are paused")
	}

	again := &State{}
	must(again.Load(e))
	if list := again.List(); len(list) != 2 || list[0].Window != "" || list[1].Window != "line@a" ||
		again.Desk() == nil || again.SendingStamp() == nil {
		t.Errorf("List() after a restart = %v, desk %v, sending %v, want what was paused", list, again.Desk(),
			again.SendingStamp())
	}
	if err := p.SetWindow(ctx, e, "line@a", false); err == nil {
		t.Error("one window goes on while all are paused, want an error that says how")
	}
	must(p.SetWindow(ctx, e, "", false))
	if list := p.List(); list != nil || p.Desk() == nil || refused(t, p.Key(press)) != messages.CodePaused {
		t.Errorf("List() after all windows go on = %v, want none, and the desk and the sending paused", list)
	}
	must(p.SetDesk(ctx, e, false))
	must(p.SetSending(ctx, e, false))
	if p.Desk() != nil || p.DeskStamp() != nil || p.SendingStamp() != nil || refused(t, p.Key(press)) != "" {
		t.Error("the desk or the sending is paused, want neither")
	}
	if _, stored, err := e.Setting(setting); stored || err != nil {
		t.Errorf("a setting is left: %v, %v, want none where nothing is paused", stored, err)
	}
}

func press() error { return nil }

// A pause of the sending counts once it is stored, and not before.
func TestPauseThatIsNotStored(t *testing.T) {
	e, p := boot(t, mem.New()), &State{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.SetWindow(t.Context(), e, "line@a", true); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.SetDesk(ctx, e, true), p.SetWindow(ctx, e, "slack@a", true)); err == nil {
		t.Fatal("pausing with an ended context = nil, want its error")
	}
	if list := p.List(); p.Desk() != nil || len(list) != 1 {
		t.Errorf("List() = %v, desk %v, want only what was stored", list, p.Desk())
	}
}

func TestUnreadableSetting(t *testing.T) {
	e := boot(t, mem.New())
	if err := e.SetSetting(t.Context(), setting, []byte("{")); err != nil {
		t.Fatal(err)
	}
	if err := (&State{}).Load(e); err == nil {
		t.Error("Load() of a setting that is broken = nil, want an error")
	}
}

// counter is a worker that answers, and notes that it was closed.
type counter struct{ closed *bool }

func (c counter) Do(context.Context, messages.Message) (messages.Message, error) {
	return messages.IncomingBubble{}, nil
}

func (c counter) Close() error {
	*c.closed = true
	return nil
}

func TestGuardUsage(t *testing.T) {
	closed, p := false, &State{}
	w, err := p.GuardUsage(func() (actors.Worker, error) { return counter{&closed}, nil })()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Do(t.Context(), messages.IncomingBubble{}); err != nil {
		t.Errorf("Do() = %v, want an answer", err)
	}
	now := time.Now()
	p.now.Desk = &now
	if _, err := w.Do(t.Context(), messages.IncomingBubble{}); refused(t, err) != messages.CodePaused {
		t.Errorf("Do() of a paused desk = %v, want it refused", err)
	}
	if err := w.(io.Closer).Close(); err != nil || !closed {
		t.Errorf("Close() = %v, closed %v, want the counter closed", err, closed)
	}
}

// A process that ends presses no more keys, and each window is told. No key is pressed
// either where nobody is there to be told.
func TestEnd(t *testing.T) {
	e, p := boot(t, mem.New()), &State{}
	err := p.End(t.Context(), e, []messages.WindowID{"line@a", "slack@a"})
	for _, to := range []string{"outbound/line@a", "outbound/slack@a"} {
		if err == nil || !strings.Contains(err.Error(), to) {
			t.Errorf("End() = %v, want that %s could not be told", err, to)
		}
	}
	if code := refused(t, p.Key(press)); code != string(messages.SendEnding) {
		t.Errorf("Key() = %q, want %q", code, messages.SendEnding)
	}
}
