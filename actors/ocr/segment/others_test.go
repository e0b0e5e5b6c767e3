package segment_test

import (
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/messages"
)

// TestOtherClients looks at windows of clients that no number was measured in: one with the window's menu above
// the name, which writes rows under portraits, with one portrait and with many, and where no conversation is
// open; one beneath a notice of the browser; one whose name stands below a portrait; one on a pattern of lines;
// one whose rows stand as close as their lines; and two that write lines of plain text, the second with lines as
// wide as the pane.
func TestOtherClients(t *testing.T) {
	for _, c := range []struct {
		file         string
		bubbles      int
		rows         int
		least, most  int // bare
		title, below int // where the name begins, 0: there is none
	}{
		{"gajim.png", 0, 2, 0, 0, 485, 43},
		{"gajim-lines.png", 0, 17, 0, 1, 485, 43},
		{"gajim-start.png", 0, 0, 0, 0, 0, 0},
		{"infobar.png", 1, 0, 0, 0, 316, 78},
		{"below-portrait.png", 8, 0, 0, 0, 605, 47},
		{"pattern.png", 15, 0, 0, 0, 322, 10},
		{"close-rows.png", 0, 18, 0, 0, 274, 14},
		{"pidgin.png", 0, 0, 2, 20, 11, 40},
		{"psi.png", 0, 0, 2, 20, 364, 10},
	} {
		pane := photographed(t, c.file, 1)
		got := pane.Find()
		rows, bubbles := 0, 0
		for _, s := range got.Shapes {
			if s.Row {
				rows++
			} else {
				bubbles++
			}
		}
		var title image.Point
		if !got.Title.Empty() {
			title = pane.At.Add(got.Title.Min)
		}
		if bubbles != c.bubbles || rows != c.rows || got.Bare < c.least || got.Bare > c.most ||
			title != image.Pt(c.title, c.below) {
			t.Errorf("%s: %d bubbles, %d rows, %d bare, title at %v, want %d, %d, %d to %d, a title at %d,%d", c.file,
				bubbles, rows, got.Bare, title, c.bubbles, c.rows, c.least, c.most, c.title, c.below)
		}
	}
}

// TestLinesOfALogAreNoNotices: what is joined with a border along one side is not in the middle.
func TestLinesOfALogAreNoNotices(t *testing.T) {
	if marks := photographed(t, "pidgin.png", 1).Find().Marks; len(marks) > 0 {
		t.Errorf("a log of text shows notices at %v, want none", marks)
	}
}

// drawing is a picture of a window in the making.
type drawing struct{ *image.RGBA }

func (d drawing) fill(c color.Color, x0, y0, x1, y1 int) {
	draw.Draw(d, image.Rect(x0, y0, x1, y1), image.NewUniform(c), image.Point{}, draw.Src)
}

// letters draws n of them, so high.
func (d drawing) letters(x, y, n, high int) {
	for i := range n {
		d.fill(color.Black, x+high*i*2/3, y, x+high*i*2/3+high/2, y+high)
	}
}

// band draws a header or an input.
func (d drawing) band(top, bottom int) {
	d.fill(color.Gray{210}, 0, top, d.Rect.Dx(), bottom)
	d.fill(color.Gray{120}, 0, bottom-1, d.Rect.Dx(), bottom)
}

func (d drawing) open(t *testing.T) *segment.Pane {
	t.Helper()
	l, _ := layout.ByName("auto")
	pane, err := segment.Open(d.RGBA, 1, &l)
	if err != nil {
		t.Fatal(err)
	}
	return pane
}

func newDrawing() drawing {
	d := drawing{image.NewRGBA(image.Rect(0, 0, 600, 700))}
	d.fill(color.White, 0, 0, 600, 700)
	return d
}

// TestAHeaderIsNoMenu: a low header with a name and a sign keeps its name, though text stands in a band beneath.
func TestAHeaderIsNoMenu(t *testing.T) {
	d := newDrawing()
	d.band(0, 30)
	d.band(30, 80)
	d.band(650, 700)
	d.letters(20, 9, 6, 12)    // the name
	d.letters(560, 9, 1, 12)   // a button
	d.letters(20, 48, 20, 12)  // what is pinned
	d.letters(30, 120, 20, 12) // a message
	if title := d.open(t).Find().Title; title.Empty() || title.Max.Y > 30 {
		t.Errorf("the name of a low header is at %v, want it above 30", title)
	}
}

// TestNarrowClockTimes: a clock time of narrow digits, such as 1:11, is hardly wider than two signs.
func TestNarrowClockTimes(t *testing.T) {
	d := newDrawing()
	d.band(0, 50)
	d.band(650, 700)
	d.letters(20, 18, 6, 12)
	for i := range 5 {
		y := 80 + 60*i
		d.fill(color.Gray{225}, 20, y, 200, y+44)
		d.letters(30, y+10, 12, 12)
		d.letters(172, y+30, 4, 8)
	}
	for i, s := range d.open(t).Find().Shapes {
		if !s.Clock {
			t.Errorf("the clock time in bubble %d at %v is read with its text", i, s.Box())
		}
	}
}

// TestOutlinesOfBothSides: bubbles without a fill were of the others so far, which tells nothing of one at the right.
func TestOutlinesOfBothSides(t *testing.T) {
	d := newDrawing()
	d.band(0, 50)
	d.band(650, 700)
	d.letters(20, 18, 6, 12)
	outline := func(x0, y0, x1, y1 int) {
		d.fill(color.Gray{180}, x0, y0, x1, y1)
		d.fill(color.White, x0+1, y0+1, x1-1, y1-1)
		d.letters(x0+10, y0+10, 9, 12)
	}
	for i := range 4 {
		outline(20, 80+60*i, 160+10*i, 114+60*i)
	}
	outline(420, 320, 580, 354)
	pane := d.open(t)
	pane.Known = messages.Learnt{Fills: []messages.LearntFill{{Colour: 0xFFFFFF, Incoming: 16}}}
	sides := ""
	for _, s := range pane.Find().Shapes {
		sides += string(s.Bubble.Side[:1])
	}
	if sides != "iiiio" {
		t.Errorf("sides of four outlines at the left and one at the right = %s, want iiiio", sides)
	}
}
