package ocr

import (
	"fmt"
	"image"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/actors/poller"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
)

// TestMainWindow shows the same chat alone and beside a rail and a list of chats.
// Everything is read the same, shifted to the right by the pane's offset.
func TestMainWindow(t *testing.T) {
	for theme, scale := range looks(2) {
		for _, l := range []layout.Layout{layout.Line(), auto()} {
			t.Run(fmt.Sprintf("%s/%s/x%d", l.Name, theme.Name, scale), func(t *testing.T) {
				testMainWindow(t, theme, scale, l)
			})
		}
	}
}

func testMainWindow(t *testing.T, theme drawn.Theme, scale int, l layout.Layout) {
	w := drawnWindow(t, theme, scale)
	apply(t, w, drawn.Change{Op: drawn.OpResize, W: 835, H: 859})
	for _, m := range shown {
		apply(t, w, drawn.Change{Op: drawn.OpAppend, Who: m.who, Text: messages.Text(m.text)})
	}
	apply(t, w, drawn.Change{Op: drawn.OpAppend, Who: drawn.Friend, Kind: messages.KindSticker},
		drawn.Change{Op: drawn.OpAppend, Who: drawn.Friend, Text: "x"},
		drawn.Change{Op: drawn.OpUnsend, Index: len(shown) + 1})
	exact := NewWorker(Options{
		Confidence: DefaultThresholds(), Layouts: always(l), Cache: NewCache(64),
		Open: func() (hardware.Recognizer, error) { return drawn.NewRecognizer(w), nil },
	})
	alone := do(t, exact, capture(t, w))
	checkShown(t, theme.Name, scale, alone, func(a, b string) bool { return a == b })
	apply(t, w, drawn.Change{Op: drawn.OpBeside})
	frame := capture(t, w)
	if got, want := frame.Image.Rect.Dx(), (835+drawn.PaneLeft)*scale; got != want {
		t.Fatalf("the main window is %d wide, want %d", got, want)
	}
	beside := do(t, exact, frame)
	moved := alone
	moved.Bubbles = append([]messages.Bubble(nil), alone.Bubbles...)
	moved.Marks = append([]messages.Mark(nil), alone.Marks...)
	shift(&moved, drawn.PaneLeft*scale, 0)
	for _, c := range []struct{ what, got, want string }{
		{"title", fmt.Sprintf("%+v", beside.Title), fmt.Sprintf("%+v", moved.Title)},
		{"bubbles", fmt.Sprintf("%+v", beside.Bubbles), fmt.Sprintf("%+v", moved.Bubbles)},
		{"marks", fmt.Sprintf("%+v", beside.Marks), fmt.Sprintf("%+v", moved.Marks)},
	} {
		if c.got != c.want {
			t.Errorf("%s beside a list = %s, want %s", c.what, c.got, c.want)
		}
	}
	if string(beside.Title.Text) != "佐藤花子" || beside.Read != 0 {
		t.Errorf("title %q, %d bubbles read again, want 佐藤花子 and none",
			string(beside.Title.Text), beside.Read)
	}
	checkOverlay(t, frame, beside.Bubbles, &l)
}

// checkOverlay looks for a frame around each bubble in the whole window.
func checkOverlay(t *testing.T, frame messages.Frame, bubbles []messages.Bubble, l *layout.Layout) {
	t.Helper()
	picture, _, err := segment.Overlay(frame.Image, frame.Scale, l)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range bubbles {
		x, y := b.Box.X+b.Box.W/2, b.Box.Y-1
		if picture.RGBAAt(x, y) == frame.Image.RGBAAt(x, y) {
			t.Errorf("bubble %d is not boxed at %v", i, b.Box)
		}
	}
}

// TestWideChatAlone has a chat as wide as the main window but without a list. It is
// not cut.
func TestWideChatAlone(t *testing.T) {
	l := layout.Line()
	for _, theme := range []drawn.Theme{drawn.Light, drawn.Dark} {
		w := drawnWindow(t, theme, 1)
		apply(t, w, drawn.Change{Op: drawn.OpResize, W: 1200, H: 859})
		for i := range 20 {
			m := shown[i%len(shown)]
			apply(t, w, drawn.Change{Op: drawn.OpAppend, Who: m.who, Text: messages.Text(m.text)})
		}
		frame := capture(t, w)
		pane, _ := found(t, frame.Image, frame.Scale, &l)
		if pane.At != (image.Point{}) {
			t.Errorf("%s: the pane begins at %v, want 0, 0", theme.Name, pane.At)
		}
	}
}

// TestQuietBesideThePane: changes in the list of chats and in the input are no
// news, a bubble is.
func TestQuietBesideThePane(t *testing.T) {
	l := layout.Line()
	w := drawnWindow(t, drawn.Light, 1)
	hash := func(changes ...drawn.Change) messages.FrameHash {
		apply(t, w, changes...)
		f := capture(t, w)
		return poller.Hash(f.Image, segment.Quiet(f.Image, f.Scale, &l))
	}
	hash(drawn.Change{Op: drawn.OpBeside})
	before := hash(drawn.Change{Op: drawn.OpAppend, Who: drawn.Friend, Text: "おはよう"})
	if got := hash(drawn.Change{Op: drawn.OpAppend, Conversation: "Ken", Who: drawn.Friend,
		Text: "やあ"}); got != before {
		t.Error("a message in another conversation changes the hash, want the same")
	}
	if got := hash(drawn.Change{Op: drawn.OpType, Text: "は"}); got != before {
		t.Error("typing changes the hash, want the same")
	}
	if got := hash(drawn.Change{Op: drawn.OpAppend, Who: drawn.Friend, Text: "k"}); got == before {
		t.Error("a new bubble leaves the hash as it was, want another")
	}
}
