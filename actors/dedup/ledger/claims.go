package ledger

import "github.com/kehai-run/kehai/messages"

// claims are the changes that laying a view on the tail asks for, beside what has kept its pixels.
type claims struct {
	edits int  // texts that would have become others
	kept  int  // different texts that are drawn as before
	run   int  // the most of them in a row
	other bool // something else speaks for the place: our side's words, a notice, texts that are drawn anew
}

// mostRun is how many messages in a row may be the same by chance, where somebody repeats what he says.
const mostRun = 2

// incredible reports whether nobody changes so much between two views: they show different messages, and
// only what people say again and again is in both.
func (c claims) incredible() bool {
	return !c.other && c.edits > 1 && c.edits >= c.kept && c.run <= mostRun
}

// counter counts claims.
type counter struct {
	claims
	texts map[string]bool // that are drawn as before
	row   int             // of them, up to the last observation
}

// add takes in an observation that is laid on an entry; sure says that they are the same. Where the window is
// drawn as before, another text with other pixels is no other reading.
func (c *counter) add(o *observation, e *Entry, sure bool) {
	row := c.row
	c.row = 0
	switch {
	case o.Gone || e.Gone:
		c.other = true
	case !replaces(o, e) || o.Key == 0 || e.Key == 0:
	case o.Key == e.Key:
		if c.texts == nil {
			c.texts = map[string]bool{}
		}
		c.texts[o.text().norm] = true
		c.kept, c.row = len(c.texts), row+1
		c.run = max(c.run, c.row)
		c.other = c.other || o.Side == messages.SideOwn
	case sure:
		c.other = true
	case !o.Low && !e.Low:
		c.edits++
	}
}

// claimed counts what an alignment asks for.
func (g *grid) claimed(a *alignment) claims {
	var c counter
	for i, j := range a.at {
		if j >= 0 {
			c.add(&g.list[i], &g.tail[j], a.sure[i])
		}
	}
	return c.claims
}

// foreign reports whether an observation of a view that has no place in the tail is none of its messages: of each
// one that reads like it, the neighbours are others, more than anybody edits.
func foreign(i int, list []observation, tail []Entry) bool {
	for j := range tail {
		e := &tail[j]
		if e.vacant() || e.Kind != list[i].Kind || !equal(list[i].text(), e.text(), true) {
			continue
		}
		var c counter
		for k := max(0, i-j); k < min(len(list), len(tail)+i-j); k++ {
			o, e := &list[k], &tail[k-i+j]
			c.add(o, e, o.Key != e.Key && equal(o.text(), e.text(), true)) // pixels are compared faster
		}
		if !c.incredible() {
			return false
		}
	}
	return true
}

// slide lays the whole view along the tail, so that all that lies side by side is certainly the same: the
// longest run of at least two neighbours, of equals the one nearest to the tail's end. Without one, the view
// has no place.
func (g *grid) slide() alignment {
	n, m := len(g.list), len(g.tail)
	first := 0
	if n > 0 && g.list[0].clipped {
		first = 1
	}
	best, run := 0, 1
	for by := m - first - 1; by > first-n; by-- { // observation i lies on entry i+by
		from, to := max(first, -by), min(n, m-by)
		if to-from > run && g.allSure(from, to, by) {
			best, run = by, to-from
		}
	}
	a := alignment{at: make([]int, n), sure: make([]bool, n), score: impossible, fresh: n}
	for i := range a.at {
		a.at[i] = -1
	}
	if run < 2 {
		return a
	}
	a.score, a.fresh = 0, min(n, m-best)
	a.reaches = a.fresh == m-best
	for i := max(first, -best); i < a.fresh; i++ {
		a.at[i], a.sure[i] = i+best, true
		a.score += g.pair[i*m+i+best]
		a.known++
	}
	return a
}

// parted lays a view that shows late messages between known ones: what stands below them is the tail's end, and what
// stands above them is the tail above that. ok is false if that does not explain each bubble that is whole.
func (g *grid) parted() (a alignment, ok bool) {
	n, m := len(g.list), len(g.tail)
	first := 0
	if n > 0 && g.list[0].clipped {
		first = 1
	}
	below := 0
	for below < min(n-first, m) && g.sure[(n-1-below)*m+m-1-below] {
		below++
	}
	above := 0
	for p := min(n-first-below-1, m-below); p > 0 && above == 0; p-- {
		if g.allSure(first, first+p, m-below-p-first) {
			above = p
		}
	}
	if below < 2 || above == 0 {
		return a, false
	}
	a = alignment{at: make([]int, n), sure: make([]bool, n), fresh: n, reaches: true}
	for i := range a.at {
		switch a.at[i] = -1; {
		case i >= n-below:
			a.at[i] = i - n + m
		case i >= first && i < first+above:
			a.at[i] = i - first + m - below - above
		default:
			continue
		}
		a.sure[i] = true
		a.score += g.pair[i*m+a.at[i]]
		a.known++
	}
	return a, true
}

func (g *grid) allSure(from, to, by int) bool {
	for i := from; i < to; i++ {
		if !g.sure[i*len(g.tail)+i+by] {
			return false
		}
	}
	return true
}
