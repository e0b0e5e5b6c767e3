// Package chatview has a one-line language for views of a chat window, for tests
// of what reads them. A view is words from top to bottom:
//
//	<text   an incoming bubble; "_" is a space
//	>text   an own one
//	=text   one whose side is unknown
//	<?x     one that cannot be read
//	<#x     a sticker with the pixels x
//	<text^  one that the window's edge clips
//	!       the notice that a message was taken back (Chat only)
//	-       a date (Chat only)
//	*       the mark where unread ones begin (Chat only)
//
// Bubbles with the same word have the same pixels.
package chatview

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/messages"
)

// Start is when every view was seen.
var Start = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

var sides = map[byte]messages.Side{
	'<': messages.SideIncoming, '>': messages.SideOwn, '=': messages.SideNeither,
}

var marks = map[string]messages.MarkKind{"!": messages.MarkUnsent, "-": messages.MarkDate, "*": messages.MarkUnread}

// Bubble makes the bubble of a word, at the window's upper edge.
func Bubble(word string) messages.Bubble {
	side := sides[word[0]]
	b := messages.Bubble{Side: side, Kind: messages.KindText, Box: messages.Rect{W: 40 + 15*len([]rune(word)), H: 42}}
	word, b.Clipped = strings.CutSuffix(word[1:], "^")
	word = strings.ReplaceAll(word, "_", " ")
	h := fnv.New64a()
	fmt.Fprint(h, side, word)
	b.Key = messages.PixelKey(h.Sum64())
	switch {
	case strings.HasPrefix(word, "?"):
		b.Kind = messages.KindUnreadable
	case strings.HasPrefix(word, "#"):
		b.Kind = messages.KindSticker
	default:
		b.Text = messages.Text(word)
	}
	return b
}

func empty(w, h int) ledger.View {
	return ledger.View{Title: "Hana", Window: "w", SeenAt: Start, Scale: 1, Size: messages.Rect{W: w, H: h}}
}

// Stack lays words out from the bottom of a window. After "~" the window is
// scrolled back a little.
func Stack(words string) ledger.View {
	words, scrolled := strings.CutPrefix(words, "~")
	v := empty(600, 800)
	y := 700 - 48*len(strings.Fields(words))
	if scrolled {
		y -= 20
	}
	for _, w := range strings.Fields(words) {
		b := Bubble(w)
		b.Box.Y = y
		y += b.Box.H + 6
		v.Bubbles = append(v.Bubbles, b)
	}
	if n := len(v.Bubbles); n > 0 && v.Bubbles[n-1].Clipped {
		v.Bubbles[n-1].Box.Y = 700
	}
	return v
}

// Spaced lays words out from the top, with the room above each.
func Spaced(words string, room ...int) ledger.View {
	v := empty(600, 800)
	y := 52
	for i, w := range strings.Fields(words) {
		b := Bubble(w)
		y += room[i]
		b.Box.Y = y
		y += b.Box.H
		v.Bubbles = append(v.Bubbles, b)
	}
	return v
}

// Chat lays words out as an application does: from the window's top while they
// fit, else so that the last ends at the bottom.
func Chat(words string) ledger.View {
	const top, bottom, gap = 52, 630, 6
	v := empty(480, 720)
	list := strings.Fields(words)
	height := func(w string) int {
		if _, ok := marks[w]; ok {
			return 22
		}
		return 42
	}
	y := gap
	for _, w := range list {
		y += height(w) + gap
	}
	y = min(top, bottom-y)
	for _, w := range list {
		y += gap
		box := messages.Rect{X: 60, Y: y, W: 200, H: height(w)}
		y += height(w)
		if kind, ok := marks[w]; ok {
			v.Marks = append(v.Marks, messages.Mark{Kind: kind, Box: box})
			continue
		}
		b := Bubble(w)
		box.W = b.Box.W
		b.Box = box
		v.Bubbles = append(v.Bubbles, b)
	}
	return v
}

// Detection is a view as fusion passes it on.
func Detection(v ledger.View) messages.Detection {
	return messages.Detection{
		Window: v.Window, Conversation: "line:Hana", Title: v.Title, Bubbles: v.Bubbles, Marks: v.Marks,
		Size: v.Size, Scale: v.Scale, Score: 62, SeenAt: v.SeenAt,
	}
}
