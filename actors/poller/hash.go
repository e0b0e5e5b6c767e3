package poller

import (
	"encoding/binary"
	"image"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/kehai-run/kehai/messages"
)

// Hash hashes the frame's size and every pixel outside the excluded rectangles.
// Equal frames have equal hashes. Frames that differ in one pixel have different
// hashes, except with a chance of 2⁻⁶⁴. A short bubble therefore shows, unlike in
// a perceptual hash. Excluded rectangles are in the image's coordinates.
func Hash(img *image.RGBA, excluded []image.Rectangle) messages.FrameHash {
	b := img.Rect
	h := xxhash.New()
	var size [16]byte
	binary.LittleEndian.PutUint64(size[:], uint64(b.Dx()))
	binary.LittleEndian.PutUint64(size[8:], uint64(b.Dy()))
	h.Write(size[:])

	// Between two neighbouring cuts the same columns count in every row.
	cuts := []int{b.Min.Y, b.Max.Y}
	for _, r := range excluded {
		if r = r.Intersect(b); !r.Empty() {
			cuts = append(cuts, r.Min.Y, r.Max.Y)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for i := 1; i < len(cuts); i++ {
		spans := kept(b, excluded, cuts[i-1], cuts[i])
		if len(spans) == 1 && spans[0] == (span{b.Min.X, b.Max.X}) && img.Stride == 4*b.Dx() {
			h.Write(img.Pix[img.PixOffset(b.Min.X, cuts[i-1]):][:img.Stride*(cuts[i]-cuts[i-1])])
			continue
		}
		for y := cuts[i-1]; y < cuts[i]; y++ {
			for _, s := range spans {
				h.Write(img.Pix[img.PixOffset(s.from, y):][:4*(s.to-s.from)])
			}
		}
	}
	return messages.FrameHash(h.Sum64())
}

// span is a range of columns.
type span struct{ from, to int }

// kept returns the columns outside the excluded rectangles in rows that lie
// wholly inside or outside each of them.
func kept(b image.Rectangle, excluded []image.Rectangle, top, bottom int) []span {
	var out []span
	var cover []span
	for _, r := range excluded {
		if r = r.Intersect(image.Rect(b.Min.X, top, b.Max.X, bottom)); !r.Empty() {
			cover = append(cover, span{r.Min.X, r.Max.X})
		}
	}
	slices.SortFunc(cover, func(a, b span) int { return a.from - b.from })
	x := b.Min.X
	for _, c := range cover {
		if c.from > x {
			out = append(out, span{x, c.from})
		}
		x = max(x, c.to)
	}
	if x < b.Max.X {
		out = append(out, span{x, b.Max.X})
	}
	return out
}
