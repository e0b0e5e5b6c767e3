package segment

import (
	"slices"

	"github.com/kehai-run/kehai/messages"
)

// Bounds of what is kept of a window.
const (
	learntFills = 8
	learntMost  = 16 // what a count ends at, so that a window that stays the same changes nothing
	learntLeast = 3  // frames after which a colour says a side
	learntScore = 2  // least score of a block that teaches
)

// Learn adds what a frame shows to what is known of its window. The colours of a theme
// that is gone make room for others.
func Learn(known messages.Learnt, shapes []Shape) messages.Learnt {
	known.Fills = slices.Clone(known.Fills)
	taught := map[colour]float64{}
	for _, s := range shapes {
		if s.Row || s.bare || s.Bubble.Kind == messages.KindImage || s.Bubble.Kind == messages.KindSticker {
			continue
		}
		if s.Score >= learntScore || s.Score <= -learntScore {
			taught[s.paint&0xFFFFFF] += s.Score
		}
	}
	for _, s := range shapes { // in the order of the window
		c := s.paint & 0xFFFFFF
		score, ok := taught[c]
		if delete(taught, c); !ok || score == 0 {
			continue
		}
		fill := messages.LearntFill{Colour: uint32(c)}
		i := slices.IndexFunc(known.Fills, func(f messages.LearntFill) bool { return colour(f.Colour) == c })
		if i >= 0 {
			fill = known.Fills[i]
			if fill.Seen(score > 0) == learntMost && fill.Seen(score < 0) == 0 {
				continue // nothing new: its place stays, too
			}
			known.Fills = slices.Delete(known.Fills, i, i+1)
		}
		fill.Count(score > 0, learntMost)
		known.Fills = append(known.Fills, fill)
	}
	if n := len(known.Fills) - learntFills; n > 0 {
		known.Fills = slices.Delete(known.Fills, 0, n)
	}
	return known
}

// knownFill is the side on which bubbles of a colour were seen, from -1 to 1; 0 if they were
// on both or were seen too seldom.
func knownFill(known messages.Learnt, paint colour) float64 {
	for _, f := range known.Fills {
		if differs(colour(f.Colour), paint, 3) {
			continue
		}
		if all := f.Own + f.Incoming; all >= learntLeast {
			return float64(f.Own-f.Incoming) / float64(all)
		}
	}
	return 0
}
