package catchup

import (
	"slices"

	"github.com/kehai-run/kehai/messages"
)

// movedBy is how far down the second view has moved, by the bubbles that look the same in
// both. Those that stand in a view twice do not count.
func movedBy(before, after []messages.Bubble) Moved {
	var by []int
	for i, b := range before {
		if b.Key == 0 || twice(before, i) {
			continue
		}
		j := slices.IndexFunc(after, func(o messages.Bubble) bool { return o.Key == b.Key })
		if j >= 0 && !twice(after, j) && !b.Clipped && !after[j].Clipped {
			by = append(by, after[j].Box.Y-b.Box.Y)
		}
	}
	if len(by) == 0 || len(after) == 0 {
		return Moved{}
	}
	slices.Sort(by)
	last := after[len(after)-1].Box
	return Moved{By: by[len(by)/2], Room: last.Y + last.H - after[0].Box.Y, Known: true}
}

func twice(list []messages.Bubble, i int) bool {
	for j := range list {
		if j != i && list[j].Key == list[i].Key {
			return true
		}
	}
	return false
}

// middle is a point amid the messages of a view.
func middle(m messages.FrameRead) (x, y int) {
	if len(m.Bubbles) == 0 {
		return m.Size.W / 2, m.Size.H / 2
	}
	first, last := m.Bubbles[0].Box, m.Bubbles[len(m.Bubbles)-1].Box
	left, right := first.X, first.X+first.W
	for _, b := range m.Bubbles {
		left, right = min(left, b.Box.X), max(right, b.Box.X+b.Box.W)
	}
	return (left + right) / 2, (first.Y + last.Y + last.H) / 2
}
