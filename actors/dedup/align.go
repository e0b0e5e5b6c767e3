package dedup

// alignment says where a view belongs in the tail.
type alignment struct {
	score int
	same  int   // sights that are known beyond doubt
	at    []int // for each sight the index of its entry, -1 for none
	sure  []bool
	fresh int  // index of the first sight that stands after the tail's end; len(at) for none
	end   bool // the view reaches the tail's end
}

// first is the first sight that has an entry.
func (a *alignment) first() int {
	for i, j := range a.at {
		if j >= 0 {
			return i
		}
	}
	return len(a.at)
}

// around returns the nearest sights above and below i that have an entry, -1 for
// none.
func (a *alignment) around(i int) (above, below int) {
	for above = i - 1; above >= 0 && a.at[above] < 0; above-- {
	}
	for below = i + 1; below < len(a.at); below++ {
		if a.at[below] >= 0 {
			return above, below
		}
	}
	return above, -1
}

// whole reports that every sight has an entry and none speaks against it.
func (a *alignment) whole() bool {
	for _, j := range a.at {
		if j < 0 {
			return false
		}
	}
	return a.score >= scoreDim*len(a.at)
}

// anchored reports that the alignment can be trusted. Without a single sure
// match it takes two unreadable bubbles of the same size, or it must explain
// everything, as animated stickers alone do.
func (a *alignment) anchored() bool {
	return a.score > 0 && (a.same > 0 || a.score >= 2*scoreLook || a.whole())
}

// Moves of a path through the grid of sights and entries.
const (
	noMove int8 = iota
	began       // a match, the path's first
	matched
	extra
	missing
)

// align lays sights along the tail: the path with the highest score that ends
// at the last sight (scrolled back, or nothing new) or at the tail's end (what
// is left of the view is new). Among equals the one nearest to the tail's end
// wins, then the longest.
//
// If pinned, the window stands at its newest position as far as its picture
// tells, which speaks against a view further up. Repeats can look like one ("OK,
// so, OK, so"): a flawless path to the tail's end that explains at least half of
// the view wins.
//
// If ended, the window's last view showed the newest entry, which therefore has
// not vanished before: what stands in its place is taken for it, edited.
//
// If whole, the view shows the transcript from its beginning.
//
// An edit can make a text equal to another one, or tell equal ones apart. Then
// the repeats look like a view that has moved. One bubble that is said once only,
// or the transcript's beginning, shows that it has not: among known ones another
// text is an edit then.
func align(sights []sight, tail []Entry, v stand) alignment {
	n, m := len(sights), len(tail)
	g := grid{
		sights: sights, tail: tail, worth: worth(tail), stand: v, w: m + 1,
		pair: make([]int32, n*m), same: make([]bool, n*m),
		score: make([]int32, (n+1)*(m+1)), move: make([]int8, (n+1)*(m+1)), miss: make([]int32, m),
	}
	for j := range tail {
		if !tail[j].Gone {
			g.miss[j] = scoreMissing
		}
	}
	// Most views repeat known texts to the letter: only what is left over then
	// needs the slow comparison.
	for i := range sights {
		g.compare(i, false)
	}
	a := g.solve()
	if a.same == n {
		return a
	}
	trusted := a.anchored()
	for i := range sights {
		if !trusted || !a.sure[i] {
			g.compare(i, true)
		}
	}
	a = g.solve()
	if g.swaps() {
		if b := g.solve(); v.whole || g.rooted(&b) {
			return b
		}
	}
	return a
}

// stand says what is known of where a view stands.
type stand struct {
	pinned bool // at the window's newest position
	ended  bool // the window's last view showed the newest entry
	whole  bool // it shows the transcript from its beginning
	scale  float64
}

// swaps makes another text in the place of a known one likelier, but for the
// newest, of which more is known. It reports whether it changed anything.
func (g *grid) swaps() (changed bool) {
	m := len(g.tail)
	for i := range g.sights {
		for j := range m - 1 {
			if p := &g.pair[i*m+j]; *p == scoreNot && swapped(&g.sights[i], &g.tail[j]) {
				*p, changed = scoreSwap, true
			}
		}
	}
	return changed
}

// rooted reports that an alignment has a sight that is known beyond doubt and
// says what nothing else says, in the view or in the tail.
func (g *grid) rooted(a *alignment) bool {
	m := len(g.tail)
	for i, j := range a.at {
		if j < 0 || !a.sure[i] {
			continue
		}
		alone := true
		for k := range a.at {
			alone = alone && (k == i || !g.same[k*m+j])
		}
		for k := range m {
			alone = alone && (k == j || !g.same[i*m+k])
		}
		if alone {
			return true
		}
	}
	return false
}

// grid is the table of all ways to lay sights along a tail. Cells are numbered
// sight*w+entry, counting both from 1.
type grid struct {
	sights []sight
	tail   []Entry
	worth  []int
	stand
	pair []int32 // score of each pair
	same []bool  // whether the pair is the same beyond doubt

	w     int
	score []int32 // of the best path that has come so far
	move  []int8  // its last move
	miss  []int32 // of each entry that is not there
}

func (g *grid) compare(i int, fuzzy bool) {
	row := i * len(g.tail)
	for j := range g.tail {
		score, same := compare(&g.sights[i], &g.tail[j], g.worth[j], fuzzy)
		if fuzzy && g.ended && score < scoreDim && j == len(g.tail)-1 && edited(&g.sights[i], &g.tail[j]) {
			score = scoreDim
		}
		g.pair[row+j], g.same[row+j] = int32(score), same
	}
}

// leads returns the score of beginning with each sight: those before it are
// unknown.
func (g *grid) leads() []int32 {
	out := make([]int32, len(g.sights))
	k := int32(0)
	for i := range g.sights {
		if k > 0 {
			out[i] = scoreLead - min(k, 8)
		}
		if !g.sights[i].clipped {
			k++
		}
	}
	return out
}

func (g *grid) fill() {
	m := len(g.tail)
	for c := range g.score {
		g.score[c], g.move[c] = never, noMove
	}
	for i, lead := range g.leads() {
		skipped := int32(0) // the entries before, in a whole view
		for j := range m {
			c := (i+1)*g.w + j + 1
			best, move := int32(never), noMove
			if score := g.pair[i*m+j]; score > never {
				best, move = score+lead+skipped, began
				if lead < 0 && j > 0 && !g.tail[j].Gap {
					best += scoreIsle
				}
				if p := g.score[c-g.w-1] + score; p >= best {
					best, move = p, matched
				}
			}
			if p := g.score[c-g.w] + g.extra(i, j); p > best {
				best, move = p, extra
			}
			if p := g.score[c-1] + g.miss[j]; p > best {
				best, move = p, missing
			}
			g.score[c], g.move[c] = best, move
			if g.whole {
				skipped += g.miss[j]
			}
		}
	}
}

// extra is the score of a sight between entries j and j+1. A bubble that was
// overlooked before has left its room there.
func (g *grid) extra(i, j int) int32 {
	switch s := &g.sights[i]; {
	case s.clipped:
		return 0
	case s.Gone:
		return scoreNoRoom
	case j+1 < len(g.tail) && g.tail[j+1].Above > 0 && float64(g.tail[j+1].Above)*g.scale < float64(s.H):
		return scoreNoRoom
	}
	return scoreExtra
}

func (g *grid) solve() alignment {
	g.fill()
	n, m := len(g.sights), len(g.tail)
	endI, endJ := n, m
	for j := m; j >= 1; j-- {
		if g.score[n*g.w+j] > g.score[endI*g.w+endJ] {
			endI, endJ = n, j
		}
	}
	best := g.score[endI*g.w+endJ]
	if g.pinned && endJ < m {
		best -= scorePinned
	}
	for i := n; i >= 1; i-- {
		if i == n && g.move[n*g.w+m] == missing {
			continue // further up, and no other than above
		}
		if p := g.score[i*g.w+m]; p > best || p == best && endJ < m {
			endI, endJ, best = i, m, p
		}
	}
	if g.pinned && endJ < m {
		for i := n - 1; i >= 1 && 2*i >= n; i-- {
			if a := g.trace(i, m); a.at[i-1] == m-1 && a.flawless(i, g.sights[0].clipped) {
				return a
			}
		}
	}
	return g.trace(endI, endJ)
}

// flawless reports that the first n sights are known beyond doubt, in an
// unbroken run; a clipped first one says nothing.
func (a *alignment) flawless(n int, clipped bool) bool {
	from := 0
	if clipped {
		from = 1
	}
	for i := from; i < n; i++ {
		if !a.sure[i] || i > from && a.at[i] != a.at[i-1]+1 {
			return false
		}
	}
	return n > from
}

// trace follows the path back from a cell.
func (g *grid) trace(i, j int) alignment {
	n, m := len(g.sights), len(g.tail)
	a := alignment{at: make([]int, n), sure: make([]bool, n), fresh: n, end: j == m}
	for k := range a.at {
		a.at[k] = -1
	}
	a.score = int(g.score[i*g.w+j])
	if a.score <= never/2 {
		a.score, a.end = never, false
		return a
	}
	a.fresh = i
	for i > 0 && j > 0 {
		switch g.move[i*g.w+j] {
		case began, matched:
			a.at[i-1] = j - 1
			if g.same[(i-1)*m+j-1] {
				a.sure[i-1] = true
				a.same++
			}
			if g.move[i*g.w+j] == began {
				return a
			}
			i, j = i-1, j-1
		case extra:
			i--
		case missing:
			j--
		default:
			return a
		}
	}
	return a
}
