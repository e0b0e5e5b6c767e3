// Package emojifont knows emoji by their looks, which engines for text take for letters.
// [Parse] takes the pictures of a colour font (tables CBLC and CBDT, such as Noto Color
// Emoji), and [Set.Match] says which of them a picture shows. It is pure.
package emojifont

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"

	"golang.org/x/image/font/sfnt"
)

// side is how many squares across and down are compared.
const side = 16

// Thresholds of a match: the mean difference of a channel, 0 to 255, and by which share the
// next best must be worse, and one that people seldom write counts as worse, in hundredths.
const (
	maxDifference = 30
	minLead       = 110
	seldom        = 118
	maxStretch    = 1.3 // of the ratio of width to height
)

// often are the emoji that people write most.
const often = "😂❤😍🤣😊🙏💕😭😘👍😅👏😁🔥💔💖💙😢🤔😆🙄💪😉☺👌🤗💜😔😎😇🌹🤦🎉💞✌✨🤷😱😌🌸🙌😋💗💚😏💛🙂💓🤩😄😀🖤😃💯🙈👇🎶😒🤭❣" +
	"🐶🐱🐰🍺🍣🍻🎂🎁🙇🥺💦✅❌⭐☀☔⚡🚃🚗📷🏠🎵🌟👋💰📱☕🍀🌻😴😷🤒😡😤😳🥰😜"

// Set is the emoji of a font.
type Set struct{ glyphs []glyph }

type glyph struct {
	text   string
	often  bool
	aspect float64 // width to height of what is drawn
	at     [side * side]color.NRGBA
}

type sample struct{ r, g, b, a float64 }

// blocks are the code points that are looked for: no plain discs and squares, which every
// face of another font resembles.
var blocks = [][2]rune{{0x1F300, 0x1F533}, {0x1F536, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F90C, 0x1FAFF},
	{0x2600, 0x27BF}, {0x2B50, 0x2B55}}

// ErrFont marks a font without colour pictures that this package reads.
var ErrFont = errors.New("emojifont: not a font with colour bitmaps (CBDT)")

// Parse reads the font's pictures. It takes about a second.
func Parse(ttf []byte) (*Set, error) {
	f, err := sfnt.Parse(ttf)
	if err != nil {
		return nil, err
	}
	pictures, err := bitmaps(ttf)
	if err != nil {
		return nil, err
	}
	s := &Set{}
	var buf sfnt.Buffer
	for _, block := range blocks {
		for r := block[0]; r <= block[1]; r++ {
			i, err := f.GlyphIndex(&buf, r)
			if err != nil || i == 0 || pictures[int(i)] == nil {
				continue
			}
			img, err := png.Decode(bytes.NewReader(pictures[int(i)]))
			if err != nil {
				continue
			}
			if g, ok := glyphOf(plain(img)); ok {
				g.often = strings.ContainsRune(often, r)
				if g.text = string(r); r < 0x1F000 {
					g.text += "\uFE0F"
				}
				s.glyphs = append(s.glyphs, g)
			}
		}
	}
	if len(s.glyphs) == 0 {
		return nil, ErrFont
	}
	return s, nil
}

// glyphOf sums up what is opaque in a picture.
func glyphOf(img *image.NRGBA) (g glyph, ok bool) {
	box := image.Rectangle{Min: img.Rect.Max, Max: img.Rect.Min}
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
			if img.Pix[img.PixOffset(x, y)+3] > opaque {
				box.Min.X, box.Max.X = min(box.Min.X, x), max(box.Max.X, x+1)
				box.Min.Y, box.Max.Y = min(box.Min.Y, y), max(box.Max.Y, y+1)
			}
		}
	}
	if box.Empty() {
		return g, false
	}
	g.aspect = float64(box.Dx()) / float64(box.Dy())
	for i, s := range samples(img, box) {
		g.at[i] = color.NRGBA{uint8(s.r), uint8(s.g), uint8(s.b), uint8(255 * s.a)}
	}
	return g, true
}

// opaque is the opacity from which a pixel belongs to a picture.
const opaque = 64

// plain is a picture with a colour for each pixel.
func plain(img image.Image) *image.NRGBA {
	if p, ok := img.(*image.NRGBA); ok {
		return p
	}
	out := image.NewNRGBA(img.Bounds())
	paletted, few := img.(*image.Paletted)
	var colours []color.NRGBA
	if few {
		for _, c := range paletted.Palette {
			colours = append(colours, color.NRGBAModel.Convert(c).(color.NRGBA))
		}
	}
	for y := out.Rect.Min.Y; y < out.Rect.Max.Y; y++ {
		for x := out.Rect.Min.X; x < out.Rect.Max.X; x++ {
			if few {
				out.SetNRGBA(x, y, colours[paletted.ColorIndexAt(x, y)])
			} else {
				out.Set(x, y, img.At(x, y))
			}
		}
	}
	return out
}

// samples averages a box of a picture in squares.
func samples(img *image.NRGBA, box image.Rectangle) (out [side * side]sample) {
	var n [side * side]float64
	for y := range box.Dy() {
		for x := range box.Dx() {
			c := img.NRGBAAt(box.Min.X+x, box.Min.Y+y)
			a := float64(c.A) / 255
			i := y*side/box.Dy()*side + x*side/box.Dx()
			o := &out[i]
			o.r, o.g, o.b, o.a = o.r+a*float64(c.R), o.g+a*float64(c.G), o.b+a*float64(c.B), o.a+a
			n[i]++
		}
	}
	for i := range out {
		if o := &out[i]; n[i] > 0 {
			if o.a > 0 {
				o.r, o.g, o.b = o.r/o.a, o.g/o.a, o.b/o.a
			}
			o.a /= n[i]
		}
	}
	return out
}

// Match is the emoji that fills a picture over a background of this colour, "" if none does or
// two may.
func (s *Set) Match(picture image.Image, background color.RGBA) string {
	img, box := plain(picture), picture.Bounds()
	if box.Dx() < side/2 || box.Dy() < side/2 {
		return ""
	}
	if box.Dx() < 2*side || box.Dy() < 2*side { // each square needs a pixel
		img = twice(img)
		box = img.Rect
	}
	var shown [][side * side]sample // where its edge is, the background may hide
	for _, in := range []image.Rectangle{{}, {Min: image.Pt(1, 0)}, {Min: image.Pt(0, 1)}, {Max: image.Pt(-1, 0)},
		{Max: image.Pt(0, -1)}} {
		shown = append(shown, samples(img, image.Rectangle{Min: box.Min.Add(in.Min), Max: box.Max.Add(in.Max)}))
	}
	aspect := float64(box.Dx()) / float64(box.Dy())
	best, next, found := math.Inf(1), math.Inf(1), ""
	for i := range s.glyphs {
		g := &s.glyphs[i]
		if ratio := g.aspect / aspect; ratio > maxStretch || ratio < 1/maxStretch {
			continue
		}
		d := math.Inf(1)
		for i := range shown {
			d = min(d, g.difference(&shown[i], background, min(d, next)))
		}
		if !g.often {
			d *= seldom / 100.
		}
		switch {
		case d < best:
			best, next, found = d, best, g.text
		case d < next:
			next = d
		}
	}
	if best > maxDifference || 100*next < minLead*best {
		return ""
	}
	return found
}

// twice is a picture with each pixel four times.
func twice(img *image.NRGBA) *image.NRGBA {
	b := img.Rect
	out := image.NewNRGBA(image.Rect(0, 0, 2*b.Dx(), 2*b.Dy()))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.SetNRGBA(x, y, img.NRGBAAt(b.Min.X+x/2, b.Min.Y+y/2))
		}
	}
	return out
}

// difference is the mean difference of a channel, infinite if it is above the limit.
func (g *glyph) difference(shown *[side * side]sample, background color.RGBA, limit float64) float64 {
	sum := 0.0
	for i := range shown {
		if sum > limit*3*side*side {
			return math.Inf(1)
		}
		s, t := &shown[i], &g.at[i]
		a := float64(t.A) / 255
		over := func(v, under uint8) float64 { return a*float64(v) + (1-a)*float64(under) }
		sum += math.Abs(s.r-over(t.R, background.R)) + math.Abs(s.g-over(t.G, background.G)) +
			math.Abs(s.b-over(t.B, background.B))
	}
	return sum / (3 * side * side)
}

// reader reads numbers of a table; beyond its end they are 0.
type reader []byte

func (r reader) u16(at int) int {
	if at < 0 || at+2 > len(r) {
		return 0
	}
	return int(binary.BigEndian.Uint16(r[at:]))
}

func (r reader) u32(at int) int {
	if at < 0 || at+4 > len(r) {
		return 0
	}
	return int(binary.BigEndian.Uint32(r[at:]))
}

// table finds a table of a font, nil if there is none.
func table(ttf reader, tag string) reader {
	for i := range ttf.u16(4) {
		at := 12 + 16*i
		if at+16 > len(ttf) || string(ttf[at:at+4]) != tag {
			continue
		}
		if from, n := ttf.u32(at+8), ttf.u32(at+12); from <= len(ttf) && n <= len(ttf)-from {
			return ttf[from : from+n]
		}
	}
	return nil
}

// maxGlyphs bounds the pictures of a font.
const maxGlyphs = 1 << 16

// bitmaps finds the PNG of each glyph of a font's first size: index format 1, picture formats
// 17 and 18, as in the OpenType specification.
func bitmaps(ttf []byte) (map[int][]byte, error) {
	where, data := table(ttf, "CBLC"), table(ttf, "CBDT")
	if len(where) < 8+48 || len(data) == 0 {
		return nil, ErrFont
	}
	out := map[int][]byte{}
	list := where.u32(8)
	for k := range min(where.u32(8+8), maxGlyphs) {
		first, last, sub := where.u16(list+8*k), where.u16(list+8*k+2), list+where.u32(list+8*k+4)
		format, picture, from := where.u16(sub), where.u16(sub+2), where.u32(sub+4)
		metrics := map[int]int{17: 5, 18: 8}[picture]
		if format != 1 || metrics == 0 || sub+8 > len(where) {
			continue
		}
		for i := first; i <= last; i++ {
			at := from + where.u32(sub+8+4*(i-first)) + metrics
			if n := data.u32(at); n > 0 && at+4 <= len(data) && n <= len(data)-at-4 {
				out[i] = data[at+4 : at+4+n]
			}
		}
	}
	return out, nil
}
