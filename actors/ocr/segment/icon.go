package segment

import "image"

// Sizes of an icon at the left of a bubble and of the bare strip right of it,
// in logical pixels. A letter is smaller and has the next one close by.
const (
	iconMin, iconMax = 18, 48
	iconGap          = 6
)

// WithoutIcon returns the part of a shape right of its icon; false if the first
// ink from the left is none.
func (p *Pane) WithoutIcon(s Shape) (Shape, bool) {
	box := s.Box()
	end, ok := p.iconEnd(s, box)
	if !ok {
		return Shape{}, false
	}
	out := s
	out.Bubble.Box.X, out.Bubble.Box.W = end, box.Max.X-end
	out.rows = make([]span, len(s.rows))
	for i, r := range s.rows {
		if r.from = max(r.from, int32(end)); r.from < r.to {
			out.rows[i] = r
		}
	}
	return out, true
}

// iconEnd finds the column at which the icon of a shape ends.
func (p *Pane) iconEnd(s Shape, box image.Rectangle) (end int, ok bool) {
	edge := max(p.px(rim), 1)
	inked := p.columnInk(s, box, shrunk(s.rows, edge))
	start, end, gap := -1, -1, 0
	top, bottom := box.Dy(), 0
	for x := box.Min.X + edge; x < min(box.Max.X, box.Min.X+p.px(2*iconMax)); x++ {
		t, b := inked(x)
		switch {
		case t >= 0:
			if start < 0 {
				start = x
			}
			gap, end = 0, x+1
			top, bottom = min(top, t), max(bottom, b)
		case start >= 0:
			gap++
		}
		if gap >= p.px(iconGap) {
			break
		}
	}
	beside := false // something is written right of it
	for x := end + 1; start >= 0 && x < box.Max.X-edge && !beside; x++ {
		t, _ := inked(x)
		beside = t >= 0
	}
	w, h := end-start, bottom-top
	lo, hi := p.px(iconMin), p.px(iconMax)
	return end, beside && gap >= p.px(iconGap) && lo <= w && w <= hi && lo <= h && h <= hi
}

// columnInk says from which to which row of a shape a column holds ink; top is
// -1 where it holds none.
func (p *Pane) columnInk(s Shape, box image.Rectangle, inner []span) func(x int) (top, bottom int) {
	return func(x int) (top, bottom int) {
		top = -1
		for i, row := range inner {
			if int32(x) < row.from || int32(x) >= row.to {
				continue
			}
			if d := p.at(x, box.Min.Y+i).luma() - s.fill; d >= inkContrast || -d >= inkContrast {
				if top < 0 {
					top = i
				}
				bottom = i + 1
			}
		}
		return top, bottom
	}
}

// Pictorial reports whether most of what stands in a bubble is far more colourful
// than its fill, as emoji are. Text is not, whatever the theme.
func (p *Pane) Pictorial(s Shape) bool {
	limit := max(60, s.paint.chroma()+30)
	bright, all := 0, 0
	for i, row := range s.rows {
		y := s.Bubble.Box.Y + i
		for x := row.from; x < row.to; x++ {
			c := p.at(int(x), y)
			if d := c.luma() - s.fill; d < inkContrast && -d < inkContrast && c.chroma() <= limit {
				continue
			}
			all++
			if c.chroma() > limit {
				bright++
			}
		}
	}
	return all > 0 && bright*2 > all
}
