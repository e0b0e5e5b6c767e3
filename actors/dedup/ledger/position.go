package ledger

import (
	"math"

	"github.com/kehai-run/kehai/messages"
)

// Memory is what is remembered of the last view of a window. Its gaps are in logical
// pixels; 0 is unknown.
type Memory struct {
	Digest    uint64              `json:"digest"`
	Next      messages.Occurrence `json:"next"`   // the ledger's, after that view
	Behind    bool                `json:"behind"` // the view ended before the transcript's end
	BottomGap float64             `json:"foot"`   // below the last bubble when the window is at its newest position
	NewestGap float64             `json:"newest"` // below it in the last view with something new
	// below it in a view without a known place that was not at that position
	LostGap float64 `json:"lost"`
	Width   int     `json:"width,omitempty"`
	// Complete: the view showed the transcript from its beginning to its end.
	Complete bool `json:"complete,omitempty"`
	// Places of the first and the last entry that the view showed; none if Bottom
	// is below Top.
	Top    int64 `json:"top,omitempty"`
	Bottom int64 `json:"bottom,omitempty"`
	// Chat is the one that the view showed; empty if the ledger had only one.
	Chat messages.ConversationID `json:"chat,omitempty"`
}

// shows reports whether the last view showed an entry, in a window of the same width.
func (m *Memory) shows(e *Entry, width int) bool {
	return m.Width > 0 && m.Width == width && m.Top <= e.Pos && e.Pos <= m.Bottom
}

// sameGap reports whether two known gaps are the same.
func sameGap(a, b float64) bool { return a > 0 && b > 0 && math.Abs(a-b) <= sameGapSlack }

// bottomGap is the space below the last bubble in logical pixels, 0 if unknown.
func bottomGap(v View, cut bool) float64 {
	if cut || len(v.Bubbles) == 0 || v.Scale <= 0 {
		return 0
	}
	b := v.Bubbles[len(v.Bubbles)-1].Box
	if b.H <= 0 || b.Y+b.H >= v.Size.H {
		return 0
	}
	return float64(v.Size.H-b.Y-b.H) / v.Scale
}

// complete reports whether a view with a gap below its last bubble shows all there is:
// nothing fills the room below, and nothing is cut off above.
func complete(gap float64, v View) bool {
	return gap > barAtMost && 4*gap*v.Scale > float64(v.Size.H) && !v.Bubbles[0].Clipped
}

// newer reports whether a view without a known message shows only messages that came
// after the known ones. Then they fill the window. Before them it showed the end of
// the transcript, and it showed all of it or shows the end again now. A window with
// room above or below would show known ones too, if they were still there.
func newer(v View, mem Memory, gap float64) bool {
	newest := mem.Complete || sameGap(gap, mem.BottomGap)
	return v.Size.H > 0 && !v.begins() && !mem.Behind && !complete(gap, v) && newest
}

// begins reports whether a view shows the beginning of the transcript: nothing fills the room above.
func (v View) begins() bool {
	first := v.Bubbles[0]
	return v.Size.H > 0 && !first.Clipped && topShare*first.Box.Y >= v.Size.H
}

// topShare is the part of a window, one in so many, in which the first bubble stands if it is full.
const topShare = 4

// barAtMost is the height that an input field below the bubbles may have, in logical pixels.
const barAtMost = 120

// halfEmpty reports whether more than the lower half of a window is empty. Then the view
// shows the newest messages, since somebody who scrolled back would see some there.
func halfEmpty(gap float64, v View) bool { return gap > 0 && 2*gap*v.Scale > float64(v.Size.H) }
