package chatpage

import (
	"image"
	"os"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Font is what a page writes with. A letter that it lacks is written in the Japanese one.
type Font struct {
	Name  string
	fonts []*opentype.Font
}

// fontFiles are fonts that many machines have.
var fontFiles = []struct{ name, file string }{
	{"dejavu", "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"},
	{"noto", "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"},
	{"nimbus", "/usr/share/fonts/opentype/urw-base35/NimbusSans-Regular.otf"},
}

// Fonts are the one of [New], two that come with Go, and those of some others that are installed.
func Fonts(tb testing.TB) []Font {
	tb.Helper()
	japanese, err := parseFont()
	if err != nil {
		tb.Fatalf("%v: install fonts-ipaexfont-gothic", err)
	}
	out := []Font{{"ipaex", []*opentype.Font{japanese}}}
	add := func(name string, data []byte) {
		all, err := opentype.ParseCollection(data)
		if err != nil {
			tb.Fatalf("font %s: %v", name, err)
		}
		f, err := all.Font(0)
		if err != nil {
			tb.Fatalf("font %s: %v", name, err)
		}
		out = append(out, Font{name, []*opentype.Font{f, japanese}})
	}
	add("go", goregular.TTF)
	add("go mono", gomono.TTF)
	for _, f := range fontFiles {
		if data, err := os.ReadFile(f.file); err == nil {
			add(f.name, data)
		}
	}
	return out
}

// Letters has what follows written in a font; size is in logical pixels.
func (p *Page) Letters(f Font, size int) {
	faces := make(faceOf, len(f.fonts))
	for i, of := range f.fonts {
		face, err := opentype.NewFace(of, &opentype.FaceOptions{Size: float64(size * p.Scale), DPI: 72})
		if err != nil {
			p.tb.Fatal(err)
		}
		faces[i] = letters{face, of}
	}
	p.face = faces
}

// letters are those of one font.
type letters struct {
	font.Face
	of *opentype.Font
}

// faceOf writes each letter in the first of its fonts that has it.
type faceOf []letters

var _ font.Face = faceOf(nil)

func (f faceOf) with(r rune) font.Face {
	for _, l := range f {
		if i, err := l.of.GlyphIndex(&sfnt.Buffer{}, r); err == nil && i != 0 {
			return l
		}
	}
	return f[0]
}

// Close implements [font.Face].
func (f faceOf) Close() error { return nil }

// Glyph implements [font.Face].
func (f faceOf) Glyph(dot fixed.Point26_6, r rune) (image.Rectangle, image.Image, image.Point, fixed.Int26_6, bool) {
	return f.with(r).Glyph(dot, r)
}

// GlyphBounds implements [font.Face].
func (f faceOf) GlyphBounds(r rune) (fixed.Rectangle26_6, fixed.Int26_6, bool) {
	return f.with(r).GlyphBounds(r)
}

// GlyphAdvance implements [font.Face].
func (f faceOf) GlyphAdvance(r rune) (fixed.Int26_6, bool) { return f.with(r).GlyphAdvance(r) }

// Kern implements [font.Face]. Between fonts there is none.
func (f faceOf) Kern(a, b rune) fixed.Int26_6 {
	if with := f.with(a); with == f.with(b) {
		return with.Kern(a, b)
	}
	return 0
}

// Metrics implements [font.Face].
func (f faceOf) Metrics() font.Metrics { return f[0].Metrics() }
