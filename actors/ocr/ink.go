package ocr

import (
	"image"

	"github.com/kehai-run/kehai/messages"
)

// inkContrast is the difference in luma from which a pixel is ink.
const inkContrast = 40

// ink returns the box of what differs from the most frequent brightness in r.
func ink(p pixels, r image.Rectangle) image.Rectangle {
	if r.Empty() {
		return image.Rectangle{}
	}
	paper := commonLuma(p, r)
	var out image.Rectangle
	p.stretches(r, func(at image.Rectangle, c colour) {
		if d := c.luma() - paper; d >= inkContrast || -d >= inkContrast {
			out = out.Union(at)
		}
	})
	return out
}

// titleBox returns the ink inside zone with room for its faint edges.
func titleBox(p pixels, zone image.Rectangle, scale float64) image.Rectangle {
	found := ink(p, zone)
	if found.Empty() {
		return found
	}
	return found.Inset(-px(3, scale)).Intersect(zone)
}

func commonLuma(p pixels, r image.Rectangle) int {
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

// stamp returns the ink beside a bubble's lower end, at most width away: right
// of an incoming one, left of an own one.
func stamp(p pixels, g ground, b messages.Bubble, area image.Rectangle, width int, scale float64) image.Rectangle {
	box := rect(b.Box)
	zone := image.Rect(box.Max.X+px(2, scale), max(box.Min.Y, box.Max.Y-px(40, scale)), box.Max.X+width, box.Max.Y)
	if b.Side == messages.SideOwn {
		zone.Min.X, zone.Max.X = box.Min.X-width, box.Min.X-px(2, scale)
	}
	zone = zone.Intersect(area)
	var out image.Rectangle
	p.stretches(zone, func(at image.Rectangle, c colour) {
		if !g.has(c) {
			out = out.Union(at)
		}
	})
	return out
}

func rect(r messages.Rect) image.Rectangle { return image.Rect(r.X, r.Y, r.X+r.W, r.Y+r.H) }
