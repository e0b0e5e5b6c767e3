package segment

import (
	"image"

	"github.com/kehai-run/kehai/messages"
)

// inkContrast is the difference in luma from which a pixel is ink.
const inkContrast = 40

// HasInk reports whether something is written or drawn in a rectangle.
func (p *Pane) HasInk(r image.Rectangle) bool { return !p.ink(r).Empty() }

// ink returns the box of what differs from the most frequent brightness in r.
func (p pixels) ink(r image.Rectangle) image.Rectangle {
	if r.Empty() {
		return image.Rectangle{}
	}
	return p.inkOn(r, p.commonLuma(r))
}

// inkOn returns the box of what differs from a brightness in r.
func (p pixels) inkOn(r image.Rectangle, paper int) (out image.Rectangle) {
	p.stretches(r, func(at image.Rectangle, c colour) {
		if d := c.luma() - paper; d >= inkContrast || -d >= inkContrast {
			out = out.Union(at)
		}
	})
	return out
}

// titleBox returns the ink inside zone with room for its faint edges.
func (p pixels) titleBox(zone image.Rectangle) image.Rectangle {
	found := p.ink(zone)
	if found.Empty() {
		return found
	}
	return found.Inset(-p.px(3)).Intersect(zone)
}

func (p pixels) commonLuma(r image.Rectangle) int {
	var count [256]int
	best := 0
	p.stretches(r, func(at image.Rectangle, c colour) {
		l := c.luma()
		if count[l] += at.Dx(); count[l] > count[best] {
			best = l
		}
	})
	return best
}

// timestamp returns the ink beside a bubble's lower end: right of an incoming
// one, left of an own one.
func (p *Pane) timestamp(box image.Rectangle, side messages.Side) image.Rectangle {
	width := p.px(p.layout.Bubble.Timestamp)
	zone := image.Rect(box.Max.X+p.px(2), max(box.Min.Y, box.Max.Y-p.px(40)), box.Max.X+width, box.Max.Y)
	if side == messages.SideOwn {
		zone.Min.X, zone.Max.X = box.Min.X-width, box.Min.X-p.px(2)
	}
	zone = zone.Intersect(p.Area)
	var out image.Rectangle
	p.stretches(zone, func(at image.Rectangle, c colour) {
		if !p.background.has(c) {
			out = out.Union(at)
		}
	})
	return out
}
