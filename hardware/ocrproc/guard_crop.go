package ocrproc

import (
	"context"
	"image"
	"image/color"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// guardedCrop is one recognizer of a guard that reads straight from frames.
// Another process has no frames: it gets the grey picture of the box.
type guardedCrop struct{ guarded }

var _ hardware.CropRecognizer = (*guardedCrop)(nil)

// RecognizeCrop implements [hardware.CropRecognizer].
func (r *guardedCrop) RecognizeCrop(ctx context.Context, frame *image.RGBA, box image.Rectangle, hint hardware.Hint) ([]messages.Line, error) {
	return r.read(ctx,
		func(engine hardware.Recognizer) ([]messages.Line, error) {
			return engine.(hardware.CropRecognizer).RecognizeCrop(ctx, frame, box, hint) // Open has looked
		},
		func() ([]messages.Line, error) {
			if box = box.Intersect(frame.Rect); box.Empty() {
				return nil, nil
			}
			lines, err := r.elsewhere(ctx, grey(frame, box), hint)
			for i := range lines {
				lines[i].Box.X += box.Min.X
				lines[i].Box.Y += box.Min.Y
			}
			return lines, err
		})
}

// grey copies a box of a frame, with its origin at 0, 0 and dark letters on a
// light ground: most of what stands in a box is ground.
func grey(frame *image.RGBA, box image.Rectangle) *image.Gray {
	out := image.NewGray(image.Rectangle{Max: box.Size()})
	dark := 0
	for y := range box.Dy() {
		for x := range box.Dx() {
			l := color.GrayModel.Convert(frame.RGBAAt(box.Min.X+x, box.Min.Y+y)).(color.Gray).Y
			if out.Pix[y*out.Stride+x] = l; l < 128 {
				dark++
			}
		}
	}
	if 2*dark > len(out.Pix) {
		for i := range out.Pix {
			out.Pix[i] = 255 - out.Pix[i]
		}
	}
	return out
}
