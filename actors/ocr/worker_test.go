package ocr

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatpage"
)

// fake answers with what read returns and notes the hints.
type fake struct {
	read   func(call int, hint hardware.Hint) ([]messages.Line, error)
	hints  []hardware.Hint
	opened int
	closed int
}

func (f *fake) Recognize(_ context.Context, img *image.Gray, hint hardware.Hint) ([]messages.Line, error) {
	f.hints = append(f.hints, hint)
	return f.read(len(f.hints), hint)
}

func (f *fake) Close() error { f.closed++; return nil }

func (f *fake) open() (hardware.Recognizer, error) { f.opened++; return f, nil }

// says makes a fake that reads the same text everywhere.
func says(text string) *fake {
	return &fake{read: func(int, hardware.Hint) ([]messages.Line, error) {
		return []messages.Line{{Text: messages.Text(text), Confidence: 0.9,
			Box: messages.Rect{X: 18, Y: 18, W: 30, H: 15}}}, nil
	}}
}

func talkFrame(t *testing.T, y int) messages.Frame {
	t.Helper()
	p := chatpage.New(t, chatpage.Light, 1, 720, "Hana")
	p.Y = y
	p.SayAll(chatpage.Talk...)
	f := p.Frame()
	f.At = time.UnixMilli(7)
	return f
}

func TestWorkerReadsOnce(t *testing.T) {
	f := says("今日 は")
	cache := NewCache(64)
	first, second := NewWorker(Options{Confidence: DefaultThresholds(),
		Layouts: always(layout.Line()), Cache: cache, Open: f.open}),
		NewWorker(Options{Confidence: DefaultThresholds(), Layouts: always(layout.Line()), Cache: cache, Open: f.open})
	if f.opened != 0 {
		t.Errorf("opened %d recognizers before the first frame, want 0", f.opened)
	}
	got := do(t, first, talkFrame(t, 64))
	if got.Read != len(chatpage.Talk) || got.Cached != 0 || len(got.Bubbles) != len(chatpage.Talk) {
		t.Fatalf("Do() read %d, cached %d of %d, want %d, 0", got.Read, got.Cached,
			len(got.Bubbles), len(chatpage.Talk))
	}
	if got.Window != "line@test" || got.Scale != 1 || got.Size != (messages.Rect{W: 480, H: 720}) ||
		!got.At.Equal(time.UnixMilli(7)) {
		t.Errorf("Do() = window %s, scale %v, size %v, at %v, want the frame's", got.Window,
			got.Scale, got.Size, got.At)
	}
	if string(got.Title.Text) != "今日は" || got.Title.Box.Y >= 52 {
		t.Errorf("title = %q at %v, want 今日は in the header", string(got.Title.Text), got.Title.Box)
	}
	b := got.Bubbles[1]
	if string(b.Text) != "今日は" || b.Kind != messages.KindText || b.Stamp != "" {
		t.Errorf("bubble = %q, %s, stamp %q, want 今日は, text, no stamp", string(b.Text), b.Kind, b.Stamp)
	}
	if want := (messages.Rect{X: b.Box.X, Y: b.Box.Y, W: 20, H: 10}); b.Lines[0].Box != want {
		t.Errorf("line box = %v, want %v", b.Lines[0].Box, want)
	}
	calls := len(f.hints)
	again := do(t, second, talkFrame(t, 90)) // scrolled, read by another worker
	if again.Read != 0 || again.Cached != len(chatpage.Talk) || len(f.hints) != calls {
		t.Errorf("Do(scrolled) read %d, cached %d, %d calls, want 0, %d, 0", again.Read, again.Cached,
			len(f.hints)-calls, len(chatpage.Talk))
	}
	if dy := again.Bubbles[1].Lines[0].Box.Y - b.Lines[0].Box.Y; dy != 26 {
		t.Errorf("line moved by %d, want 26", dy)
	}
	if err := errors.Join(first.Close(), first.Close(), second.Close()); err != nil || f.opened != 1 || f.closed != 1 {
		t.Errorf("opened %d, closed %d, %v, want 1, 1, nil", f.opened, f.closed, err)
	}
}

func TestWorkerLanguages(t *testing.T) {
	f := &fake{read: func(_ int, hint hardware.Hint) ([]messages.Line, error) {
		if hint.Lang == hardware.LangLatin {
			return []messages.Line{line("| agree", 0.3, 0)}, nil
		}
		return []messages.Line{line("l agree", 0.2, 0)}, nil
	}}
	w := NewWorker(Options{Confidence: DefaultThresholds(),
		Layouts: always(layout.Line()), Cache: NewCache(64), Open: f.open})
	got := do(t, w, talkFrame(t, 64))
	if text := string(got.Bubbles[0].Text); text != "I agree" {
		t.Errorf("text = %q, want I agree", text)
	}
	for i, h := range f.hints {
		want := hardware.Hint{Scale: 1, Lang: []hardware.Lang{hardware.LangJapanese, hardware.LangLatin}[i%2],
			Block: i >= 2}
		if h != want {
			t.Errorf("hint %d = %+v, want %+v", i, h, want)
		}
	}
}

// A line in no language that the engine knows leaves nothing of its bubble that could be taken for a message,
// whatever the others say and however sure of it the engine is.
func TestWorkerLeavesOutWhatIsForeign(t *testing.T) {
	for _, confidence := range []float64{0.2, 0.7} {
		f := &fake{read: func(_ int, hint hardware.Hint) ([]messages.Line, error) {
			strange := line("Npuspet", confidence, 0)
			strange.Foreign = hint.Block
			return []messages.Line{line("おはよう", 0.9, 20), strange}, nil
		}}
		w := NewWorker(Options{Confidence: DefaultThresholds(), Layouts: always(layout.Line()), Cache: NewCache(64),
			Open: f.open})
		got := do(t, w, talkFrame(t, 64))
		for i, b := range got.Bubbles {
			if b.Kind != messages.KindUnreadable || b.Text != "" || len(b.Lines) > 0 || !b.Foreign {
				t.Errorf("%v: bubble %d = %s, %q, %d lines, foreign %v, want unreadable and foreign", confidence, i,
					b.Kind, string(b.Text), len(b.Lines), b.Foreign)
			}
		}
		if !slices.Contains(got.Unread, messages.Omitted{What: messages.ForeignInBubble, Count: len(got.Bubbles)}) {
			t.Errorf("%v: unread = %v, want %d foreign lines", confidence, got.Unread, len(got.Bubbles))
		}
	}
}

// What seems foreign at one size is foreign unless another one leaves no doubt.
func TestWorkerDoubtsWhatIsForeign(t *testing.T) {
	for name, c := range map[string]struct {
		second  messages.Line
		foreign bool
	}{
		"sure":     {line("おはよう", 0.9, 0), false},
		"likelier": {line("おはよう", 0.8, 0), true},
		"nothing":  {messages.Line{}, true},
	} {
		readings := 0
		f := &fake{read: func(_ int, hint hardware.Hint) ([]messages.Line, error) {
			if readings++; hint.Block && readings%2 == 0 {
				return []messages.Line{c.second}, nil
			}
			strange := line("おほよラ", 0.6, 0)
			strange.Foreign = hint.Block
			return []messages.Line{strange}, nil
		}}
		f.read = onlyBubbles(f.read)
		w := NewWorker(Options{Confidence: DefaultThresholds(), Layouts: always(layout.Line()), Cache: NewCache(64),
			Open: f.open})
		for i, b := range do(t, w, talkFrame(t, 64)).Bubbles {
			if b.Foreign != c.foreign || !c.foreign && string(b.Text) != "おはよう" {
				t.Errorf("%s: bubble %d is %q, foreign %v", name, i, string(b.Text), b.Foreign)
			}
		}
	}
}

// onlyBubbles finds nothing elsewhere.
func onlyBubbles(read func(int, hardware.Hint) ([]messages.Line, error)) func(int, hardware.Hint) ([]messages.Line,
	error) {
	return func(n int, hint hardware.Hint) ([]messages.Line, error) {
		if !hint.Block {
			return nil, nil
		}
		return read(n, hint)
	}
}

func TestWorkerUnreadable(t *testing.T) {
	for name, f := range map[string]*fake{
		"nothing": {read: func(int, hardware.Hint) ([]messages.Line, error) { return nil, nil }},
		"unsure": {read: func(int, hardware.Hint) ([]messages.Line,
			error) {
			return []messages.Line{line("あ", 0.2, 0)}, nil
		}},
		"no words": says(" "),
	} {
		w := NewWorker(Options{Confidence: DefaultThresholds(),
			Layouts: always(layout.Line()), Cache: NewCache(64), Open: f.open})
		for range 5 {
			got := do(t, w, talkFrame(t, 64))
			for i, b := range got.Bubbles {
				if b.Kind != messages.KindUnreadable || b.Text != "" {
					t.Errorf("%s: bubble %d = %s, %q, want unreadable without text", name, i, b.Kind, string(b.Text))
				}
			}
			if got.Title.Text != "" {
				t.Errorf("%s: title = %q, want none", name, string(got.Title.Text))
			}
		}
		want := emptyTries * (len(chatpage.Talk) + 1)
		if name == "unsure" { // bubbles are read larger, too, in two steps
			want += 2 * emptyTries * len(chatpage.Talk)
		}
		if len(f.hints) != want {
			t.Errorf("%s: %d calls for five frames, want %d: nothing is believed at the third time",
				name, len(f.hints), want)
		}
	}
}

// What cannot be read is read once more, larger, and counts if that reads it.
func TestWorkerReadsDoubtfulLarger(t *testing.T) {
	bubbles := 0
	f := &fake{read: func(_ int, hint hardware.Hint) ([]messages.Line, error) {
		if !hint.Block {
			return []messages.Line{line("花子", 0.9, 0)}, nil
		}
		if bubbles++; bubbles%2 == 1 {
			return []messages.Line{line("あ", 0.2, 0)}, nil
		}
		return []messages.Line{line("よろしく", 0.9, 0)}, nil
	}}
	w := NewWorker(Options{Confidence: DefaultThresholds(), Layouts: always(layout.Line()), Cache: NewCache(64),
		Open: f.open})
	got := do(t, w, talkFrame(t, 64))
	for i, b := range got.Bubbles {
		if string(b.Text) != "よろしく" {
			t.Errorf("bubble %d = %q, want what the larger picture shows", i, string(b.Text))
		}
	}
	if len(got.Unread) != 0 || bubbles != 2*len(got.Bubbles) {
		t.Errorf("unread %v after %d readings of %d bubbles, want none after two of each", got.Unread, bubbles,
			len(got.Bubbles))
	}
}

// figures is a line whose figures were read in two ways.
func figures(text string, confidence float64) messages.Line {
	l := line(text, confidence, 0)
	l.Doubtful = true
	return l
}

// A bubble whose figures are doubtful is read once more, a little larger. If they stay doubtful, it is marked low.
func TestWorkerMarksDoubtfulFigures(t *testing.T) {
	for name, c := range map[string]struct {
		first, second messages.Line
		want          string
		low           bool
	}{
		"certain larger":     {figures("あと9個", 0.95), line("あと0個", 0.9, 0), "あと0個", false},
		"doubtful larger":    {line("あと9個", 0.8, 0), figures("あと0個", 0.95), "あと9個", false},
		"doubtful at both":   {figures("あと9個", 0.95), figures("あと0個", 0.9), "あと9個", true},
		"surer at the other": {figures("あと9個", 0.9), figures("あと0個", 0.95), "あと0個", true},
		"nothing larger":     {figures("あと9個", 0.95), line("", 0, 0), "あと9個", true},
	} {
		blocks := 0
		f := &fake{read: func(_ int, hint hardware.Hint) ([]messages.Line, error) {
			if !hint.Block {
				return []messages.Line{line("花子", 0.9, 0)}, nil
			}
			if blocks++; blocks%2 == 0 {
				return []messages.Line{c.second}, nil
			}
			return []messages.Line{c.first}, nil
		}}
		w := NewWorker(Options{Confidence: DefaultThresholds(), Layouts: always(layout.Line()), Cache: NewCache(64),
			Open: f.open})
		got := do(t, w, talkFrame(t, 64))
		for i, b := range got.Bubbles {
			if string(b.Text) != c.want || b.Low != c.low {
				t.Errorf("%s: bubble %d = %q, low %v, want %q, %v", name, i, string(b.Text), b.Low, c.want, c.low)
			}
		}
		if blocks != 2*len(got.Bubbles) {
			t.Errorf("%s: %d readings of %d bubbles, want 2 of each", name, blocks, len(got.Bubbles))
		}
	}
}

// A line that is mostly Latin is read twice anyway. What is counted in it may be lost then.
func TestWorkerDoubtsLostCounters(t *testing.T) {
	for name, c := range map[string]struct {
		japanese, latin string
		low             bool
	}{
		"lost":        {"l will be back on 11 月 10 日", "I will be back on 118108", true},
		"kept":        {"l will be back on 11 月 10 日", "I will be back on 11月10日", false},
		"none":        {"lt costs 2を", "It costs €2", false},
		"in no count": {"l will see 日本 in 2", "I will see 日本 in 2", false},
	} {
		f := &fake{read: func(_ int, hint hardware.Hint) ([]messages.Line, error) {
			if hint.Lang == hardware.LangLatin {
				return []messages.Line{line(c.latin, 0.9, 0)}, nil
			}
			return []messages.Line{line(c.japanese, 0.9, 0)}, nil
		}}
		w := NewWorker(Options{Confidence: DefaultThresholds(), Layouts: always(layout.Line()), Cache: NewCache(64),
			Open: f.open})
		for i, b := range do(t, w, talkFrame(t, 64)).Bubbles {
			if string(b.Text) != c.latin || b.Low != c.low {
				t.Errorf("%s: bubble %d = %q, low %v, want %q, %v", name, i, string(b.Text), b.Low, c.latin, c.low)
			}
		}
	}
}

// What was read unsurely is read once more, a little larger; the surer reading counts.
func TestWorkerReadsUnsureTwice(t *testing.T) {
	for name, c := range map[string]struct {
		first, second messages.Line
		want          string
		readings      int // of each bubble
	}{
		"sure":           {line("お変わりない", 0.85, 0), line("お変わりなし", 0.95, 0), "お変わりない", 1},
		"surer larger":   {line("お変わりなし", 0.84, 0), line("お変わりない", 0.85, 0), "お変わりない", 2},
		"no surer":       {line("お変わりない", 0.84, 0), line("お変わりなし", 0.84, 0), "お変わりない", 2},
		"nothing larger": {line("お変わりない", 0.84, 0), line("", 0, 0), "お変わりない", 2},
		"hardly larger":  {line("お変わりない", 0.45, 0), line("お変わりなし", 0.2, 0), "お変わりない", 2},
	} {
		bubbles := 0
		f := &fake{read: func(_ int, hint hardware.Hint) ([]messages.Line, error) {
			if !hint.Block {
				return []messages.Line{line("花子", 0.9, 0)}, nil
			}
			if bubbles++; c.readings == 2 && bubbles%2 == 0 {
				return []messages.Line{c.second}, nil
			}
			return []messages.Line{c.first}, nil
		}}
		w := NewWorker(Options{Confidence: DefaultThresholds(), Layouts: always(layout.Line()), Cache: NewCache(64),
			Open: f.open})
		got := do(t, w, talkFrame(t, 64))
		for i, b := range got.Bubbles {
			if string(b.Text) != c.want {
				t.Errorf("%s: bubble %d = %q, want %q", name, i, string(b.Text), c.want)
			}
		}
		if len(got.Bubbles) == 0 || bubbles != c.readings*len(got.Bubbles) {
			t.Errorf("%s: %d readings of %d bubbles, want %d of each", name, bubbles, len(got.Bubbles), c.readings)
		}
	}
}

func TestWorkerGoesOnAfterAnError(t *testing.T) {
	broken := errors.New("engine broke")
	f := says("はい")
	good := f.read
	f.read = func(call int, hint hardware.Hint) ([]messages.Line, error) {
		if call == 4 {
			return nil, broken
		}
		return good(call, hint)
	}
	w := NewWorker(Options{Confidence: DefaultThresholds(),
		Layouts: always(layout.Line()), Cache: NewCache(64), Open: f.open})
	if _, err := w.Do(context.Background(), messages.ReadFrame{Frame: talkFrame(t, 64)}); !errors.Is(err, broken) {
		t.Fatalf("Do() = %v, want %v", err, broken)
	}
	if f.closed != 1 {
		t.Errorf("closed the broken recognizer %d times, want once", f.closed)
	}
	got := do(t, w, talkFrame(t, 64)) // title and two bubbles were read before
	if got.Cached != 2 || got.Read != len(chatpage.Talk)-2 || f.opened != 2 {
		t.Errorf("retry read %d, cached %d, opened %d, want %d, 2, 2", got.Read, got.Cached, f.opened,
			len(chatpage.Talk)-2)
	}
}

func TestWorkerRefusals(t *testing.T) {
	missing := fmt.Errorf("%w: install it", hardware.ErrUnavailable)
	w := NewWorker(Options{Confidence: DefaultThresholds(), Layouts: always(layout.Line()), Cache: NewCache(64),
		Open: func() (hardware.Recognizer, error) { return nil, missing }})
	for _, c := range []struct {
		name  string
		frame messages.Frame
		want  error
	}{
		{"no image", messages.Frame{Scale: 1}, hardware.ErrEmptyFrame},
		{"no scale", messages.Frame{Image: image.NewRGBA(image.Rect(0, 0, 9, 9))}, hardware.ErrEmptyFrame},
		{"no engine", talkFrame(t, 64), hardware.ErrUnavailable},
	} {
		_, err := w.Do(context.Background(), messages.ReadFrame{Frame: c.frame})
		var refusal *actors.Refusal
		if !errors.Is(err, c.want) || !errors.As(err, &refusal) || refusal.Code != hardware.Code(c.want) {
			t.Errorf("Do(%s) = %v, want a refusal with code %s", c.name, err, hardware.Code(c.want))
		}
	}
	if _, err := w.Do(context.Background(), messages.PollDue{}); err == nil {
		t.Error("Do(PollDue) = nil, want an error")
	}
	l := layout.Line()
	l.Pane = layout.Pane{Left: 3010}
	w = NewWorker(Options{Confidence: DefaultThresholds(), Layouts: always(l), Cache: NewCache(64), Open: w.o.Open})
	_, err := w.Do(context.Background(), messages.ReadFrame{Frame: talkFrame(t, 64)})
	var refusal *actors.Refusal
	if !errors.As(err, &refusal) || refusal.Code != messages.CodePane {
		t.Errorf("Do(a pane outside of the window) = %v, want a refusal with code %s", err, messages.CodePane)
	}
}

func TestWorkerStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	f := says("はい")
	good := f.read
	f.read = func(call int, hint hardware.Hint) ([]messages.Line, error) {
		if call == 2 {
			cancel()
		}
		return good(call, hint)
	}
	w := NewWorker(Options{Confidence: DefaultThresholds(),
		Layouts: always(layout.Line()), Cache: NewCache(64), Open: f.open})
	if _, err := w.Do(ctx, messages.ReadFrame{Frame: talkFrame(t, 64)}); !errors.Is(err, context.Canceled) {
		t.Errorf("Do() = %v, want context.Canceled", err)
	}
	if len(f.hints) != 2 || f.closed != 0 {
		t.Errorf("%d calls, closed %d, want 2, 0", len(f.hints), f.closed)
	}
}

// cropper reads from the frame itself and says where it looked.
type cropper struct {
	fake
	boxes []image.Rectangle
}

func (c *cropper) RecognizeCrop(_ context.Context, _ *image.RGBA, box image.Rectangle,
	_ hardware.Hint) ([]messages.Line, error) {
	c.boxes = append(c.boxes, box)
	return []messages.Line{{Text: "今日 は \xff", Confidence: 1,
		Box: messages.Rect{X: box.Min.X + 3, Y: box.Min.Y + 4, W: 5, H: 6}}}, nil
}

func TestWorkerPrefersCrops(t *testing.T) {
	c := &cropper{}
	w := NewWorker(Options{Confidence: DefaultThresholds(), Layouts: always(layout.Line()), Cache: NewCache(64),
		Open: func() (hardware.Recognizer, error) { return c, nil }})
	f := talkFrame(t, 64)
	whole := image.NewRGBA(f.Image.Rect.Add(image.Pt(7, 9)))
	copy(whole.Pix, f.Image.Pix)
	f.Image = whole // the origin is not 0, 0
	got := do(t, w, f)
	if len(c.hints) != 0 || len(c.boxes) != len(chatpage.Talk)+1 {
		t.Fatalf("%d prepared pictures and %d crops, want 0 and %d", len(c.hints), len(c.boxes), len(chatpage.Talk)+1)
	}
	b := got.Bubbles[0]
	if want := segment.Rect(b.Box).Add(image.Pt(7, 9)); c.boxes[1] != want {
		t.Errorf("crop = %v, want %v", c.boxes[1], want)
	}
	if want := (messages.Rect{X: b.Box.X + 3, Y: b.Box.Y + 4, W: 5, H: 6}); b.Lines[0].Box != want {
		t.Errorf("line box = %v, want %v", b.Lines[0].Box, want)
	}
	if string(b.Text) != "今日 は \uFFFD" {
		t.Errorf("text = %q, want it as read, repaired to UTF-8", string(b.Text))
	}
}

func TestCacheForgetsTheOldest(t *testing.T) {
	c := NewCache(2)
	key := func(n int) cacheKey { return cacheKey{pixels: messages.PixelKey(n)} }
	for n := range 2 {
		c.store(key(n), reading{lines: []messages.Line{line("あ", 0.9, 0)}})
	}
	c.lookup(key(0))
	c.store(key(2), reading{lines: []messages.Line{line("あ", 0.9, 0)}})
	c.store(key(2), reading{lines: []messages.Line{line("あ", 0.9, 0)}})
	for n, want := range []bool{true, false, true} {
		if _, ok := c.lookup(key(n)); ok != want {
			t.Errorf("lookup(%d) = %v, want %v", n, ok, want)
		}
	}
}

// TestCacheAcceptsNothingLate: an empty reading is repeated twice.
func TestCacheAcceptsNothingLate(t *testing.T) {
	c := NewCache(3)
	for n := 1; n <= emptyTries+1; n++ {
		c.store(cacheKey{pixels: 1}, reading{})
		if _, ok := c.lookup(cacheKey{pixels: 1}); ok != (n >= emptyTries) {
			t.Errorf("lookup after %d empty readings = %v, want %v", n, ok, n >= emptyTries)
		}
	}
	c.store(cacheKey{pixels: 2}, reading{})
	c.store(cacheKey{pixels: 2}, reading{beside: []messages.Line{line("あ", 0.9, 0)}})
	if _, ok := c.lookup(cacheKey{pixels: 2}); !ok {
		t.Error("lookup of what was read at the second time = false, want true")
	}
}

// always gives all windows the same layout.
func always(l layout.Layout) func(messages.WindowID) *layout.Layout {
	return func(messages.WindowID) *layout.Layout { return &l }
}
