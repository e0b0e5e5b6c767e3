package segment

import (
	"cmp"
	"image"
	"slices"

	"github.com/kehai-run/kehai/messages"
)

// block is a candidate for a message: the inside of a bubble, or a picture.
type block struct {
	component
	rows   []span
	from   int // its sides without a tail
	to     int
	fill   int
	paint  colour
	inner  []image.Rectangle // regions inside: quotes, previews, icons
	avatar messages.Side     // the side at which a portrait stands beside it
	stamp  image.Rectangle
	name   image.Rectangle
	score  float64 // above 0 own, below 0 incoming
	row    bool    // it stands in no bubble, and neither do the others
	bare   bool    // it stands in no bubble, but others do
	part   bool    // the message may begin above what is shown
	cut    bool    // stamp is inside of it and taken out of rows
}

func (b *block) picture() bool { return b.class != classFilled }

// findBlocks is [Pane.Find] for windows whose colours are unknown.
func (p *Pane) findBlocks() Segments {
	out := Segments{Theme: p.theme.Name, Header: image.Rect(0, 0, p.w, p.Area.Min.Y), Title: p.nameInHeader()}
	list, rows, s := p.blocks()
	out.Rows = rows.at
	for i := range list {
		b := &list[i]
		out.Shapes = append(out.Shapes, Shape{rows: b.rows, fill: b.fill, paint: b.paint,
			Bubble: messages.Bubble{Kind: messages.KindText, Box: BoxOf(b.box), Clipped: p.Clips(b.box) || b.part,
				Key: p.shapeKey(b.component, b.rows)}})
		if b.picture() {
			out.Shapes[i].Bubble.Kind = kind(b.component, b.rows)
		} else if b.talk() {
			out.Shapes[i].Bubble.Kind = messages.KindImage
		}
	}
	p.besides(list)
	p.weigh(list)
	p.cutCorners(list) // what is read changes, not the key
	for i := range list {
		shape := &out.Shapes[i]
		shape.Score, shape.Bubble.Side = list[i].score, sideOf(list[i].score)
		shape.Quotes = p.quotes(list[i])
		shape.Clock, shape.rows = list[i].cut, list[i].rows
		shape.Timestamp, shape.Name = list[i].stamp, list[i].name
		shape.bare = list[i].bare
		if shape.Row = list[i].row; shape.Row {
			shape.Bubble.Side = messages.SideNeither // the name says it, once it is read
		}
		shape.Bubble.Named = !shape.Name.Empty() && (shape.Row || shape.Bubble.Side == messages.SideIncoming)
	}
	marks := p.markBoxes(out.Shapes)
	if p.layout.Marks.Known() {
		out.Marks = marks
	}
	out.Bare = p.bare(s.texture.blocks(), append(marks, rows.taken...), out.Shapes)
	return out
}

// Measures of a picture of a chat.
const (
	talkRegions = 3 // inside it, at least
	talkEdge    = 5 // one in so many of its width is free at the other side of each
)

// talk reports whether a block is a picture of a chat: in it stand bubbles of both sides.
func (b *block) talk() bool {
	incoming, own := 0, 0
	for _, r := range b.inner {
		left, right := r.Min.X-b.box.Min.X, b.box.Max.X-r.Max.X
		switch free := b.box.Dx() / talkEdge; {
		case left < free && right > free:
			incoming++
		case right < free && left > free:
			own++
		}
	}
	return incoming > 0 && own > 0 && incoming+own >= talkRegions
}

// quotes are the regions inside a bubble that are as wide as one with text.
func (p *Pane) quotes(b block) (out []image.Rectangle) {
	for _, r := range b.inner {
		if 1000*r.Dx() >= quoteWide*b.box.Dx() && r.Dy() >= p.px(blockHeight) && 1000*r.Dy() <= quoteHigh*b.box.Dy() {
			out = append(out, r)
		}
	}
	return out
}

// besides finds the clock time beside each block and the name above it, whichever
// side it may be of.
func (p *Pane) besides(list []block) {
	if p.background.patterned {
		return
	}
	above := p.Area.Min.Y
	for i := range list {
		b := &list[i]
		if b.row {
			continue
		}
		b.name = p.nameBox(b.box, above)
		left, right := p.timestamp(b.box, messages.SideOwn), p.timestamp(b.box, messages.SideIncoming)
		if b.stamp = right; right.Empty() || p.isStamp(left) && !p.isStamp(right) {
			b.stamp = left
		}
		above = max(above, b.box.Max.Y)
	}
}

// isStamp reports whether ink beside a bubble may be a clock time.
func (p *Pane) isStamp(r image.Rectangle) bool {
	return r.Dx() >= p.px(14) && r.Dx() > r.Dy()*5/4 && r.Dy() >= p.px(5) && r.Dy() <= p.px(34)
}

// blocks finds the blocks, top to bottom. rows says where messages stand in no bubble.
func (p *Pane) blocks() (list []block, rows rowsFound, s *scanner) {
	s = &scanner{p: p.pixels, texture: newTexture(p.Area, p.px(textCell))}
	list = p.joined(s, s.flats(p.Area, stepInFill))
	list = slices.DeleteFunc(list, func(b block) bool {
		return !p.shaped(b) || p.background.patterned && !p.plain(b) || p.inPattern(b)
	})
	list = p.outermost(list)
	portraits := []image.Rectangle{}
	if !p.background.patterned {
		list, portraits = p.pictures(list)
	}
	list, portraits = p.messagesOf(list, portraits)
	besidePortrait := func(b block) bool { return b.avatar != "" && !b.picture() }
	if !slices.ContainsFunc(list, besidePortrait) {
		if found := p.rowBlocks(portraits, list); len(found.list) > 0 {
			list, rows = found.list, found // the rest are buttons and previews
		}
	} else {
		list = append(list, p.unfilled(list, s.texture.blocks())...)
	}
	slices.SortFunc(list, func(a, b block) int {
		return cmp.Or(cmp.Compare(a.box.Min.Y, b.box.Min.Y), cmp.Compare(a.box.Min.X, b.box.Min.X))
	})
	return list, rows, s
}

// joined makes blocks of regions. Stripes that stand on each other are one bubble, whose
// colour changes little from top to bottom.
func (p *Pane) joined(s *scanner, all []component) []block {
	var ids []int
	for id, c := range all {
		if c.box.Dx() >= p.px(blockWidth) && 1000*c.count >= stripeDense*area(c.box) {
			ids = append(ids, id)
		}
	}
	spans := s.spans(all, ids)
	var open, list []block
	for _, id := range ids { // by their first rows
		c := all[id]
		c.class = classFilled
		i := slices.IndexFunc(open, func(b block) bool {
			return c.box.Min.Y == b.box.Max.Y && inLine(c.box.Min.X, b.box.Min.X) && inLine(c.box.Max.X, b.box.Max.X)
		})
		if i < 0 {
			open = append(open, block{component: c, rows: spans[id]})
			continue
		}
		b := &open[i]
		b.box, b.count, b.rows = b.box.Union(c.box), b.count+c.count, append(b.rows, spans[id]...)
	}
	for _, b := range open {
		if p.mayHold(b.component) {
			list = append(list, p.newBlock(b.component, straightened(b.rows)))
		}
	}
	return list
}

func (p *Pane) newBlock(c component, rows []span) block {
	b := block{component: c, rows: rows}
	b.fill, b.paint = p.fill(c, rows)
	b.from = int(most(rows, func(r span) int32 { return r.from }))
	b.to = int(most(rows, func(r span) int32 { return r.to }))
	return b
}

// inPattern reports whether a block lies between the lines of a pattern behind the messages: it has no fill of its
// own, and what is drawn in it differs less than ink does. An edge may cut off what is written in a wider one.
func (p *Pane) inPattern(b block) bool {
	if !p.background.has(b.paint) || p.Clips(b.box) && b.box.Dx() > p.px(portrait) {
		return false
	}
	for i, r := range b.rows {
		y := b.box.Min.Y + i
		if !p.inkOn(image.Rect(int(r.from), y, int(r.to), y+1), b.fill).Empty() {
			return false
		}
	}
	return true
}

// plain reports whether most of a block has one colour, which parts of a photograph
// have not.
func (p *Pane) plain(b block) bool {
	same, all := 0, 0
	for i := 0; i < len(b.rows); i += max(1, len(b.rows)/16) {
		row := image.Rect(int(b.rows[i].from), b.box.Min.Y+i, int(b.rows[i].to), b.box.Min.Y+i+1)
		p.stretches(row, func(at image.Rectangle, of colour) {
			if all += at.Dx(); !differs(of, b.paint, 0) {
				same += at.Dx()
			}
		})
	}
	return 1000*same >= plainMost*all
}

// Measures of a block, logical pixels.
const (
	blockWidth  = 24
	blockHeight = 18
	blockClip   = 6  // height of one that the edge of the area cuts
	portrait    = 64 // largest portrait beside a message
	portraitGap = 28
	roundest    = 22 // radius of a bubble's corner
	buttonLow   = 90 // the button that scrolls down is at most so far above the input
	pillHigh    = 34 // highest date or notice of one line
	smallHigh   = 32 // highest reaction
	fieldAbove  = 6  // room above an input field
)

// Ratios of a block, thousandths.
const (
	blockWidest = 920 // of the area's width
	blockDense  = 250 // least of its box that a region covers
	stripeDense = 125 // the same for one that may be a part of a bubble
	shadeDense  = 800 // least of a picture's box that a gradient covers
	pictureFull = 500 // from which blocks in a component are what it consists of
	plainMost   = 500 // least of a block that has its colour
	straight    = 350 // least of the rows that end at one side
	inkLeast    = 5   // of what is inside
	inkMost     = 800
	quoteWide   = 500 // least of the bubble's width
	quoteHigh   = 750 // most of the bubble's height
	squareOff   = 125 // by which width and height of a square differ at most
	roundMost   = 820 // of its box that something round covers
	buttonFrom  = 750 // of the area's width, where the button that scrolls down begins
	fieldLow    = 780 // of the pane's height, where an input field begins
	fieldWide   = 550 // least of the pane's width
	fieldOff    = 80  // of the pane's width, from the area's middle to the field's
)

// mayHold decides by size whether a region may be the inside of a bubble.
func (p *Pane) mayHold(c component) bool {
	w, h := c.box.Dx(), c.box.Dy()
	low := blockHeight
	if p.Clips(c.box) {
		low = blockClip
	}
	inside := c.box.Min.X > p.Area.Min.X && c.box.Max.X < p.Area.Max.X
	return inside && w >= p.px(blockWidth) && h >= p.px(low) &&
		1000*w <= blockWidest*p.Area.Dx() && 1000*c.count >= blockDense*w*h
}

// aboveField is the row above an input field that floats on the background, wide, in the
// middle, and below everything else; the end of the area if there is none. A message may be
// as wide, but is in line with others of its colour.
func (p *Pane) aboveField() int {
	low := p.Area
	low.Min.Y = max(p.h*fieldLow/1000-1, low.Min.Y) // what begins there may begin further up
	s := &scanner{p: p.pixels, texture: newTexture(low, p.px(textCell))}
	for _, b := range p.joined(s, s.flats(low, stepInFill)) {
		off := 1000 * abs(b.box.Min.X+b.box.Max.X-p.Area.Min.X-p.Area.Max.X) / 2
		if b.box.Min.Y > low.Min.Y && 1000*b.box.Dx() >= fieldWide*p.w && off <= fieldOff*p.w && !p.amongOthers(b) {
			return max(b.box.Min.Y-p.px(fieldAbove), p.Area.Min.Y)
		}
	}
	return p.Area.Max.Y
}

// endsAtMessage reports whether what seems to be the edge of the input, where the area ends, is that of a message.
func (p *Pane) endsAtMessage() bool {
	low := image.Rect(0, p.Area.Max.Y-p.px(blockClip), p.w, p.h)
	s := &scanner{p: p.pixels, texture: newTexture(low, p.px(textCell))}
	return slices.ContainsFunc(p.joined(s, s.flats(low, stepInFill)), func(b block) bool {
		return abs(b.box.Min.Y-p.Area.Max.Y) <= 2 && b.box.Max.Y < p.h && 1000*b.box.Dx() >= fieldWide*p.w &&
			p.amongOthers(b)
	})
}

// amongOthers reports whether a block of the same colour stands above another one and begins or ends where it does.
func (p *Pane) amongOthers(b block) bool {
	above := p.Area
	above.Max.Y = min(b.box.Min.Y, above.Max.Y)
	s := &scanner{p: p.pixels, texture: newTexture(above, p.px(textCell))}
	return slices.ContainsFunc(p.joined(s, s.flats(above, stepInFill)), func(o block) bool {
		return !differs(o.paint, b.paint, 3) && (inLine(o.from, b.from) || inLine(o.to, b.to)) && p.shaped(o)
	})
}

// shaped reports whether a region has straight sides and something written in it,
// as a bubble has.
func (p *Pane) shaped(b block) bool {
	from, to := most(b.rows, func(r span) int32 { return r.from }), most(b.rows, func(r span) int32 { return r.to })
	left, right, inside := 0, 0, 0
	for _, r := range b.rows {
		inside += int(r.to - r.from)
		if abs(r.from-from) <= 2 {
			left++
		}
		if abs(r.to-to) <= 2 {
			right++
		}
	}
	if p.Clips(b.box) {
		return true
	}
	second := p.px(2)
	level := int32(b.box.Dx() - 2*p.px(roundest))
	for _, r := range [2]span{b.rows[second], b.rows[len(b.rows)-1-second]} {
		if r.to-r.from < level {
			return false
		}
	}
	ink := inside - b.count
	return 1000*min(left, right) >= straight*len(b.rows) && 1000*ink >= inkLeast*inside && 1000*ink <= inkMost*inside
}

// outermost drops the blocks that stand inside others.
func (p *Pane) outermost(list []block) []block {
	slices.SortStableFunc(list, func(a, b block) int {
		return cmp.Compare(area(b.box), area(a.box))
	})
	edge := p.px(3)
	var out []block
next:
	for _, b := range list {
		for i := range out {
			outer := &out[i]
			if b.box.In(outer.box.Inset(-edge)) {
				outer.inner = append(outer.inner, b.box)
				continue next
			}
			if b.box.Dy() <= p.px(smallHigh) && b.box.Overlaps(outer.box.Inset(p.px(2))) {
				continue next // a reaction on the bubble's rim
			}
		}
		out = append(out, b)
	}
	return out
}

// pictures adds what is neither background nor bubble and large enough, and drops the
// regions inside of it. portraits are what may be one.
func (p *Pane) pictures(list []block) (all []block, portraits []image.Rectangle) {
	s := scanner{p: p.pixels, background: p.background, texture: newTexture(p.Area, p.px(textCell))}
	s.scan(p.Area)
	found := s.components()
	least := p.px(p.layout.Bubble.Picture)
	var ids []int
	for id, c := range found {
		w, h := c.box.Dx(), c.box.Dy()
		if square(c.box) && h >= p.px(20) && h <= p.px(portrait) {
			portraits = append(portraits, c.box)
		}
		low := least
		if p.Clips(c.box) {
			low = least / 2
		}
		if !p.mayHold(c) || p.filled(list, c) {
			continue
		}
		if b, ok := p.shade(c); ok {
			list = append(list, b)
		} else if w >= least && h >= low {
			ids = append(ids, id)
		}
	}
	spans := s.spans(found, ids)
	for _, id := range ids {
		c := found[id]
		list = slices.DeleteFunc(list, func(b block) bool { return b.box.In(c.box) })
		list = append(list, p.newBlock(c, spans[id]))
	}
	return list, portraits
}

// filled reports whether blocks fill most of a component: it is their outline or
// shadow.
func (p *Pane) filled(list []block, c component) bool {
	covered := 0
	for _, b := range list {
		covered += area(b.box.Intersect(c.box))
	}
	return 1000*covered >= pictureFull*min(area(c.box), c.count)
}

// shade finds the bubble in a component whose fill is a gradient.
func (p *Pane) shade(c component) (block, bool) {
	s := scanner{p: p.pixels, texture: newTexture(p.Area, p.px(textCell))}
	all := s.flats(c.box, stepInShade)
	best := -1
	for id, in := range all {
		if best < 0 || in.count > all[best].count {
			best = id
		}
	}
	if best < 0 || !p.mayHold(all[best]) || 1000*area(all[best].box) < shadeDense*area(c.box) {
		return block{}, false
	}
	rows := straightened(s.spans(all, []int{best})[best])
	in := all[best]
	in.class = classFilled
	b := p.newBlock(in, rows)
	return b, p.shaped(b)
}

func area(r image.Rectangle) int { return r.Dx() * r.Dy() }

func abs[N int | int32](n N) N { return max(n, -n) }

func square(r image.Rectangle) bool { return 1000*abs(r.Dx()-r.Dy()) <= squareOff*r.Dy() }

// messagesOf drops portraits, dates, notices and buttons, and notes beside which
// blocks the portraits stand.
func (p *Pane) messagesOf(list []block, portraits []image.Rectangle) (rest []block, all []image.Rectangle) {
	for _, b := range list {
		if square(b.box) && b.box.Dy() <= p.px(portrait) {
			portraits = append(portraits, b.box)
		}
	}
	gone := p.portraitsIn(list)
	for i := range list {
		for _, r := range portraits {
			left, right := list[i].box.Min.X-r.Max.X, r.Min.X-list[i].box.Max.X
			level := r.Min.Y < list[i].box.Max.Y+p.px(4) && list[i].box.Min.Y < r.Max.Y+p.px(4)
			switch near := p.px(portraitGap); {
			case !level || r.Overlaps(list[i].box):
				continue
			case left >= 0 && left <= near && 2*r.Max.X < p.w:
				list[i].avatar = messages.SideIncoming
			case right >= 0 && right <= near && 2*r.Min.X > p.w:
				list[i].avatar = messages.SideOwn
			default:
				continue
			}
			for j := range list {
				gone[j] = gone[j] || list[j].box == r
			}
		}
	}
	n := 0
	for i := range list {
		if !gone[i] && !p.notice(list, i) {
			list[n] = list[i]
			n++
		}
	}
	return list[:n], portraits
}

// notice reports whether a block is a date, a notice or a button: low and in the
// middle, or round, and in line with no other block; or a sign in the middle of a window in
// which nothing stands elsewhere, as no conversation is open.
func (p *Pane) notice(list []block, i int) bool {
	b := list[i]
	off := (b.box.Min.X+b.box.Max.X)/2 - (p.Area.Min.X+p.Area.Max.X)/2
	middle := b.box.Dy() <= p.px(pillHigh) && abs(off) <= p.px(markCentre)
	round := p.round(b) && b.box.Max.Y > p.Area.Max.Y-p.px(buttonLow) && 1000*b.box.Min.X > buttonFrom*p.Area.Max.X
	if !slices.ContainsFunc(list, func(o block) bool { return !p.inTheMiddle(o.box) }) {
		return true
	}
	if !middle && !round || b.picture() {
		return false
	}
	for j, o := range list {
		lined := inLine(o.from, b.from) || inLine(o.to, b.to)
		if j != i && lined && !differs(o.paint, b.paint, 3) && (!middle || o.box.Dx() != b.box.Dx()) {
			return false
		}
	}
	return true
}

// inTheMiddle reports whether a box stands at neither side, with room at both.
func (p *Pane) inTheMiddle(box image.Rectangle) bool {
	off := (box.Min.X+box.Max.X)/2 - (p.Area.Min.X+p.Area.Max.X)/2
	return abs(off) <= p.px(markCentre) && 2*box.Dx() < p.Area.Dx()
}

// round reports whether a block is a disc, or the middle part of one whose other rows were too short
// for the side of a bubble.
func (p *Pane) round(b block) bool {
	if square(b.box) {
		return 1000*areaOf(b.rows) < roundMost*area(b.box)
	}
	whole, middle := b.box, (b.box.Min.X+b.box.Max.X)/2
	paint := func(y int) bool { return !p.background.has(p.at(middle, y)) }
	for whole.Min.Y > p.Area.Min.Y && whole.Dy() <= b.box.Dx() && paint(whole.Min.Y-1) {
		whole.Min.Y--
	}
	for whole.Max.Y < p.Area.Max.Y && whole.Dy() <= p.px(portrait) && paint(whole.Max.Y) {
		whole.Max.Y++
	}
	return square(whole) && 1000*b.box.Dy() < roundMost*whole.Dy()
}

func areaOf(rows []span) (n int) {
	for _, r := range rows {
		n += int(r.to - r.from)
	}
	return n
}

func inLine(a, b int) bool { return abs(a-b) <= 2 }
