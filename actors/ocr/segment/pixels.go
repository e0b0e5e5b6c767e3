package segment

import (
	"encoding/binary"
	"fmt"
	"image"
	"math"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/hardware"
)

// pixels gives rows of a picture with the origin at its top left pixel. scale
// is captured pixels per logical pixel.
type pixels struct {
	pix    []byte
	stride int
	w, h   int
	scale  float64
}

// pixelsOf checks a picture. Errors wrap [hardware.ErrEmptyFrame].
func pixelsOf(img *image.RGBA, scale float64) (pixels, error) {
	if img == nil || img.Rect.Empty() {
		return pixels{}, fmt.Errorf("segment: %w: there is no pixel to read", hardware.ErrEmptyFrame)
	}
	p := pixels{pix: img.Pix, stride: img.Stride, w: img.Rect.Dx(), h: img.Rect.Dy(), scale: scale}
	if !(scale > 0) || math.IsInf(scale, 0) {
		return pixels{}, fmt.Errorf("segment: %w: its scale is %v, want more than 0", hardware.ErrEmptyFrame, scale)
	}
	if p.stride < 4*p.w || len(p.pix) < p.stride*(p.h-1)+4*p.w {
		return pixels{}, fmt.Errorf("segment: %w: %d bytes are too few for %d×%d pixels",
			hardware.ErrEmptyFrame, len(p.pix), p.w, p.h)
	}
	return p, nil
}

// row holds 4 bytes a pixel: r, g, b, a.
func (p pixels) row(y int) []byte { return p.pix[y*p.stride : y*p.stride+4*p.w] }

func (p pixels) at(x, y int) colour {
	return colour(binary.LittleEndian.Uint32(p.pix[y*p.stride+4*x:]))
}

// px converts a logical length to captured pixels.
func (p pixels) px(length int) int { return layout.Pixels(length, p.scale) }

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

// stretches gives each stretch of one colour in a rectangle, row by row.
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

// chroma is how far a colour is from grey.
func (c colour) chroma() int {
	r, g, b := c.rgb()
	return int(max(r, g, b)) - int(min(r, g, b))
}
