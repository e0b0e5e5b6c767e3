package ocr

import (
	"cmp"
	"encoding/binary"
	"image"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/messages"
)

// Segments is what can be told of a frame before any text is read. Rectangles
// are in frame pixels, origin at the frame's top left pixel.
type Segments struct {
	Theme  string
	Header image.Rectangle
	Title  image.Rectangle   // the title's ink with a little room, empty if there is none
	Area   image.Rectangle   // of the messages
	Shapes []Shape           // top to bottom
	Marks  []image.Rectangle // centred ink between shapes: dates and notices, top to bottom
	ground ground
}

// Shape is a bubble or a picture that stands where a bubble would.
type Shape struct {
	Bubble messages.Bubble // without text; Kind is text, image or sticker
	Stamp  image.Rectangle // ink beside it where its clock time stands, may be empty
	Name   image.Rectangle // ink above it where the name of who wrote it stands, may be empty
	rows   []span          // inside, one for each row of the box
	fill   int             // luma of the fill
	paint  colour          // of the fill
}

// Segment finds header, message area and bubbles.
//
// A bubble is a connected component of one of the theme's fill colours that is
// large enough, mostly fill, not wholly in the column of avatars, not as wide
// as the window, and begins near the left edge or ends near the right one
// (which dates, notices and the input do not). A bubble cut by the area's edge
// may be low. Colour says the side; if the other side is where it stands, the
// side is neither. On a plain ground, a large component of other colours that
// stands so is a picture: an image if it fills its box, else a sticker, and its
// side is where it stands. Of shapes inside each other the outer one counts.
//
// Errors wrap hardware.ErrEmptyFrame.
func Segment(img *image.RGBA, scale float64, l *layout.Layout) (Segments, error) {
	p, err := open(img, scale)
	if err != nil {
		return Segments{}, err
	}
	area, ground, theme := messageArea(p, scale, l)
	out := Segments{Theme: theme.Name, Area: area, Header: image.Rect(0, 0, p.w, area.Min.Y)}
	out.Title = titleBox(p, l.Header.Title.In(image.Pt(p.w, p.h), scale).Intersect(out.Header), scale)
	s := scanner{p: p, ground: ground, theme: theme}
	s.scan(area)
	all := s.components()
	wanted := sieve(all, judge{size: image.Pt(p.w, p.h), area: area, scale: scale, b: l.Bubble})
	spans := s.spans(all, wanted)
	for _, id := range wanted {
		shape := newShape(p, all[id], spans[id], area, scale, l.Bubble)
		if !ground.patterned {
			shape.Stamp = stamp(p, ground, shape.Bubble, area, px(l.Bubble.Stamp, scale), scale)
		}
		out.Shapes = append(out.Shapes, shape)
	}
	slices.SortFunc(out.Shapes, func(a, b Shape) int {
		return cmp.Or(cmp.Compare(a.Bubble.Box.Y, b.Bubble.Box.Y), cmp.Compare(a.Bubble.Box.X, b.Bubble.Box.X))
	})
	above := area.Min.Y
	for i := range out.Shapes {
		shape := &out.Shapes[i]
		shape.Name = nameBox(p, ground, shape.Bubble, area, above, scale, l.Sender)
		shape.Bubble.Named = !shape.Name.Empty()
		above = max(above, rect(shape.Bubble.Box).Max.Y)
	}
	out.ground = ground
	if l.Marks.Known() {
		out.Marks = markBoxes(p, ground, out.Shapes, area, scale)
	}
	return out, nil
}

// judge decides by size, shape and place.
type judge struct {
	size  image.Point // of the frame
	area  image.Rectangle
	scale float64
	b     layout.Bubble
}

func (j judge) leftAligned(box image.Rectangle) bool {
	return box.Min.X <= px(j.b.LeftWithin, j.scale)
}

func (j judge) rightAligned(box image.Rectangle) bool {
	return j.size.X-box.Max.X <= px(j.b.RightWithin, j.scale)
}

func (j judge) accepts(c component) bool {
	w, h := c.box.Dx(), c.box.Dy()
	minW, minH, low := j.b.MinWidth, j.b.MinHeight, 4
	if c.class == classOther {
		minW, minH, low = j.b.Picture, j.b.Picture, j.b.Picture/2
	}
	if clipped(c.box, j.area) {
		minH = low
	}
	switch {
	case w < px(minW, j.scale), h < px(minH, j.scale):
	case float64(w) > j.b.MaxWidth*float64(j.size.X):
	case c.box.Max.X <= px(j.b.Avatars, j.scale):
	case c.class != classOther && float64(c.count) < j.b.MinFill*float64(w*h):
	case !j.leftAligned(c.box) && !j.rightAligned(c.box):
	default:
		return true
	}
	return false
}

func clipped(box, area image.Rectangle) bool {
	return box.Min.Y <= area.Min.Y || box.Max.Y >= area.Max.Y
}

// sieve returns the indices of the components that are bubbles or pictures and
// do not stand inside another one.
func sieve(all []component, j judge) []int {
	var ids, out []int
	for id, c := range all {
		if j.accepts(c) {
			ids = append(ids, id)
		}
	}
	edge := px(3, j.scale)
	for _, a := range ids {
		inside := func(b int) bool { return a != b && swallows(all[b], all[a], edge) }
		if !slices.ContainsFunc(ids, inside) {
			out = append(out, a)
		}
	}
	return out
}

// swallows reports that inner stands inside outer. The smooth edge of a bubble
// is a ring of other colours: of two shapes with about the same box the one
// with a fill is the outer one.
func swallows(outer, inner component, edge int) bool {
	if !inner.box.In(outer.box.Inset(-edge)) {
		return false
	}
	if !outer.box.In(inner.box.Inset(-edge)) {
		return true
	}
	if (outer.class == classOther) != (inner.class == classOther) {
		return inner.class == classOther
	}
	return outer.count > inner.count
}

func newShape(p pixels, c component, rows []span, area image.Rectangle, scale float64, b layout.Bubble) Shape {
	j := judge{size: image.Pt(p.w, p.h), area: area, scale: scale, b: b}
	s := Shape{rows: rows}
	s.fill, s.paint = fill(p, c, rows)
	s.Bubble = messages.Bubble{
		Side:    j.side(c),
		Kind:    kind(c, rows),
		Box:     messages.Rect{X: c.box.Min.X, Y: c.box.Min.Y, W: c.box.Dx(), H: c.box.Dy()},
		Clipped: clipped(c.box, area),
		Key:     pixelKey(p, c, rows),
	}
	return s
}

func (j judge) side(c component) messages.Side {
	left, right := j.leftAligned(c.box), j.rightAligned(c.box)
	switch {
	case c.class == classOwn && right, c.class == classOther && right && !left:
		return messages.SideOwn
	case c.class == classIncoming && left, c.class == classOther && left && !right:
		return messages.SideIncoming
	}
	return messages.SideNeither
}

// kind tells a picture that fills its box from one with an outline.
func kind(c component, rows []span) messages.Kind {
	if c.class != classOther {
		return messages.KindText
	}
	inside := 0
	for _, r := range rows {
		inside += int(r.to - r.from)
	}
	if inside*100 >= 95*c.box.Dx()*c.box.Dy() {
		return messages.KindImage
	}
	return messages.KindSticker
}

// pixelKey hashes what is inside, and where inside the box it is.
func pixelKey(p pixels, c component, rows []span) messages.PixelKey {
	h := xxhash.New()
	var head [16]byte
	binary.LittleEndian.PutUint64(head[:], uint64(c.class))
	binary.LittleEndian.PutUint64(head[8:], uint64(c.box.Dx())<<32|uint64(c.box.Dy()))
	h.Write(head[:])
	for i, r := range rows {
		binary.LittleEndian.PutUint64(head[:], uint64(r.from-int32(c.box.Min.X)))
		binary.LittleEndian.PutUint64(head[8:], uint64(r.to-r.from))
		h.Write(head[:])
		h.Write(p.row(c.box.Min.Y + i)[4*r.from : 4*r.to])
	}
	return messages.PixelKey(h.Sum64())
}

// fill is the most frequent brightness in a sample of the rows, and a colour
// that has it.
func fill(p pixels, c component, rows []span) (luma int, paint colour) {
	var count [256]int
	for i := 0; i < len(rows); i += max(1, len(rows)/16) {
		row := image.Rect(int(rows[i].from), c.box.Min.Y+i, int(rows[i].to), c.box.Min.Y+i+1)
		p.stretches(row, func(at image.Rectangle, of colour) {
			l := of.luma()
			if count[l] += at.Dx(); count[l] > count[luma] {
				luma, paint = l, of
			}
		})
	}
	return luma, paint
}
