package ocr

import (
	"unicode"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/messages"
)

// written sets text and kind of a bubble from its lines. Its text is content
// whatever it says: a bubble is never one of the application's own words.
// pictorial tells whether its ink is pictures such as emoji; it is asked only
// where that matters.
func written(b messages.Bubble, kinds layout.Kinds, scale float64, pictorial func() bool) messages.Bubble {
	b.Text = messages.Text(join(b.Lines))
	switch {
	case b.Text == "":
		b.Kind = messages.KindUnreadable
	case guessed(string(b.Text)) && pictorial():
		b.Text, b.Lines, b.Kind = "", nil, messages.KindUnreadable
	default:
		if kind := otherKind(b, kinds, scale); kind != "" {
			b.Kind = kind
		}
	}
	return b
}

// otherKind is call or file if a bubble's lines say so, else empty.
func otherKind(b messages.Bubble, kinds layout.Kinds, scale float64) messages.Kind {
	texts := make([]string, len(b.Lines))
	indent := b.Box.W
	for i, l := range b.Lines {
		texts[i] = string(l.Text)
		indent = min(indent, l.Box.X-b.Box.X)
	}
	switch logical := int(float64(indent) / scale); {
	case kinds.IsCall(texts, logical):
		return messages.KindCall
	case kinds.IsFile(texts, logical):
		return messages.KindFile
	}
	return ""
}

// Sizes of an icon at the left of a bubble and of the bare strip right of it,
// in logical pixels. A letter is smaller and has the next one close by.
const (
	iconMin, iconMax = 18, 48
	iconGap          = 6
)

// withoutIcon returns the part of a shape right of its icon; false if the first
// ink from the left is none.
func withoutIcon(p pixels, s Shape, scale float64) (Shape, bool) {
	box := rect(s.Bubble.Box)
	edge := max(px(rim, scale), 1)
	inner := shrunk(s.rows, edge)
	inked := func(x int) (top, bottom int) {
		top = -1
		for i, row := range inner {
			if int32(x) < row.from || int32(x) >= row.to {
				continue
			}
			if d := p.at(x, box.Min.Y+i).luma() - s.fill; d >= inkContrast || -d >= inkContrast {
				if top < 0 {
					top = i
				}
				bottom = i + 1
			}
		}
		return top, bottom
	}
	start, end, gap := -1, -1, 0
	top, bottom := box.Dy(), 0
	for x := box.Min.X + edge; x < min(box.Max.X, box.Min.X+px(2*iconMax, scale)); x++ {
		t, b := inked(x)
		switch {
		case t >= 0:
			if start < 0 {
				start = x
			}
			gap, end = 0, x+1
			top, bottom = min(top, t), max(bottom, b)
		case start >= 0:
			gap++
		}
		if gap >= px(iconGap, scale) {
			break
		}
	}
	beside := false // something is written right of it
	for x := end + 1; start >= 0 && x < box.Max.X-edge && !beside; x++ {
		t, _ := inked(x)
		beside = t >= 0
	}
	w, h := end-start, bottom-top
	lo, hi := px(iconMin, scale), px(iconMax, scale)
	if !beside || gap < px(iconGap, scale) || w < lo || w > hi || h < lo || h > hi {
		return Shape{}, false
	}
	out := s
	out.Bubble.Box.X, out.Bubble.Box.W = end, box.Max.X-end
	out.rows = make([]span, len(s.rows))
	for i, r := range s.rows {
		if r.from = max(r.from, int32(end)); r.from < r.to {
			out.rows[i] = r
		}
	}
	return out, true
}

// guessed reports that a text has neither an emoji nor three letters or digits:
// what an engine without emoji makes of them.
func guessed(s string) bool {
	letters := 0
	for _, r := range s {
		switch {
		case emoji(r):
			return false
		case unicode.IsLetter(r), unicode.IsDigit(r):
			letters++
		}
	}
	return letters < 3
}

func emoji(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2600 && r <= 0x27BF || r == 0xFE0F || r == 0x20E3
}

// pictorial reports that most of what stands in a bubble is far more colourful
// than its fill. Text is not, whatever the theme.
func pictorial(p pixels, s Shape) bool {
	limit := max(60, chroma(s.paint)+30)
	bright, all := 0, 0
	for i, row := range s.rows {
		y := s.Bubble.Box.Y + i
		for x := row.from; x < row.to; x++ {
			c := p.at(int(x), y)
			if d := c.luma() - s.fill; d < inkContrast && -d < inkContrast && chroma(c) <= limit {
				continue
			}
			all++
			if chroma(c) > limit {
				bright++
			}
		}
	}
	return all > 0 && bright*2 > all
}

// chroma is how far a colour is from grey.
func chroma(c colour) int {
	r, g, b := c.rgb()
	return int(max(r, g, b)) - int(min(r, g, b))
}
