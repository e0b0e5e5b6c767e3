package ocr

import (
	"encoding/binary"
	"fmt"
	"image"
	"math"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/hardware"
)

// pixels gives rows of a frame with the origin at its top left pixel.
type pixels struct {
	pix    []byte
	stride int
	w, h   int
}

// open checks a frame. Errors wrap [hardware.ErrEmptyFrame].
func open(img *image.RGBA, scale float64) (pixels, error) {
	if img == nil || img.Rect.Empty() {
		return pixels{}, fmt.Errorf("ocr: %w: there is no pixel to read", hardware.ErrEmptyFrame)
	}
	p := pixels{pix: img.Pix, stride: img.Stride, w: img.Rect.Dx(), h: img.Rect.Dy()}
	if !(scale > 0) || math.IsInf(scale, 0) {
		return pixels{}, fmt.Errorf("ocr: %w: its scale is %v, want more than 0", hardware.ErrEmptyFrame, scale)
	}
	if p.stride < 4*p.w || len(p.pix) < p.stride*(p.h-1)+4*p.w {
		return pixels{}, fmt.Errorf("ocr: %w: %d bytes are too few for %d×%d pixels", hardware.ErrEmptyFrame, len(p.pix), p.w, p.h)
	}
	return p, nil
}

// row holds 4 bytes a pixel: r, g, b, a.
func (p pixels) row(y int) []byte { return p.pix[y*p.stride : y*p.stride+4*p.w] }

func (p pixels) at(x, y int) colour {
	return colour(binary.LittleEndian.Uint32(p.pix[y*p.stride+4*x:]))
}

// stretch returns the end of the pixels of one colour that begin at x, both in
// bytes of the row. Most of a window is plain: eight pixels are compared at once.
func stretch(row []byte, x int) int {
	c := binary.LittleEndian.Uint32(row[x:])
	both := uint64(c)<<32 | uint64(c)
	for x += 4; x+32 <= len(row); x += 32 {
		eight := row[x : x+32 : x+32]
		a, b := binary.LittleEndian.Uint64(eight), binary.LittleEndian.Uint64(eight[8:])
		d, e := binary.LittleEndian.Uint64(eight[16:]), binary.LittleEndian.Uint64(eight[24:])
		if (a^both)|(b^both)|(d^both)|(e^both) != 0 {
			break
		}
	}
	for x+4 <= len(row) && binary.LittleEndian.Uint32(row[x:]) == c {
		x += 4
	}
	return x
}

// stretches gives each stretch of one colour in a rectangle of the frame, row by
// row.
func (p pixels) stretches(r image.Rectangle, yield func(at image.Rectangle, c colour)) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := p.row(y)[4*r.Min.X : 4*r.Max.X]
		for x := 0; x < len(row); {
			end := stretch(row, x)
			at := image.Rectangle{image.Pt(r.Min.X+x/4, y), image.Pt(r.Min.X+end/4, y+1)}
			yield(at, colour(binary.LittleEndian.Uint32(row[x:])))
			x = end
		}
	}
}

// colour is a pixel as it stands in memory; alpha is ignored everywhere.
type colour uint32

func (c colour) rgb() (r, g, b uint8) { return uint8(c), uint8(c >> 8), uint8(c >> 16) }

// luma is the brightness from 0 to 255 (ITU-R BT.601).
func (c colour) luma() int {
	r, g, b := c.rgb()
	return (299*int(r) + 587*int(g) + 114*int(b) + 500) / 1000
}

// groundTolerance is how far each channel of a ground pixel may be off.
const groundTolerance = 10

// ground is what the messages stand on. Patterned is true for a picture or a
// gradient: then nothing can be told from not being ground.
type ground struct {
	colour    colour
	patterned bool
}

func (g ground) has(c colour) bool {
	r, gg, b := c.rgb()
	r0, g0, b0 := g.colour.rgb()
	return near(r, r0) && near(gg, g0) && near(b, b0)
}

func near(a, b uint8) bool {
	d := int(a) - int(b)
	return -groundTolerance <= d && d <= groundTolerance
}

// margin is the distance from the window's edges of the two columns in which
// nothing but ground is drawn, in logical pixels.
const margin = 4

// columns returns those two columns.
func (p pixels) columns(scale float64) [2]int {
	m := min(px(margin, scale), (p.w-1)/2)
	return [2]int{m, p.w - 1 - m}
}

// findGround takes the most frequent colour of the margin columns.
func findGround(p pixels, area image.Rectangle, scale float64) ground {
	count := map[colour]int{}
	var best colour
	for _, x := range p.columns(scale) {
		for y := area.Min.Y; y < area.Max.Y; y++ {
			c := p.at(x, y) & 0xFFFFFF
			if count[c]++; count[c] > count[best] || count[c] == count[best] && c < best {
				best = c
			}
		}
	}
	g := ground{colour: best}
	inside := 0
	for c, n := range count {
		if g.has(c) {
			inside += n
		}
	}
	g.patterned = inside*10 < 2*area.Dy()*7
	return g
}

// cutRow returns the row at which the input begins, the frame's height if no
// separator is found: scanning up from the bottom to ScanTo of the height, the
// first run of separator rows that is long enough counts, and it is a cut if it
// starts at or below CutFrom of the height.
func cutRow(p pixels, scale float64, l *layout.Layout, theme layout.Theme) int {
	from, to := l.Lane.Columns(p.w, scale)
	need := max(px(l.Separator.MinRows, scale), p.h/l.Separator.RowsDivisor)
	run := 0
	for y := p.h - 1; y >= int(l.Separator.ScanTo*float64(p.h)); y-- {
		white := 0
		for x := from; x < to; x++ {
			if theme.Separator.Has(p.at(x, y).rgb()) {
				white++
			}
		}
		if white > 0 && white*l.Lane.Width >= l.Lane.Agree*(to-from) {
			run++
			continue
		}
		if run >= need {
			return cutAt(y+1, p.h, l)
		}
		run = 0
	}
	return p.h
}

func cutAt(start, height int, l *layout.Layout) int {
	if float64(start) >= l.Separator.CutFrom*float64(height) {
		return start
	}
	return height
}

// messageArea returns the rectangle between header and input, its ground and
// its theme.
func messageArea(p pixels, scale float64, l *layout.Layout) (image.Rectangle, ground, layout.Theme) {
	top := min(px(l.Header.Height, scale), p.h)
	area := image.Rect(0, top, p.w, p.h)
	if area.Empty() {
		return area, ground{}, l.ThemeFor(255)
	}
	// The ground is looked for above the part in which the input may be.
	upper := area
	upper.Max.Y = max(int(l.Separator.CutFrom*float64(p.h)), top+1)
	g := findGround(p, upper, scale)
	theme := l.ThemeFor(g.colour.luma())
	area.Max.Y = max(cutRow(p, scale, l, theme), top)
	if !g.patterned {
		trim(p, &area, g, scale, l)
	}
	return area, g, theme
}

// trim removes rows of the header and the input that the fixed height and the
// cut left in: their margins are not ground.
func trim(p pixels, area *image.Rectangle, g ground, scale float64, l *layout.Layout) {
	columns := p.columns(scale)
	bare := func(y int) bool { return g.has(p.at(columns[0], y)) || g.has(p.at(columns[1], y)) }
	for lowest := int(l.Separator.CutFrom * float64(p.h)); area.Max.Y > max(lowest, area.Min.Y) && !bare(area.Max.Y-1); {
		area.Max.Y--
	}
	for n := px(l.Header.Height, scale) / 2; n > 0 && area.Min.Y < area.Max.Y && !bare(area.Min.Y); n-- {
		area.Min.Y++
	}
}

// px converts a logical length to captured pixels. A scale beyond reason gives
// a length beyond any frame, not an overflow.
func px(length int, scale float64) int {
	return int(math.Round(min(float64(length)*scale, 1<<24)))
}
