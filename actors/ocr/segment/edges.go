package segment

import (
	"bytes"
	"encoding/binary"
	"image"
	"slices"
)

// edgeStep is the difference of a channel that makes an edge: more than a gradient
// has from one pixel to the next.
const edgeStep = 2

// differs reports whether two pixels differ by more than a step in a channel.
func differs(a, b colour, step int) bool {
	if a == b {
		return false
	}
	ar, ag, ab := a.rgb()
	br, bg, bb := b.rgb()
	off := func(x, y uint8) bool { d := int(x) - int(y); return d > step || -d > step }
	return off(ar, br) || off(ag, bg) || off(ab, bb)
}

// transcript finds the part of a window with one chat: the widest between two
// straight edges that run down to the bottom, beside rails, lists and details. bar is how
// wide the bar is that scrolls it, right of that.
func (p pixels) transcript() (best image.Rectangle, bar int) {
	whole := image.Rect(0, 0, p.w, p.h)
	cuts := append(p.uprights(), p.w)
	from := 0
	for _, x := range cuts {
		if x-from > best.Dx() {
			best = image.Rect(from, 0, x, p.h)
		}
		from = x
	}
	if best.Dx() < p.px(minPane) {
		best = whole
	}
	bar = p.scrollbar(best)
	best.Max.X -= bar
	return best, bar
}

// besideBar is the part of the messages' rows along which the bar beside them runs: more of them is not
// shown, whatever is drawn close above and below. A handle without a track tells nothing.
func (p pixels) besideBar(pane image.Rectangle, bar, top, bottom int) (from, to int) {
	behind, _ := p.colours(p.h/4, p.h*3/4, min(pane.Min.X+p.px(margin), p.w-1))
	isBar := func(y int) bool { return differs(p.at(pane.Max.X+bar/2, y), behind, edgeStep) }
	from, to = top, bottom
	for bar > 0 && from < min(top+p.px(besideMost), bottom) && !isBar(from) {
		from++
	}
	for bar > 0 && to > max(bottom-p.px(besideMost), from) && !isBar(to-1) {
		to--
	}
	n, kinds := 0, map[string]bool{} // of rows: a track has others than the handle in it
	for y := from; y < to && bar > 0; y++ {
		if isBar(y) {
			n++
		}
		if y >= from+p.px(roundEnd) && y < to-p.px(roundEnd) {
			kinds[string(p.row(y)[4*pane.Max.X:4*(pane.Max.X+bar)])] = true
		}
	}
	if 100*n < 95*(to-from) || len(kinds) < 2 {
		return top, bottom
	}
	return from, to
}

// Measures of a bar that scrolls, logical pixels.
const (
	widestBar  = 20
	roundEnd   = 4  // of a handle
	besideMost = 60 // above and below it, where a line may tell who writes
)

// scrollbar is the width of the bar beside the messages that scrolls them, 0 for none: a
// straight edge near the right end, behind which hardly a row differs from the one above
// it, and is not the background. A thin bar that lies on the background needs no cut.
func (p pixels) scrollbar(box image.Rectangle) int {
	top, bottom := p.h/4, p.h*3/4
	behind, _ := p.colours(top, bottom, min(box.Min.X+p.px(margin), p.w-1))
	for width := p.px(widestBar); width >= p.px(5); width-- {
		x := box.Max.X - width
		if x <= box.Min.X {
			continue
		}
		edge, same := 0, 0
		for y := top; y < bottom; y++ {
			if row, above := p.row(y)[4*x:4*box.Max.X], p.row(y - 1)[4*x:4*box.Max.X]; bytes.Equal(row, above) {
				same++
			}
			if differs(p.at(x-1, y), p.at(x, y), edgeStep) && differs(p.at(x, y), behind, edgeStep) {
				edge++
			}
		}
		if 10*edge >= 4*(bottom-top) && 100*same >= 95*(bottom-top) {
			return width
		}
	}
	return 0
}

// uprights returns the columns at which a straight edge runs from below the
// header to the bottom. The sides of bubbles line up too, but never so far, and not
// beside the input.
func (p pixels) uprights() (out []int) {
	const every = 2 // rows
	top, low := p.h*12/100, p.h-max(p.h/20, 1)
	all, bottom := make([]int, p.w), make([]int, p.w)
	rows, bottomRows := 0, 0
	for y := top; y < p.h; y += every {
		rows++
		count := all
		if y >= low {
			bottomRows++
			count = bottom
		}
		row := p.row(y)
		for x := stretch(row, 0); x < len(row); x = stretch(row, x) {
			a, b := binary.LittleEndian.Uint32(row[x-4:]), binary.LittleEndian.Uint32(row[x:])
			if differs(colour(a), colour(b), edgeStep) {
				count[x/4]++
			}
		}
	}
	near := max(p.px(2), 1)
	for x := range all {
		if 10*(all[x]+bottom[x]) < 8*rows || 10*bottom[x] < 6*bottomRows {
			continue
		}
		if n := len(out); n > 0 && x-out[n-1] <= near {
			out[n-1] = x // a line has two edges: what follows begins behind it
		} else {
			out = append(out, x)
		}
	}
	return out
}

// levels returns the rows at which a straight edge crosses the whole picture. In a
// photograph every row differs from the next: an edge is calm at one side.
func (p pixels) levels() (out []int) {
	const every = 4 // columns
	m := min(p.px(margin), p.w/2)
	columns := max((p.w-2*m)/every, 1)
	for y := 1; y < p.h; y++ {
		above, row := p.row(y-1), p.row(y)
		n := 0
		for x := m; x < p.w-m; x += every {
			a, b := binary.LittleEndian.Uint32(above[4*x:]), binary.LittleEndian.Uint32(row[4*x:])
			if a != b && differs(colour(a), colour(b), edgeStep) {
				n++
			} else if 10*((x-m)/every-n) > columns {
				break
			}
		}
		if 10*n >= 9*columns {
			out = append(out, y)
		}
	}
	all, reach := slices.Clone(out), p.px(12)
	return slices.DeleteFunc(out, func(y int) bool {
		above, below := 0, 0
		for _, o := range all {
			if o < y && y-o <= reach {
				above++
			} else if o > y && o-y <= reach {
				below++
			}
		}
		return min(above, below) > 2
	})
}

// Measures of the bands above and below the messages, logical pixels.
const (
	bandLeast = 20  // a header or an input is at least so high; less is a border
	bandMost  = 120 // one band is at most so high
)

// between finds the rows between the bands at the top, which are header, banners
// and pinned messages, and those at the bottom, which are the input. A first
// band has a straight edge; a further one stands on another colour than the
// messages, too. title is where the first one ends.
func (p pixels) between(behind background) (title, top, bottom int) {
	levels := p.levels()
	bottom = p.h
	for _, y := range levels {
		high := y - top
		if y > p.h*3/10 || high > p.px(bandMost) ||
			title > 0 && high > p.px(2) && !p.stands(top, y, behind) {
			break
		}
		if top = y; title == 0 && y >= p.px(bandLeast) {
			title = y
		}
	}
	found := false
	for _, y := range slices.Backward(levels) {
		high := bottom - y
		if y < p.h*65/100 || high > p.px(bandMost)*3/2 && found ||
			found && high > p.px(2) && !p.stands(y, bottom, behind) {
			break
		}
		bottom, found = y, found || p.h-y >= p.px(bandLeast)
	}
	return title, top, bottom
}

// stands reports whether the margins of some rows have mostly another colour than
// the background; where that is a picture, whether they have one at all.
func (p pixels) stands(from, to int, behind background) bool {
	columns := p.columns()
	if behind.patterned {
		best, count := p.colours(from, to, columns[:]...)
		return 10*count[best] >= 9*2*(to-from)
	}
	other := 0
	for y := from; y < to; y++ {
		for _, x := range columns {
			if differs(p.at(x, y), behind.colour, edgeStep) {
				other++
			}
		}
	}
	return other > to-from
}
