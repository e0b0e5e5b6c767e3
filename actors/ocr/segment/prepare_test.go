package segment

import (
	"image"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

func TestToPane(t *testing.T) {
	p := Prepared{origin: image.Pt(56, 100), margin: 12, factor: 1.5}
	if got, want := p.ToPane(messages.Rect{X: 18, Y: 33, W: 60, H: 30}),
		(messages.Rect{X: 56, Y: 110, W: 40, H: 20}); got != want {
		t.Errorf("ToPane() = %v, want %v", got, want)
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
