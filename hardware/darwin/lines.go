package darwin

import (
	"image"
	"math"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// observation is one line as Vision reports it.
type observation struct {
	text       string
	confidence float64
	box        rect // fractions of the picture's sides, origin at the lower left
}

// toPixels turns a box from Vision into pixels with the origin at the upper left.
// The box grows to whole pixels and is clipped to the picture; it is empty if the
// input is not a valid box.
func toPixels(box rect, width, height int) image.Rectangle {
	left, right := box.X*float64(width), (box.X+box.W)*float64(width)
	top, bottom := (1-box.Y-box.H)*float64(height), (1-box.Y)*float64(height)
	for _, v := range []float64{left, right, top, bottom} {
		if math.IsNaN(v) {
			return image.Rectangle{}
		}
	}
	const tiny = 1e-6 // rounding tolerance: a box on a pixel's edge stays on it
	return image.Rect(
		clamp(math.Floor(left+tiny), width), clamp(math.Floor(top+tiny), height),
		clamp(math.Ceil(right-tiny), width), clamp(math.Ceil(bottom-tiny), height))
}

func clamp(v float64, limit int) int { return int(min(max(v, 0), float64(limit))) }

// lines turns Vision's observations of a picture of that size into lines in reading
// order. origin is the position of the picture's upper left pixel in the caller's
// coordinates, within are the caller's bounds. Empty lines are dropped.
func lines(seen []observation, width, height int, origin image.Point, within image.Rectangle) []messages.Line {
	var out []messages.Line
	for _, o := range seen {
		text := strings.TrimSpace(strings.ToValidUTF8(o.text, "\uFFFD"))
		box := toPixels(o.box, width, height).Add(origin).Intersect(within)
		if text == "" || box.Empty() {
			continue
		}
		confidence := min(max(o.confidence, 0), 1)
		if math.IsNaN(confidence) {
			confidence = 0
		}
		out = append(out, messages.Line{
			Text: messages.Text(text), Confidence: confidence,
			Box: messages.Rect{X: box.Min.X, Y: box.Min.Y, W: box.Dx(), H: box.Dy()},
		})
	}
	readingOrder(out)
	return out
}

// readingOrder sorts from top to bottom, and from left to right within a row. A
// line belongs to a row if its middle is within the height of the row's first
// line.
func readingOrder(out []messages.Line) {
	slices.SortStableFunc(out, func(a, b messages.Line) int { return a.Box.Y - b.Box.Y })
	for start := 0; start < len(out); {
		bottom := out[start].Box.Y + out[start].Box.H
		end := start + 1
		for end < len(out) && out[end].Box.Y+out[end].Box.H/2 < bottom {
			end++
		}
		slices.SortStableFunc(out[start:end], func(a, b messages.Line) int { return a.Box.X - b.Box.X })
		start = end
	}
}

// languages in the order Vision prefers them.
func languages(lang hardware.Lang) []string {
	if lang == hardware.LangLatin {
		return []string{"en-US", "ja-JP"}
	}
	return []string{"ja-JP", "en-US"}
}
