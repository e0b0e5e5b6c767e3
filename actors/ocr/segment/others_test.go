package segment_test

import (
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr/segment"
)

// TestOtherClients looks at windows of clients that no number was measured in: one with the window's menu above
// the name, which writes rows under portraits, with one portrait and with many, and where no conversation is
// open; one beneath a notice of the browser; and two that write lines of plain text, the second with lines as
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

// TestAHeaderIsNoMenu: a low header with a name and a sign keeps its name, though text stands in a band beneath.
func TestAHeaderIsNoMenu(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 600, 700))
	fill := func(c color.Color, x0, y0, x1, y1 int) {
		draw.Draw(img, image.Rect(x0, y0, x1, y1), image.NewUniform(c), image.Point{}, draw.Src)
	}
	letters := func(x, y, n int) {
		for i := range n {
			fill(color.Black, x+8*i, y, x+8*i+5, y+12)
		}
	}
	grey := color.Gray{210}
	fill(color.White, 0, 0, 600, 700)
	for _, band := range [][2]int{{0, 30}, {30, 80}, {650, 700}} {
		fill(grey, 0, band[0], 600, band[1])
		fill(color.Gray{120}, 0, band[1]-1, 600, band[1])
	}
	letters(20, 9, 6)    // the name
	letters(560, 9, 1)   // a button
	letters(20, 48, 20)  // what is pinned
	letters(30, 120, 20) // a message
	l, _ := layout.ByName("auto")
	pane, err := segment.Open(img, 1, &l)
	if err != nil {
		t.Fatal(err)
	}
	if title := pane.Find().Title; title.Empty() || title.Max.Y > 30 {
		t.Errorf("the name of a low header is at %v, want it above 30", title)
	}
}
