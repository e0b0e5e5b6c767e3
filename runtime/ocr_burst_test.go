package runtime_test

import (
	"context"
	"image"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/testkit"
)

// firstTooLong reads a bubble with something added at its first look, as where a
// shadow passes over it.
type firstTooLong struct {
	hardware.CropRecognizer
	looks *int
}

func (r firstTooLong) RecognizeCrop(ctx context.Context, frame *image.RGBA, box image.Rectangle,
	hint hardware.Hint) ([]messages.Line, error) {
	lines, err := r.CropRecognizer.RecognizeCrop(ctx, frame, box, hint)
	if hint.Block && len(lines) == 1 {
		if *r.looks++; *r.looks == 1 {
			lines = slices.Clone(lines)
			lines[0].Text += "おか"
		}
	}
	return lines, err
}

// TestTheRuleOfABurst reads a change three times: most readings decide, but in
// profile seed the longest does. A cache of one makes each reading a new one.
func TestTheRuleOfABurst(t *testing.T) {
	for name, want := range map[string]string{
		config.ProfileDefault: "明日の会議は何時ですか",
		config.ProfileSeed:    "明日の会議は何時ですかおか",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				window, hand := toCome()
				looks := 0
				s := testkit.Start(t, profile(name),
					testkit.WithConfig(func(c *config.Config) { c.OCR.Burst, c.OCR.Cache = 3, 1 }),
					testkit.WithRuntime(runtime.WithRecognizer(config.OCRDrawn, func() (hardware.Recognizer, error) {
						return firstTooLong{drawn.NewRecognizer(window()), &looks}, nil
					})))
				hand(s.Window)
				s.Advance(5 * time.Second)
				s.Friend("Hana", "明日の会議は何時ですか")
				s.WantMessages(want)
				if looks < 3 {
					t.Errorf("the bubble was read %d times, want 3 at least", looks)
				}
			})
		})
	}
}

// toCome is a window for who starts before it is known, and waits for it.
func toCome() (window func() *drawn.Window, hand func(*drawn.Window)) {
	c := make(chan *drawn.Window, 1)
	return sync.OnceValue(func() *drawn.Window { return <-c }), func(w *drawn.Window) { c <- w }
}
