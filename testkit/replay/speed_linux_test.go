//go:build speed

package replay

import (
	"context"
	"image"
	goruntime "runtime"
	"syscall"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn/script"
	"github.com/kehai-run/kehai/hardware/tesseract"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/testkit/speed"
)

// timed adds up the processor time in a recognizer.
type timed struct {
	hardware.Recognizer
	t     *testing.T
	spent *time.Duration
}

// threadTime is the processor time of this thread so far.
func threadTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (r timed) Recognize(ctx context.Context, img *image.Gray, hint hardware.Hint) ([]messages.Line, error) {
	began := threadTime(r.t)
	defer func() { *r.spent += threadTime(r.t) - began }()
	return r.Recognizer.Recognize(ctx, img, hint)
}

// TestSpeedOfTheRest plays the chat that is built in, polled once a second, on one
// goroutine: the processor time of everything but Tesseract, polls without news
// included, against that of Tesseract. Drawing the window counts for neither, nor
// does the collector, which mostly clears away what drawing leaves. Of three times
// the best counts: a busy machine only adds.
func TestSpeedOfTheRest(t *testing.T) {
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	best := playTimed(t)
	for range 2 {
		if s := playTimed(t); s.rest*best.reading < best.rest*s.reading {
			best = s
		}
	}
	speed.Report(t, speed.Figure{
		Name: "everything but OCR", Ours: speed.Took(best.rest), Limit: "OCR " + speed.Took(best.reading),
		Ratio: best.rest / best.reading, Aim: 0.05, Percent: true,
	})
}

// spent is processor time in nanoseconds.
type spent struct{ rest, reading float64 }

func playTimed(t *testing.T) spent {
	t.Helper()
	var reading, drawing, first, last time.Duration
	tess, err := tesseract.Open(tesseract.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tess.Close()
	cache := ocr.NewCache(512)
	open := func() (hardware.Recognizer, error) { return timed{tess, t, &reading}, nil }
	captures := func(kind string, w actors.Worker) actors.Worker {
		if kind != "capture" {
			return w
		}
		return actors.WorkerFunc(func(ctx context.Context, ask messages.Message) (messages.Message, error) {
			began := threadTime(t)
			if first == 0 {
				first, reading = began, 0
			}
			answer, err := w.Do(ctx, ask)
			last = threadTime(t)
			drawing += last - began
			return answer, err
		})
	}
	got, err := Run(t.Context(), Options{Config: config.Default(), Script: script.Default(), Options: []runtime.Option{
		runtime.WithWorker(engine.WorkerKind{Name: "ocr", Size: 1,
			Answers: []messages.Type{messages.FrameRead{}.MessageType()}, New: func() (actors.Worker, error) {
				line := layout.Line()
				return ocr.NewWorker(ocr.Options{Cache: cache, Open: open, Confidence: ocr.DefaultThresholds(),
					Layouts: func(messages.WindowID) *layout.Layout { return &line }}), nil
			}}),
		runtime.WithWorkerWrapper(captures),
	}})
	if err != nil || got.Counts.Delivered < 10 {
		t.Fatalf("Run() = %+v, %v, want messages", got.Counts, err)
	}
	t.Logf("%d messages in %v; drawing took %v", got.Counts.Delivered, got.Virtual, drawing)
	return spent{float64(last - first - reading - drawing), float64(reading)}
}
