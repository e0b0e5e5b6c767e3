package segment

import (
	"bytes"
	"encoding/binary"
	"image"
	"slices"

	"github.com/kehai-run/kehai/actors/layout"
)

// OwnRows says of each row of the pane whether it belongs to an own bubble.
// rule is one of layout's:
//
// layout.RuleStrip looks at the sampling strip only. Each of its pixels is own,
// white or other; a row takes the class on which enough of them agree. Rows near
// an own one count as own too.
//
// layout.RuleFullWidth counts own pixels in the whole row, with nothing added:
// round corners and a strip that is some pixels off make no difference, and no
// row beside a bubble is lost.
func (p *Pane) OwnRows(rule string) []bool {
	own := make([]bool, p.h)
	if rule == layout.RuleFullWidth {
		for y := p.Area.Min.Y; y < p.Area.Max.Y; y++ {
			own[y] = holdsOwn(p.row(y), p.layout.OwnRows.Pixels, &p.theme)
		}
		return own
	}
	from, to := p.layout.Strip.Columns(p.w, p.scale)
	reach := p.px(p.layout.OwnRows.Expand)
	for y := p.Area.Min.Y; y < p.Area.Max.Y; y++ {
		if p.stripIsOwn(y, from, to) {
			for n := max(y-reach, 0); n <= min(y+reach, p.h-1); n++ {
				own[n] = true
			}
		}
	}
	return own
}

// holdsOwn reports whether a row has at least need own pixels.
func holdsOwn(row []byte, need int, theme *layout.Theme) bool {
	n := 0
	for x := 0; x < len(row); {
		c, end := colour(binary.LittleEndian.Uint32(row[x:])), stretch(row, x)
		if theme.IsOwn(c.rgb()) {
			if n += (end - x) / 4; n >= need {
				return true
			}
		}
		x = end
	}
	return false
}

// stripIsOwn reports whether enough of the sampling strip's pixels in a row are
// own ones.
func (p *Pane) stripIsOwn(y, from, to int) bool {
	own := 0
	for x := from; x < to; x++ {
		if p.theme.IsOwn(p.at(x, y).rgb()) {
			own++
		}
	}
	return own > 0 && own*p.layout.Strip.Width >= p.layout.Strip.Agree*(to-from)
}

// Mask returns the pane without its input and with own rows painted white, by
// the layout's rule. It has pixels of its own.
func (p *Pane) Mask() *Pane {
	cut := max(p.Area.Max.Y, 1)
	own := p.OwnRows(p.layout.OwnRows.Rule)
	out := *p
	out.pix = slices.Clone(p.pix[:p.stride*(cut-1)+4*p.w])
	out.h, out.masked = cut, own
	out.image = &image.RGBA{Pix: out.pix, Stride: p.stride, Rect: image.Rect(0, 0, p.w, cut)}
	white := bytes.Repeat([]byte{255}, 4*p.w)
	for y := range cut {
		if own[y] {
			copy(out.pix[y*p.stride:], white)
		}
	}
	return &out
}
