package drawn

import (
	"image"
	"image/color"
	"image/draw"
)

func fill(dst *image.RGBA, r image.Rectangle, c color.RGBA) {
	draw.Draw(dst, r, image.NewUniform(c), image.Point{}, draw.Src)
}

// shape paints each pixel of r in proportion to how many of its 16 samples are
// inside. inside takes coordinates relative to the corner of r.
func shape(dst *image.RGBA, r image.Rectangle, c color.RGBA, inside func(x, y float64) bool) {
	clip := r.Intersect(dst.Rect)
	for y := clip.Min.Y; y < clip.Max.Y; y++ {
		for x := clip.Min.X; x < clip.Max.X; x++ {
			n := uint32(0)
			for s := range 16 {
				if inside(float64(x-r.Min.X)+(float64(s%4)+.5)/4, float64(y-r.Min.Y)+(float64(s/4)+.5)/4) {
					n++
				}
			}
			if n > 0 {
				o := dst.PixOffset(x, y)
				blend(dst.Pix[o:o+4:o+4], c, n*255/16)
			}
		}
	}
}

// rounded paints a rectangle with round corners.
func rounded(dst *image.RGBA, r image.Rectangle, rad int, c color.RGBA) {
	rad = min(rad, r.Dx()/2, r.Dy()/2)
	fill(dst, image.Rect(r.Min.X, r.Min.Y+rad, r.Max.X, r.Max.Y-rad), c)
	fill(dst, image.Rect(r.Min.X+rad, r.Min.Y, r.Max.X-rad, r.Max.Y), c)
	for i := range 4 {
		corner, cx, cy := image.Rect(0, 0, rad, rad), 0.0, 0.0
		if i%2 == 1 {
			corner = corner.Add(image.Pt(r.Dx()-rad, 0))
		} else {
			cx = float64(rad)
		}
		if i/2 == 1 {
			corner = corner.Add(image.Pt(0, r.Dy()-rad))
		} else {
			cy = float64(rad)
		}
		shape(dst, corner.Add(r.Min), c, func(x, y float64) bool {
			return (x-cx)*(x-cx)+(y-cy)*(y-cy) <= float64(rad*rad)
		})
	}
}

func circle(dst *image.RGBA, r image.Rectangle, c color.RGBA) {
	rounded(dst, r, r.Dx()/2, c)
}

// ring paints an outline of the given thickness.
func ring(dst *image.RGBA, r image.Rectangle, thick int, c color.RGBA) {
	ro := float64(r.Dx()) / 2
	ri := ro - float64(thick)
	shape(dst, r, c, func(x, y float64) bool {
		d := (x-ro)*(x-ro) + (y-ro)*(y-ro)
		return d <= ro*ro && d >= ri*ri
	})
}

// tail paints the beak at the upper outer corner of a bubble: a crescent
// between two quarter ellipses, pointing left or right.
func tail(dst *image.RGBA, box image.Rectangle, scale int, left bool, c color.RGBA) {
	w, h := 9*scale, 14*scale
	r := image.Rect(0, 0, 2*w, h).Add(box.Min.Add(image.Pt(-w, 3*scale)))
	if !left {
		r = image.Rect(0, 0, 2*w, h).Add(image.Pt(box.Max.X-w, box.Min.Y+3*scale))
	}
	fw, fh := float64(2*w), float64(h)
	shape(dst, r, c, func(x, y float64) bool {
		if !left {
			x = fw - x
		}
		u, v := (fw-x)/fw, y/fh // u grows towards the tip
		return v >= 0.35*u*u && v <= 1-u*u
	})
}
