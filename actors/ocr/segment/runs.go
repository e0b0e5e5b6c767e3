package segment

import (
	"encoding/binary"
	"image"

	"github.com/kehai-run/kehai/actors/layout"
)

// class is what a pixel's colour makes it.
type class uint8

const (
	classBackground class = iota
	classOwn
	classIncoming
	classOther  // neither background nor fill: ink, pictures, avatars
	classFilled // it has a fill, whosever it is
)

// run is a horizontal stretch of one class. parent links it to its component.
type run struct {
	y, x0, x1 int32 // x1 excluded
	parent    int32
	class     class
}

// component is a connected set of runs of one class.
type component struct {
	class class
	box   image.Rectangle
	count int // pixels
}

// scanner finds components row by row: runs of equal class, joined with the
// runs of the row above that they touch.
type scanner struct {
	p          pixels
	background background
	theme      layout.Theme
	runs       []run
	texture    texture
	flat       bool // runs are of one colour, not of one class
	step       int  // how far neighbouring pixels of a flat run may be apart
}

func (s *scanner) classify(c colour) class {
	r, g, b := c.rgb()
	switch {
	case !s.background.patterned && s.background.has(c): // first: a white background is no bubble
		return classBackground
	case s.theme.IsOwn(r, g, b):
		return classOwn
	case s.theme.IsIncoming(r, g, b):
		return classIncoming
	case s.background.patterned:
		return classBackground
	}
	return classOther
}

// scan fills runs for the rows of area.
func (s *scanner) scan(area image.Rectangle) {
	s.runs = make([]run, 0, 16*area.Dy())
	above := 0 // first run of the row above
	for y := area.Min.Y; y < area.Max.Y; y++ {
		first := len(s.runs)
		s.scanRow(s.p.row(y), int32(y))
		if y > area.Min.Y {
			s.join(above, first)
		}
		above = first
	}
}

func (s *scanner) scanRow(row []byte, y int32) {
	now, start := classBackground, int32(0)
	squares, before := s.texture.row(int(y)), 0
	for x := 0; x < len(row); x = stretch(row, x) {
		c := colour(binary.LittleEndian.Uint32(row[x:]))
		green := int(uint8(c >> 8))
		if d := green - before; x > 0 && (d >= inkContrast || -d >= inkContrast) {
			squares[s.texture.column[x/4]]++
		}
		before = green
		k := s.classify(c)
		if k == now {
			continue
		}
		s.add(now, y, start, int32(x/4))
		now, start = k, int32(x/4)
	}
	s.add(now, y, start, int32(len(row)/4))
}

func (s *scanner) add(k class, y, x0, x1 int32) {
	if k != classBackground && x0 < x1 {
		s.runs = append(s.runs, run{y: y, x0: x0, x1: x1, parent: int32(len(s.runs)), class: k})
	}
}

// join unites the runs [above, first) with the touching ones from first on.
func (s *scanner) join(above, first int) {
	i := above
	for j := first; j < len(s.runs); j++ {
		for i < first && s.runs[i].x1 <= s.runs[j].x0 {
			i++
		}
		for k := i; k < first && s.runs[k].x0 < s.runs[j].x1; k++ {
			if s.runs[k].class == s.runs[j].class && (!s.flat || s.touches(s.runs[k], s.runs[j])) {
				s.unite(int32(k), int32(j))
			}
		}
	}
}

func (s *scanner) root(i int32) int32 {
	for s.runs[i].parent != i {
		s.runs[i].parent = s.runs[s.runs[i].parent].parent
		i = s.runs[i].parent
	}
	return i
}

func (s *scanner) unite(a, b int32) {
	a, b = s.root(a), s.root(b)
	if a < b {
		s.runs[b].parent = a
	} else {
		s.runs[a].parent = b
	}
}

// components returns every component, in the order of their first runs, and
// leaves in each run's parent the index of its component.
func (s *scanner) components() []component {
	var out []component
	for i := range s.runs {
		r := &s.runs[i]
		// A root is the first run of its component, so that the parents of
		// later runs already are indices when their turn comes.
		if r.parent == int32(i) {
			r.parent = int32(len(out))
			out = append(out, component{class: r.class, box: image.Rect(int(r.x0), int(r.y), int(r.x1), int(r.y)+1)})
		} else {
			r.parent = s.runs[r.parent].parent
		}
		c := &out[r.parent]
		c.box.Min.X, c.box.Max.X = min(c.box.Min.X, int(r.x0)), max(c.box.Max.X, int(r.x1))
		c.box.Max.Y = int(r.y) + 1
		c.count += int(r.x1 - r.x0)
	}
	return out
}

// span is the inside of a shape in one row, x in frame pixels; empty where
// from == to.
type span struct{ from, to int32 }

// spans returns for each wanted component the outermost pixels of every row of
// its box: everything between them, text included, is inside. It works on what
// components left.
func (s *scanner) spans(all []component, wanted []int) [][]span {
	rows := make([][]span, len(all))
	for _, id := range wanted {
		rows[id] = make([]span, all[id].box.Dy())
	}
	for _, r := range s.runs {
		if rows[r.parent] == nil {
			continue
		}
		row := &rows[r.parent][int(r.y)-all[r.parent].box.Min.Y]
		if row.from == row.to {
			*row = span{r.x0, r.x1}
			continue
		}
		row.from, row.to = min(row.from, r.x0), max(row.to, r.x1)
	}
	return rows
}
