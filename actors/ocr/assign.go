package ocr

import (
	"cmp"
	"image"
	"slices"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// assign makes bubbles from the lines of a masked frame in which none was found.
// Consecutive lines below each other are one bubble. Its place decides its side,
// which is neither if it touches both. Lines in the middle are dates and notices.
// They, the application's own words, and clock times beside another line are left
// out and counted.
func assign(lines []messages.Line, p *segment.Pane, l *layout.Layout) (out []messages.Bubble, left counter) {
	lines = slices.Clone(lines)
	slices.SortStableFunc(lines, func(a, b messages.Line) int { return cmp.Compare(a.Box.Y, b.Box.Y) })
	for i, line := range lines {
		box := segment.Rect(line.Box).Intersect(p.Area)
		side := p.SideOf(box)
		why := messages.Omission("")
		switch {
		case box.Empty():
			why = messages.OtherOutside
		case l.IsToken(string(line.Text)):
			why = messages.OtherToken
		case side == "":
			why = messages.OtherMiddle
		case text.ClockTime(string(line.Text)) != "" && hasNeighbour(lines, i):
			why = messages.OtherClock
		}
		if why != "" {
			left.add(why, 1, 0)
			continue
		}
		if n := len(out) - 1; n >= 0 && out[n].Side == side &&
			follows(out[n].Lines[len(out[n].Lines)-1].Box, line.Box) {
			out[n].Lines = append(out[n].Lines, line)
			continue
		}
		out = append(out, messages.Bubble{Side: side, Kind: messages.KindText, Lines: []messages.Line{line}})
	}
	for i := range out {
		b := &out[i]
		var box image.Rectangle
		for _, line := range b.Lines {
			box = box.Union(segment.Rect(line.Box).Intersect(p.Area))
		}
		b.Box = messages.Rect{X: box.Min.X, Y: box.Min.Y, W: box.Dx(), H: box.Dy()}
		b.Clipped = p.Clips(box)
		b.Key = p.Key(box)
		b.Text = messages.Text(join(b.Lines))
	}
	return out, left
}

// hasNeighbour reports whether another line stands at the height of line i.
func hasNeighbour(lines []messages.Line, i int) bool {
	a := lines[i].Box
	return slices.ContainsFunc(lines, func(l messages.Line) bool {
		return l.Box != a && l.Box.Y < a.Y+a.H && a.Y < l.Box.Y+l.Box.H
	})
}

// follows reports whether a line continues the one above it.
func follows(above, line messages.Rect) bool {
	h := max(min(above.H, line.H), 1)
	gap, shift := line.Y-(above.Y+above.H), line.X-above.X
	return gap < h*4/5 && -h < shift && shift < h
}
