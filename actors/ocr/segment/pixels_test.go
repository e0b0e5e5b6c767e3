package segment

import (
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/messages"
)

func TestCutRow(t *testing.T) {
	l := layout.Line()
	for _, c := range []struct {
		name        string
		first, last int // white rows, last excluded
		want        int
	}{
		{"input to the bottom", 640, 720, 640},
		{"input above a border", 640, 700, 640},
		{"too short", 700, 707, 720},
		{"long enough", 700, 708, 700},
		{"starts too high", 500, 720, 720},
		{"no separator", 0, 0, 720},
		{"above the scan", 100, 300, 720},
	} {
		img := image.NewRGBA(image.Rect(0, 0, 480, 720))
		draw.Draw(img, img.Rect, image.NewUniform(color.RGBA{140, 171, 216, 255}), image.Point{}, draw.Src)
		draw.Draw(img, image.Rect(0, c.first, 480, c.last), image.White, image.Point{}, draw.Src)
		p, err := pixelsOf(img, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.cutRow(&l, l.Themes[0]); got != c.want {
			t.Errorf("cutRow(%s) = %d, want %d", c.name, got, c.want)
		}
	}
}

func FuzzSegment(f *testing.F) {
	l := layout.Line()
	f.Add(40, 30, 1.0, []byte{255, 255, 255, 255, 195, 246, 157, 255, 140, 171, 216, 255})
	f.Add(1, 1, 2.0, []byte{0})
	f.Add(90, 90, 0.01, []byte{54, 57, 64, 255, 23, 25, 30, 255, 1})
	f.Fuzz(func(t *testing.T, w, h int, scale float64, data []byte) {
		w, h = w&127, h&127
		img := image.NewRGBA(image.Rect(3, 5, 3+w, 5+h))
		for i := range img.Pix {
			if len(data) > 0 {
				img.Pix[i] = data[i%len(data)] ^ byte(i/len(data)>>6)
			}
		}
		p, err := Open(img, scale, &l)
		if err != nil {
			return
		}
		got := p.Find()
		for _, s := range got.Shapes {
			box := s.Box()
			if box.Empty() || !box.In(p.Area) || len(s.rows) != box.Dy() {
				t.Fatalf("shape %v with %d rows, want it inside %v", box, len(s.rows), p.Area)
			}
			if s.Bubble.Kind == messages.KindText && scale < 8 {
				p.Prepare(s)
			}
		}
	})
}
