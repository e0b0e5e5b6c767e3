package ocr

import (
	"image"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

func TestPrepare(t *testing.T) {
	everywhere(t, func(t *testing.T, pal palette, scale int) {
		p := newPage(t, pal, scale, 720, "Hana")
		p.say(talk[0])
		p.say(talk[1])
		px, err := open(p.img, float64(scale))
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range segment(t, p).Shapes {
			got := prepareShape(px, s, float64(scale))
			grow := func(n int) int { return int(float64(n+24*scale) * enlargement(float64(scale))) }
			if want := image.Pt(grow(s.Bubble.Box.W), grow(s.Bubble.Box.H)); got.img.Rect.Size() != want {
				t.Errorf("shape %d is prepared to %v, want %v", i, got.img.Rect.Size(), want)
			}
			dark, light := 0, 0
			for _, v := range got.img.Pix {
				switch {
				case v < 70:
					dark++
				case v > 250:
					light++
				}
			}
			if n := len(got.img.Pix); dark*200 < n || light*2 < n {
				t.Errorf("shape %d: %d dark and %d white of %d pixels, want dark text on white", i, dark, light, n)
			}
			// The margin and the round corners are white.
			edge := got.img.Rect.Inset(grow(0)/2 - 2)
			for _, at := range []image.Point{{0, 0}, edge.Min, {edge.Max.X, edge.Min.Y}, {edge.Min.X, edge.Max.Y}, edge.Max} {
				if v := got.img.GrayAt(at.X, at.Y).Y; v < 250 {
					t.Errorf("shape %d at %v = %d, want white", i, at, v)
				}
			}
		}
	})
}

func TestToFrame(t *testing.T) {
	p := prepared{origin: image.Pt(56, 100), margin: 12, factor: 1.5}
	if got, want := p.toFrame(messages.Rect{X: 18, Y: 33, W: 60, H: 30}), (messages.Rect{X: 56, Y: 110, W: 40, H: 20}); got != want {
		t.Errorf("toFrame() = %v, want %v", got, want)
	}
}

func TestEnlarge(t *testing.T) {
	flat := image.NewGray(image.Rect(0, 0, 7, 5))
	for i := range flat.Pix {
		flat.Pix[i] = 93
	}
	got := enlarge(flat, 1.5)
	if want := image.Pt(10, 7); got.Rect.Size() != want {
		t.Fatalf("enlarge(7×5) = %v, want %v", got.Rect.Size(), want)
	}
	for i, v := range got.Pix {
		if v != 93 {
			t.Errorf("pixel %d of an even picture = %d, want 93", i, v)
		}
	}
	if enlarge(flat, 1) != flat {
		t.Error("enlarge by 1 made another picture, want the same")
	}
}

func TestTones(t *testing.T) {
	for _, c := range []struct{ fill, luma, want int }{
		{255, 255, 255}, {255, 0, 0}, {57, 57, 255}, {57, 255, 0}, {220, 220, 255}, {220, 0, 0}, {0, 255, 0},
	} {
		if got := int(tones(c.fill)[c.luma]); got != c.want {
			t.Errorf("tones(%d)[%d] = %d, want %d", c.fill, c.luma, got, c.want)
		}
	}
}
