package ocr

import (
	"slices"
	"unicode"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/messages"
)

// withText sets the text and kind of a bubble from its lines. Its text is content
// whatever it says: a bubble is never one of the application's own words.
// pictorial reports whether its ink is pictures such as emoji. It is called only
// if that matters.
func withText(b messages.Bubble, kinds layout.Kinds, scale float64, pictorial func() bool) messages.Bubble {
	b.Text = messages.Text(join(b.Lines))
	switch {
	case slices.ContainsFunc(b.Lines, foreign):
		b.Text, b.Lines, b.Kind, b.Foreign = "", nil, messages.KindUnreadable, true
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

// foreign reports a line in no language that the engine knows. One makes a whole bubble unreadable: what
// is left of its text would say something else.
func foreign(l messages.Line) bool { return l.Foreign }

// foreigners counts the foreign lines, and those of them below a confidence.
func foreigners(lines []messages.Line, confidence float64) (all, below int) {
	for _, l := range lines {
		if foreign(l) {
			if all++; l.Confidence < confidence {
				below++
			}
		}
	}
	return all, below
}

// otherKind is call or file if a bubble's lines show it, else empty.
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

// guessed reports whether a text has no emoji and fewer than three letters or digits.
// Engines that know no emoji read them as such texts.
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
