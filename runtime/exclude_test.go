package runtime_test

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/testkit"
)

// restless lets something move at each look, in a box that counts from the lower
// edge if its y is negative; nothing while there is no box.
func restless(box *atomic.Pointer[image.Rectangle]) testkit.Option {
	var looks uint8
	return testkit.WithRuntime(runtime.WithWorkerWrapper(func(kind string, w actors.Worker) actors.Worker {
		if kind != "capture" {
			return w
		}
		return actors.WorkerFunc(func(ctx context.Context, ask messages.Message) (messages.Message, error) {
			answer, err := w.Do(ctx, ask)
			got, ok := answer.(messages.FrameCaptured)
			where := box.Load()
			if !ok || where == nil {
				return answer, err
			}
			looks += 16
			img := image.NewRGBA(got.Frame.Image.Rect)
			copy(img.Pix, got.Frame.Image.Pix)
			at := *where
			if at.Min.Y < 0 {
				at = at.Add(image.Pt(0, img.Rect.Max.Y))
			}
			draw.Draw(img, at, image.NewUniform(color.RGBA{looks, 90, 200, 255}), image.Point{}, draw.Src)
			got.Frame.Image = img
			return got, nil
		})
	}))
}

// calls counts the calls to OCR so far.
func calls(s *testkit.System) (n int) {
	for _, ev := range s.Events() {
		if m, ok := ev.(events.CallFinished); ok && m.Worker.Kind() == "ocr" {
			n++
		}
	}
	return n
}

// TestWhatMovesIsNotRead lets things move at every look for a minute: where the
// layout leaves them out, OCR is not asked once, and a new message is still seen.
func TestWhatMovesIsNotRead(t *testing.T) {
	avatar, caret, ground := image.Rect(12, 110, 40, 138), image.Rect(60, -40, 62, -22), image.Rect(300, 400, 302, 402)
	for _, c := range []struct {
		name, layout string
		box          image.Rectangle
		idle         bool
	}{
		{"avatar", "line", avatar, true},
		{"avatar", "generic", avatar, true},
		{"caret", "line", caret, true},
		{"caret", "generic", caret, true},
		{"elsewhere", "line", ground, false},
		{"elsewhere", "generic", ground, false},
	} {
		t.Run(c.name+" "+c.layout, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var box atomic.Pointer[image.Rectangle]
				s := testkit.Start(t, restless(&box),
					testkit.WithConfig(func(cfg *config.Config) { cfg.Windows[0].Layout = c.layout }))
				s.Friend("Hana", "おはようございます", "元気ですか")
				s.WantMessages("おはようございます", "元気ですか")
				box.Store(&c.box)
				s.Advance(5 * time.Second)
				before := calls(s)
				s.Advance(time.Minute)
				if n := calls(s) - before; (n == 0) != c.idle {
					t.Errorf("%d calls to OCR in a minute, want none = %v", n, c.idle)
				}
				s.Friend("Hana", "うん")
				s.WantMessages("おはようございます", "元気ですか", "うん")
			})
		})
	}
}
