package drawn

import (
	"image"
	"image/color"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// face writes one size of a font set. Glyphs are not hinted and stand on quarter
// pixels. A rune without a glyph is a box whose dots encode its number, so that
// no two unknown runes look the same. Not safe for concurrent use.
type face struct {
	fonts  []*opentype.Font
	faces  []font.Face
	buf    sfnt.Buffer
	px     int
	ascent int // rows from the top of the line's em box to the baseline
	runes  map[rune]runeInfo
	glyphs map[glyphKey]glyph
}

type runeInfo struct {
	font    int // index into faces, -1: no glyph
	advance fixed.Int26_6
}

type glyphKey struct {
	r   rune
	sub uint8 // quarter pixels right of the whole pixel
}

type glyph struct {
	mask *image.Alpha // nil: nothing to draw
	off  image.Point  // of the mask from the dot's pixel
}

// maxGlyphs bounds the cache; a chat uses some hundred runes.
const maxGlyphs = 4096

func newFace(fs *FontSet, px int) *face {
	f := &face{
		fonts: fs.fonts, px: px,
		runes: map[rune]runeInfo{}, glyphs: map[glyphKey]glyph{},
	}
	for _, ff := range fs.fonts {
		nf, err := opentype.NewFace(ff, &opentype.FaceOptions{Size: float64(px), DPI: 72, Hinting: font.HintingNone})
		if err != nil {
			panic("drawn: a parsed font makes no face: " + err.Error()) // NewFace has no error path
		}
		f.faces = append(f.faces, nf)
	}
	f.ascent = px * 88 / 100
	return f
}

func (f *face) info(r rune) runeInfo {
	if in, ok := f.runes[r]; ok {
		return in
	}
	in := runeInfo{font: -1, advance: fixed.I(f.px)}
	switch {
	case ignored(r):
		in.advance = 0
	default:
		for i, ff := range f.fonts {
			if g, err := ff.GlyphIndex(&f.buf, r); err != nil || g == 0 {
				continue
			}
			if adv, ok := f.faces[i].GlyphAdvance(r); ok {
				in = runeInfo{font: i, advance: adv}
				break
			}
		}
	}
	if len(f.runes) >= maxGlyphs {
		clear(f.runes)
	}
	f.runes[r] = in
	return in
}

// width is the advance of the text.
func (f *face) width(text string) fixed.Int26_6 {
	var w fixed.Int26_6
	for _, r := range text {
		w += f.info(r).advance
	}
	return w
}

// draw writes text with its em box's top left corner at p, moved right by sub,
// and returns the smallest rectangle around the ink.
func (f *face) draw(dst *image.RGBA, p image.Point, sub fixed.Int26_6, text string, c color.RGBA) image.Rectangle {
	var ink image.Rectangle
	dot := fixed.I(p.X) + sub
	for _, r := range text {
		in := f.info(r)
		if g := f.glyph(r, in, dot); g.mask != nil {
			at := image.Pt(dot.Floor(), p.Y+f.ascent).Add(g.off)
			box := g.mask.Rect.Add(at)
			blendMask(dst, box, g.mask, c)
			ink = ink.Union(box)
		}
		dot += in.advance
	}
	return ink
}

func (f *face) glyph(r rune, in runeInfo, dot fixed.Int26_6) glyph {
	key := glyphKey{r, uint8((dot & 63) / 16)}
	if g, ok := f.glyphs[key]; ok {
		return g
	}
	var g glyph
	switch {
	case in.font >= 0:
		dr, mask, _, _, _ := f.faces[in.font].Glyph(fixed.Point26_6{X: fixed.Int26_6(key.sub) * 16}, r)
		if a, ok := mask.(*image.Alpha); ok && !dr.Empty() {
			own := image.NewAlpha(image.Rect(0, 0, dr.Dx(), dr.Dy()))
			copy(own.Pix, a.Pix)
			g = glyph{mask: own, off: dr.Min}
		}
	case in.advance > 0:
		g = glyph{mask: tofu(r, f.px), off: image.Pt(0, -f.ascent)}
	}
	if len(f.glyphs) >= maxGlyphs {
		clear(f.glyphs)
	}
	f.glyphs[key] = g
	return g
}

// tofu is the box for a rune without a glyph: a frame around dots for the bits of
// the rune.
func tofu(r rune, px int) *image.Alpha {
	m := image.NewAlpha(image.Rect(0, 0, px, px))
	in := image.Rect(1, 0, px-1, px-1)
	line := max(1, px/15)
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			if !(image.Pt(x, y).In(in.Inset(line))) {
				m.SetAlpha(x, y, color.Alpha{A: 255})
			}
		}
	}
	cells := in.Inset(2 * line)
	for i := range 25 {
		if r>>i&1 == 0 {
			continue
		}
		x0, x1 := cells.Min.X+cells.Dx()*(i%5)/5, cells.Min.X+cells.Dx()*(i%5+1)/5
		y0, y1 := cells.Min.Y+cells.Dy()*(i/5)/5, cells.Min.Y+cells.Dy()*(i/5+1)/5
		for y := y0; y < y1; y++ {
			for x := x0; x < x1; x++ {
				m.SetAlpha(x, y, color.Alpha{A: 255})
			}
		}
	}
	return m
}

// blendMask paints c through the mask onto the part of box inside dst.
func blendMask(dst *image.RGBA, box image.Rectangle, mask *image.Alpha, c color.RGBA) {
	clip := box.Intersect(dst.Rect)
	for y := clip.Min.Y; y < clip.Max.Y; y++ {
		m := mask.Pix[(y-box.Min.Y)*mask.Stride+clip.Min.X-box.Min.X:]
		d := dst.Pix[dst.PixOffset(clip.Min.X, y):]
		for x := range clip.Dx() {
			if a := uint32(m[x]); a != 0 {
				blend(d[4*x:4*x+4:4*x+4], c, a)
			}
		}
	}
}

// blend mixes an opaque colour into one pixel; a is 0 to 255.
func blend(d []uint8, c color.RGBA, a uint32) {
	d[0] = uint8((uint32(d[0])*(255-a) + uint32(c.R)*a + 127) / 255)
	d[1] = uint8((uint32(d[1])*(255-a) + uint32(c.G)*a + 127) / 255)
	d[2] = uint8((uint32(d[2])*(255-a) + uint32(c.B)*a + 127) / 255)
	d[3] = 255
}
