package ocr

import (
	"image"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/messages"
)

// Measures of a line between bubbles, logical pixels.
const (
	markBand   = 40 // half the width of the strip in the middle in which one is looked for
	markCentre = 12 // how far from the window's centre its own may be
	markLow    = 8  // smallest and
	markHigh   = 48 // largest height
	markGap    = 3  // rows without ink inside one
)

// markBoxes finds what the application writes between bubbles: centred ink in
// rows in which no shape stands. shapes are ordered top to bottom.
func markBoxes(p pixels, g ground, shapes []Shape, area image.Rectangle, scale float64) (out []image.Rectangle) {
	if g.patterned || len(shapes) == 0 {
		return nil
	}
	from := area.Min.Y
	for i := 0; i <= len(shapes); i++ {
		to := area.Max.Y
		if i < len(shapes) {
			to = shapes[i].Bubble.Box.Y
		}
		out = markRows(p, g, image.Rect(area.Min.X, from, area.Max.X, to), scale, out)
		if i < len(shapes) {
			from = max(from, rect(shapes[i].Bubble.Box).Max.Y)
		}
	}
	return out
}

// markRows appends the marks of a strip of the window.
func markRows(p pixels, g ground, strip image.Rectangle, scale float64, out []image.Rectangle) []image.Rectangle {
	middle := (strip.Min.X + strip.Max.X) / 2
	band := image.Rect(middle-px(markBand, scale), strip.Min.Y, middle+px(markBand, scale), strip.Max.Y).Intersect(strip)
	start, last := -1, -1
	for y := strip.Min.Y; y <= strip.Max.Y; y++ {
		if y < strip.Max.Y && inkedRow(p, g, band, y) {
			if start < 0 {
				start = y
			}
			last = y
			continue
		}
		if start < 0 || y < strip.Max.Y && y-last <= px(markGap, scale) {
			continue
		}
		box := inkedColumns(p, g, image.Rect(strip.Min.X, start, strip.Max.X, last+1))
		h, off := box.Dy(), (box.Min.X+box.Max.X)/2-middle
		if h >= px(markLow, scale) && h <= px(markHigh, scale) && max(off, -off) <= px(markCentre, scale) &&
			box.Min.Y > strip.Min.Y && box.Max.Y < strip.Max.Y {
			out = append(out, box)
		}
		start = -1
	}
	return out
}

func inkedRow(p pixels, g ground, band image.Rectangle, y int) bool {
	for x := band.Min.X; x < band.Max.X; x++ {
		if !g.has(p.at(x, y)) {
			return true
		}
	}
	return false
}

// inkedColumns narrows a rectangle to the columns that hold ink.
func inkedColumns(p pixels, g ground, r image.Rectangle) image.Rectangle {
	inked := func(x int) bool {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			if !g.has(p.at(x, y)) {
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

// marks reads what stands between the bubbles of a frame. What is no mark that
// the layout knows is left out.
func (s *session) marks() (out []messages.Mark, err error) {
	if !s.layout.Marks.Known() {
		return nil, nil
	}
	for _, box := range s.segments.Marks {
		line, fresh, err := s.line("between bubbles", inPill(s.pixels, s.segments.ground, box, s.frame.Scale), enlargementOfSmall(s.frame.Scale))
		if err != nil {
			return out, err
		}
		kind := markKind(s.layout, string(line.Text))
		s.leftOut.addIf(fresh && kind == "" && line.Text != "", "lines between bubbles")
		if kind != "" {
			out = append(out, messages.Mark{Kind: kind, Box: messages.Rect{X: box.Min.X, Y: box.Min.Y, W: box.Dx(), H: box.Dy()}})
		}
	}
	return out, nil
}

// inPill returns the part of a mark in which it is written: inside the pill, if
// it stands in one; otherwise with a little room.
func inPill(p pixels, g ground, box image.Rectangle, scale float64) image.Rectangle {
	inked := 0
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if !g.has(p.at(x, y)) {
				inked++
			}
		}
	}
	if 10*inked < 7*box.Dx()*box.Dy() {
		return box.Inset(-px(3, scale)).Intersect(image.Rect(0, 0, p.w, p.h))
	}
	return image.Rect(box.Min.X+box.Dy()/2, box.Min.Y+px(1, scale), box.Max.X-box.Dy()/2, box.Max.Y-px(1, scale))
}

func markKind(l *layout.Layout, line string) messages.MarkKind {
	switch {
	case l.Marks.IsUnsent(line):
		return messages.MarkUnsent
	case l.Marks.IsUnread(line):
		return messages.MarkUnread
	case l.Marks.IsDate(line):
		return messages.MarkDate
	}
	return ""
}
