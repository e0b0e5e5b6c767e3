package segment

import (
	"image"

	"github.com/kehai-run/kehai/actors/layout"
)

// backgroundTolerance is how far each channel of a background pixel may be off.
const backgroundTolerance = 10

// background is what the messages stand on. Patterned is true for a picture or
// a gradient: then nothing can be told from not being background.
type background struct {
	colour    colour
	patterned bool
}

func (g background) has(c colour) bool {
	r, gg, b := c.rgb()
	r0, g0, b0 := g.colour.rgb()
	return near(r, r0) && near(gg, g0) && near(b, b0)
}

func near(a, b uint8) bool {
	d := int(a) - int(b)
	return -backgroundTolerance <= d && d <= backgroundTolerance
}

// margin is the distance from the pane's edges of the two columns in which
// nothing but background is drawn, in logical pixels.
const margin = 4

// columns returns those two columns.
func (p pixels) columns() [2]int {
	m := min(p.px(margin), (p.w-1)/2)
	return [2]int{m, p.w - 1 - m}
}

// findBackground takes the most frequent colour of the margin columns.
func (p pixels) findBackground(area image.Rectangle) background {
	columns := p.columns()
	best, count := p.colours(area.Min.Y, area.Max.Y, columns[:]...)
	g := background{colour: best}
	inside := 0
	for c, n := range count {
		if g.has(c) {
			inside += n
		}
	}
	g.patterned = inside*10 < 2*area.Dy()*7
	return g
}

// colours counts the colours of columns between two rows. best is the most
// frequent one, of equals the smallest.
func (p pixels) colours(top, bottom int, columns ...int) (best colour, count map[colour]int) {
	count = map[colour]int{}
	for _, x := range columns {
		for y := top; y < bottom; {
			c, start := p.at(x, y)&0xFFFFFF, y
			for y < bottom && p.at(x, y)&0xFFFFFF == c {
				y++
			}
			if count[c] += y - start; count[c] > count[best] || count[c] == count[best] && c < best {
				best = c
			}
		}
	}
	return best, count
}

// cutRow returns the row at which the input begins, the height if no separator
// is found. It scans up from the bottom to ScanTo of the height. The first run
// of separator rows that is long enough counts, and it is a cut if it starts at
// or below CutFrom of the height.
func (p pixels) cutRow(l *layout.Layout, theme layout.Theme) int {
	from, to := l.Strip.Columns(p.w, p.scale)
	need := max(p.px(l.Separator.MinRows), p.h/l.Separator.RowsDivisor)
	run := 0
	for y := p.h - 1; y >= int(l.Separator.ScanTo*float64(p.h)); y-- {
		white := 0
		for x := from; x < to; x++ {
			if theme.Separator.Has(p.at(x, y).rgb()) {
				white++
			}
		}
		if white > 0 && white*l.Strip.Width >= l.Strip.Agree*(to-from) {
			run++
			continue
		}
		if run >= need {
			if float64(y+1) >= l.Separator.CutFrom*float64(p.h) {
				return y + 1
			}
			return p.h
		}
		run = 0
	}
	return p.h
}

// messageArea returns the rectangle between header and input, its background
// and its theme.
func (p pixels) messageArea(l *layout.Layout) (image.Rectangle, background, layout.Theme) {
	top := min(p.px(l.Header.Height), p.h)
	area := image.Rect(0, top, p.w, p.h)
	if area.Empty() {
		return area, background{}, l.ThemeFor(255)
	}
	// The background is looked for above the part in which the input may be.
	upper := area
	upper.Max.Y = max(int(l.Separator.CutFrom*float64(p.h)), top+1)
	g := p.findBackground(upper)
	theme := l.ThemeFor(g.colour.luma())
	area.Max.Y = max(p.cutRow(l, theme), top)
	if !g.patterned {
		p.trim(&area, g, l)
	}
	return area, g, theme
}

// trim removes rows of the header and the input that the fixed height and the
// cut left in: their margins are not background.
func (p pixels) trim(area *image.Rectangle, g background, l *layout.Layout) {
	columns := p.columns()
	bare := func(y int) bool { return g.has(p.at(columns[0], y)) || g.has(p.at(columns[1], y)) }
	lowest := int(l.Separator.CutFrom * float64(p.h))
	for area.Max.Y > max(lowest, area.Min.Y) && !bare(area.Max.Y-1) {
		area.Max.Y--
	}
	for n := p.px(l.Header.Height); n > 0 && area.Min.Y < area.Max.Y && !bare(area.Min.Y); n-- {
		area.Min.Y++
	}
}
