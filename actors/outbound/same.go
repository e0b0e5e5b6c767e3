package outbound

import (
	"bytes"
	"image"

	"github.com/kehai-run/kehai/messages"
)

// caretWidth is the widest caret, in logical pixels. Only a caret may blink in a field.
const caretWidth = 4

// sameLook reports whether a picture has the same size as a look, exactly the same
// header, and the same field except for a caret.
func sameLook(l messages.Look, now *image.RGBA) bool {
	was := l.Frame.Image
	if was.Rect.Size() != now.Rect.Size() {
		return false
	}
	if !changed(was, now, l.Header).Empty() {
		return false
	}
	caret := int(caretWidth * max(l.Frame.Scale, 1))
	return changed(was, now, l.Field).Dx() <= caret
}

// changed is the smallest rectangle around the pixels of a box that differ.
func changed(a, b *image.RGBA, in messages.Rect) (diff image.Rectangle) {
	box := image.Rect(in.X, in.Y, in.X+in.W, in.Y+in.H).Intersect(image.Rectangle{Max: a.Rect.Size()})
	for y := box.Min.Y; y < box.Max.Y; y++ {
		p := a.Pix[a.PixOffset(a.Rect.Min.X+box.Min.X, a.Rect.Min.Y+y):][:4*box.Dx()]
		q := b.Pix[b.PixOffset(b.Rect.Min.X+box.Min.X, b.Rect.Min.Y+y):][:4*box.Dx()]
		if bytes.Equal(p, q) {
			continue
		}
		from, to := 0, len(p)
		for from < to && p[from] == q[from] {
			from++
		}
		for to > from && p[to-1] == q[to-1] {
			to--
		}
		diff = diff.Union(image.Rect(box.Min.X+from/4, y, box.Min.X+(to+3)/4, y+1))
	}
	return diff
}
