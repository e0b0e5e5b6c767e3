//go:build speed

package poller

import (
	"encoding/binary"
	"image"
	"testing"

	xdraw "golang.org/x/image/draw"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/speed"
)

// TestSpeed measures what a poll of an unchanged window costs beyond its capture,
// hash and comparison. It compares that with a perceptual hash, which misses short
// bubbles, and with a loop that only reads the pixels.
func TestSpeed(t *testing.T) {
	img := frame(2000, 1600)
	excluded := []image.Rectangle{image.Rect(0, 1560, 2000, 1600), image.Rect(20, 100, 110, 1500)}
	known, sum := Hash(img, excluded), uint64(0)
	unchanged := func() {
		if Hash(img, excluded) != known {
			t.Error("Hash(the same frame) changed")
		}
	}
	dhash := func() { sum += uint64(perceptual(img)) }
	read := func() { sum += plainRead(img.Pix) }
	speed.Compare(t, speed.Row{Name: "unchanged frame, 2000×1600", Ours: unchanged, Peer: dhash,
		Against: "perceptual hash", Faster: 10})
	speed.Compare(t, speed.Row{Name: "unchanged frame, 2000×1600", Ours: unchanged, Peer: read,
		Against: "plain read", Within: 2})
	if sum == 0 {
		t.Error("the peers saw no pixels")
	}
}

func plainRead(pix []byte) (sum uint64) {
	for len(pix) >= 8 {
		sum += binary.LittleEndian.Uint64(pix)
		pix = pix[8:]
	}
	return sum
}

// perceptual is the difference hash as it is commonly written: the picture
// scaled to 9×8, each pixel compared with its neighbour.
func perceptual(img *image.RGBA) (hash messages.FrameHash) {
	small := image.NewRGBA(image.Rect(0, 0, 9, 8))
	xdraw.BiLinear.Scale(small, small.Rect, img, img.Bounds(), xdraw.Src, nil)
	luma := func(x, y int) int {
		c := small.RGBAAt(x, y)
		return 299*int(c.R) + 587*int(c.G) + 114*int(c.B)
	}
	for y := range 8 {
		for x := range 8 {
			hash <<= 1
			if luma(x, y) > luma(x+1, y) {
				hash |= 1
			}
		}
	}
	return hash
}
