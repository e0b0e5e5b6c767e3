package ocr

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatpage"
)

// TestTooMuchToRead has an engine that finds ten thousand lines, or one endless
// line. A bounded part is kept, and the reading says what was dropped.
func TestTooMuchToRead(t *testing.T) {
	many := make([]messages.Line, 10000)
	for i := range many {
		many[i] = line(fmt.Sprintf("行%d", i), 0.9, i*20)
	}
	long := []messages.Line{line(strings.Repeat("長", 100000), 0.9, 0)}
	for _, c := range []struct {
		name   string
		lines  []messages.Line
		kept   int
		runes  int
		unread messages.Omitted
	}{
		{"lines", many, maxLines, 4, messages.Omitted{What: messages.OmittedLines, Count: 9600, Of: 400}},
		{"runes", long, 1, maxRunes, messages.Omitted{What: messages.OmittedCharacters, Count: 96000, Of: 4000}},
	} {
		given := slices.Clone(c.lines)
		f := &fake{read: func(int, hardware.Hint) ([]messages.Line, error) { return c.lines, nil }}
		p := chatpage.New(t, chatpage.Light, 1, 720, "")
		p.Say(messages.SideIncoming, "はい")
		got := do(t, NewWorker(Options{Confidence: DefaultThresholds(),
			Layouts: always(layout.Line()), Cache: NewCache(9), Open: f.open}), p.Frame())
		b := got.Bubbles[0]
		if n := utf8.RuneCountInString(string(b.Lines[len(b.Lines)-1].Text)); len(b.Lines) != c.kept || n != c.runes {
			t.Errorf("%s: kept %d lines, the last of %d characters, want %d of %d", c.name,
				len(b.Lines), n, c.kept, c.runes)
		}
		if !slices.Equal(got.Unread, []messages.Omitted{c.unread}) {
			t.Errorf("%s: unread %v, want %v", c.name, got.Unread, c.unread)
		}
		if !slices.Equal(c.lines, given) {
			t.Errorf("%s: the engine's own lines were changed", c.name)
		}
	}
}

// TestTooManyBubbles has more bubbles than are read. The lowest ones, which are
// newer, are read.
func TestTooManyBubbles(t *testing.T) {
	p := chatpage.New(t, chatpage.Light, 1, 12000, "")
	n := 0
	for ; p.Y < 11900-100; n++ {
		box := image.Rect(56, p.Y, 100, p.Y+30)
		p.Fill(box, chatpage.RGB(255, 255, 255))
		p.Fill(image.Rect(60, p.Y+10, 64+n%30, p.Y+14), chatpage.RGB(uint8(n), uint8(n>>4), 0))
		p.Y += 38
	}
	f := says("はい")
	got := do(t, NewWorker(Options{Confidence: DefaultThresholds(),
		Layouts: always(layout.Line()), Cache: NewCache(999), Open: f.open}), p.Frame())
	want := messages.Omitted{What: messages.OmittedBubbles, Count: n - maxShapes, Of: maxShapes}
	if n <= maxShapes || len(got.Bubbles) != maxShapes || !slices.Equal(got.Unread, []messages.Omitted{want}) {
		t.Errorf("%d of %d bubbles, unread %v, want %d, %v", len(got.Bubbles), n, got.Unread, maxShapes, want)
	}
	if last := got.Bubbles[len(got.Bubbles)-1].Box; last.Y != p.Y-38 {
		t.Errorf("the last bubble stands at %d, want %d", last.Y, p.Y-38)
	}
}

// TestInvalidText has an engine whose lines are not UTF-8.
func TestInvalidText(t *testing.T) {
	for _, in := range []string{"\xff", "a\xc3", "今\xe6\x97日", "\x00\x01", "\xed\xa0\x80"} {
		f := says(in)
		p := chatpage.New(t, chatpage.Light, 1, 720, "Hana")
		p.Say(messages.SideIncoming, "はい")
		got := do(t, NewWorker(Options{Confidence: DefaultThresholds(),
			Layouts: always(layout.Line()), Cache: NewCache(9), Open: f.open}), p.Frame())
		if text := string(got.Bubbles[0].Text); !utf8.ValidString(text) ||
			strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
			t.Errorf("%q is read as %q, want UTF-8 without control characters", in, text)
		}
	}
}

// TestTinyWindows shrinks a window to almost nothing and back.
func TestTinyWindows(t *testing.T) {
	for _, scale := range []int{1, 2} {
		w := drawnWindow(t, drawn.Light, scale)
		for _, m := range shown {
			apply(t, w, drawn.Change{Op: drawn.OpAppend, Who: m.who, Text: messages.Text(m.text)})
		}
		worker := NewWorker(Options{Confidence: DefaultThresholds(),
			Layouts: always(layout.Line()), Cache: NewCache(64),
			Open: func() (hardware.Recognizer, error) { return drawn.NewRecognizer(w), nil }})
		for _, size := range []image.Point{{1, 1}, {1, 720}, {480, 1}, {2, 2}, {8, 60}, {40, 90}, {60, 400}, {480, 53},
			{480, 60}, {90, 120}} {
			apply(t, w, drawn.Change{Op: drawn.OpResize, W: size.X, H: size.Y})
			got := do(t, worker, capture(t, w))
			for i, b := range got.Bubbles {
				if segment.Rect(b.Box).Empty() ||
					!segment.Rect(b.Box).In(image.Rect(0, 0, size.X*scale, size.Y*scale)) {
					t.Errorf("%v x%d: bubble %d at %v", size, scale, i, b.Box)
				}
			}
		}
		apply(t, w, drawn.Change{Op: drawn.OpResize, W: 480, H: 720})
		if got := do(t, worker, capture(t, w)); len(got.Bubbles) != len(shown) {
			t.Errorf("x%d: %d bubbles after it is large again, want %d", scale, len(got.Bubbles), len(shown))
		}
	}
}

func TestUnknownWindow(t *testing.T) {
	w := NewWorker(Options{
		Confidence: DefaultThresholds(),
		Layouts:    func(messages.WindowID) *layout.Layout { return nil },
		Cache:      NewCache(9), Open: says("はい").open,
	})
	if _, err := w.Do(context.Background(), messages.ReadFrame{Frame: talkFrame(t, 64)}); err == nil ||
		!strings.Contains(err.Error(), "line@test") || errors.Is(err, hardware.ErrUnavailable) {
		t.Errorf("Do() = %v, want an error that names the window", err)
	}
}
