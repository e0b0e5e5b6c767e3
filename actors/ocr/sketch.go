package ocr

import (
	"image"
	"image/color"
	"image/draw"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/messages"
)

// Colours of a sketch.
var (
	sketchOwn      = color.RGBA{214, 72, 0, 255}
	sketchIncoming = color.RGBA{0, 66, 214, 255}
	sketchNeither  = color.RGBA{190, 0, 190, 255}
	sketchLane     = color.RGBA{255, 196, 0, 255}
	sketchEdge     = color.RGBA{222, 0, 32, 255} // header's and input's
	sketchTitle    = color.RGBA{0, 140, 92, 255}
)

// Sketch draws what a layout finds in a frame into a copy of it: bubbles boxed
// by side (own orange, incoming blue, neither purple), the title green, the lane
// yellow, the ends of header and messages red. Errors wrap
// hardware.ErrEmptyFrame.
func Sketch(img *image.RGBA, scale float64, l *layout.Layout) (*image.RGBA, Segments, error) {
	found, err := Segment(img, scale, l)
	if err != nil {
		return nil, found, err
	}
	out := image.NewRGBA(image.Rectangle{Max: img.Rect.Size()})
	draw.Draw(out, out.Rect, img, img.Rect.Min, draw.Src)
	thick := max(px(2, scale), 1)
	from, to := l.Lane.Columns(out.Rect.Dx(), scale)
	frameOf(out, image.Rect(from-1, found.Area.Min.Y, to+1, found.Area.Max.Y), 1, sketchLane)
	for _, y := range []int{found.Area.Min.Y, found.Area.Max.Y} {
		paint(out, image.Rect(0, y-thick/2, out.Rect.Max.X, y-thick/2+thick), sketchEdge)
	}
	if !found.Title.Empty() {
		frameOf(out, found.Title, thick, sketchTitle)
	}
	for _, s := range found.Shapes {
		c := sketchNeither
		switch s.Bubble.Side {
		case messages.SideOwn:
			c = sketchOwn
		case messages.SideIncoming:
			c = sketchIncoming
		}
		frameOf(out, rect(s.Bubble.Box).Inset(-thick), thick, c)
	}
	return out, found, nil
}

func frameOf(img *image.RGBA, r image.Rectangle, thick int, c color.RGBA) {
	paint(img, image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+thick), c)
	paint(img, image.Rect(r.Min.X, r.Max.Y-thick, r.Max.X, r.Max.Y), c)
	paint(img, image.Rect(r.Min.X, r.Min.Y, r.Min.X+thick, r.Max.Y), c)
	paint(img, image.Rect(r.Max.X-thick, r.Min.Y, r.Max.X, r.Max.Y), c)
}

func paint(img *image.RGBA, r image.Rectangle, c color.RGBA) {
	draw.Draw(img, r.Intersect(img.Rect), image.NewUniform(c), image.Point{}, draw.Src)
}
