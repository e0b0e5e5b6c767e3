package calibrate_test

import (
	"errors"
	"image"
	"image/color"
	"image/draw"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/runtime/calibrate"
)

// TestCalibrateTriesItsLayout: a layout that does not find both sides in the
// screenshot that it was made from is no layout. What it finds is shown.
func TestCalibrateTriesItsLayout(t *testing.T) {
	// Low white and green bars line up as bubbles do, but no bubble is so low.
	img := image.NewRGBA(image.Rect(0, 0, 480, 720))
	fill := func(r image.Rectangle, c color.RGBA) { draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src) }
	fill(img.Rect, drawn.Light.Background)
	fill(image.Rect(0, 0, 480, 52), drawn.Light.Header)
	fill(image.Rect(0, 640, 480, 720), drawn.Light.Bar)
	for y := 80; y < 600; y += 40 {
		fill(image.Rect(60, y, 200, y+16), drawn.Light.Incoming)
		fill(image.Rect(300, y, 440, y+16), drawn.Light.Own)
	}
	c, err := calibrate.Layout(img, 1)
	if !errors.Is(err, layout.ErrCalibrate) || !strings.Contains(err.Error(), "finds 0 own and 0 incoming bubbles") ||
		!strings.Contains(err.Error(), "write under pane in the layout") {
		t.Errorf("Layout() = %v, want ErrCalibrate that says what was found, and of what to cut", err)
	}
	if c.Found == nil {
		t.Error("Layout() shows nothing of what it found, want a picture")
	}
}
