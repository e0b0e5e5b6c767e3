package emojifont

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"testing"

	xdraw "golang.org/x/image/draw"
	"golang.org/x/image/font/sfnt"
)

// usual are emoji that people write, some of them seldom.
var usual = []rune("😂😍😊🙏👍😭😘🎉🔥💕🤔😅🙌👏💪😁✨❤😎🤣😢🥺💦🍣🍺🎂🌸🐶🐱🚃☀☔⭐✅❌💯🙇🎁📷🏠" +
	"🐘🍕🚲🦊🧀🎻🍉🐙🚒🎃🦋🍔")

// TestMatch draws emoji of the installed font as applications do, small and on bubbles of
// several colours. Nearly all are known again, and hardly one is taken for another.
func TestMatch(t *testing.T) {
	ttf, err := os.ReadFile("/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf")
	if err != nil {
		t.Fatalf("%v: apt-get install fonts-noto-color-emoji", err)
	}
	set, err := Parse(ttf)
	if err != nil || len(set.glyphs) < 1000 {
		t.Fatalf("Parse() = %d emoji, %v, want 1000 or more", len(set.glyphs), err)
	}
	f, err := sfnt.Parse(ttf)
	if err != nil {
		t.Fatal(err)
	}
	pictures, err := bitmaps(ttf)
	if err != nil {
		t.Fatal(err)
	}
	known, mistaken, all := 0, 0, 0
	for n, r := range usual {
		if testing.Short() && n%8 > 0 {
			continue
		}
		i, err := f.GlyphIndex(nil, r)
		if err != nil {
			t.Fatal(err)
		}
		full, err := png.Decode(bytes.NewReader(pictures[int(i)]))
		if err != nil {
			t.Fatalf("%c: %v", r, err)
		}
		for _, size := range []int{15, 18, 36} {
			for _, background := range []color.RGBA{{255, 255, 255, 255}, {48, 48, 52, 255}} {
				all++
				switch got := set.Match(drawn(full, size, background), background); got {
				case string(r), string(r) + "\uFE0F":
					known++
				case "":
					t.Logf("%c at %d on %v is not known", r, size, background)
				default:
					mistaken++
					t.Logf("%c at %d on %v is taken for %s", r, size, background, got)
				}
			}
		}
	}
	t.Logf("%d of %d known, %d taken for another", known, all, mistaken)
	if 100*known < 95*all || 200*mistaken > all {
		t.Errorf("%d of %d known, %d taken for another, want 95 %% and at most 0.5 %%", known, all, mistaken)
	}
}

// drawn is an emoji as it stands in a bubble, cut to its ink.
func drawn(full image.Image, size int, background color.RGBA) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, size*full.Bounds().Dx()/full.Bounds().Dy(), size))
	draw.Draw(img, img.Rect, image.NewUniform(background), image.Point{}, draw.Src)
	xdraw.CatmullRom.Scale(img, img.Rect, full, full.Bounds(), draw.Over, nil)
	ink := image.Rectangle{}
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			c := img.RGBAAt(x, y)
			far := func(a, b uint8) bool { return max(a, b)-min(a, b) > 24 }
			if far(c.R, background.R) || far(c.G, background.G) || far(c.B, background.B) {
				ink = ink.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return img.SubImage(ink).(*image.RGBA)
}

func FuzzBitmaps(f *testing.F) {
	f.Add([]byte("\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00CBLC"))
	f.Fuzz(func(_ *testing.T, ttf []byte) { _, _ = Parse(ttf) })
}
