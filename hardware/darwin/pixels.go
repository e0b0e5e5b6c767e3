package darwin

import (
	"encoding/binary"
	"image"
	"math"
)

// Parts of a CGBitmapInfo.
const (
	alphaMask     = 0x1f
	floatMask     = 0xf00   // components are floats
	orderMask     = 0x7000  // byte order
	packedMask    = 0xf0000 // packed formats, such as 10 bits a component
	orderDefault  = 0 << 12 // in the order of the components' names
	order32Little = 2 << 12
	order32Big    = 4 << 12

	alphaNone               = 0
	alphaPremultipliedLast  = 1
	alphaPremultipliedFirst = 2
	alphaLast               = 3
	alphaFirst              = 4
	alphaSkipLast           = 5
	alphaSkipFirst          = 6
)

// layout holds the offsets of a pixel's components.
type layout struct {
	width   int // bytes a pixel
	r, g, b int // offsets
	a       int // offset, -1: opaque
	// straight means that the colours are not premultiplied with alpha.
	straight bool
}

// layoutOf reads the description of an image; false for a layout other than 8 bits
// for each of red, green and blue.
func layoutOf(component, pixel uint, info uint32) (layout, bool) {
	if component != 8 || info&(floatMask|packedMask) != 0 {
		return layout{}, false
	}
	alpha, order := info&alphaMask, info&orderMask
	if pixel == 24 && alpha == alphaNone && order == orderDefault {
		return layout{width: 3, r: 0, g: 1, b: 2, a: -1}, true
	}
	if pixel != 32 || order != orderDefault && order != order32Little && order != order32Big {
		return layout{}, false
	}
	var l layout
	switch alpha {
	case alphaPremultipliedLast, alphaLast, alphaSkipLast:
		l = layout{width: 4, r: 0, g: 1, b: 2, a: 3}
	case alphaPremultipliedFirst, alphaFirst, alphaSkipFirst:
		l = layout{width: 4, a: 0, r: 1, g: 2, b: 3}
	default:
		return layout{}, false
	}
	if order == order32Little {
		l.r, l.g, l.b, l.a = 3-l.r, 3-l.g, 3-l.b, 3-l.a
	}
	switch alpha {
	case alphaSkipLast, alphaSkipFirst:
		l.a = -1
	case alphaLast, alphaFirst:
		l.straight = true
	}
	return l, true
}

// maxSide bounds a picture, so that a wrong size cannot exhaust memory.
const maxSide = math.MaxInt16

// fits reports whether data holds a picture of that size.
func fits(data []byte, width, height, stride, bytes int) bool {
	return width > 0 && height > 0 && width <= maxSide && height <= maxSide &&
		stride >= width*bytes && stride <= math.MaxInt32 && len(data) >= stride*(height-1)+width*bytes
}

// convert copies the pixels into Go's form; nil if data is too short. It converts
// no colours.
func (l layout) convert(data []byte, width, height, stride int) *image.RGBA {
	if l.width < 3 || !fits(data, width, height, stride, l.width) {
		return nil
	}
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	bgra := layout{width: 4, b: 0, g: 1, r: 2, a: 3}
	for y := range height {
		from, to := data[y*stride:][:width*l.width], img.Pix[y*img.Stride:][:width*4]
		if l == bgra {
			swapRow(to, from)
			continue
		}
		for x := 0; len(to) >= 4; x += l.width {
			p := from[x : x+l.width]
			to[0], to[1], to[2], to[3] = p[l.r], p[l.g], p[l.b], 255
			if l.a >= 0 {
				to[3] = p[l.a]
			}
			if l.straight {
				for i := range 3 {
					to[i] = byte((int(to[i])*int(to[3]) + 127) / 255)
				}
			}
			to = to[4:]
		}
	}
	return img
}

// swapRow swaps the first and the third byte of every four, for the layout of
// captures.
func swapRow(to, from []byte) {
	for len(to) >= 4 && len(from) >= 4 {
		v := binary.LittleEndian.Uint32(from)
		binary.LittleEndian.PutUint32(to, v&0xff00ff00|v>>16&0xff|v&0xff<<16)
		to, from = to[4:], from[4:]
	}
}

// blank reports whether the picture is entirely black or transparent. The system
// returns such a picture for a window that may not be read.
func blank(img *image.RGBA) bool {
	width := img.Rect.Dx() * 4
	for y := range img.Rect.Dy() {
		row := img.Pix[y*img.Stride:][:width]
		for len(row) >= 4 {
			if row[0]|row[1]|row[2] != 0 {
				return false
			}
			row = row[4:]
		}
	}
	return true
}

// scaleOf is captured pixels per point. Displays have integer densities. A window's
// size in points may be fractional, so a ratio near an integer is rounded.
func scaleOf(pixels image.Point, w, h float64) float64 {
	if !(w >= 1 && h >= 1) || pixels.X <= 0 || pixels.Y <= 0 {
		return 1
	}
	ratio := float64(pixels.X) / w
	if pixels.Y > pixels.X {
		ratio = float64(pixels.Y) / h // the longer side is more exact
	}
	if near := math.Round(ratio); near >= 1 && math.Abs(ratio-near) < 0.1 {
		return near
	}
	return ratio
}

// padded copies a box of a frame and adds a margin, in the most frequent colour of
// the box's edge, because text that touches the border is read badly. box must lie
// inside the frame.
func padded(frame *image.RGBA, box image.Rectangle, margin int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, box.Dx()+2*margin, box.Dy()+2*margin))
	fill := edgeColour(frame, box)
	for i := 0; i < len(img.Pix); i += 4 {
		copy(img.Pix[i:i+4], fill[:])
	}
	for y := range box.Dy() {
		from := frame.Pix[frame.PixOffset(box.Min.X, box.Min.Y+y):][:box.Dx()*4]
		copy(img.Pix[img.PixOffset(margin, margin+y):], from)
	}
	return img
}

// edgeColour is the most frequent colour on the edge of a box. Of several, it is
// the first one in reading order.
func edgeColour(frame *image.RGBA, box image.Rectangle) [4]byte {
	counts := map[[4]byte]int{}
	var best [4]byte
	see := func(x, y int) {
		c := [4]byte(frame.Pix[frame.PixOffset(x, y):][:4])
		if counts[c]++; counts[c] > counts[best] {
			best = c
		}
	}
	for x := box.Min.X; x < box.Max.X; x++ {
		see(x, box.Min.Y)
		see(x, box.Max.Y-1)
	}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		see(box.Min.X, y)
		see(box.Max.X-1, y)
	}
	return best
}
