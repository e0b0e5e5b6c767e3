package ocr

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"image"
	"slices"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// OwnRows says of each row of a frame whether it belongs to an own bubble.
// rule is one of layout's:
//
// layout.RuleLane looks at the lane only. Each of its pixels is own, white or
// other; a row takes the class on which enough of them agree. Rows near an own
// one count as own too.
//
// layout.RuleFullWidth counts own pixels in the whole row, with nothing added:
// round corners and a lane that is some pixels off make no difference, and no
// row beside a bubble is lost.
//
// Errors wrap hardware.ErrEmptyFrame.
func OwnRows(img *image.RGBA, scale float64, l *layout.Layout, rule string) ([]bool, error) {
	p, err := open(img, scale)
	if err != nil {
		return nil, err
	}
	area, _, theme := messageArea(p, scale, l)
	return ownRows(p, area, scale, l, &theme, rule), nil
}

func ownRows(p pixels, area image.Rectangle, scale float64, l *layout.Layout, theme *layout.Theme, rule string) []bool {
	own := make([]bool, p.h)
	if rule == layout.RuleLane {
		lane := make([]bool, p.h)
		from, to := l.Lane.Columns(p.w, scale)
		for y := area.Min.Y; y < area.Max.Y; y++ {
			lane[y] = laneClass(p, y, from, to, l.Lane, theme) == laneOwn
		}
		reach := px(l.OwnRows.Expand, scale)
		for y, is := range lane {
			if is {
				for n := max(y-reach, 0); n <= min(y+reach, p.h-1); n++ {
					own[n] = true
				}
			}
		}
		return own
	}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		own[y] = holdsOwn(p.row(y), l.OwnRows.Pixels, theme)
	}
	return own
}

// holdsOwn reports that a row has at least need own pixels.
func holdsOwn(row []byte, need int, theme *layout.Theme) bool {
	n := 0
	for x := 0; x < len(row); {
		c, end := colour(binary.LittleEndian.Uint32(row[x:])), stretch(row, x)
		if theme.IsOwn(c.rgb()) {
			if n += (end - x) / 4; n >= need {
				return true
			}
		}
		x = end
	}
	return false
}

type laneKind uint8

const (
	laneOther laneKind = iota
	laneOwn
	laneWhite
)

// laneClass is the class on which the lane's pixels of a row agree.
func laneClass(p pixels, y, from, to int, lane layout.Lane, theme *layout.Theme) laneKind {
	own, white := 0, 0
	for x := from; x < to; x++ {
		r, g, b := p.at(x, y).rgb()
		switch {
		case theme.IsOwn(r, g, b):
			own++
		case theme.Separator.Has(r, g, b):
			white++
		}
	}
	agree := func(n int) bool { return n > 0 && n*lane.Width >= lane.Agree*(to-from) }
	switch {
	case agree(own):
		return laneOwn
	case agree(white):
		return laneWhite
	}
	return laneOther
}

// Masked is a frame without its input and without own rows.
type Masked struct {
	Image *image.RGBA // origin at 0, 0; own rows are white
	Own   []bool      // by row of the frame
}

// Mask cuts a frame at its input and paints own rows white, by the layout's
// rule. Errors wrap hardware.ErrEmptyFrame.
func Mask(img *image.RGBA, scale float64, l *layout.Layout) (Masked, error) {
	p, err := open(img, scale)
	if err != nil {
		return Masked{}, err
	}
	area, _, theme := messageArea(p, scale, l)
	cut := max(area.Max.Y, 1)
	own := ownRows(p, area, scale, l, &theme, l.OwnRows.Rule)
	out := image.RGBA{Pix: slices.Clone(p.pix[:p.stride*(cut-1)+4*p.w]), Stride: p.stride, Rect: image.Rect(0, 0, p.w, cut)}
	white := bytes.Repeat([]byte{255}, 4*p.w)
	for y := range cut {
		if own[y] {
			copy(out.Pix[y*p.stride:], white)
		}
	}
	return Masked{Own: own, Image: &out}, nil
}

// assign makes bubbles of the lines of a masked frame in which none was found.
// Lines under each other are one bubble. Its side is where it stands, neither
// if it stands at both sides. Lines in the middle are dates and notices; they,
// the application's own words, and clock times beside another line are left out,
// and counted.
func assign(lines []messages.Line, p pixels, area image.Rectangle, scale float64, l *layout.Layout) (out []messages.Bubble, left tally) {
	j := judge{size: image.Pt(p.w, p.h), area: area, scale: scale, b: l.Bubble}
	lines = slices.Clone(lines)
	slices.SortStableFunc(lines, func(a, b messages.Line) int { return cmp.Compare(a.Box.Y, b.Box.Y) })
	for i, line := range lines {
		box := rect(line.Box).Intersect(area)
		side := j.placeOf(box)
		why := ""
		switch {
		case box.Empty():
			why = "lines outside the messages"
		case l.IsToken(string(line.Text)):
			why = "words of the application's own"
		case side == "":
			why = "lines in the middle"
		case text.ClockTime(string(line.Text)) != "" && besideAnother(lines, i):
			why = "clock times beside a line"
		}
		if why != "" {
			left.add(why, 1)
			continue
		}
		if n := len(out) - 1; n >= 0 && out[n].Side == side && follows(out[n].Lines[len(out[n].Lines)-1].Box, line.Box) {
			out[n].Lines = append(out[n].Lines, line)
			continue
		}
		out = append(out, messages.Bubble{Side: side, Kind: messages.KindText, Lines: []messages.Line{line}})
	}
	for i := range out {
		b := &out[i]
		var box image.Rectangle
		for _, line := range b.Lines {
			box = box.Union(rect(line.Box).Intersect(area))
		}
		b.Box = messages.Rect{X: box.Min.X, Y: box.Min.Y, W: box.Dx(), H: box.Dy()}
		b.Clipped = clipped(box, area)
		b.Key = boxKey(p, box)
		b.Text = messages.Text(join(b.Lines))
	}
	return out, left
}

// placeOf is the side on which a line stands, "" for the middle.
func (j judge) placeOf(box image.Rectangle) messages.Side {
	left, right := j.leftAligned(box), j.rightAligned(box)
	switch {
	case left && right:
		return messages.SideNeither
	case left:
		return messages.SideIncoming
	case right:
		return messages.SideOwn
	}
	return ""
}

// besideAnother reports that another line stands at the height of line i.
func besideAnother(lines []messages.Line, i int) bool {
	a := lines[i].Box
	return slices.ContainsFunc(lines, func(l messages.Line) bool {
		return l.Box != a && l.Box.Y < a.Y+a.H && a.Y < l.Box.Y+l.Box.H
	})
}

// follows reports that a line goes on where another one ends.
func follows(above, line messages.Rect) bool {
	h := max(min(above.H, line.H), 1)
	gap, shift := line.Y-(above.Y+above.H), line.X-above.X
	return gap < h*4/5 && -h < shift && shift < h
}
