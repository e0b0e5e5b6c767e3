package ocr

import (
	"cmp"
	"image"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/messages"
)

// pictured is an emoji in a bubble; its text is "" if the emoji is unknown.
type pictured struct {
	box  image.Rectangle
	text string
}

// emoji finds the emoji of a shape, which is then read without them.
func (s *session) emoji(shape *segment.Shape) (out []pictured) {
	shape.Emoji = s.pane.Emoji(*shape)
	for _, box := range shape.Emoji {
		found := pictured{box: box}
		if set := installedEmoji(); set != nil {
			found.text = set.Match(s.pane.Cut(box), shape.Paint())
		}
		out = append(out, found)
	}
	return out
}

// withEmoji puts emoji where they stand into lines that were read without them. Those beside
// no line are lines of their own.
func withEmoji(lines []messages.Line, list []pictured) []messages.Line {
	list = slices.DeleteFunc(slices.Clone(list), func(p pictured) bool { return p.text == "" })
	if len(list) == 0 {
		return lines
	}
	read := lines
	lines = slices.Clone(lines)
	slices.SortFunc(list, func(a, b pictured) int { return cmp.Compare(b.box.Min.X, a.box.Min.X) }) // from the right
	own := []messages.Line{}
	for _, p := range list {
		beside := func(l messages.Line) bool {
			middle := (p.box.Min.Y + p.box.Max.Y) / 2
			return middle >= l.Box.Y-l.Box.H/4 && middle < l.Box.Y+l.Box.H+l.Box.H/4
		}
		if i := slices.IndexFunc(lines, beside); i >= 0 {
			at, apart := place(read[i], p)
			text := string([]rune(string(lines[i].Text))[:at])
			lines[i].Text = messages.Text(text + apart + p.text + strings.TrimPrefix(string(lines[i].Text), text))
		} else if i := slices.IndexFunc(own, beside); i >= 0 {
			own[i].Text = messages.Text(p.text) + own[i].Text
			own[i].Box = segment.BoxOf(segment.Rect(own[i].Box).Union(p.box))
		} else {
			own = append(own, messages.Line{Text: messages.Text(p.text), Confidence: 1, Box: segment.BoxOf(p.box)})
		}
	}
	lines = append(lines, own...)
	slices.SortStableFunc(lines, func(a, b messages.Line) int { return cmp.Compare(a.Box.Y, b.Box.Y) })
	return lines
}

// nearSpace is how many letters away from the estimated place an emoji is put beside a space.
const nearSpace = 2

// place says before which letter of a line an emoji stands, and what parts it from the one
// before. Japanese letters are twice as wide as others.
func place(l messages.Line, p pictured) (at int, apart string) {
	r := []rune(string(l.Text))
	widths, sum := make([]int, len(r)), 0
	for i, c := range r {
		if widths[i] = 1; japanese(c) {
			widths[i] = 2
		}
		sum += widths[i]
	}
	left := ((p.box.Min.X+p.box.Max.X)/2 - l.Box.X) * sum / max(l.Box.W, 1)
	for at < len(r) && left >= widths[at] {
		left -= widths[at]
		at++
	}
	if at < len(r) && left > 0 && 2*left >= widths[at] {
		at++
	}
	for d := range nearSpace + 1 {
		for _, i := range []int{at - d, at + d} {
			if i > 0 && i < len(r) && r[i] == ' ' {
				return i, " "
			}
		}
	}
	return at, ""
}
