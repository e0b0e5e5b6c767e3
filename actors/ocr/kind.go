package ocr

import (
	"regexp"
	"strings"
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
		texts := make([]string, len(b.Lines))
		indent := b.Box.W
		for i, l := range b.Lines {
			texts[i] = string(l.Text)
			indent = min(indent, l.Box.X-b.Box.X)
		}
		logical := int(float64(indent) / scale)
		switch {
		case kinds.IsCall(texts, logical):
			b.Kind = messages.KindCall
		case kinds.IsFile(texts, logical):
			b.Kind = messages.KindFile
		}
	}
	return b
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

var clock = regexp.MustCompile(`(?i)^(?:(午前|午後|am|pm)\s*)?([0-2]?[0-9])\s*[:：]\s*([0-5][0-9])\s*(am|pm)?$`)

// clockTime returns the clock time that a line consists of, as in "午後 3:05",
// "" if it is none.
func clockTime(s string) string {
	m := clock.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return ""
	}
	out := m[2] + ":" + m[3]
	if m[1] != "" {
		out = m[1] + " " + out
	}
	if m[4] != "" {
		out += " " + m[4]
	}
	return out
}
