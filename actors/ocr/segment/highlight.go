package segment

import (
	"encoding/binary"
	"image"
)

// Heights of a band that an application paints behind the message under the pointer, logical pixels.
const (
	highlightLeast = 14
	highlightMost  = 240
)

// opaque masks what shows of a pixel.
const opaque colour = 0xFFFFFF

// withoutHighlight paints the bands that reach from one side of the messages to the other, behind the
// one under the pointer, in the colour of the background: what stands there is then found and read as
// anywhere else. Such a band is hardly brighter or darker; letters on another might not show on the
// background. The capture stays as it is. It notes the last such band.
func (p *Pane) withoutHighlight() error {
	if p.background.patterned || p.Area.Empty() {
		return nil
	}
	columns := p.columns()
	side := func(y int) (colour, bool) {
		c := p.at(columns[0], y) & opaque
		return c, c == p.at(columns[1], y)&opaque && c != p.background.colour &&
			abs(c.luma()-p.background.colour.luma()) < inkContrast
	}
	copied := false
	for y := p.Area.Min.Y; y < p.Area.Max.Y; y++ {
		c, ok := side(y)
		if !ok {
			continue
		}
		band := image.Rect(0, y, p.w, y)
		for band.Max.Y < p.Area.Max.Y {
			if next, ok := side(band.Max.Y); !ok || next != c {
				break
			}
			band.Max.Y++
		}
		y = band.Max.Y - 1
		if h := band.Dy(); h < p.px(highlightLeast) || h > p.px(highlightMost) || !p.mostly(band, c) {
			continue
		}
		if !copied {
			if err := p.copyPixels(); err != nil {
				return err
			}
			copied = true
		}
		p.repaint(band, c)
		p.highlight = band
	}
	return nil
}

// mostly reports whether at least half of a box has a colour.
func (p *Pane) mostly(box image.Rectangle, c colour) bool {
	n := 0
	p.stretches(box, func(at image.Rectangle, is colour) {
		if is&opaque == c {
			n += at.Dx()
		}
	})
	return 2*n >= area(box)
}

// copyPixels makes the pane one of its own, which may be changed.
func (p *Pane) copyPixels() (err error) {
	own := image.NewRGBA(p.image.Rect)
	for y := range p.h {
		copy(own.Pix[y*own.Stride:], p.row(y))
	}
	p.image = own
	p.pixels, err = pixelsOf(own, p.scale)
	return err
}

// repaint gives the background's colour to the pixels of a box that have another.
func (p *Pane) repaint(box image.Rectangle, c colour) {
	for y := box.Min.Y; y < box.Max.Y; y++ {
		row := p.row(y)[4*box.Min.X : 4*box.Max.X]
		for x := 0; x < len(row); x += 4 {
			if is := colour(binary.LittleEndian.Uint32(row[x:])); is&opaque == c {
				binary.LittleEndian.PutUint32(row[x:], uint32(is&^opaque|p.background.colour))
			}
		}
	}
}
