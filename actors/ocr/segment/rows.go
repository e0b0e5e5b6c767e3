package segment

import (
	"image"
	"slices"

	"github.com/kehai-run/kehai/messages"
)

// Measures of rows, logical pixels: messages that stand in no bubble, at the right of a
// column of portraits, under the name of their writer.
const (
	rowGap    = 4  // from a portrait to what is written
	rowJoin   = 2  // rows without ink inside a line
	rowLow    = 5  // least height of a line
	nameOff   = 10 // from the top of a portrait to that of the name
	nameBreak = 9  // between a name and the clock time behind it
	tickOff   = 7  // between a line and the sign behind it that it was received
	tickWide  = 16
	buttonOff = 40 // between a line and a button that lies at the right end of it
	wordGap   = 3  // between the words of a name
	barHigh   = 40 // least height of a bar that scrolls
)

// tickChroma is how far such a sign's colour is from grey, at least.
const tickChroma = 60

// Largest distance of the lines of one message, hundredths of the font.
const (
	nextLine = 170
	newLine  = 155 // behind a line that was not full
)

// rowLine is a line of text in its column.
type rowLine struct {
	box  image.Rectangle // of all ink
	name image.Rectangle // of the first ink, if the line begins a group
}

// RowColumn is where rows stand, and what behind them is no part of a message.
type RowColumn struct {
	messages.RowColumn
	tick sign
}

// sign is what stands behind a line to say that it was received. A zero sign is none.
type sign struct {
	size   image.Point
	colour colour // its strongest
}

// is reports whether two signs look the same, but for how they fall on pixels.
func (s sign) is(o sign) bool {
	return s.size != image.Point{} && abs(s.size.X-o.size.X) <= 1 && abs(s.size.Y-o.size.Y) <= 1 &&
		!differs(s.colour, o.colour, 4*backgroundTolerance)
}

// rowsFound are the messages of an application that writes rows.
type rowsFound struct {
	list  []block
	taken []image.Rectangle // the bands that they stand in, with names and times
	at    RowColumn
}

// rowBlocks finds the rows. In a long group, portrait and name may be out of view; then
// earlier frames give their place. Windows with known bubbles have no rows. Neither have
// windows without an input, which may be lists of chats. buttons are the other finds; those
// at the right lie on the messages.
func (p *Pane) rowBlocks(portraits []image.Rectangle, buttons []block) (found rowsFound) {
	if p.background.patterned || p.Area.Max.Y == p.h || len(p.Known.Fills) > 0 {
		return found
	}
	amongRows := func(b block) bool { // no emoji that stands alone in a row, and no portrait that is cut
		small := square(b.box) && b.box.Dy() <= p.px(portrait)
		return 2*b.box.Min.X <= p.w && !small && b.box.Max.X > p.Rows.From
	}
	column := p.portraitColumn(portraits)
	if len(column) > 0 && p.Rows.From > 0 && column[0].Min.X >= p.Rows.From { // emoji, where rows stand
		column = nil
	}
	switch {
	case len(column) > 0:
		found.at.From = column[0].Max.X + p.px(rowGap)
	case p.Rows.From == 0 || p.Rows.Left >= p.Area.Max.X || slices.ContainsFunc(buttons, amongRows):
		return found
	default:
		found.at = p.Rows
	}
	var lines []rowLine
	lines, found.at = p.rowLines(column, found.at, buttons)
	list := found.list
	limit := limitOf(lines)
	texts := image.Rect(found.at.Left, p.Area.Min.Y, p.Area.Max.X, p.Area.Max.Y)
	var name image.Rectangle
	for i, l := range lines {
		found.taken = append(found.taken, image.Rect(p.Area.Min.X, l.box.Min.Y-1, p.Area.Max.X, l.box.Max.Y+1))
		if !l.name.Empty() {
			name = l.name
			continue
		}
		if i > 0 && len(list) > 0 && lines[i-1].name.Empty() &&
			follows(lines[i-1].box, l.box, texts, limit, newLine*highest(lines)/100) {
			b := &list[len(list)-1]
			b.box = b.box.Union(l.box)
			continue
		}
		list = append(list, block{component: component{class: classFilled, box: l.box}, name: name, row: true,
			part: i == 0 && p.goesOn(l, highest(lines), limit)})
	}
	for i := range list {
		b := &list[i]
		b.box = b.box.Inset(-p.px(rowGap)).Intersect(p.Area)
		b.count = area(b.box)
		for range b.box.Dy() {
			b.rows = append(b.rows, span{int32(b.box.Min.X), int32(b.box.Max.X)})
		}
		b.paint, b.fill = p.background.colour, p.background.colour.luma()
	}
	found.list = list
	return found
}

// portraitColumn are the portraits that stand in one column at the left.
func (p *Pane) portraitColumn(portraits []image.Rectangle) (column []image.Rectangle) {
	for _, r := range portraits {
		var same []image.Rectangle
		for _, o := range portraits {
			if inLine(o.Min.X, r.Min.X) && inLine(o.Max.X, r.Max.X) {
				same = append(same, o)
			}
		}
		if len(same) > len(column) && 3*r.Max.X < p.w {
			column = same
		}
	}
	return column
}

// rowLines are the lines right of a column of portraits that begin where names do. They tell more of
// where rows stand than was known.
func (p *Pane) rowLines(column []image.Rectangle, at RowColumn, buttons []block) ([]rowLine, RowColumn) {
	band := image.Rect(at.From, p.Area.Min.Y, p.Area.Max.X-p.px(margin), p.Area.Max.Y)
	boxes := p.inkLines(band, buttons...)
	for i, box := range boxes {
		boxes[i] = p.withoutButton(box)
		if tick, _ := p.tickBehind(boxes[i]); tick != (sign{}) {
			at.tick = tick
		}
	}
	var lines []rowLine
	for _, box := range boxes {
		l := rowLine{box: p.withoutTick(box, at.tick)}
		for _, r := range column {
			if abs(box.Min.Y-r.Min.Y) <= p.px(nameOff) {
				l.name = p.firstInk(box)
			}
		}
		if !l.name.Empty() && at.Left == 0 {
			at.Left = box.Min.X
		}
		lines = append(lines, l)
	}
	return slices.DeleteFunc(lines, func(l rowLine) bool {
		return at.Left == 0 || abs(l.box.Min.X-at.Left) > p.px(rowGap) || p.Clips(l.box)
	}), at
}

// inkLines are the lines of ink in a band, top to bottom, left of buttons that lie on it.
func (p *Pane) inkLines(band image.Rectangle, buttons ...block) (lines []image.Rectangle) {
	band.Max.X = p.leftOfBar(band)
	free := func(top, bottom int) image.Rectangle {
		part := band
		for _, b := range buttons {
			if at := b.box.Inset(-p.px(rowGap)); 2*at.Min.X > p.w && at.Min.Y < bottom && top < at.Max.Y {
				part.Max.X = min(part.Max.X, at.Min.X)
			}
		}
		return part
	}
	start, last := -1, -1
	for y := band.Min.Y; y <= band.Max.Y; y++ {
		if y < band.Max.Y && p.inkedRow(free(y, y+1), y) {
			if start < 0 {
				start = y
			}
			last = y
			continue
		}
		if start < 0 || y < band.Max.Y && y-last <= p.px(rowJoin) {
			continue
		}
		if last-start >= p.px(rowLow) {
			lines = append(lines, p.inkedColumns(image.Rect(band.Min.X, start, free(start, last+1).Max.X, last+1)))
		}
		start = -1
	}
	return lines
}

// leftOfBar is where a band ends: before the thin bar that lies on the background at its right while
// somebody scrolls, which would join its lines.
func (p *Pane) leftOfBar(band image.Rectangle) int {
	tall := func(x int) bool { // taller than any letter
		high := 0
		for y := band.Min.Y; y < band.Max.Y && high < p.px(barHigh); y++ {
			if high++; p.background.has(p.at(x, y)) {
				high = 0
			}
		}
		return high == p.px(barHigh)
	}
	end := band.Max.X
	for end > max(band.Min.X, band.Max.X-p.px(widestBar)) && !tall(end-1) {
		end--
	}
	begin := end
	for begin > max(band.Min.X, end-p.px(widestBar)) && tall(begin-1) {
		begin--
	}
	if begin == end || begin == band.Min.X || tall(begin-1) { // none, or what lies there is no bar
		return band.Max.X
	}
	return begin
}

// lastInk is the ink at the right end of a line, as far as the first column without any, and the line
// before it, which is empty if there is nothing else.
func (p *Pane) lastInk(line image.Rectangle) (last, before image.Rectangle) {
	inked := func(x int) bool {
		for y := line.Min.Y; y < line.Max.Y; y++ {
			if !p.background.has(p.at(x, y)) {
				return true
			}
		}
		return false
	}
	x := line.Max.X
	for x > line.Min.X && inked(x-1) {
		x--
	}
	last, before = line, line
	last.Min.X = x
	for x > line.Min.X && !inked(x-1) {
		x--
	}
	before.Max.X = x
	return last, before
}

// withoutButton cuts off a button that lies at the right end of a line: far behind it, or beneath the pointer.
func (p *Pane) withoutButton(line image.Rectangle) image.Rectangle {
	last, before := p.lastInk(line)
	off := p.px(buttonOff)
	if line.Overlaps(p.highlight) {
		off = p.px(tickOff)
	}
	if last.Dx() <= p.px(tickWide) && last.Min.X-before.Max.X >= off && 10*last.Min.X >= 9*p.w {
		return before
	}
	return line
}

// withoutTick cuts off the sign behind a line that says it was received. Behind what has colours itself,
// it must look like the one behind other lines.
func (p *Pane) withoutTick(line image.Rectangle, known sign) image.Rectangle {
	if tick, before := p.tickBehind(line); tick != (sign{}) {
		return before
	}
	if tick, before := p.signBehind(line); known.is(tick) {
		return before
	}
	return line
}

// tickBehind is the sign behind a line that has none of its colours, and the line without it.
func (p *Pane) tickBehind(line image.Rectangle) (tick sign, before image.Rectangle) {
	tick, before = p.signBehind(line)
	if tick == (sign{}) {
		return sign{}, line
	}
	near := before
	near.Min.X = max(near.Min.X, near.Max.X-p.px(tickWide))
	if p.strongestColour(near).chroma() >= tickChroma {
		return sign{}, line
	}
	return tick, before
}

// signBehind is something small and of one colour that stands apart behind a line, and the line without it.
func (p *Pane) signBehind(line image.Rectangle) (s sign, before image.Rectangle) {
	last, before := p.lastInk(line)
	gap := last.Min.X - before.Max.X
	if before.Empty() || last.Dx() > p.px(tickWide) || gap < p.px(tickOff) || gap >= p.px(buttonOff) ||
		p.strongestColour(last).chroma() < tickChroma || !p.oneHue(last) {
		return sign{}, line
	}
	return sign{size: image.Pt(last.Dx(), p.ink(last).Dy()), colour: p.strongestColour(last)}, before
}

// strongestColour is the colour in a box that is farthest from grey.
func (p *Pane) strongestColour(box image.Rectangle) (most colour) {
	p.stretches(box, func(_ image.Rectangle, c colour) {
		if !p.background.has(c) && c.chroma() > most.chroma() {
			most = c
		}
	})
	return most
}

// oneHue reports whether all strong colours of a box are near one another, which those of an
// emoji are not.
func (p *Pane) oneHue(box image.Rectangle) bool {
	most := p.strongestColour(box)
	other := 0
	p.stretches(box, func(at image.Rectangle, c colour) {
		if 10*c.chroma() >= 9*most.chroma() && differs(c, most, 4*backgroundTolerance) {
			other += at.Dx()
		}
	})
	return 10*other <= area(box)/10
}

// firstInk is the part of a line before its first wide gap, or before the first one behind
// which the ink is weaker: behind a name stands a time, in a paler colour.
func (p *Pane) firstInk(line image.Rectangle) image.Rectangle {
	first, strong, last := 0, 0, line.Min.X
	for x := line.Min.X; x < line.Max.X && x-last <= p.px(nameBreak); x++ {
		darkest := 0
		for y := line.Min.Y; y < line.Max.Y; y++ {
			if c := p.at(x, y); !p.background.has(c) {
				darkest = max(darkest, abs(c.luma()-p.background.colour.luma()), 1)
			}
		}
		switch {
		case darkest == 0:
			continue
		case x-last > p.px(wordGap) && first == 0:
			first = strong
		}
		if x-last > p.px(wordGap) {
			next := image.Rect(x, line.Min.Y, min(x+p.px(tickWide), line.Max.X), line.Max.Y)
			if 10*p.strongest(next) < 8*first {
				break
			}
		}
		strong, last = max(strong, darkest), x
	}
	line.Max.X = last + 1
	return line.Inset(-p.px(3)).Intersect(p.Area)
}

// strongest is how much the ink of a box differs from the background, at most.
func (p *Pane) strongest(box image.Rectangle) (most int) {
	behind := p.background.colour.luma()
	p.stretches(box, func(_ image.Rectangle, c colour) { most = max(most, abs(c.luma()-behind)) })
	return most
}

// highest is the height of the highest lines, nearly the size of the font. Emoji alone in a line
// are drawn larger: what is much higher than most does not count, and neither does a single line.
func highest(lines []rowLine) int {
	var all []int
	for _, l := range lines {
		if l.name.Empty() {
			all = append(all, l.box.Dy())
		}
	}
	if slices.Sort(all); len(all) == 0 {
		return 0
	}
	most := all[len(all)/2] * 8 / 5
	all = slices.DeleteFunc(all, func(high int) bool { return high > most })
	return all[max(len(all)-2, 0)]
}

// goesOn reports whether the first line in view may go on with a message whose beginning is hidden.
func (p *Pane) goesOn(l rowLine, font, limit int) bool {
	hidden := image.Rect(l.box.Min.X, p.Area.Min.Y-font, l.box.Max.X, p.Area.Min.Y) // no lower
	return l.name.Empty() && distance(hidden, l.box) <= limit
}

// distance is how far a line stands below another one.
func distance(above, line image.Rectangle) int {
	return max(line.Max.Y-above.Max.Y, line.Min.Y-above.Min.Y)
}

// follows reports whether a line goes on with the message of the one above it. What comes behind one that ends
// early in the column had room there, and begins anew: only a line that stands closer goes on with it.
func follows(above, line, column image.Rectangle, limit, closer int) bool {
	if 4*(above.Max.X-column.Min.X) < 3*column.Dx() {
		limit = min(limit, closer)
	}
	return distance(above, line) <= limit
}

// limitOf is the largest distance of lines of one message: between messages is more room than between
// lines. It follows from the font. Where that would part distances that are alike, most of which are
// larger, all of these are between messages.
func limitOf(lines []rowLine) int {
	font := highest(lines)
	limit := nextLine * font / 100
	var all []int
	for i, l := range lines {
		if i > 0 && l.name.Empty() && lines[i-1].name.Empty() {
			all = append(all, distance(lines[i-1].box, l.box))
		}
	}
	slices.Sort(all)
	above, _ := slices.BinarySearch(all, limit+1)
	alike := func(i int) bool { return 0 < i && i < len(all) && 4*(all[i]-all[i-1]) <= font }
	from, to := above, above
	for alike(from) {
		from--
	}
	for to++; alike(to); {
		to++
	}
	if from == above || to-above <= above-from || 2*(all[to-1]-all[from]) > font {
		return limit
	}
	return all[from] - 1
}

// portraitsIn tells squares with a letter in them, which stand before text in no bubble,
// from short messages: of those in one column some have a name or a message beside them,
// which is wider than a clock time or has two lines.
func (p *Pane) portraitsIn(list []block) (gone []bool) {
	gone = make([]bool, len(list))
	if p.background.patterned {
		return gone
	}
	for _, b := range list {
		if b.picture() || !square(b.box) || b.box.Dy() > p.px(portrait) || !p.beforeText(b.box, list) {
			continue
		}
		for j, o := range list {
			gone[j] = gone[j] || inLine(o.box.Min.X, b.box.Min.X) && inLine(o.box.Max.X, b.box.Max.X) && square(o.box)
		}
	}
	return gone
}

// beforeText reports whether text that stands in none of the blocks begins right of a box.
func (p *Pane) beforeText(box image.Rectangle, list []block) bool {
	from := box.Max.X + p.px(rowGap)
	zone := image.Rect(from, box.Min.Y, p.Area.Max.X-p.px(margin), box.Max.Y+p.px(nameOff)).Intersect(p.Area)
	for _, o := range list {
		if !square(o.box) && o.box.Overlaps(zone) {
			zone.Max.Y = min(zone.Max.Y, o.box.Min.Y-p.px(rowGap))
		}
	}
	lines := p.inkLines(zone)
	return len(lines) > 0 && lines[0].Min.X-box.Max.X <= p.px(portraitGap) &&
		(len(lines) > 1 || lines[0].Dx() > p.px(portrait))
}
