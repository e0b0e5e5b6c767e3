package segment

import (
	"image"
	"slices"

	"github.com/kehai-run/kehai/messages"
)

// textCell is the side of a square in which edges are counted, logical pixels.
const textCell = 8

// texture counts in squares how often the brightness jumps along a row. Letters
// make many jumps close together, on any background. Green stands for the
// brightness: it weighs most in it, and reading it costs nothing.
type texture struct {
	area   image.Rectangle // as wide as the pane
	cell   int
	cols   int
	column []uint16 // of squares, by x
	jumps  []uint16 // by square, row by row
}

func newTexture(area image.Rectangle, cell int) texture {
	t := texture{area: area, cell: max(cell, 1), column: make([]uint16, area.Dx())}
	t.cols = area.Dx()/t.cell + 1
	t.jumps = make([]uint16, t.cols*(area.Dy()/t.cell+1))
	for x := range t.column {
		t.column[x] = uint16(x / t.cell)
	}
	return t
}

// row is the squares that a row of pixels lies in.
func (t *texture) row(y int) []uint16 { return t.squares((y - t.area.Min.Y) / t.cell) }

func (t *texture) squares(row int) []uint16 { return t.jumps[row*t.cols : (row+1)*t.cols] }

// blocks returns the boxes of what may be lines of text: squares with many jumps
// that stand beside each other, joined with those right below.
func (t *texture) blocks() []image.Rectangle {
	need := uint16(max(t.cell/2, 2))
	var done, open []image.Rectangle // in squares
	for row := range len(t.jumps) / t.cols {
		for _, run := range t.runs(row, need) {
			i := slices.IndexFunc(open, func(b image.Rectangle) bool {
				return b.Min.X <= run.Max.X && run.Min.X <= b.Max.X
			})
			if i < 0 {
				open = append(open, run)
			} else {
				open[i] = open[i].Union(run)
			}
		}
		open = slices.DeleteFunc(open, func(b image.Rectangle) bool {
			over := b.Max.Y < row // one empty row of squares parts the lines of a text
			if over {
				done = append(done, b)
			}
			return over
		})
	}
	done = append(done, open...)
	for i, b := range done {
		done[i] = image.Rectangle{b.Min.Mul(t.cell), b.Max.Mul(t.cell)}.Add(t.area.Min).Intersect(t.area)
	}
	return done
}

// runs returns the squares of a row that hold letters: at least two side by
// side, a gap of one between them allowed.
func (t *texture) runs(row int, need uint16) (out []image.Rectangle) {
	start, last, n := -1, -1, 0
	end := func() {
		if n >= 2 {
			out = append(out, image.Rect(start, row, last+1, row+1))
		}
		start, n = -1, 0
	}
	for x, jumps := range t.squares(row) {
		switch {
		case jumps >= need:
			if start < 0 {
				start = x
			}
			last = x
			n++
		case start >= 0 && x-last > 1:
			end()
		}
	}
	end()
	return out
}

// Measures of what stands in no bubble, logical pixels.
const (
	// labelGap is how far from a bubble a name, a time or a reaction stands. The text of
	// another bubble is further away, by its own padding.
	labelGap = 10
	// logHigh is the height of some lines of a log, which has no room between its messages and
	// begins so near to the left edge.
	logHigh = 40
	logLeft = 24
)

// bare counts the blocks of text that no bubble holds: texts that stand on the
// background itself, or on a colour that no bubble of the layout has. Text beside a
// bubble, centred notices and the column of avatars do not count. Where no text stands in
// a bubble, a log counts once for each logHigh.
func (p *Pane) bare(blocks, marks []image.Rectangle, shapes []Shape) (n int) {
	beside, gap := p.px(p.layout.Bubble.Timestamp+labelGap), p.px(labelGap)
	for _, s := range shapes {
		if s.Bubble.Kind == messages.KindImage && !s.Bubble.Clipped && p.flat(s) {
			n++ // a bubble of a colour that the layout does not know
		}
	}
	log := !slices.ContainsFunc(shapes, func(s Shape) bool { return s.Bubble.Kind == messages.KindText })
	taken := slices.Clone(marks)
	for _, s := range shapes {
		box := s.Box()
		taken = append(taken, image.Rect(box.Min.X-beside, box.Min.Y-gap, box.Max.X+beside, box.Max.Y+gap))
	}
	for _, b := range blocks {
		if high := p.px(logHigh); log && b.Dy() > high && p.ink(b).Min.X <= p.Area.Min.X+p.px(logLeft) {
			n += (b.Dy() + high - 1) / high // the edge of the area may cut it, and its middle may be a mark
			continue
		}
		overlaps := func(r image.Rectangle) bool { return b.Overlaps(r) }
		middle := b.Min.Add(b.Max).Div(2) // squares are coarse, and finding the ink costs time
		if slices.ContainsFunc(taken, middle.In) {
			continue
		}
		b = p.ink(b)
		none := b.Dy() < p.px(6) || p.Clips(b) || b.Max.X <= p.px(p.layout.Bubble.Avatars)
		if !none && !p.centred(b) && !slices.ContainsFunc(taken, overlaps) {
			n++
		}
	}
	return n
}

// centred reports whether a block stands where dates and notices do.
func (p *Pane) centred(b image.Rectangle) bool {
	off := (b.Min.X+b.Max.X)/2 - p.w/2
	return b.Dy() <= p.px(markHigh) && abs(off) <= p.px(markCentre)
}

// flat reports whether most of a picture has one brightness, as the fill of a
// bubble has.
func (p *Pane) flat(s Shape) bool {
	var count [256]int
	all := 0
	box := s.Box()
	for y := box.Min.Y; y < box.Max.Y; y += 2 {
		p.stretches(image.Rect(box.Min.X, y, box.Max.X, y+1), func(at image.Rectangle, c colour) {
			count[c.luma()] += at.Dx()
			all += at.Dx()
		})
	}
	return 10*slices.Max(count[:]) >= 6*all
}
