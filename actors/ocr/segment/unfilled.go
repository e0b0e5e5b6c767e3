package segment

import (
	"cmp"
	"image"
	"slices"

	"github.com/kehai-run/kehai/messages"
)

// Measures of messages of one's own in no bubble, logical pixels.
const (
	ownJoin  = 14 // between the lines of one message, at most
	ownAlign = 3  // by which lines that begin or end together may differ
	ownOff   = 64 // from the right end of one to that of the area, which may hold a bar that scrolls
	ownPad   = 8  // around what is written
)

// unfilled finds one's own messages where they alone stand in no bubble: the others stand in bubbles beside
// portraits at the left, and these at the right, each with a paler line below the text, the time, that begins
// or ends where the text does. texts are blocks of text.
func (p *Pane) unfilled(list []block, texts []image.Rectangle) (found []block) {
	if p.background.patterned || !p.leftAlone(list) {
		return nil
	}
	for _, box := range p.besideNone(list, texts) {
		box, cut, ok := p.ownLines(box)
		if !ok {
			continue
		}
		box = box.Inset(-p.px(ownPad)).Intersect(p.Area)
		b := block{component: component{class: classFilled, box: box, count: area(box)}, from: box.Min.X, to: box.Max.X,
			bare: true, part: cut, paint: p.background.colour, fill: p.background.colour.luma()}
		for range box.Dy() {
			b.rows = append(b.rows, span{int32(box.Min.X), int32(box.Max.X)})
		}
		found = append(found, b)
	}
	return found
}

// leftAlone reports whether the bubbles of a window stand at the left, one of them beside a portrait, and none was
// known to be one's own.
func (p *Pane) leftAlone(list []block) bool {
	for _, f := range p.Known.Fills {
		if f.Own >= learntLeast {
			return false
		}
	}
	beside := false
	for _, b := range list {
		if left, right := b.box.Min.X-p.Area.Min.X, p.Area.Max.X-b.box.Max.X; b.avatar == messages.SideOwn ||
			!b.picture() && left > right {
			return false
		}
		beside = beside || b.avatar == messages.SideIncoming && !b.picture()
	}
	return beside
}

// besideNone joins those blocks of text that stand near each other, above, below and right of no bubble.
func (p *Pane) besideNone(list []block, texts []image.Rectangle) (joined []image.Rectangle) {
	left := p.Area.Max.X
	for _, b := range list {
		left = min(left, b.box.Min.X)
	}
	slices.SortFunc(texts, func(a, b image.Rectangle) int { return cmp.Compare(a.Min.Y, b.Min.Y) })
	for _, t := range texts {
		beside := func(b block) bool { return b.box.Min.Y < t.Max.Y && t.Min.Y < b.box.Max.Y }
		if t = p.ink(t); t.Dy() < p.px(rowLow) || t.Min.X < left || slices.ContainsFunc(list, beside) {
			continue
		}
		if n := len(joined); n > 0 && t.Min.Y-joined[n-1].Max.Y <= p.px(ownJoin) {
			joined[n-1] = joined[n-1].Union(t)
			continue
		}
		joined = append(joined, t)
	}
	return joined
}

// ownLines is the text and the time of a message of one's own. The edge of the area may cut off either: cut says
// that it does.
func (p *Pane) ownLines(box image.Rectangle) (whole image.Rectangle, cut, ok bool) {
	left, right := box.Min.X-p.Area.Min.X, p.Area.Max.X-box.Max.X
	if right > p.px(ownOff) || left <= right {
		return box, false, false
	}
	lines := p.darkLines(box)
	if len(lines) < 2 {
		near := min(box.Min.Y-p.Area.Min.Y, p.Area.Max.Y-box.Max.Y)
		return box, true, len(lines) == 1 && near <= p.px(ownJoin+ownPad)
	}
	first, last := lines[0], lines[len(lines)-1]
	together := min(abs(first.Min.X-last.Min.X), abs(first.Max.X-last.Max.X)) <= p.px(ownAlign)
	return box, false, together && 10*p.strongest(last) < 9*p.strongest(first)
}

// darkLines are the lines in a box that differ from the background as much as ink does.
func (p *Pane) darkLines(box image.Rectangle) (lines []image.Rectangle) {
	start := -1
	for y := box.Min.Y; y <= box.Max.Y; y++ {
		row := image.Rect(box.Min.X, y, box.Max.X, y+1)
		inked := y < box.Max.Y && !p.inkOn(row, p.background.colour.luma()).Empty()
		switch {
		case inked && start < 0:
			start = y
		case !inked && start >= 0:
			lines = append(lines, p.inkOn(image.Rect(box.Min.X, start, box.Max.X, y), p.background.colour.luma()))
			start = -1
		}
	}
	return lines
}
