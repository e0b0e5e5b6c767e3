package runtime_test

import (
	"context"
	"image"
	"slices"
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

// halfSure reads with a confidence of a half.
type halfSure struct{ *drawn.Recognizer }

func (h halfSure) RecognizeCrop(ctx context.Context, img *image.RGBA, box image.Rectangle,
	hint hardware.Hint) ([]messages.Line, error) {
	lines, err := h.Recognizer.RecognizeCrop(ctx, img, box, hint)
	lines = slices.Clone(lines)
	for i := range lines {
		lines[i].Confidence = 0.5
	}
	return lines, err
}

// TestConfidencesOfTheConfiguration: what is not believed is not delivered.
func TestConfidencesOfTheConfiguration(t *testing.T) {
	for fallback, want := range map[float64][]string{0.5: {"明日の会議は何時ですか"}, 0.51: nil} {
		synctest.Test(t, func(t *testing.T) {
			window, hand := toCome()
			s := testkit.Start(t,
				testkit.WithConfig(func(c *config.Config) { c.Rules.OCR.Accept, c.Rules.OCR.Fallback = 0.9, fallback }),
				testkit.WithRuntime(runtime.WithRecognizer(config.OCRDrawn, func() (hardware.Recognizer, error) {
					return halfSure{drawn.NewRecognizer(window())}, nil
				})))
			hand(s.Window)
			s.Advance(5 * time.Second)
			s.Friend("Hana", "明日の会議は何時ですか")
			s.WantMessages(want...)
		})
	}
}
