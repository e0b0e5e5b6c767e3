package segment

import (
	"image"
	"image/draw"
	"math"

	"github.com/kehai-run/kehai/messages"
)

// paperMargin is the white margin around a prepared picture, logical pixels.
const paperMargin = 12

// Prepared is one shape made readable: dark text on white.
type Prepared struct {
	Image *image.Gray

	origin image.Point // of the cropped box in the pane
	margin int         // white pixels around it, before enlarging
	factor float64     // by which it was enlarged
}

// Enlargement is 1.5 for captures of one pixel per logical pixel, whose letters
// are too small for the recogniser, and 1 for those of two. Letters of finer
// ones are as bad for it: they are brought back to two.
func Enlargement(scale float64) float64 {
	switch {
	case scale < 1.5:
		return 1.5
	case scale <= 2:
		return 1
	}
	return 2 / scale
}

// EnlargementOfUnsure is for what was read unsurely. Neither it nor [Enlargement] fits all fonts: at 1.7 the small ones
// of some applications are read, and those of some web pages are not.
func EnlargementOfUnsure(scale float64) float64 { return Enlargement(scale) * 17 / 15 }

// EnlargementOfDoubtful is for what could not be read: small fonts may take more than [Enlargement].
func EnlargementOfDoubtful(scale float64) float64 { return Enlargement(scale) * 5 / 3 }

// EnlargementOfSmall is for names and times, which are written smaller.
func EnlargementOfSmall(scale float64) float64 {
	if scale < 1.5 {
		return 2
	}
	return 4 / scale
}

// rim is how much of a shape's rim is whitened with its surroundings: the
// smooth edge of a bubble would be read as letters. Logical pixels.
const rim = 2

// Prepare crops a shape, turns its fill white, its emoji, and everything outside of it
// too, and frames and enlarges it.
func (p *Pane) Prepare(s Shape) Prepared { return p.PrepareBy(s, Enlargement(p.scale)) }

// PrepareBy is Prepare with another enlargement.
func (p *Pane) PrepareBy(s Shape, factor float64) Prepared {
	box := s.Box()
	rows := shrunk(s.rows, max(p.px(rim), 1))
	return p.prepare(box, s.fill, factor, s.Emoji, func(y int) span { return rows[y-box.Min.Y] })
}

// shrunk takes n pixels off a shape's outline, above and below too.
func shrunk(rows []span, n int) []span {
	out := make([]span, len(rows))
	for y := n; y < len(rows)-n; y++ {
		in := rows[y]
		for _, r := range rows[y-n : y+n+1] {
			in.from, in.to = max(in.from, r.from), min(in.to, r.to)
		}
		if in.from += int32(n); in.from < in.to-int32(n) {
			out[y] = span{in.from, in.to - int32(n)}
		}
	}
	return out
}

// PrepareBox does the same for a plain rectangle such as a title. Masked rows
// are left white.
func (p *Pane) PrepareBox(box image.Rectangle, factor float64) Prepared {
	whole := span{int32(box.Min.X), int32(box.Max.X)}
	return p.prepare(box, p.commonLuma(box), factor, nil, func(y int) span {
		if p.masked != nil && p.masked[y] {
			return span{}
		}
		return whole
	})
}

func (p *Pane) prepare(box image.Rectangle, fill int, factor float64, without []image.Rectangle,
	inside func(y int) span) Prepared {
	margin := int(math.Round(paperMargin * min(p.scale, 4)))
	out := Prepared{origin: box.Min, margin: margin, factor: factor}
	paper := image.NewGray(image.Rect(0, 0, box.Dx()+2*out.margin, box.Dy()+2*out.margin))
	for i := range paper.Pix {
		paper.Pix[i] = 255
	}
	tone := tones(fill)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		in := inside(y)
		to := paper.Pix[(y-box.Min.Y+out.margin)*paper.Stride+out.margin:]
		for x := in.from; x < in.to; x++ {
			to[int(x)-box.Min.X] = tone[p.at(int(x), y).luma()]
		}
	}
	for _, r := range without {
		r = r.Inset(-1).Sub(box.Min).Add(image.Pt(margin, margin)).Intersect(paper.Rect)
		draw.Draw(paper, r, image.White, image.Point{}, draw.Src)
	}
	out.Image = enlarge(paper, out.factor)
	return out
}

// tones maps luma to grey so that the fill is white and what differs from it
// most is black, whether text is darker or lighter than its bubble.
func tones(fill int) (out [256]uint8) {
	reach := max(fill, 255-fill)
	for l := range out {
		d := l - fill
		if d < 0 {
			d = -d
		}
		out[l] = uint8(255 - min(d*255/reach, 255))
	}
	return out
}

// ToPane turns a box in the prepared picture into one in the pane.
func (p Prepared) ToPane(r messages.Rect) messages.Rect {
	back := func(v int) int { return int(math.Round(float64(v) / p.factor)) }
	x0, y0 := back(r.X), back(r.Y)
	x1, y1 := back(r.X+r.W), back(r.Y+r.H)
	return messages.Rect{X: x0 - p.margin + p.origin.X, Y: y0 - p.margin + p.origin.Y, W: x1 - x0, H: y1 - y0}
}

// taps is the weight of four neighbouring samples.
type taps struct {
	from   int
	weight [4]float32
}

// cubic places n samples over a row that is factor times shorter (Catmull-Rom).
func cubic(n int, factor float64) []taps {
	out := make([]taps, n)
	for i := range out {
		at := (float64(i)+0.5)/factor - 0.5
		base := math.Floor(at)
		t := float32(at - base)
		out[i] = taps{int(base) - 1, [4]float32{
			((2-t)*t - 1) * t / 2, ((3*t-5)*t*t + 2) / 2, ((4-3*t)*t + 1) * t / 2, (t - 1) * t * t / 2,
		}}
	}
	return out
}

// enlarge scales a picture; it is returned as it is for a factor of 1.
func enlarge(src *image.Gray, factor float64) *image.Gray {
	if factor == 1 {
		return src
	}
	w, h := src.Rect.Dx(), src.Rect.Dy()
	dst := image.NewGray(image.Rect(0, 0, max(1, int(float64(w)*factor)), max(1, int(float64(h)*factor))))
	across, down := cubic(dst.Rect.Dx(), factor), cubic(dst.Rect.Dy(), factor)
	wide := make([]float32, dst.Rect.Dx()*h) // enlarged across only
	for y := range h {
		row := src.Pix[y*src.Stride : y*src.Stride+w]
		for x, t := range across {
			sum := float32(0)
			for k, weight := range t.weight {
				sum += weight * float32(row[min(max(t.from+k, 0), w-1)])
			}
			wide[y*len(across)+x] = sum
		}
	}
	for y, t := range down {
		var rows [4][]float32
		for k := range rows {
			at := min(max(t.from+k, 0), h-1) * len(across)
			rows[k] = wide[at : at+len(across)]
		}
		row := dst.Pix[y*dst.Stride : y*dst.Stride+len(across)]
		for x := range row {
			v := t.weight[0]*rows[0][x] + t.weight[1]*rows[1][x] + t.weight[2]*rows[2][x] + t.weight[3]*rows[3][x]
			row[x] = uint8(min(max(v+0.5, 0), 255))
		}
	}
	return dst
}
