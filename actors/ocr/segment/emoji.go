package segment

import (
	"image"
	"image/color"
	"image/draw"
	"math"
)

// Measures of emoji in a bubble, logical pixels.
const (
	emojiMin, emojiMax = 9, 64
	emojiGap           = 1 // between the colourful parts of one
)

// Thresholds of emoji, in hundredths.
const (
	emojiDense   = 50  // of its box is colourful; letters of a link are less
	emojiLoose   = 40  // if it has several colours, which letters have not
	emojiNarrow  = 60  // width to height, at least
	emojiTooWide = 130 // width to height from which several stand side by side
)

// Emoji are where colourful pictures of the size of letters stand in a shape, left to right
// in each row.
func (p *Pane) Emoji(s Shape) (out []image.Rectangle) {
	edge := max(p.px(rim), 1)
	box := s.Box()
	rows := shrunk(s.rows, edge)
	limit := max(60, s.paint.chroma()+30)
	mask := make([]bool, box.Dx()*box.Dy())
	some := false
	for i, row := range rows {
		for x := row.from; x < row.to; x++ {
			if p.at(int(x), box.Min.Y+i).chroma() > limit {
				mask[i*box.Dx()+int(x)-box.Min.X], some = true, true
			}
		}
	}
	if !some {
		return nil
	}
	for _, r := range clusters(mask, box.Dx(), p.px(emojiGap)+1) {
		w, h := r.box.Dx(), r.box.Dy()
		dense := 100*r.count >= emojiDense*w*h || 100*r.count >= emojiLoose*w*h && !p.oneHue(r.box.Add(box.Min))
		if h < p.px(emojiMin) || h > p.px(emojiMax) || 100*w < emojiNarrow*h || !dense {
			continue
		}
		n := 1
		if 100*w > emojiTooWide*h {
			n = max(1, int(math.Round(float64(w)/float64(h))))
		}
		for k := range n {
			part := image.Rect(r.box.Min.X+w*k/n, r.box.Min.Y, r.box.Min.X+w*(k+1)/n, r.box.Max.Y).Add(box.Min)
			if n == 1 {
				part = p.grown(s, part)
			}
			out = append(out, part)
		}
	}
	return out
}

// grown adds to a box what is written right beside it, such as the dark parts of a picture.
func (p *Pane) grown(s Shape, r image.Rectangle) image.Rectangle {
	inked := func(strip image.Rectangle) bool {
		for y := strip.Min.Y; y < strip.Max.Y; y++ {
			for x := strip.Min.X; x < strip.Max.X; x++ {
				c := p.at(x, y)
				if d := c.luma() - s.fill; d >= inkContrast || -d >= inkContrast || c.chroma() > s.paint.chroma()+30 {
					return true
				}
			}
		}
		return false
	}
	within := s.Box().Inset(max(p.px(rim), 1))
	for range r.Dy() / 3 {
		more := r
		if up := image.Rect(r.Min.X, r.Min.Y-1, r.Max.X, r.Min.Y); up.In(within) && inked(up) {
			more.Min.Y--
		}
		if down := image.Rect(r.Min.X, r.Max.Y, r.Max.X, r.Max.Y+1); down.In(within) && inked(down) {
			more.Max.Y++
		}
		if left := image.Rect(r.Min.X-1, r.Min.Y, r.Min.X, r.Max.Y); left.In(within) && inked(left) {
			more.Min.X--
		}
		if right := image.Rect(r.Max.X, r.Min.Y, r.Max.X+1, r.Max.Y); right.In(within) && inked(right) {
			more.Max.X++
		}
		if more == r {
			break
		}
		r = more
	}
	return r
}

// cluster is what stands close together.
type cluster struct {
	box   image.Rectangle
	count int
}

// clusters joins pixels that are at most so far apart, in the order of their first pixel.
func clusters(mask []bool, width, reach int) (out []cluster) {
	seen := make([]bool, len(mask))
	for from := range mask {
		if !mask[from] || seen[from] {
			continue
		}
		c := cluster{}
		todo := []int{from}
		seen[from] = true
		for len(todo) > 0 {
			i := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			x, y := i%width, i/width
			c.box = c.box.Union(image.Rect(x, y, x+1, y+1))
			c.count++
			for dy := -reach; dy <= reach; dy++ {
				for dx := -reach; dx <= reach; dx++ {
					j := i + dy*width + dx
					if x+dx >= 0 && x+dx < width && j >= 0 && j < len(mask) && mask[j] && !seen[j] {
						seen[j] = true
						todo = append(todo, j)
					}
				}
			}
		}
		out = append(out, c)
	}
	return out
}

// Cut is a copy of a part of the pane.
func (p *Pane) Cut(r image.Rectangle) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	draw.Draw(out, out.Rect, p.Image(), r.Min.Add(p.Image().Rect.Min), draw.Src)
	return out
}

// Paint is the colour of a shape's fill.
func (s Shape) Paint() color.RGBA {
	r, g, b := s.Fill()
	return color.RGBA{r, g, b, 255}
}
