package recording

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
)

const (
	bandRows  = 16       // of pixels that are compared at once
	maxPixels = 24 << 20 // of a frame: a screen of 6K
	maxShots  = 4        // pictures that stay opened, one of a window
)

var errPixels = errors.New("recording: the pixels of a frame are damaged")

// Delta is what makes a picture of another one, compressed. Without an old one, or of another size, it
// is the whole picture:
//
//	left, top, width, height | for each band that changed: its rectangle, its pixels (RGBA)
//
// All numbers have four bytes.
func Delta(old, img *image.RGBA) []byte {
	var out bytes.Buffer
	z, _ := flate.NewWriter(&out, flate.BestSpeed) // the level is valid
	put := func(r image.Rectangle) {
		var raw [16]byte
		for i, n := range [...]int{r.Min.X, r.Min.Y, r.Dx(), r.Dy()} {
			binary.BigEndian.PutUint32(raw[4*i:], uint32(int32(n)))
		}
		z.Write(raw[:]) // a buffer takes all
	}
	put(img.Rect)
	if old != nil && old.Rect != img.Rect {
		old = nil
	}
	for top := img.Rect.Min.Y; top < img.Rect.Max.Y; top += bandRows {
		band := image.Rect(img.Rect.Min.X, top, img.Rect.Max.X, min(top+bandRows, img.Rect.Max.Y))
		if band = changed(old, img, band); band.Empty() {
			continue
		}
		put(band)
		for y := band.Min.Y; y < band.Max.Y; y++ {
			z.Write(img.Pix[img.PixOffset(band.Min.X, y):][:4*band.Dx()])
		}
	}
	z.Close()
	return out.Bytes()
}

// changed is the part of a band in which two pictures differ.
func changed(old, img *image.RGBA, band image.Rectangle) (part image.Rectangle) {
	if old == nil {
		return band
	}
	for y := band.Min.Y; y < band.Max.Y; y++ {
		a := old.Pix[old.PixOffset(band.Min.X, y):][:4*band.Dx()]
		b := img.Pix[img.PixOffset(band.Min.X, y):][:4*band.Dx()]
		if bytes.Equal(a, b) {
			continue
		}
		left, right := 0, len(a)-1
		for a[left] == b[left] {
			left++
		}
		for a[right] == b[right] {
			right--
		}
		part = part.Union(image.Rect(band.Min.X+left/4, y, band.Min.X+right/4+1, y+1))
	}
	return part
}

// apply undoes [Delta]; old stays as it is.
func apply(old *image.RGBA, delta []byte) (*image.RGBA, error) {
	z := flate.NewReader(bytes.NewReader(delta))
	rect, err := rectangle(z)
	if err != nil || rect.Empty() || rect.Dx() > maxPixels/rect.Dy() {
		return nil, errPixels
	}
	var img *image.RGBA
	if old != nil && old.Rect == rect {
		img = &image.RGBA{Pix: bytes.Clone(old.Pix), Stride: old.Stride, Rect: rect}
	}
	for {
		band, err := rectangle(z)
		switch {
		case errors.Is(err, io.EOF) && img != nil:
			return img, nil
		case err != nil || band.Empty() || !band.In(rect) || band.Dy() > bandRows:
			return nil, errPixels
		}
		if img == nil { // only now: a few bytes cannot ask for much
			img = image.NewRGBA(rect)
		}
		for y := band.Min.Y; y < band.Max.Y; y++ {
			if _, err := io.ReadFull(z, img.Pix[img.PixOffset(band.Min.X, y):][:4*band.Dx()]); err != nil {
				return nil, errPixels
			}
		}
	}
}

func rectangle(r io.Reader) (image.Rectangle, error) {
	var raw [16]byte
	if _, err := io.ReadFull(r, raw[:]); err != nil {
		return image.Rectangle{}, err
	}
	var n [4]int
	for i := range n {
		n[i] = int(int32(binary.BigEndian.Uint32(raw[4*i:])))
	}
	if n[2] < 0 || n[3] < 0 || max(n[0], n[1], n[2], n[3]) > 1<<24 || min(n[0], n[1]) < -1<<24 {
		return image.Rectangle{}, errPixels
	}
	return image.Rect(n[0], n[1], n[0]+n[2], n[1]+n[3]), nil
}

// picture is a frame that was opened.
type picture struct {
	number uint64
	img    *image.RGBA
}

// Shown is the entry that shows the same as the i-th, a frame, and was the first to do so.
func (r *Recording) Shown(i int) int {
	for r.Entries[i].Same {
		before, ok := r.byNumber[r.Entries[i].Base]
		if !ok || before >= i {
			break
		}
		i = before
	}
	return i
}

// Picture opens the i-th entry, a frame. Frames of a window are best opened in order.
func (r *Recording) Picture(i int) (*image.RGBA, error) {
	e := r.Entries[i]
	if e.Kind != Frame || e.Code != "" {
		return nil, fmt.Errorf("recording: entry %d is no picture", i)
	}
	if have, ok := r.shot[e.Window]; ok && have.number == e.number {
		return have.img, nil
	}
	var old *image.RGBA
	if e.Base != 0 {
		before, ok := r.byNumber[e.Base]
		if !ok || before >= i || r.Entries[before].Window != e.Window {
			return nil, errPixels
		}
		var err error
		if old, err = r.Picture(before); err != nil {
			return nil, err
		}
	}
	img := old
	if !e.Same || old == nil {
		whole, _, err := r.entry(e.at, 1<<62, e.number)
		if err != nil {
			return nil, err
		}
		if img, err = apply(old, whole.pixels); err != nil {
			return nil, err
		}
	}
	if _, ok := r.shot[e.Window]; !ok && len(r.shot) >= maxShots {
		clear(r.shot) // a file names as many windows as it likes
	}
	r.shot[e.Window] = picture{e.number, img}
	return img, nil
}
