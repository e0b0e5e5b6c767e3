package segment

import (
	"slices"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/messages"
)

// signs say whose message a block is, each from -1, incoming, to 1, own.
type signs struct {
	place  float64 // nearer to the left or to the right side of the pane
	column float64 // in line with others at its left or its right side
	fill   float64 // blocks of the same colour are of that side
	known  float64 // blocks of that colour were of that side in earlier frames
	taught float64 // the layout says that the colour is of that side
	avatar float64 // a portrait stands left or right of it
	stamp  float64 // its clock time stands right or left of it
	name   float64 // a name stands above
}

// weights say how much a sign counts: the more, the less it errs.
var weights = signs{place: 1.5, column: 2, fill: 2.5, known: 2, taught: 5, avatar: 1.5, stamp: 0.5, name: 0.5}

// sideScore is the least score that says a side.
const sideScore = 0.75

func (s signs) score() float64 {
	w := weights
	return w.place*s.place + w.column*s.column + w.fill*s.fill + w.known*s.known + w.taught*s.taught +
		w.avatar*s.avatar + w.stamp*s.stamp + w.name*s.name
}

func sideOf(score float64) messages.Side {
	switch {
	case score >= sideScore:
		return messages.SideOwn
	case score <= -sideScore:
		return messages.SideIncoming
	}
	return messages.SideNeither
}

// weigh gives each block its score: first by its own signs, then by those of the
// blocks of its colour.
func (p *Pane) weigh(list []block) {
	all := make([]signs, len(list))
	for i := range list {
		all[i] = p.signsOf(list, i)
		list[i].score = all[i].score()
	}
	for i, b := range list {
		sum, n, own, incoming := 0.0, 0.0, false, false
		for j, o := range list {
			if !b.picture() && !o.picture() && !differs(b.paint, o.paint, 3) {
				score := all[j].score()
				sum += min(max(score, -3), 3)
				n++
				own, incoming = own || score >= sideScore, incoming || score <= -sideScore
			}
		}
		if n > 1 && own != incoming && !p.hollow(b) { // a colour of both sides says nothing
			all[i].fill = min(max(sum/n/2, -1), 1)
		}
	}
	for i := range list {
		list[i].score = all[i].score()
	}
}

func (p *Pane) signsOf(list []block, i int) (s signs) {
	b := &list[i]
	if !b.picture() {
		s.taught = p.taught(b.paint)
	}
	if !b.picture() && !p.hollow(*b) {
		s.known = knownFill(p.Known, b.paint)
	}
	left, right := b.box.Min.X-p.Area.Min.X, p.Area.Max.X-b.box.Max.X
	if left+right > 0 {
		s.place = float64(left-right) / float64(left+right)
	}
	lefts, rights, middle := 0.0, 0.0, (p.Area.Min.X+p.Area.Max.X)/2
	for j, o := range list {
		left, right := inLine(o.from, b.from), inLine(o.to, b.to)
		if j == i || left && right { // of one width, they say nothing
			continue
		}
		if left && b.from < middle {
			lefts++
		}
		if right && b.to > middle {
			rights++
		}
	}
	if lefts+rights > 0 {
		s.column = (rights - lefts) / (lefts + rights)
	}
	switch b.avatar {
	case messages.SideIncoming:
		s.avatar = -1
	case messages.SideOwn:
		s.avatar = 1
	}
	if p.isStamp(b.stamp) {
		s.stamp = 1
		if b.stamp.Min.X >= b.box.Max.X {
			s.stamp = -1
		}
	}
	if !b.name.Empty() {
		s.name = -1
	}
	return s
}

// hollow reports whether a block has no fill but what is behind it, which both sides may have.
func (p *Pane) hollow(b block) bool { return !differs(b.paint, p.background.colour, 3) }

// taught is what the colours in the lists of the layout's theme say.
func (p *Pane) taught(paint colour) float64 {
	r, g, b := paint.rgb()
	near := func(n layout.Near) bool { return n.Has(r, g, b) }
	own, incoming := slices.ContainsFunc(p.theme.OwnColours, near), slices.ContainsFunc(p.theme.IncomingColours, near)
	switch {
	case own == incoming:
		return 0
	case own:
		return 1
	}
	return -1
}
