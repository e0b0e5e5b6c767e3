package ocr

import (
	"fmt"
	"image"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatpage"
)

// TestBareBlocks counts texts outside bubbles in windows where the number is known.
func TestBareBlocks(t *testing.T) {
	l := layout.Line()
	for theme, scale := range looks(3) {
		bare := func(w *drawn.Window, changes ...drawn.Change) int {
			t.Helper()
			apply(t, w, changes...)
			f := capture(t, w)
			_, got := found(t, f.Image, f.Scale, &l)
			return got.Bare
		}
		check := func(what string, got, least, most int) {
			t.Helper()
			if got < least || got > most {
				t.Errorf("%s x%d: %d blocks in %s, want %d to %d", theme.Name, scale, got, what, least, most)
			}
		}
		w := drawnWindow(t, theme, scale)
		check("an empty chat", bare(w), 0, 0)
		incoming := 0
		for i := range 30 {
			m := shown[i%len(shown)]
			apply(t, w, drawn.Change{Op: drawn.OpAppend, Who: m.who, Text: messages.Text(m.text)})
		}
		apply(t, w, drawn.Change{Op: drawn.OpAppend, Who: drawn.Friend, Kind: messages.KindSticker},
			drawn.Change{Op: drawn.OpUnsend, Index: 20})
		for i := range 12 {
			check(fmt.Sprint("bubbles at ", i), bare(w, drawn.Change{Op: drawn.OpScroll, By: 47}), 0, 0)
		}
		check("bubbles beside a list", bare(w, drawn.Change{Op: drawn.OpBeside}), 0, 0)
		f := capture(t, w)
		_, whole := found(t, f.Image, f.Scale, &l)
		for _, s := range whole.Shapes {
			if s.Bubble.Side == messages.SideIncoming && s.Bubble.Kind == messages.KindText && !s.Bubble.Clipped {
				incoming++
			}
		}
		// their times count too
		check("paled bubbles", bare(w, drawn.Change{Op: drawn.OpBlur}), incoming-1, 3*incoming)
		check("a list of chats", bare(w, drawn.Change{Op: drawn.OpChats}), 5, 40)
	}
}

// TestBareOnAPicture has texts on a picture, which has no one background.
func TestBareOnAPicture(t *testing.T) {
	l := layout.Line()
	chatpage.Everywhere(t, func(t *testing.T, pal chatpage.Palette, scale int) {
		p := chatpage.New(t, pal, scale, 720, "Hana")
		for y := 52 * scale; y < 640*scale; y++ {
			p.Fill(image.Rect(0, y, 480*scale, y+1), chatpage.RGB(uint8(60+y/5), uint8(70+y%60), uint8(120+y/7%100)))
		}
		for i := range 3 {
			p.Write(60*scale, (120+i*90)*scale, fmt.Sprintf("明日の朝は早く起きます %d", i), chatpage.RGB(0, 0, 0))
		}
		if _, got := found(t, p.Image, float64(scale), &l); got.Bare != 3 {
			t.Errorf("%d blocks, want 3", got.Bare)
		}
	})
}
