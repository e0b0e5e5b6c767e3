package segment_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatpage"
)

// tally counts blocks.
type tally struct {
	shown, found, right, sided, wrong int
	clocks                            int // blocks of which it is known whether they hold their time
	titles, areas, pictures           int
}

func (t *tally) add(o tally) {
	t.shown += o.shown
	t.found += o.found
	t.right += o.right
	t.sided += o.sided
	t.wrong += o.wrong
	t.clocks += o.clocks
	t.titles += o.titles
	t.areas += o.areas
	t.pictures += o.pictures
}

func (t tally) String() string {
	share := func(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
	return fmt.Sprintf("%d pictures, %d blocks: precision %.4f, recall %.4f; "+
		"sides right %.4f, wrong %d; clock times %.4f; panes %.3f, titles %.3f",
		t.pictures, t.shown, share(t.right, t.found), share(t.right, t.shown), share(t.sided, t.right), t.wrong,
		share(t.clocks, t.right), share(t.areas, t.pictures), share(t.titles, t.pictures))
}

// like is the share of two boxes that both cover.
func like(a, b image.Rectangle) float64 {
	in := a.Intersect(b)
	both := in.Dx() * in.Dy()
	return float64(both) / float64(a.Dx()*a.Dy()+b.Dx()*b.Dy()-both)
}

// judge compares what is found in a window with what it shows. Shapes cut by the edges of the
// area do not count.
func judge(t *testing.T, c *chatpage.Client, least float64) (n tally) {
	t.Helper()
	l, _ := layout.ByName("auto")
	pane, err := segment.Open(c.Image, c.Scale, &l)
	if err != nil {
		t.Fatal(err)
	}
	input := pane.InputBox()
	got := pane.Find()
	if after := pane.InputBox(); after != input {
		t.Errorf("Find() moved the input of a window from %v to %v", input, after)
	}
	n.pictures = 1
	area := pane.Area.Add(pane.At)
	if like(area, c.Area) > 0.95 {
		n.areas++
	}
	if title := got.Title.Add(pane.At); like(title, c.Title) > 0.5 {
		n.titles++
	}
	taken := make([]bool, len(got.Shapes))
	for _, truth := range c.Truth {
		whole := truth.Box.In(c.Area.Inset(3))
		if whole {
			n.shown++
		}
		for i, s := range got.Shapes {
			if taken[i] || like(s.Box().Add(pane.At), truth.Box.Intersect(c.Area)) < least {
				continue
			}
			taken[i] = true
			if !whole {
				break
			}
			n.found++
			n.right++
			if s.Clock == (c.Clock && !s.Row) {
				n.clocks++
			}
			switch s.Bubble.Side {
			case truth.Side:
				n.sided++
			case messages.SideNeither:
			default:
				n.wrong++
			}
			break
		}
	}
	for i, s := range got.Shapes {
		if !taken[i] && !s.Bubble.Clipped {
			n.found++
		}
	}
	return n
}

// TestAutoFindsBlocks draws windows of applications that do not exist, with fills,
// outlines, shadows, gradients and photographs, beside lists, at three scales.
func TestAutoFindsBlocks(t *testing.T) {
	pictures := uint64(60)
	if testing.Short() {
		pictures = 8
	}
	var all tally
	for seed := range pictures {
		c := chatpage.Random(t, seed)
		n := judge(t, c, 0.75)
		all.add(n)
		if n.right != n.shown || n.found != n.shown || n.sided != n.right || n.areas+n.titles < 2 {
			t.Logf("seed %d, %s at scale %v: %s", seed, c.Look, c.Scale, n)
		}
	}
	t.Log(all)
	least := func(percent int, what string, n, of int) {
		if 100*n < percent*of {
			t.Errorf("%s %d of %d, want %d %%", what, n, of, percent)
		}
	}
	least(99, "found right", all.right, all.found)
	least(99, "right of those shown", all.right, all.shown)
	least(99, "sides right", all.sided, all.right)
	least(97, "clock times", all.clocks, all.right)
	least(99, "panes", all.areas, all.pictures)
	least(99, "names", all.titles, all.pictures)
	if all.wrong > 0 {
		t.Errorf("%d blocks on the wrong side, want none: what is unsure is of neither", all.wrong)
	}
}

// TestAutoFindsRows draws windows of applications that write rows. A row belongs to the name
// above the first row of its group.
func TestAutoFindsRows(t *testing.T) {
	pictures := uint64(30)
	if testing.Short() {
		pictures = 5
	}
	l, _ := layout.ByName("auto")
	var all tally
	for seed := range pictures {
		c := chatpage.RandomRows(t, seed)
		n := judge(t, c, 0.4) // a line is lower than its font
		all.add(n)
		if n.right != n.shown || n.found != n.shown {
			t.Errorf("seed %d, %s at scale %v: %s", seed, c.Look, c.Scale, n)
			continue
		}
		pane, err := segment.Open(c.Image, c.Scale, &l)
		if err != nil {
			t.Fatal(err)
		}
		got := pane.Find()
		for i, s := range got.Shapes {
			if !s.Row || s.Bubble.Side != messages.SideNeither || like(s.Name.Add(pane.At), c.Names[i]) < 0.4 {
				t.Errorf("seed %d: row %d of side %s has its name at %v, want neither and %v", seed, i, s.Bubble.Side,
					s.Name.Add(pane.At), c.Names[i])
			}
		}
		for i := range c.Image.Pix { // a group so long that portraits and names have scrolled away
			if x := i / 4 % c.Image.Rect.Dx(); x >= pane.At.X && x < pane.At.X+got.Rows.From {
				y := i / 4 / c.Image.Rect.Dx()
				if y > pane.At.Y+pane.Area.Min.Y && y < pane.At.Y+pane.Area.Max.Y {
					c.Image.Pix[i] = c.Image.Pix[4*((y)*c.Image.Rect.Dx()+pane.At.X+1)+i%4]
				}
			}
		}
		blank, err := segment.Open(c.Image, c.Scale, &l)
		if err != nil {
			t.Fatal(err)
		}
		if alone := blank.Find(); len(alone.Shapes) > 0 {
			t.Errorf("seed %d: %d rows are found beside no portraits, want none", seed, len(alone.Shapes))
		}
		if blank.Rows = got.Rows; len(blank.Find().Shapes) < len(got.Shapes) {
			t.Errorf("seed %d: of %d rows %d are found where they stood before", seed, len(got.Shapes),
				len(blank.Find().Shapes))
		}
		if got.Bare > 0 {
			t.Errorf("seed %d: %d texts stand bare, want none: they are rows", seed, got.Bare)
		}
		pane.Known = messages.Learnt{Fills: []messages.LearntFill{{Colour: 1, Own: 1}}}
		if got := pane.Find(); len(got.Shapes) > 0 || got.Bare == 0 {
			t.Errorf("seed %d: a window with bubbles shows %d rows and %d bare texts, want only bare ones", seed,
				len(got.Shapes), got.Bare)
		}
	}
	t.Log(all)
}

// TestAutoKnowsNoList: a list of chats has portraits, names and texts as rows have, but no
// input. Nothing in it is a message.
func TestAutoKnowsNoList(t *testing.T) {
	l, _ := layout.ByName("auto")
	for seed := range uint64(20) {
		c := chatpage.RandomRows(t, seed)
		list := c.Image.SubImage(image.Rect(c.Pane.Min.X, 0, c.Pane.Max.X, c.Area.Max.Y)).(*image.RGBA)
		pane, err := segment.Open(list, c.Scale, &l)
		if err != nil {
			t.Fatal(err)
		}
		if got := pane.Find(); len(got.Shapes) > 0 || got.Bare == 0 {
			t.Errorf("seed %d, %s: a list shows %d messages and %d bare texts, want only bare ones", seed, c.Look,
				len(got.Shapes), got.Bare)
		}
	}
}

// TestAutoInABrowser looks at pages that Chromium has drawn: bubbles on white with portraits;
// clock times and ticks inside, beside a list; outlines; rows beside a dark list. All show the
// same talk. Then at windows of others, as make real has photographed them: Dino's rows, of which
// the first belong to a name that has scrolled away; the same with buttons on them, as far as the
// name, and beside the thin bar that is there while it scrolls; Kaidan's bubbles beside a bar that
// scrolls, where the owner's have neither fill nor edge; Chatty's, of which half are shadows alone,
// with a portrait before the name. One in a browser holds clock
// times, the owner's with ticks behind them.
func TestAutoInABrowser(t *testing.T) {
	for _, c := range []struct {
		file   string
		scale  float64
		left   int
		sides  string
		clocks int
		bare   int
		title  int // where the name begins, 0: anywhere
	}{
		{"plain.png", 1, 0, "iioioioio", 0, 0, 0},
		{"clocks.png", 1, 260, "iioioioio", 9, 0, 0},
		{"ticks.png", 1, 261, "iiiiooii", 8, 0, 316},
		{"outline.png", 1.25, 0, "iioioioio", 0, 0, 0},
		{"rows.png", 1, 260, "nnnnnnnnn", 0, 0, 0},
		{"dino.png", 1, 306, "nnnnnnnnnnnnnnnnnn", 0, 2, 632},
		{"dino-buttons.png", 1, 306, "nnnnnnnnnnnnnnnnnnnnn", 0, 2, 632},
		{"dino-bar.png", 1, 306, "nnnnnnnnnnnnnnnnnnnn", 0, 2, 632},
		{"chatty.png", 1, 5, "iiiiiiiiiiiiioioioio", 0, 0, 248},
		{"chatty-ken.png", 1, 5, "iiii", 0, 0, 222},
		{"kaidan.png", 1, 301, "iiiiiioioioio", 0, 0, 316},
	} {
		pane := photographed(t, c.file, c.scale)
		got := pane.Find()
		sides, clocks := "", 0
		for _, s := range got.Shapes {
			if sides += string(s.Bubble.Side[:1]); s.Clock {
				clocks++
			}
		}
		title := pane.At.X + got.Title.Min.X
		if pane.At.X != c.left || sides != c.sides || clocks != c.clocks || got.Bare != c.bare || got.Title.Empty() ||
			c.title > 0 && (title < c.title-4 || title > c.title+4) {
			t.Errorf("%s: pane at %d, sides %s, %d clock times inside, %d bare, title at %d, "+
				"want %d, %s, %d, %d, a title at %d", c.file, pane.At.X, sides, clocks, got.Bare, title,
				c.left, c.sides, c.clocks, c.bare, c.title)
		}
	}
}

// photographed opens the picture of a window in testdata.
func photographed(t *testing.T, file string, scale float64) *segment.Pane {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	shot, err := png.Decode(f)
	if closed := f.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
	img := image.NewRGBA(shot.Bounds())
	draw.Draw(img, img.Rect, shot, image.Point{}, draw.Src)
	l, _ := layout.ByName("auto")
	pane, err := segment.Open(img, scale, &l)
	if err != nil {
		t.Fatal(err)
	}
	return pane
}

// TestRowsWithoutTheirSigns: rows whose portraits have scrolled away are found where they stood before,
// without what is no part of a message: the tick behind it, also behind emoji and links, and the button
// and the band that the application paints for the message under the pointer. Neither an emoji alone in
// a row nor a portrait that is cut is taken for the column of portraits. A name that stands close beside
// its portrait, over a line, is found, and so is the end of what is shown, by the bar beside it.
func TestRowsWithoutTheirSigns(t *testing.T) {
	for _, c := range []struct {
		first, then string
		widths      []int
		title       int
	}{
		{"converse.png", "converse-signs.png",
			[]int{593, 594, 592, 576, 97, 91, 84, 40, 148, 39, 227, 253, 192, 216, 216, 157}, 313},
		{"converse.png", "converse-dark.png",
			[]int{192, 119, 131, 175, 174, 175, 175, 175, 131, 179, 179, 179, 180, 179, 180, 179, 180}, 315},
		{"dino-buttons.png", "dino-emoji.png", []int{133, 132, 133, 133, 132, 133, 133, 133, 133, 141, 618, 602, 618,
			597, 92, 88, 79, 62, 138, 38}, 629},
		{"dino-buttons.png", "dino-cut.png", []int{67, 122, 232, 140, 165, 176, 147, 215, 131, 132, 158, 161, 137,
			124, 179, 136, 95, 138, 169, 83, 27, 27, 32}, 629},
		{"dino-buttons.png", "dino-highlight.png", []int{142, 122, 142, 51, 174, 174, 174, 174, 174, 174, 174, 174,
			188, 188, 188, 188, 137, 137, 137, 137}, 629},
	} {
		before := photographed(t, c.first, 1).Find()
		pane := photographed(t, c.then, 1)
		pane.Rows = before.Rows
		got := pane.Find()
		var widths []int
		for _, s := range got.Shapes {
			widths = append(widths, s.Bubble.Box.W)
		}
		near := func(a, b int) bool { return -2 <= a-b && a-b <= 2 }
		if title := pane.At.X + got.Title.Min.X; !slices.EqualFunc(widths, c.widths, near) || !near(title, c.title) {
			t.Errorf("%s: rows of widths %v, title at %d, want %v, %d", c.then, widths, title, c.widths, c.title)
		}
	}
}

// TestRowsThatMayGoOn: the first row in view that has no name may be the end of a message that has scrolled
// away; the last one is cut where the bar beside the messages ends.
func TestRowsThatMayGoOn(t *testing.T) {
	pane := photographed(t, "converse-cut.png", 1)
	pane.Rows = photographed(t, "converse.png", 1).Find().Rows
	got := pane.Find().Shapes
	for i, s := range got {
		if s.Bubble.Clipped != (i == 0) {
			t.Errorf("row %d at %v is cut: %v, want the first one alone", i, s.Box(), s.Bubble.Clipped)
		}
	}
	if len(got) != 17 {
		t.Errorf("%d rows, want 17", len(got))
	}
}

// TestABandOfAnotherBrightness: only a band that is nearly as bright as the background is painted over; what
// stands on another, such as white letters on blue, would not show any more.
func TestABandOfAnotherBrightness(t *testing.T) {
	for _, c := range []struct {
		paint color.RGBA
		gone  bool
	}{{color.RGBA{222, 230, 236, 255}, true}, {color.RGBA{20, 60, 160, 255}, false}} {
		before := photographed(t, "converse.png", 1)
		img := before.Image()
		band := image.Rect(0, before.Area.Max.Y-60, img.Rect.Dx(), before.Area.Max.Y-30).Add(img.Rect.Min)
		draw.Draw(img, band, image.NewUniform(c.paint), image.Point{}, draw.Src)
		l, _ := layout.ByName("auto")
		pane, err := segment.Open(img, 1, &l)
		if err != nil {
			t.Fatal(err)
		}
		at := pane.Image().RGBAAt(band.Min.X+9, band.Min.Y+9)
		if gone := at != c.paint; gone != c.gone {
			t.Errorf("a band of %v is %v in the pane, want it painted over: %v", c.paint, at, c.gone)
		}
		if img.RGBAAt(band.Min.X+9, band.Min.Y+9) != c.paint {
			t.Errorf("a band of %v is painted over in the capture too", c.paint)
		}
	}
}
