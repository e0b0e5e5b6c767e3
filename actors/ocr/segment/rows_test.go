package segment

import (
	"image"
	"testing"
)

// TestLimitOfLines: the largest distance of lines of one message follows from the font, here 14 pixels and so 23.
// Distances that are alike stand between messages if those of most do.
func TestLimitOfLines(t *testing.T) {
	for _, c := range []struct {
		name      string
		distances []int
		want      int
	}{
		{"none", nil, 23},
		{"lines and messages", []int{17, 17, 28, 29}, 23},
		{"messages of which two are close", []int{25, 25, 17, 25, 22, 26}, 21},
		{"wide lines, of which one is far", []int{22, 23, 22, 25, 36}, 23},
		{"all between", []int{17, 19, 21, 23, 25, 27}, 23},
	} {
		lines, y := []rowLine{{box: image.Rect(0, 0, 90, 14)}}, 0
		for _, d := range c.distances {
			y += d
			lines = append(lines, rowLine{box: image.Rect(0, y, 90, y+14)})
		}
		if got := limitOf(lines); got != c.want {
			t.Errorf("%s: limitOf(%v) = %d, want %d", c.name, c.distances, got, c.want)
		}
	}
}
