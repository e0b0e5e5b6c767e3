package segment

import (
	"errors"
	"fmt"
	"image"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/messages"
)

// Pane is the part of a captured window that holds one conversation. It shares
// the capture's pixels, but for a copy where a band under the pointer was painted
// over, and is not changed after [Open]; it is safe for concurrent use while nobody
// writes to the capture.
type Pane struct {
	At   image.Point     // of its first pixel, counted from the capture's first pixel
	Area image.Rectangle // of the messages, between header and input
	// Known is what the window's earlier frames have taught; only a layout that says
	// find: auto needs it. Set it before Find.
	Known messages.Learnt
	// Rows is where the rows of earlier frames stood, likewise.
	Rows RowColumn

	pixels
	image      *image.RGBA
	layout     *layout.Layout
	background background
	theme      layout.Theme
	masked     []bool          // rows that were whitened, nil for none
	title      int             // where the band with the name ends, for a layout that finds it
	menu       int             // where it begins: beneath the window's menu, if there is one
	highlight  image.Rectangle // the band under the pointer, as it was captured
}

// ErrPane marks a layout whose pane does not lie in the window.
var ErrPane = errors.New("the layout's pane lies outside of the window")

// Open cuts the pane that a layout describes out of a capture, and finds its
// message area. scale is captured pixels per logical pixel. Errors wrap
// hardware.ErrEmptyFrame or [ErrPane].
func Open(img *image.RGBA, scale float64, l *layout.Layout) (*Pane, error) {
	whole, err := pixelsOf(img, scale)
	if err != nil {
		return nil, err
	}
	p := &Pane{layout: l}
	if l.Find == layout.FindAuto {
		return p, p.openAuto(whole, img)
	}
	box := paneBox(whole, l.Pane)
	if box.Empty() {
		return nil, fmt.Errorf("segment: %w: it leaves nothing of %d×%d pixels", ErrPane, whole.w, whole.h)
	}
	p.At = box.Min
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

// HeaderBox is the band above the messages, in pixels of the pane.
func (p *Pane) HeaderBox() messages.Rect { return BoxOf(image.Rect(0, 0, p.w, p.Area.Min.Y)) }

// InputBox is what stands below the messages, in pixels of the pane; empty if
// nothing does.
func (p *Pane) InputBox() messages.Rect {
	if p.Area.Empty() || p.Area.Max.Y >= p.h {
		return messages.Rect{}
	}
	return BoxOf(image.Rect(0, p.Area.Max.Y, p.w, p.h))
}

// Clips reports whether a box touches the end of the message area, so that what
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

// BoxOf converts a rectangle to one of the protocol.
func BoxOf(r image.Rectangle) messages.Rect {
	return messages.Rect{X: r.Min.X, Y: r.Min.Y, W: r.Dx(), H: r.Dy()}
}

// paneBox is the pane in a capture. Where a layout wants an edge and the picture
// shows none, the window is the pane itself.
func paneBox(p pixels, pane layout.Pane) image.Rectangle {
	whole := image.Rect(0, 0, p.w, p.h)
	box := image.Rectangle{
		image.Pt(p.px(pane.Left), p.px(pane.Top)), image.Pt(p.w-p.px(pane.Right), p.h-p.px(pane.Bottom)),
	}
	if pane.When == layout.PaneAtEdge && (box.Dx() < p.px(minPane) || !p.edge(box)) {
		return whole
	}
	return box.Intersect(whole)
}

// minPane is the narrowest pane that is cut at an edge, in logical pixels.
const minPane = 120

// edge reports whether something else than the chat stands left of a box, and
// ends there in a straight line: in most rows the two sides differ, or a line
// stands between them. Beside it must be plain, as the edge of a list of chats
// is: the columns of a photograph differ too.
func (p pixels) edge(box image.Rectangle) bool {
	left, right := box.Min.X-p.px(4), min(box.Min.X+p.px(margin), p.w-1)
	if left < 0 || box.Dy() <= 0 {
		return false
	}
	colour, _ := p.colours(box.Min.Y, box.Max.Y, left)
	beside := background{colour: colour}
	plain, differs := 0, 0
	for y := box.Min.Y; y < box.Max.Y; y++ {
		l, r := background{colour: p.at(left, y)}, background{colour: p.at(right, y)}
		if beside.has(l.colour) {
			plain++
		}
		found := !l.has(r.colour)
		for x := box.Min.X - p.px(2); x < box.Min.X && !found; x++ {
			c := p.at(x, y)
			found = !l.has(c) && !r.has(c)
		}
		if found {
			differs++
		}
	}
	return 2*plain >= box.Dy() && 10*differs >= 7*box.Dy()
}

// Quiet returns the rectangles of a capture in which a change is no news: what
// lies outside the pane, the input below the messages, and what the layout
// excludes. They are in the image's own coordinates.
func Quiet(img *image.RGBA, scale float64, l *layout.Layout) []image.Rectangle {
	p, err := Open(img, scale, l)
	if err != nil {
		return nil
	}
	whole, pane := img.Rect, p.image.Rect
	var out []image.Rectangle
	add := func(r image.Rectangle) {
		if !r.Empty() {
			out = append(out, r)
		}
	}
	add(image.Rect(whole.Min.X, whole.Min.Y, pane.Min.X, whole.Max.Y))
	add(image.Rect(pane.Max.X, whole.Min.Y, whole.Max.X, whole.Max.Y))
	add(image.Rect(pane.Min.X, whole.Min.Y, pane.Max.X, pane.Min.Y))
	add(image.Rect(pane.Min.X, pane.Max.Y, pane.Max.X, whole.Max.Y))
	add(image.Rect(0, p.Area.Max.Y, p.w, p.h).Add(pane.Min))
	for _, r := range l.Excluded(pane.Size(), scale) {
		add(r.Add(pane.Min))
	}
	return out
}
