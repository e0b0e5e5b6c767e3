package poller

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func frame(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	rng := rand.NewChaCha8([32]byte{1})
	rng.Read(img.Pix)
	return img
}

func TestHashSeesOnePixel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 70).Draw(t, "w"), rapid.IntRange(1, 70).Draw(t, "h")
		img := frame(w, h)
		rect := func(name string) image.Rectangle {
			return image.Rect(rapid.IntRange(-5, 75).Draw(t, name), rapid.IntRange(-5, 75).Draw(t, name),
				rapid.IntRange(-5, 75).Draw(t, name), rapid.IntRange(-5, 75).Draw(t, name))
		}
		excluded := []image.Rectangle{rect("a"), rect("b")}[:rapid.IntRange(0, 2).Draw(t, "n")]
		before := Hash(img, excluded)
		if again := Hash(img, excluded); again != before {
			t.Fatalf("Hash of the same frame = %x, then %x", before, again)
		}
		p := image.Pt(rapid.IntRange(0, w-1).Draw(t, "x"), rapid.IntRange(0, h-1).Draw(t, "y"))
		inside := false
		for _, r := range excluded {
			inside = inside || p.In(r)
		}
		c := img.RGBAAt(p.X, p.Y)
		c.G ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		img.SetRGBA(p.X, p.Y, c)
		if same := Hash(img, excluded) == before; same != inside {
			t.Fatalf("Hash unchanged = %v after a change at %v, want %v; excluded %v", same, p, inside, excluded)
		}
	})
}

func TestHashSeesAShortBubble(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 2000, 1600))
	draw.Draw(img, img.Rect, image.NewUniform(color.RGBA{130, 150, 180, 255}), image.Point{}, draw.Src)
	excluded := []image.Rectangle{image.Rect(0, 1560, 2000, 1600)}
	empty := Hash(img, excluded)
	rng := rand.New(rand.NewPCG(1, 2))
	bubble, ground := image.NewUniform(color.RGBA{255, 255, 255, 255}), image.NewUniform(color.RGBA{130, 150, 180, 255})
	for range 60 {
		box := image.Rect(0, 0, 42, 38).Add(image.Pt(rng.IntN(1950), rng.IntN(1500)))
		draw.Draw(img, box, bubble, image.Point{}, draw.Src)
		if Hash(img, excluded) == empty {
			t.Errorf("Hash did not change for a bubble at %v", box)
		}
		draw.Draw(img, box, ground, image.Point{}, draw.Src)
	}
	if got := Hash(img, excluded); got != empty {
		t.Errorf("Hash of the first frame again = %x, want %x", got, empty)
	}
}

func TestHashOfPartsOfAnImage(t *testing.T) {
	whole := frame(40, 30)
	part := whole.SubImage(image.Rect(7, 5, 27, 25)).(*image.RGBA)
	flat := image.NewRGBA(image.Rect(0, 0, 20, 20))
	draw.Draw(flat, flat.Rect, part, part.Rect.Min, draw.Src)
	if got, want := Hash(part, nil), Hash(flat, nil); got != want {
		t.Errorf("Hash(sub-image) = %x, want that of its copy %x", got, want)
	}
	if a, b := Hash(image.NewRGBA(image.Rect(0, 0, 4, 8)), nil),
		Hash(image.NewRGBA(image.Rect(0, 0, 8, 4)), nil); a == b {
		t.Errorf("Hash of two shapes of the same pixels = %x twice", a)
	}
	if a, b := Hash(&image.RGBA{}, nil), Hash(&image.RGBA{}, []image.Rectangle{image.Rect(0, 0, 9, 9)}); a != b {
		t.Errorf("Hash of no pixels = %x and %x", a, b)
	}
}
