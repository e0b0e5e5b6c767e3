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

// TestFollowingLines: behind a full line the next one goes on at a distance at which it begins anew behind one that
// ends early.
func TestFollowingLines(t *testing.T) {
	column := image.Rect(50, 0, 450, 600)
	for _, c := range []struct {
		end, distance int
		want          bool
	}{{440, 23, true}, {440, 24, false}, {200, 23, false}, {200, 21, true}} {
		above := image.Rect(50, 100, c.end, 114)
		line := image.Rect(50, 100+c.distance, 300, 114+c.distance)
		if got := follows(above, line, column, 23, 21); got != c.want {
			t.Errorf("follows(a line that ends at %d, %d above) = %v, want %v", c.end, c.distance, got, c.want)
		}
	}
}
