package dedup

import (
	"math"

	"github.com/kehai-run/kehai/messages"
)

// Memory is what is remembered of the last view of a window.
type Memory struct {
	Digest uint64              `json:"digest"`
	Next   messages.Occurrence `json:"next"`   // the ledger's, after that view
	Behind bool                `json:"behind"` // the view ended before the transcript's end
	Foot   float64             `json:"foot"`   // logical pixels below the last bubble when the window is at its newest position; 0: unknown
	Newest float64             `json:"newest"` // the same of the last view with something new
	Lost   float64             `json:"lost"`   // the same of a view that belongs nowhere and was not at that position
	Width  int                 `json:"width,omitempty"`
	// Places of the first and the last entry that the view showed; none if Bottom
	// is below Top.
	Top    int64 `json:"top,omitempty"`
	Bottom int64 `json:"bottom,omitempty"`
}

// footSlack is how far, in logical pixels, the last bubble of a window that
// stands at its end may be from where it stood before.
const footSlack = 1

// level reports that two known feet are the same.
func level(a, b float64) bool { return a > 0 && b > 0 && math.Abs(a-b) <= footSlack }

// footOf is the space below the last bubble in logical pixels, 0 if it cannot
// be told.
func footOf(v View, cut bool) float64 {
	if cut || len(v.Bubbles) == 0 || v.Scale <= 0 {
		return 0
	}
	b := v.Bubbles[len(v.Bubbles)-1].Box
	if b.H <= 0 || b.Y+b.H >= v.Size.H {
		return 0
	}
	return float64(v.Size.H-b.Y-b.H) / v.Scale
}

// blank reports that more than the lower half of a window is empty. Somebody who
// has scrolled back sees messages there: this is all there is.
func blank(foot float64, v View) bool { return foot > 0 && 2*foot*v.Scale > float64(v.Size.H) }
