package segment

import (
	"image"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/messages"
)

// Pane is the part of a captured window that holds one conversation. It shares
// the capture's pixels and is not changed after [Open]; it is safe for
// concurrent use while nobody writes to the capture.
type Pane struct {
	At   image.Point     // of its first pixel, counted from the capture's first pixel
	Area image.Rectangle // of the messages, between header and input

	pixels
	image      *image.RGBA
	layout     *layout.Layout
	background background
	theme      layout.Theme
	masked     []bool // rows that were whitened, nil for none
}

// Open cuts the pane that a layout describes out of a capture, and finds its
// message area. scale is captured pixels per logical pixel. Errors wrap
// hardware.ErrEmptyFrame.
func Open(img *image.RGBA, scale float64, l *layout.Layout) (*Pane, error) {
	whole, err := pixelsOf(img, scale)
	if err != nil {
		return nil, err
	}
	box := paneBox(whole, l.Pane)
	p := &Pane{At: box.Min, layout: l}
	p.image = img.SubImage(box.Add(img.Rect.Min)).(*image.RGBA)
	if p.pixels, err = pixelsOf(p.image, scale); err != nil {
		return nil, err
	}
	p.Area, p.background, p.theme = p.messageArea(l)
	return p, nil
}

// Image is the pane as a picture, whose origin need not be 0, 0.
func (p *Pane) Image() *image.RGBA { return p.image }

// Scale is captured pixels per logical pixel.
func (p *Pane) Scale() float64 { return p.scale }

// Clips reports that a box touches the end of the message area, so that what
// stands in it may go on behind.
func (p *Pane) Clips(box image.Rectangle) bool {
	return box.Min.Y <= p.Area.Min.Y || box.Max.Y >= p.Area.Max.Y
}

// SideOf is the side on which a box stands: neither if it reaches both, and ""
// in the middle.
func (p *Pane) SideOf(box image.Rectangle) messages.Side {
	left, right := p.leftAligned(box), p.rightAligned(box)
	switch {
	case left && right:
		return messages.SideNeither
	case left:
		return messages.SideIncoming
	case right:
		return messages.SideOwn
	}
	return ""
}

func (p *Pane) leftAligned(box image.Rectangle) bool {
	return box.Min.X <= p.px(p.layout.Bubble.LeftWithin)
}

func (p *Pane) rightAligned(box image.Rectangle) bool {
	return p.w-box.Max.X <= p.px(p.layout.Bubble.RightWithin)
}

// Rect converts a box of the protocol.
func Rect(r messages.Rect) image.Rectangle { return image.Rect(r.X, r.Y, r.X+r.W, r.Y+r.H) }

func boxOf(r image.Rectangle) messages.Rect {
	return messages.Rect{X: r.Min.X, Y: r.Min.Y, W: r.Dx(), H: r.Dy()}
}

// paneBox is the pane in a capture. Where a layout wants an edge and the picture
// shows none, the window is the pane itself.
func paneBox(p pixels, pane layout.Pane) image.Rectangle {
	return image.Rect(0, 0, p.w, p.h)
}
