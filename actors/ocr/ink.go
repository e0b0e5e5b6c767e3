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
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if d := p.at(x, y).luma() - paper; d >= inkContrast || -d >= inkContrast {
				out = out.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
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
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			l := p.at(x, y).luma()
			if count[l]++; count[l] > count[best] {
				best = l
			}
		}
	}
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
	for y := zone.Min.Y; y < zone.Max.Y; y++ {
		for x := zone.Min.X; x < zone.Max.X; x++ {
			if !g.has(p.at(x, y)) {
				out = out.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return out
}

func rect(r messages.Rect) image.Rectangle { return image.Rect(r.X, r.Y, r.X+r.W, r.Y+r.H) }
