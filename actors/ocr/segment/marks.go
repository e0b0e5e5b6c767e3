package segment

import "image"

// Measures of a line between bubbles, logical pixels.
const (
	markBand   = 40 // half the width of the strip in the middle in which one is looked for
	markCentre = 12 // how far from the pane's centre its own may be
	markLow    = 8  // smallest and
	markHigh   = 48 // largest height
	markGap    = 3  // rows without ink inside one
)

// markBoxes finds what the application writes between bubbles: centred ink in
// rows in which no shape stands. shapes are ordered top to bottom.
func (p *Pane) markBoxes(shapes []Shape) (out []image.Rectangle) {
	if p.background.patterned {
		return nil
	}
	from := p.Area.Min.Y
	for i := 0; i <= len(shapes); i++ {
		to := p.Area.Max.Y
		if i < len(shapes) {
			to = shapes[i].Bubble.Box.Y
		}
		out = p.markRows(image.Rect(p.Area.Min.X, from, p.Area.Max.X, to), out)
		if i < len(shapes) {
			from = max(from, shapes[i].Box().Max.Y)
		}
	}
	return out
}

// markRows appends the marks of a strip of the pane.
func (p *Pane) markRows(strip image.Rectangle, out []image.Rectangle) []image.Rectangle {
	middle := (strip.Min.X + strip.Max.X) / 2
	band := image.Rect(middle-p.px(markBand), strip.Min.Y, middle+p.px(markBand), strip.Max.Y).Intersect(strip)
	start, last := -1, -1
	for y := strip.Min.Y; y <= strip.Max.Y; y++ {
		if y < strip.Max.Y && p.inkedRow(band, y) {
			if start < 0 {
				start = y
			}
			last = y
			continue
		}
		if start < 0 || y < strip.Max.Y && y-last <= p.px(markGap) {
			continue
		}
		box := p.inkedColumns(image.Rect(strip.Min.X, start, strip.Max.X, last+1))
		h, off := box.Dy(), (box.Min.X+box.Max.X)/2-middle
		oneEnd := (box.Min.X == strip.Min.X) != (box.Max.X == strip.Max.X) // joined with what runs along it
		if h >= p.px(markLow) && h <= p.px(markHigh) && abs(off) <= p.px(markCentre) && !oneEnd &&
			box.Min.Y > strip.Min.Y && box.Max.Y < strip.Max.Y {
			out = append(out, box)
		}
		start = -1
	}
	return out
}

func (p *Pane) inkedRow(band image.Rectangle, y int) bool {
	for x := band.Min.X; x < band.Max.X; x++ {
		if !p.background.has(p.at(x, y)) {
			return true
		}
	}
	return false
}

// inkedColumns narrows a rectangle to the columns that hold ink.
func (p *Pane) inkedColumns(r image.Rectangle) image.Rectangle {
	inked := func(x int) bool {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			if !p.background.has(p.at(x, y)) {
				return true
			}
		}
		return false
	}
	for r.Min.X < r.Max.X && !inked(r.Min.X) {
		r.Min.X++
	}
	for r.Max.X > r.Min.X && !inked(r.Max.X-1) {
		r.Max.X--
	}
	return r
}

// InsideMark returns the part of a mark in which it is written: inside the pill,
// if it stands in one; otherwise with a little room.
func (p *Pane) InsideMark(box image.Rectangle) image.Rectangle {
	inked := 0
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if !p.background.has(p.at(x, y)) {
				inked++
			}
		}
	}
	if 10*inked < 7*box.Dx()*box.Dy() {
		return box.Inset(-p.px(3)).Intersect(image.Rect(0, 0, p.w, p.h))
	}
	return image.Rect(box.Min.X+box.Dy()/2, box.Min.Y+p.px(1), box.Max.X-box.Dy()/2, box.Max.Y-p.px(1))
}
