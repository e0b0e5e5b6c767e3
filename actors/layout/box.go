package layout

import (
	"image"
	"math"
)

// Box is a rectangle in logical pixels. A negative X or Y is measured from the
// right or bottom edge; a W or H of 0 reaches to that edge, a negative one
// stops that far before it.
type Box struct {
	X int `yaml:"x"`
	Y int `yaml:"y"`
	W int `yaml:"w"`
	H int `yaml:"h"`
}

// In returns the rectangle in a frame of the given size in captured pixels, clipped to
// the frame.
func (b Box) In(size image.Point, scale float64) image.Rectangle {
	x0, x1 := side(b.X, b.W, size.X, scale)
	y0, y1 := side(b.Y, b.H, size.Y, scale)
	if x0 >= x1 || y0 >= y1 {
		return image.Rectangle{}
	}
	return image.Rect(x0, y0, x1, y1)
}

func side(at, length, size int, scale float64) (from, to int) {
	if from = Pixels(at, scale); at < 0 {
		from += size
	}
	if to = from + Pixels(length, scale); length <= 0 {
		to = size + Pixels(length, scale)
	}
	return max(from, 0), min(to, size)
}

// Pixels converts a logical length to captured pixels. An absurd scale gives a huge
// length, not an overflow.
func Pixels(length int, scale float64) int {
	const beyond = 1 << 24
	return int(math.Round(max(-beyond, min(float64(length)*scale, beyond))))
}
