package x11

import (
	"encoding/binary"
	"image"
)

// rgba converts rows of 32-bit pixels to an opaque picture. Blue comes first, as
// X servers on little-endian machines send it. src has 4*w*h bytes.
func rgba(src []byte, w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	dst := img.Pix
	src = src[:len(dst)]
	i := 0
	for ; i+16 <= len(dst); i += 16 {
		s, d := src[i:i+16:i+16], dst[i:i+16:i+16]
		binary.LittleEndian.PutUint64(d[:8], swap2(binary.LittleEndian.Uint64(s[:8])))
		binary.LittleEndian.PutUint64(d[8:], swap2(binary.LittleEndian.Uint64(s[8:])))
	}
	for ; i < len(dst); i += 4 {
		dst[i], dst[i+1], dst[i+2], dst[i+3] = src[i+2], src[i+1], src[i], 0xff
	}
	return img
}

// swap2 swaps red and blue of two pixels and makes them opaque.
func swap2(v uint64) uint64 {
	return v&0x0000ff000000ff00 | v&0x000000ff000000ff<<16 | v>>16&0x000000ff000000ff | 0xff000000ff000000
}
