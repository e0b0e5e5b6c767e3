package drawn

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware/hardwaretest"
	"github.com/kehai-run/kehai/messages"
)

// clock is a clock that a test moves.
type clock struct{ t time.Time }

func newClock() *clock {
	return &clock{time.Date(2026, 10, 2, 14, 3, 0, 0, time.FixedZone("JST", 9*3600))}
}

func (c *clock) now() time.Time { return c.t }

// like is the usual window of tests, with what is given of another.
func like(o Options) Options {
	usual := DefaultOptions(newClock().now)
	usual.Fonts, usual.Journal, usual.Beside = o.Fonts, o.Journal, o.Beside
	usual.Ref, usual.Conversation = cmp.Or(o.Ref, usual.Ref), cmp.Or(o.Conversation, usual.Conversation)
	usual.Size, usual.Scale = cmp.Or(o.Size, usual.Size), cmp.Or(o.Scale, usual.Scale)
	usual.Theme = cmp.Or(o.Theme, usual.Theme)
	if o.Now != nil {
		usual.Now = o.Now
	}
	return usual
}

func open(t testing.TB, o Options) *Window {
	t.Helper()
	w, err := New(like(o))
	if err != nil {
		t.Fatalf("New(%+v) = %v, want a window", o, err)
	}
	t.Cleanup(func() { must(t, w.Close()) })
	return w
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("error = %v, want nil", err)
	}
}

func picture(t testing.TB, w *Window) *image.RGBA {
	t.Helper()
	c, err := w.Capture(t.Context())
	if err != nil {
		t.Fatalf("Capture() = %v, want a picture", err)
	}
	return c.Image
}

// chat fills a window with one of everything.
func chat(t testing.TB, w *Window) {
	t.Helper()
	must(t, w.Append("", Friend, "今日は何時に駅へ行けばいいかな、少し早めに着くかもしれないから、どこかで時間をつぶそうと思ってる。"))
	must(t, w.Append("", Me, "OK"))
	must(t, w.Append("", Friend, "OK"))
	must(t, w.Append("", Friend, "OK"))
	must(t, w.Append("", Me, "Sounds good, let's meet at the ticket gate and then walk to the museum together."))
	must(t, w.Append("", Me, "l"))
	must(t, w.Sticker("", Friend))
	must(t, w.Append("", Friend, "後で消す"))
	must(t, w.Unsend("", 7))
	must(t, w.Append("", Friend, "W 二 ー 三"))
	must(t, w.Append("", Me, "10時に中央改札でどう？"))
}

// everyLook runs a test for each theme and scale.
func everyLook(t *testing.T, test func(t *testing.T, o Options)) {
	for _, th := range []Theme{Light, Dark} {
		for _, scale := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s/x%d", th.Name, scale), func(t *testing.T) {
				test(t, Options{Theme: th, Scale: scale, Size: image.Pt(480, 900)})
			})
		}
	}
}

type class int

const (
	other class = iota
	own
	white
)

func classOf(img *image.RGBA, x, y int) class {
	c := img.RGBAAt(x, y)
	r, g, b := int(c.R), int(c.G), int(c.B)
	switch {
	case g > 130 && g > r+8 && g > b+12:
		return own
	case min(r, g, b) >= 238:
		return white
	}
	return other
}

// laneRow is the class that two of three pixels of the sampling strip agree on.
func laneRow(img *image.RGBA, scale, y int) class {
	count := map[class]int{}
	for i := -1; i <= 1; i++ {
		count[classOf(img, img.Rect.Dx()-38*scale+i, y)]++
	}
	for _, c := range []class{own, white} {
		if count[c] >= 2 {
			return c
		}
	}
	return other
}

func TestLane(t *testing.T) {
	everyLook(t, func(t *testing.T, o Options) {
		w := open(t, o)
		chat(t, w)
		img := picture(t, w)
		view, s := w.frame(w.s).view(), o.Scale
		mine := map[int]bool{} // rows in which an own bubble may be
		bubbles := w.layout(w.s)
		for _, p := range bubbles {
			if p.who != Me || p.kind != messages.KindText {
				continue
			}
			for y := p.box.Min.Y; y < p.box.Max.Y; y++ {
				mine[y] = true
				inner := y >= p.box.Min.Y+3*s && y < p.box.Max.Y-3*s
				if got := laneRow(img, s, y); inner && y >= view.Min.Y && got != own {
					t.Fatalf("lane row %d of an own bubble %v is class %d, want own", y, p.box, got)
				}
			}
		}
		if len(mine) < 4*30*s {
			t.Fatalf("only %d own rows in view, want the bubbles there", len(mine))
		}
		for y := view.Min.Y; y < view.Max.Y; y++ {
			if mine[y] {
				continue
			}
			if got := laneRow(img, s, y); got != other {
				t.Fatalf("lane row %d without an own bubble is class %d, want other", y, got)
			}
			for x := range img.Rect.Dx() {
				if classOf(img, x, y) == own {
					t.Fatalf("pixel %d,%d outside own bubbles has an own colour %v", x, y, img.RGBAAt(x, y))
				}
			}
		}
	})
}

func TestSeparator(t *testing.T) {
	everyLook(t, func(t *testing.T, o Options) {
		for _, size := range []image.Point{{480, 720}, {320, 480}, {800, 1000}, {700, 300}} {
			o.Size = size
			w := open(t, o)
			chat(t, w)
			must(t, w.Type("下書き draft"))
			img := picture(t, w)
			h, run, cut := img.Rect.Dy(), 0, -1
			need := max(8, h/120)
			for y := h - 1; y >= h*55/100 && cut < 0; y-- {
				switch {
				case laneRow(img, o.Scale, y) == white:
					run++
				case run >= need:
					cut = y + 1
				default:
					run = 0
				}
			}
			if cut < h*84/100 {
				t.Errorf("size %v: separator at row %d of %d, want at least %d", size, cut, h, h*84/100)
			}
		}
	})
}

func TestSameStateSamePixels(t *testing.T) {
	everyLook(t, func(t *testing.T, o Options) {
		a, b := open(t, o), open(t, o)
		chat(t, a)
		chat(t, b)
		if !bytes.Equal(picture(t, a).Pix, picture(t, b).Pix) {
			t.Error("two windows with the same state differ, want equal pixels")
		}
		first := picture(t, a)
		if again := picture(t, a); again != first {
			t.Error("Capture() draws an unchanged window again, want the same picture")
		}
		must(t, a.Rerender())
		if bytes.Equal(picture(t, a).Pix, first.Pix) {
			t.Error("Rerender() leaves the pixels alone, want other ones")
		}
	})
}

func TestScreen(t *testing.T) {
	hardwaretest.Screen(t, func(t *testing.T) hardwaretest.ScreenFixture {
		w := open(t, Options{Ref: "chat"})
		s, err := NewScreen(open(t, Options{Ref: "other"}), w)
		must(t, err)
		chat(t, w)
		return hardwaretest.ScreenFixture{
			Screen: s, Ref: "chat",
			Change: func() { must(t, w.Append("", Friend, "新しい")) },
			Hide:   func() { must(t, w.Hide()) },
			Show:   func() { must(t, w.Show()) },
			Cover:  func() { must(t, w.Cover()) },
			Empty:  func() { must(t, w.Resize(0, 500)) },
			Close:  func() { must(t, w.Close()) },
		}
	})
}

func TestScreenRefusesTwins(t *testing.T) {
	if _, err := NewScreen(open(t, Options{}), open(t, Options{})); err == nil {
		t.Error("NewScreen(same ref twice) = nil, want an error")
	}
}

func TestApplyRefuses(t *testing.T) {
	w := open(t, Options{Journal: filepath.Join(t.TempDir(), "w.jsonl")})
	must(t, w.Sticker("", Friend))
	must(t, w.Append("", Friend, "a"))
	must(t, w.Unsend("", 1))
	before := picture(t, w)
	size := w.journal.size
	for _, c := range []Change{
		{}, {Op: "jump"}, {Op: OpAppend, Text: "x"}, {Op: OpAppend, Who: "boss", Text: "x"},
		{Op: OpAppend, Who: Me}, {Op: OpAppend, Who: Me, Text: "\xff"}, {Op: OpSend},
		{Op: OpAppend, Who: Me, Kind: messages.KindCall},
		{Op: OpAppend, Who: Me, Kind: messages.KindSticker, Text: "x"},
		{Op: OpEdit, Index: 0, Text: "x"}, {Op: OpEdit, Index: 1, Text: "x"}, {Op: OpUnsend, Index: 1},
		{Op: OpUnsend, Index: 2}, {Op: OpUnsend, Index: -1}, {Op: OpUnsend, Conversation: "none"},
		{Op: OpSwitch}, {Op: OpResize, W: -1}, {Op: OpResize, W: MaxSide + 1}, {Op: OpMark},
		{Op: OpMark, Script: &Script{Next: -1}},
	} {
		if err := w.Apply(c); !errors.Is(err, ErrChange) {
			t.Errorf("Apply(%+v) = %v, want %v", c, err, ErrChange)
		}
		if w.Hides(c) {
			t.Errorf("Hides(%+v) = true, want false for what is refused", c)
		}
	}
	if w.journal.size != size || picture(t, w) != before {
		t.Error("a refused change left a trace, want none")
	}
}

func TestNewRefuses(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"no clock": func(o *Options) { o.Now = nil }, "no ref": func(o *Options) { o.Ref = "" },
		"no conversation": func(o *Options) { o.Conversation = "" }, "no theme": func(o *Options) { o.Theme = Theme{} },
		"scale 0": func(o *Options) { o.Scale = 0 }, "scale 4": func(o *Options) { o.Scale = 4 },
		"no size":  func(o *Options) { o.Size = image.Point{} },
		"no width": func(o *Options) { o.Size = image.Pt(-1, 5) },
		"too high": func(o *Options) { o.Size = image.Pt(5, MaxSide+1) },
		"no place": func(o *Options) { o.Journal = "no/such/folder/w.jsonl" },
	} {
		o := DefaultOptions(newClock().now)
		change(&o)
		if _, err := New(o); err == nil {
			t.Errorf("New(%s: %+v) = nil, want an error", name, o)
		}
	}
}

func TestDriverErrorFailsCapture(t *testing.T) {
	w := open(t, Options{})
	broken := errors.New("broken")
	w.Drive(func(time.Time) error { return broken })
	if _, err := w.Capture(t.Context()); !errors.Is(err, broken) {
		t.Errorf("Capture() = %v, want %v", err, broken)
	}
}

func TestDraftAndSend(t *testing.T) {
	w := open(t, Options{})
	must(t, w.Type("書きかけ"))
	if got := string(w.Draft()); got != "書きかけ" {
		t.Errorf("Draft() = %q, want %q", got, "書きかけ")
	}
	must(t, w.Send("書きかけ。"))
	if got := w.Draft(); got != "" {
		t.Errorf("Draft() after Send = %q, want nothing", string(got))
	}
	if b := w.layout(w.s); len(b) != 1 || b[0].who != Me || b[0].text != "書きかけ。" {
		t.Errorf("Send shows %d bubbles, want the one sent", len(b))
	}
}

// TestScrolledBackStays: new messages do not move a reader away.
func TestScrolledBackStays(t *testing.T) {
	w := open(t, Options{Size: image.Pt(480, 500)})
	for i := range 30 {
		must(t, w.Append("", Friend, messages.Text(fmt.Sprintf("message %d", i))))
	}
	must(t, w.Scroll(300))
	before := picture(t, w)
	must(t, w.Append("", Friend, "new below"))
	if !bytes.Equal(before.Pix, picture(t, w).Pix) {
		t.Error("a message below moved a window that is scrolled back")
	}
	must(t, w.Scroll(1<<40))
	top := w.layout(w.s)
	if top[0].index != 0 || !whole(top[0], w.frame(w.s).view()) {
		t.Errorf("Scroll(far) shows message %d first at %v, want 0 in view", top[0].index, top[0].box)
	}
	must(t, w.Scroll(-1<<40))
	if all := w.layout(w.s); all[len(all)-1].index != 30 {
		t.Errorf("Scroll(-far) ends with message %d, want 30", all[len(all)-1].index)
	}
}

func TestFallbackFont(t *testing.T) {
	w := open(t, Options{Fonts: FindFonts("/no/such/font.ttf")})
	if f := w.fonts; f.Japanese() || f.Path() != "" || f.String() == "" {
		t.Errorf("FindFonts(none) = %q at %q, want Latin only and advice", f, f.Path())
	}
	chat(t, w)
	img := picture(t, w)
	for _, p := range w.layout(w.s) {
		if p.kind == messages.KindText && !p.unsent && p.box.Min.Y > 60 {
			if _, _, ok := inkOf(img, p.box); !ok {
				t.Errorf("message %d leaves no ink without a Japanese font, want boxes", p.index)
			}
		}
	}
}

func TestCachedCaptureDoesNotAllocate(t *testing.T) {
	w := open(t, Options{})
	chat(t, w)
	picture(t, w)
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		if _, err := w.Capture(ctx); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("a capture of an unchanged window allocates %v times, want 0", n)
	}
}

// TestHeapStaysLevel redraws an hour's worth of changes.
func TestHeapStaysLevel(t *testing.T) {
	w := open(t, Options{Size: image.Pt(240, 320)})
	chat(t, w)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	redraw := func(n int) {
		for range n {
			must(t, w.Rerender())
			picture(t, w)
		}
	}
	redraw(8)
	before := heap()
	redraw(400)
	if after := heap(); after > before+1<<20 {
		t.Errorf("heap grew from %d to %d bytes in 400 redraws, want level", before, after)
	}
}

func BenchmarkRender(b *testing.B) {
	for _, scale := range []int{1, 2} {
		b.Run(fmt.Sprintf("x%d", scale), func(b *testing.B) {
			w := open(b, Options{Scale: scale})
			chat(b, w)
			for b.Loop() {
				must(b, w.Rerender())
				picture(b, w)
			}
		})
	}
}

func BenchmarkCachedCapture(b *testing.B) {
	w := open(b, Options{})
	chat(b, w)
	picture(b, w)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Capture(ctx); err != nil {
			b.Fatal(err)
		}
	}
}
