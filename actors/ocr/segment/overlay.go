package segment

import (
	"image"
	"image/color"
	"image/draw"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/messages"
)

// Colours of an overlay.
var (
	overlayOwn      = color.RGBA{214, 72, 0, 255}
	overlayIncoming = color.RGBA{0, 66, 214, 255}
	overlayNeither  = color.RGBA{190, 0, 190, 255}
	overlayLane     = color.RGBA{255, 196, 0, 255}
	overlayEdge     = color.RGBA{222, 0, 32, 255} // header's and input's
	overlayTitle    = color.RGBA{0, 140, 92, 255}
)

// Overlay draws what a layout finds in a capture into a copy of it: bubbles
// boxed by side (own orange, incoming blue, neither purple), the title green, the
// sampling strip yellow, the ends of header and messages red. Errors wrap
// hardware.ErrEmptyFrame.
func Overlay(img *image.RGBA, scale float64, l *layout.Layout) (*image.RGBA, Segments, error) {
	pane, err := Open(img, scale, l)
	if err != nil {
		return nil, Segments{}, err
	}
	found := pane.Find()
	out := image.NewRGBA(image.Rectangle{Max: img.Rect.Size()})
	draw.Draw(out, out.Rect, img, img.Rect.Min, draw.Src)
	c := canvas{out, pane.At}
	thick := max(pane.px(2), 1)
	from, to := l.Strip.Columns(pane.w, scale)
	c.outline(image.Rect(from-1, pane.Area.Min.Y, to+1, pane.Area.Max.Y), 1, overlayLane)
	for _, y := range []int{pane.Area.Min.Y, pane.Area.Max.Y} {
		c.paint(image.Rect(0, y-thick/2, pane.w, y-thick/2+thick), overlayEdge)
	}
	if !found.Title.Empty() {
		c.outline(found.Title, thick, overlayTitle)
	}
	for _, s := range found.Shapes {
		colour := overlayNeither
		switch s.Bubble.Side {
		case messages.SideOwn:
			colour = overlayOwn
		case messages.SideIncoming:
			colour = overlayIncoming
		}
		c.outline(s.Box().Inset(-thick), thick, colour)
	}
	return out, found, nil
}

// canvas is a picture whose pane begins at a point.
type canvas struct {
	img *image.RGBA
	at  image.Point
}

func (c canvas) outline(r image.Rectangle, thick int, with color.RGBA) {
	c.paint(image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+thick), with)
	c.paint(image.Rect(r.Min.X, r.Max.Y-thick, r.Max.X, r.Max.Y), with)
	c.paint(image.Rect(r.Min.X, r.Min.Y, r.Min.X+thick, r.Max.Y), with)
	c.paint(image.Rect(r.Max.X-thick, r.Min.Y, r.Max.X, r.Max.Y), with)
}

func (c canvas) paint(r image.Rectangle, with color.RGBA) {
	draw.Draw(c.img, r.Add(c.at).Intersect(c.img.Rect), image.NewUniform(with), image.Point{}, draw.Src)
}
