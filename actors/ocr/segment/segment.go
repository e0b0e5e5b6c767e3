package segment

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"image"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/messages"
)

// Segments is what a pane shows, as far as pixels tell it.
type Segments struct {
	Theme  string
	Header image.Rectangle
	Title  image.Rectangle   // the title's ink with a little room, empty if there is none
	Shapes []Shape           // top to bottom
	Marks  []image.Rectangle // centred ink between shapes: dates and notices, top to bottom
	Bare   int               // blocks of text that stand in no bubble
	Rows   RowColumn         // where Shapes stand if they are rows
}

// Shape is a bubble or a picture that stands where a bubble would.
type Shape struct {
	Bubble    messages.Bubble // without text; Kind is text, image or sticker
	Timestamp image.Rectangle // ink beside it where its clock time stands, may be empty
	Name      image.Rectangle // ink above it where the name of who wrote it stands, may be empty
	Score     float64         // what weighs for an own one, less what weighs for an incoming one; 0 if colours say it

	Clock  bool              // Timestamp is inside, and not read with the text
	Row    bool              // it stands in no bubble; its name says whose it is
	Quotes []image.Rectangle // frames inside: quotes and previews
	Emoji  []image.Rectangle // inside, that Prepare leaves out; see [Pane.Emoji]

	bare  bool   // it alone stands in no bubble
	rows  []span // inside, one for each row of the box
	fill  int    // luma of the fill
	paint colour // of the fill
}

// Box is where the shape stands.
func (s Shape) Box() image.Rectangle { return Rect(s.Bubble.Box) }

// Fill is the colour of the shape.
func (s Shape) Fill() (r, g, b uint8) { return s.paint.rgb() }

// Find finds header, title, bubbles and marks.
//
// A bubble is a connected component of one of the theme's fill colours that is
// large enough and mostly fill. It is not wholly inside the column of avatars
// and not as wide as the window, and it begins near the left edge or ends near
// the right one; dates, notices and the input do not. A bubble that is cut by
// the edge of the area may be low.
//
// The fill says the side. A fill on the wrong side of the window says neither.
// On a plain background, a large component of other colours in such a place is
// a picture: an image if it fills its box, else a sticker. Its place says its
// side. Where shapes stand inside each other, the outer one counts.
func (p *Pane) Find() Segments {
	if p.layout.Find == layout.FindAuto {
		return p.findBlocks()
	}
	out := Segments{Theme: p.theme.Name, Header: image.Rect(0, 0, p.w, p.Area.Min.Y)}
	band := out.Header
	band.Max.Y -= p.px(4) // a line may part it from the messages
	out.Title = p.titleBox(p.layout.Header.Title.In(image.Pt(p.w, p.h), p.scale).Intersect(band))
	s := scanner{p: p.pixels, background: p.background, theme: p.theme, texture: newTexture(p.Area, p.px(textCell))}
	s.scan(p.Area)
	all := s.components()
	wanted := p.filter(all)
	spans := s.spans(all, wanted)
	for _, id := range wanted {
		out.Shapes = append(out.Shapes, p.newShape(all[id], spans[id]))
	}
	slices.SortFunc(out.Shapes, func(a, b Shape) int {
		return cmp.Or(cmp.Compare(a.Bubble.Box.Y, b.Bubble.Box.Y), cmp.Compare(a.Bubble.Box.X, b.Bubble.Box.X))
	})
	above := p.Area.Min.Y
	for i := range out.Shapes {
		shape := &out.Shapes[i]
		if shape.Bubble.Side == messages.SideIncoming {
			shape.Name = p.nameBox(shape.Box(), above)
		}
		shape.Bubble.Named = !shape.Name.Empty()
		above = max(above, shape.Box().Max.Y)
	}
	marks := p.markBoxes(out.Shapes)
	if p.layout.Marks.Known() {
		out.Marks = marks
	}
	out.Bare = p.bare(s.texture.blocks(), marks, out.Shapes)
	return out
}

// accepts decides by size, shape and place whether a component is a bubble or a
// picture.
func (p *Pane) accepts(c component) bool {
	b := p.layout.Bubble
	w, h := c.box.Dx(), c.box.Dy()
	minW, minH, low := b.MinWidth, b.MinHeight, 4
	if c.class == classOther {
		minW, minH, low = b.Picture, b.Picture, b.Picture/2
	}
	if p.Clips(c.box) {
		minH = low
	}
	switch {
	case w < p.px(minW), h < p.px(minH):
	case float64(w) > b.MaxWidth*float64(p.w):
	case c.box.Max.X <= p.px(b.Avatars):
	case c.class != classOther && float64(c.count) < b.MinFill*float64(w*h):
	case !p.leftAligned(c.box) && !p.rightAligned(c.box):
	default:
		return true
	}
	return false
}

// filter returns the indices of the components that are bubbles or pictures and
// do not stand inside another one.
func (p *Pane) filter(all []component) []int {
	var ids, out []int
	for id, c := range all {
		if p.accepts(c) {
			ids = append(ids, id)
		}
	}
	edge := p.px(3)
	for _, a := range ids {
		inside := func(b int) bool { return a != b && contains(all[b], all[a], edge) }
		if !slices.ContainsFunc(ids, inside) {
			out = append(out, a)
		}
	}
	return out
}

// contains reports whether inner stands inside outer. The smooth edge of a bubble
// is a ring of other colours: of two shapes with about the same box, the one
// with a fill is the outer one.
func contains(outer, inner component, edge int) bool {
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

func (p *Pane) newShape(c component, rows []span) Shape {
	s := Shape{rows: rows}
	s.fill, s.paint = p.fill(c, rows)
	s.Bubble = messages.Bubble{
		Side: p.side(c), Kind: kind(c, rows), Box: BoxOf(c.box), Clipped: p.Clips(c.box), Key: p.shapeKey(c, rows),
	}
	if !p.background.patterned {
		s.Timestamp = p.timestamp(s.Box(), s.Bubble.Side)
	}
	return s
}

// side is the side that a component's colour and place agree on.
func (p *Pane) side(c component) messages.Side {
	left, right := p.leftAligned(c.box), p.rightAligned(c.box)
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

// shapeKey hashes what is inside, and where inside the box it is.
func (p *Pane) shapeKey(c component, rows []span) messages.PixelKey {
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

// Key identifies the pixels of a rectangle.
func (p *Pane) Key(box image.Rectangle) messages.PixelKey {
	h := xxhash.New()
	fmt.Fprint(h, box.Size())
	for y := box.Min.Y; y < box.Max.Y; y++ {
		h.Write(p.row(y)[4*box.Min.X : 4*box.Max.X])
	}
	return messages.PixelKey(h.Sum64())
}

// fill is the most frequent brightness in a sample of the rows, and a colour
// that has it.
func (p *Pane) fill(c component, rows []span) (luma int, paint colour) {
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
