package ocr

import (
	"context"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatpage"
)

// look is a window that shows 佐藤花子 on a morning.
func look(theme drawn.Theme, scale int) drawn.Options {
	o := drawn.DefaultOptions(func() time.Time { return time.Date(2025, 7, 3, 9, 41, 0, 0, time.UTC) })
	o.Theme, o.Scale, o.Conversation = theme, scale, "佐藤花子"
	return o
}

func drawnWindow(t *testing.T, theme drawn.Theme, scale int) *drawn.Window {
	t.Helper()
	w, err := drawn.New(look(theme, scale))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// looks are both themes at each scale up to most. The race detector has nothing to
// find in pixels: a short run has one look.
func looks(most int) iter.Seq2[drawn.Theme, int] {
	return func(yield func(drawn.Theme, int) bool) {
		for _, theme := range []drawn.Theme{drawn.Light, drawn.Dark} {
			for scale := 1; scale <= most; scale++ {
				if !yield(theme, scale) || testing.Short() {
					return
				}
			}
		}
	}
}

func apply(t *testing.T, w *drawn.Window, changes ...drawn.Change) {
	t.Helper()
	for _, c := range changes {
		if err := w.Apply(c); err != nil {
			t.Fatal(err)
		}
	}
}

func capture(t *testing.T, w *drawn.Window) messages.Frame {
	t.Helper()
	c, err := w.Capture(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return messages.Frame{Window: "line@test", Image: c.Image, Scale: c.Scale}
}

var shown = []struct {
	who  drawn.Who
	text string
}{
	{drawn.Friend, "おはよう、今日は何時に起きた？"}, {drawn.Me, "OK"}, {drawn.Friend, "42"}, {drawn.Friend, "既読"},
	{drawn.Me, "電車が遅れているので少し遅刻します。先に始めていてください"}, {drawn.Friend, "I will be about ten minutes late today"},
	{drawn.Me, "See you soon"},
}

func sideOf(who drawn.Who) messages.Side {
	if who == drawn.Me {
		return messages.SideOwn
	}
	return messages.SideIncoming
}

// TestDrawnWindow reads the drawn chat window with its own recognizer and with
// Tesseract, despite everything around the bubbles.
func TestDrawnWindow(t *testing.T) {
	for theme, scale := range looks(3) {
		w := drawnWindow(t, theme, scale)
		for _, m := range shown {
			apply(t, w, drawn.Change{Op: drawn.OpAppend, Who: m.who, Text: messages.Text(m.text)})
		}
		apply(t, w, drawn.Change{Op: drawn.OpAppend, Who: drawn.Friend, Kind: messages.KindSticker},
			drawn.Change{Op: drawn.OpAppend, Who: drawn.Friend, Text: "x"},
			drawn.Change{Op: drawn.OpUnsend, Index: len(shown) + 1})
		frame := capture(t, w)
		for _, l := range []layout.Layout{layout.Line(), auto()} {
			exact := NewWorker(Options{Confidence: DefaultThresholds(), Layouts: always(l), Cache: NewCache(64),
				Open: func() (hardware.Recognizer, error) { return drawn.NewRecognizer(w), nil }})
			checkShown(t, l.Name+" "+theme.Name, scale, do(t, exact, frame), func(a, b string) bool { return a == b })
		}
		checkShown(t, theme.Name, scale, do(t, tesseractWorker(t), frame), text.OCREqual)
	}
}

func auto() layout.Layout {
	l, _ := layout.ByName("auto")
	return l
}

func checkShown(t *testing.T, theme string, scale int, got messages.FrameRead, equal func(a, b string) bool) {
	t.Helper()
	if !equal(string(got.Title.Text), "佐藤花子") {
		t.Errorf("%s x%d: title = %q, want 佐藤花子", theme, scale, string(got.Title.Text))
	}
	if len(got.Bubbles) != len(shown)+1 {
		t.Fatalf("%s x%d: %d bubbles, want %d", theme, scale, len(got.Bubbles), len(shown)+1)
	}
	for i, m := range shown {
		b := got.Bubbles[i]
		if b.Side != sideOf(m.who) || b.Clipped || b.Kind != messages.KindText || !equal(string(b.Text), m.text) {
			t.Errorf("%s x%d: bubble %d = %s %s, clipped %v, %q, want %s text %q", theme, scale, i, b.Side, b.Kind,
				b.Clipped, string(b.Text), sideOf(m.who), m.text)
		}
	}
	if b := got.Bubbles[len(shown)]; b.Kind != messages.KindSticker || b.Side != messages.SideIncoming {
		t.Errorf("%s x%d: last bubble = %s %s, want an incoming sticker", theme, scale, b.Side, b.Kind)
	}
}

// TestDrawnScroll scrolls through more than fits. Every bubble keeps its key, and
// those at the edges are marked as clipped.
func TestDrawnScroll(t *testing.T) {
	for theme, scale := range looks(2) {
		w := drawnWindow(t, theme, scale)
		for i := range 24 {
			m := shown[i%len(shown)]
			apply(t, w, drawn.Change{Op: drawn.OpAppend, Who: m.who, Text: messages.Text(m.text)})
		}
		l := layout.Line()
		known := map[messages.PixelKey]bool{}
		clipped := 0
		for range 40 {
			frame := capture(t, w)
			_, got := found(t, frame.Image, frame.Scale, &l)
			for _, s := range got.Shapes {
				if s.Bubble.Clipped {
					clipped++
					continue
				}
				known[s.Bubble.Key] = true
			}
			apply(t, w, drawn.Change{Op: drawn.OpScroll, By: 13})
		}
		// Each text can stand with and without a tail.
		if clipped == 0 || len(known) > 2*len(shown) {
			t.Errorf("%s x%d: %d keys of whole bubbles, %d clipped, want at most %d and some", theme.Name, scale,
				len(known), clipped, 2*len(shown))
		}
	}
}

// TestShortLines reads what chats are full of.
func TestShortLines(t *testing.T) {
	lines := []string{
		"OK", "はい", "うん", "w", "42", "12:30", "え？", "了解", "いいよ", "no", "Yes!", "wwww", "笑", "草", "k", "うそ",
		"3時", "はーい", "へー", "べつに", "それな", "「はい」", "LINEで送って", "10:30に集合", "ごめん", "ありがとう",
	}
	chatpage.Everywhere(t, func(t *testing.T, pal chatpage.Palette, scale int) {
		worker := tesseractWorker(t)
		for i := 0; i < len(lines); i += 8 {
			part := lines[i:min(i+8, len(lines))]
			p := chatpage.New(t, pal, scale, 720, "Hana")
			for _, l := range part {
				p.Say(messages.SideIncoming, l)
			}
			got := do(t, worker, p.Frame()).Bubbles
			if len(got) != len(part) {
				t.Fatalf("%d bubbles, want %d", len(got), len(part))
			}
			for j, b := range got {
				if !text.OCREqual(string(b.Text), part[j]) {
					t.Errorf("read %q, want %q", string(b.Text), part[j])
				}
			}
		}
	})
}

// TestMarks reads dates and notices between bubbles. Bubbles near the middle and
// a title are no marks.
func TestMarks(t *testing.T) {
	for theme, scale := range looks(3) {
		at := time.Date(2025, 7, 3, 9, 41, 0, 0, time.UTC)
		w, err := drawn.New(look(theme, scale))
		if err != nil {
			t.Fatal(err)
		}
		say := func(who drawn.Who, words messages.Text) {
			apply(t, w, drawn.Change{Op: drawn.OpAppend, Who: who, Text: words, At: at})
		}
		say(drawn.Friend, "おはよう")
		say(drawn.Friend, "やっぱりやめた")
		say(drawn.Me, "See you soon at the station, I will be about ten minutes late")
		apply(t, w, drawn.Change{Op: drawn.OpUnsend, Index: 1})
		at = at.AddDate(0, 0, 1)
		say(drawn.Me, "42")
		frame := capture(t, w)
		exact := NewWorker(Options{Confidence: DefaultThresholds(), Layouts: always(layout.Line()), Cache: NewCache(64),
			Open: func() (hardware.Recognizer, error) { return drawn.NewRecognizer(w), nil }})
		for name, worker := range map[string]*Worker{"exact": exact, "tesseract": tesseractWorker(t)} {
			got := do(t, worker, frame)
			var order []string // of everything, top to bottom
			marks := got.Marks
			for _, b := range got.Bubbles {
				for len(marks) > 0 && marks[0].Box.Y < b.Box.Y {
					order, marks = append(order, string(marks[0].Kind)), marks[1:]
				}
				order = append(order, string(b.Side))
			}
			if g, want := strings.Join(order, " "),
				"date incoming unsent own date own"; g != want || len(marks) > 0 {
				t.Errorf("%s x%d, %s: %s and %d marks below, want %s", theme.Name, scale, name, g, len(marks), want)
			}
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestAutoWithLittleToSee: the first message has a tail, so that its box begins further left
// than that of the second, which says the same. Both are the friend's.
func TestAutoWithLittleToSee(t *testing.T) {
	l := auto()
	for _, who := range []drawn.Who{drawn.Friend, drawn.Me} {
		w := drawnWindow(t, drawn.Dark, 2)
		for range 2 {
			apply(t, w, drawn.Change{Op: drawn.OpAppend, Who: who, Text: "まだ"})
			_, got := found(t, capture(t, w).Image, 2, &l)
			for i, s := range got.Shapes {
				if s.Bubble.Side != sideOf(who) {
					t.Errorf("message %d of %d is of side %s with score %.2f, want %s", i+1, len(got.Shapes),
						s.Bubble.Side, s.Score, sideOf(who))
				}
			}
		}
	}
}

// TestAutoReadsShortNames: a name of one letter is as square as the icons beside it, and is
// distinguished by its pixels.
func TestAutoReadsShortNames(t *testing.T) {
	for scale := 1; scale <= 2; scale++ {
		o := look(drawn.Dark, scale)
		o.Conversation = "弟"
		w, err := drawn.New(o)
		if err != nil {
			t.Fatal(err)
		}
		apply(t, w, drawn.Change{Op: drawn.OpAppend, Who: drawn.Friend, Text: "おつかれさま"})
		exact := NewWorker(Options{Confidence: DefaultThresholds(), Layouts: always(auto()), Cache: NewCache(64),
			Open: func() (hardware.Recognizer, error) { return drawn.NewRecognizer(w), nil }})
		got := do(t, exact, capture(t, w))
		if got.Title.Text != "弟" {
			t.Errorf("x%d: title = %q, want 弟", scale, string(got.Title.Text))
		}
		apply(t, w, drawn.Change{Op: drawn.OpAppend, Who: drawn.Friend, Text: "またね"})
		if again := do(t, exact, capture(t, w)); again.Name != got.Name || got.Name == 0 {
			t.Errorf("x%d: the pixels of one name are %d and %d, want the same", scale, got.Name, again.Name)
		}
		if err := w.Call("弟", "第"); err != nil {
			t.Fatal(err)
		}
		if other := do(t, exact, capture(t, w)); other.Name == got.Name {
			t.Errorf("x%d: two names have the pixels %d", scale, got.Name)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}
