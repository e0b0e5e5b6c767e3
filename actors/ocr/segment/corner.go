package segment

import "image"

// Measures of a clock time, perhaps with ticks, in the lower right corner of a bubble,
// logical pixels. It is written smaller than the text, which stands at some distance.
const (
	cornerHigh  = 11 // most, least is half of it
	cornerWide  = 84 // most, least is a fifth of it
	cornerGap   = 7  // to the text at its left
	cornerOff   = 18 // from the bubble's sides
	cornerTicks = 4  // by which times with ticks behind them may stand farther right than others
	cornerLow   = 24 // contrast from which a pixel is ink: times are faint
)

// cutCorners takes the clock times out of what is read of bubbles: small ink that stands
// in the same corner of nearly all of them. Where bubbles of the window are known to hold
// their times, one alone is enough.
func (p *Pane) cutCorners(list []block) {
	corners := make([]image.Rectangle, len(list))
	texts := 0
	for i, b := range list {
		if b.picture() || b.row || p.Clips(b.box) {
			continue
		}
		texts++
		corners[i] = p.corner(b)
	}
	for i, c := range corners {
		if c.Empty() {
			continue
		}
		alike := 0
		for j, o := range corners {
			right := (list[i].box.Max.X - c.Max.X) - (list[j].box.Max.X - o.Max.X)
			low := (list[i].box.Max.Y - c.Max.Y) - (list[j].box.Max.Y - o.Max.Y)
			if !o.Empty() && abs(right) <= p.px(cornerTicks) && abs(low) <= p.px(2) {
				alike++
			}
		}
		if p.Known.Clocks <= 0 && 4*alike < 3*texts {
			continue
		}
		b := &list[i]
		b.stamp, b.cut = c, true
		for y := max(c.Min.Y-p.px(1), b.box.Min.Y); y < b.box.Max.Y; y++ {
			r := &b.rows[y-b.box.Min.Y]
			r.to = max(min(r.to, int32(c.Min.X-p.px(2))), r.from)
		}
	}
}

// corner is the small ink in the lower right corner of a bubble that holds more than that;
// empty if there is none.
func (p *Pane) corner(b block) (found image.Rectangle) {
	inked := func(x, y int) bool {
		r := b.rows[y-b.box.Min.Y]
		d := p.at(x, y).luma() - b.fill
		return int32(x) >= r.from+2 && int32(x) < r.to-2 && (d >= cornerLow || -d >= cornerLow)
	}
	strip := image.Rect(b.box.Min.X, max(b.box.Max.Y-p.px(cornerHigh+cornerOff), b.box.Min.Y), b.box.Max.X, b.box.Max.Y)
	column := func(x int) (lo, hi int) { // of the lowest ink, a gap of one row ends it
		lo, hi = -1, -1
		for y := strip.Max.Y - 2; y > strip.Min.Y && (hi < 0 || lo-y <= p.px(1)); y-- {
			if inked(x, y) {
				if lo = y; hi < 0 {
					hi = y + 1
				}
			}
		}
		return lo, hi
	}
	gap := 0
	for x := strip.Max.X - 3; x > strip.Min.X+2; x-- {
		lo, hi := column(x)
		if lo < 0 || hi < strip.Max.Y-p.px(cornerOff) || !found.Empty() && hi < found.Min.Y {
			if gap++; !found.Empty() && gap >= p.px(cornerGap) {
				break
			}
			continue
		}
		gap = 0
		found = found.Union(image.Rect(x, lo, x+1, hi))
	}
	w, h := found.Dx(), found.Dy()
	fits := w <= p.px(cornerWide) && 5*w >= p.px(cornerWide) && h <= p.px(cornerHigh) && 2*h >= p.px(cornerHigh) &&
		b.box.Max.X-found.Max.X <= p.px(cornerOff) && b.box.Max.Y-found.Max.Y <= p.px(cornerOff)
	if !fits {
		return image.Rectangle{}
	}
	for y := b.box.Min.Y + 2; y < b.box.Max.Y-2; y++ { // what else is written
		for x := b.box.Min.X + 2; x < b.box.Max.X-2; x++ {
			if !image.Pt(x, y).In(found) && inked(x, y) {
				return found
			}
		}
	}
	return image.Rectangle{}
}
