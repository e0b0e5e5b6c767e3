package segment

import (
	"image"
	"slices"
)

// How far the colours of neighbouring pixels of one region may be apart. They are equal,
// because the smooth edge of a pale bubble would lead out of it.
const (
	stepInFill  = 0
	stepInShade = 4 // inside of what may be a bubble with a gradient
)

// flatRun is the shortest stretch of a region, logical pixels: between letters are
// shorter ones.
const flatRun = 4

// flats finds the regions of one colour in an area: the background, and what is inside
// of each bubble, however that is set off from the background. Their runs stay in the
// scanner.
func (s *scanner) flats(area image.Rectangle, step int) []component {
	s.flat, s.step = true, step
	least := int32(max(s.p.px(flatRun), 2))
	s.runs = make([]run, 0, 8*area.Dy())
	above := 0
	for y := area.Min.Y; y < area.Max.Y; y++ {
		first := len(s.runs)
		row, squares := s.p.row(y), s.texture.row(y)
		start, x := int32(area.Min.X), 4*area.Min.X
		for x < 4*area.Max.X {
			end := min(stretch(row, x), 4*area.Max.X)
			if end < 4*area.Max.X {
				before, c := s.p.at(end/4-1, y), s.p.at(end/4, y)
				if d := int(uint8(c>>8)) - int(uint8(before>>8)); d >= inkContrast || -d >= inkContrast {
					squares[s.texture.column[end/4-area.Min.X]]++
				}
				if !differs(before, c, step) {
					x = end
					continue
				}
			}
			if x = end; int32(x/4)-start >= least {
				s.add(classOther, int32(y), start, int32(x/4))
			}
			start = int32(x / 4)
		}
		if y > area.Min.Y {
			s.join(above, first)
		}
		above = first
	}
	return s.components()
}

// touches reports whether two runs, one above the other, are of one region.
func (s *scanner) touches(a, b run) bool {
	from, to := max(a.x0, b.x0), min(a.x1, b.x1)
	for _, x := range [3]int32{from, (from + to) / 2, to - 1} {
		if !differs(s.p.at(int(x), int(a.y)), s.p.at(int(x), int(b.y)), s.step) {
			return true
		}
	}
	return false
}

// straightened gives the rows of a bubble between its corners their full width:
// where letters stand close to a side, the region alone would end before them.
func straightened(rows []span) []span {
	from, to := most(rows, func(r span) int32 { return r.from }), most(rows, func(r span) int32 { return r.to })
	whole := func(r span) bool { return r.from <= from+1 && r.to >= to-1 }
	first, last := slices.IndexFunc(rows, whole), len(rows)-1
	for last > first && !whole(rows[last]) {
		last--
	}
	for i := max(first, 0); first >= 0 && i <= last; i++ {
		if rows[i].from == rows[i].to {
			rows[i] = span{from, to}
		}
		rows[i].from, rows[i].to = min(rows[i].from, from), max(rows[i].to, to)
	}
	return rows
}

// most is the most frequent value of the rows that are not empty.
func most(rows []span, of func(span) int32) (best int32) {
	count := map[int32]int{}
	for _, r := range rows {
		if v := of(r); r.from < r.to {
			if count[v]++; count[v] > count[best] || count[v] == count[best] && v < best {
				best = v
			}
		}
	}
	return best
}
