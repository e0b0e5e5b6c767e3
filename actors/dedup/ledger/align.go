package ledger

// alignment says where a view belongs in the tail.
type alignment struct {
	score   Score
	like    Score // of it, what texts give that are only like each other
	known   int   // observations recognised beyond doubt
	at      []int // for each observation the index of its entry, -1 for none
	sure    []bool
	fresh   int  // index of the first observation after the tail's end; len(at) if there is none
	reaches bool // the view reaches the tail's end
}

// around returns the nearest observations above and below i that have an entry,
// -1 for none.
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

// explainsAll reports whether every observation has an entry, and nothing contradicts it.
func (a *alignment) explainsAll() bool {
	for _, j := range a.at {
		if j < 0 {
			return false
		}
	}
	return a.score >= weights[unreadable].score*Score(len(a.at))
}

// anchored reports whether the alignment can be trusted. It needs one certain match, or
// two unreadable bubbles of the same size, or it must explain everything, as with
// animated stickers alone. Texts that are only like each other anchor nothing, however many: "item 12"
// follows "item 11".
func (a *alignment) anchored() bool {
	return a.score > 0 && (a.known > 0 || a.score-a.like >= anchoring || a.explainsAll())
}

// stance is what is known about the position of a view.
type stance struct {
	newest   bool // at the window's newest position, as far as its picture tells
	sawEnd   bool // the window's last view showed the newest entry
	complete bool // it shows the transcript from its beginning
	whole    bool // the tail has the transcript from its beginning
	scale    float64
	notices  bool // nothing vanishes without a notice
}

// align lays observations along the tail: the path with the highest score that
// ends at the last observation (scrolled back, or nothing new) or at the tail's
// end (what is left of the view is new). Among equals the one nearest to the
// tail's end wins, then the longest.
//
// The newest position speaks against a view further up. Repeats can look like one
// ("OK, so, OK, so"): an unbroken path to the tail's end that explains at least
// half of the view wins.
//
// If the window's last view showed the newest entry, that has not vanished before:
// what stands in its place is taken for it, edited.
//
// An edit can make a text equal to another one, or tell equal ones apart. Then
// the repeats look like a view that has moved. One bubble that is said once only,
// or the transcript's beginning, shows that it has not: among known ones another
// text is an edit then. But nobody edits many messages between two views: they are
// others then, and only an unbroken overlap counts. An application may set late messages
// above others, which moves what stands above them: where that explains all, it counts. It
// may show some in another order, too: then the observations are put back into the tail's.
func align(list []observation, tail []Entry, at stance) alignment {
	g := newGrid(list, tail, at)
	// Most views repeat known texts to the letter: only what is left over then
	// needs the slow comparison.
	for i := range list {
		g.compare(i, false)
	}
	a := g.solve()
	if a.known == len(list) {
		return a
	}
	if g.reorder() {
		a = g.solve()
	}
	anchored := a.anchored()
	for i := range list {
		if !anchored || !a.sure[i] {
			g.compare(i, true)
		}
	}
	a = g.solve()
	many := false
	if g.expectEdits() {
		switch b := g.solve(); {
		case !at.complete && !g.pinned(&b):
		case g.edited(&b) > mostEdits:
			many = true
		default:
			a = b
		}
	}
	c := g.claimed(&a)
	if many || c.edits > 1 {
		if b, ok := g.parted(); ok {
			return b
		}
	}
	if !at.complete && c.incredible() {
		return g.slide()
	}
	return a
}

// Moves of a path through the grid of observations and entries.
const (
	noMove int8 = iota
	began       // a pair, the path's first
	paired
	skippedObservation
	skippedEntry
)

// grid is the table of all ways to lay observations along a tail. Cells are numbered
// observation*width+entry, counting both from 1.
type grid struct {
	stance
	list   []observation
	tail   []Entry
	rarity []Score
	slid   bool // what stands above the last observation may have moved up by any number

	pair []Score // of each observation with each entry
	sure []bool  // whether the pair is certainly the same
	like []bool  // whether its texts are only like each other

	width int
	score []Score // of the best path to a cell
	move  []int8  // its last move
	miss  []Score // of each missing entry
}

func newGrid(list []observation, tail []Entry, at stance) *grid {
	n, m := len(list), len(tail)
	g := &grid{
		stance: at, list: list, tail: tail, rarity: rarities(tail), width: m + 1,
		pair: make([]Score, n*m), sure: make([]bool, n*m), like: make([]bool, n*m), miss: make([]Score, m),
		score: make([]Score, (n+1)*(m+1)), move: make([]int8, (n+1)*(m+1)),
	}
	for j := range tail {
		switch {
		case tail[j].Gone:
		case at.notices:
			g.miss[j] = missingNotice
		default:
			g.miss[j] = missing
		}
	}
	g.slid = !at.complete && n > countlessFrom && m > 0 && countless(list[:n-1]) &&
		equal(list[n-2].text(), tail[m-1].text(), false)
	return g
}

// compare weighs an observation against each entry.
func (g *grid) compare(i int, fuzzy bool) {
	row, o := i*len(g.tail), &g.list[i]
	for j := range g.tail {
		e := &g.tail[j]
		r := relate(o, e, fuzzy)
		sum := score(r, o, e, g.rarity[j])
		if fuzzy && g.sawEnd && !g.slid && sum < editedNewest && j == len(g.tail)-1 && inPlaceOf(o, e) {
			sum = editedNewest
		}
		g.pair[row+j], g.sure[row+j] = sum, weights[r].sure
		g.like[row+j] = r == similarText || r == similarLetters
	}
}

// expectEdits makes edits of known messages more likely, except for the newest, about
// which more is known. It reports whether it changed anything.
func (g *grid) expectEdits() (changed bool) {
	m := len(g.tail)
	for i := range g.list {
		for j := range m - 1 {
			if p := &g.pair[i*m+j]; *p == weights[different].score && replaces(&g.list[i], &g.tail[j]) {
				*p, changed = editedInPlace, true
			}
		}
	}
	return changed
}

// mostEdits is how many messages may get quite other texts between two views.
const mostEdits = 3

// edited counts the observations that an alignment takes for edits because of their place alone.
func (g *grid) edited(a *alignment) (n int) {
	for i, j := range a.at {
		if j >= 0 && g.pair[i*len(g.tail)+j] == editedInPlace {
			n++
		}
	}
	return n
}

// pinned reports whether an alignment has an observation that is recognised beyond doubt
// and is unique, in the view and in the tail.
func (g *grid) pinned(a *alignment) bool {
	m := len(g.tail)
	for i, j := range a.at {
		if j < 0 || !a.sure[i] {
			continue
		}
		unique := true
		for k := range a.at {
			unique = unique && (k == i || !g.sure[k*m+j])
		}
		for k := range m {
			unique = unique && (k == j || !g.sure[i*m+k])
		}
		if unique {
			return true
		}
	}
	return false
}

// solve finds the best path.
func (g *grid) solve() alignment {
	g.fill()
	n, m := len(g.list), len(g.tail)
	endI, endJ := n, m
	for j := m; j >= 1; j-- {
		if g.score[n*g.width+j] > g.score[endI*g.width+endJ] {
			endI, endJ = n, j
		}
	}
	best := g.score[endI*g.width+endJ]
	if g.newest && endJ < m {
		best += scrolledBack
	}
	for i := n; i >= 1; i-- {
		if i == n && g.move[n*g.width+m] == skippedEntry {
			continue // further up: only the one above counts
		}
		if p := g.score[i*g.width+m]; p > best || p == best && endJ < m {
			endI, endJ, best = i, m, p
		}
	}
	if g.newest && endJ < m {
		for i := n - 1; i >= 1 && 2*i >= n; i-- {
			if a := g.trace(i, m); a.at[i-1] == m-1 && a.unbroken(i, g.list[0].clipped) {
				return a
			}
		}
	}
	return g.trace(endI, endJ)
}

// fill computes the best path to each cell.
func (g *grid) fill() {
	m := len(g.tail)
	for c := range g.score {
		g.score[c], g.move[c] = impossible, noMove
	}
	for i, lead := range g.leads() {
		skipped := Score(0) // the entries before, for a view from the beginning
		for j := range m {
			c := (i+1)*g.width + j + 1
			best, move := impossible, noMove
			if pair := g.pair[i*m+j]; pair > impossible {
				best, move = pair+lead+skipped, began
				if lead < 0 && j > 0 && !g.tail[j].Gap {
					best += unknownInside
				}
				if p := g.score[c-g.width-1] + pair; p >= best {
					best, move = p, paired
				}
			}
			if p := g.score[c-g.width] + g.extra(i, j); p > best {
				best, move = p, skippedObservation
			}
			if p := g.score[c-1] + g.miss[j]; p > best {
				best, move = p, skippedEntry
			}
			g.score[c], g.move[c] = best, move
			if g.complete {
				skipped += g.miss[j]
			}
		}
	}
}

// leads returns the score of a path that begins with each observation: those before it
// are unknown.
func (g *grid) leads() []Score {
	out := make([]Score, len(g.list))
	before := Score(0)
	for i := range g.list {
		if before > 0 {
			out[i] = unknownBefore + eachUnknownBefore*min(before, maxUnknownBefore)
			if g.whole {
				out[i] = extraNoRoom
			}
		}
		if !g.list[i].clipped {
			before++
		}
	}
	return out
}

// extra is the score of an unknown observation between entries j and j+1. A bubble that
// was overlooked earlier left room there.
func (g *grid) extra(i, j int) Score {
	switch o := &g.list[i]; {
	case o.clipped:
		return 0
	case o.Gone:
		return extraNoRoom
	case j+1 < len(g.tail) && g.tail[j+1].Above > 0 && float64(g.tail[j+1].Above)*g.scale < float64(o.H):
		return extraNoRoom
	}
	return extraBubble
}

// unbroken reports whether the first n observations are recognised beyond doubt, one
// after the other. A clipped first one does not count.
func (a *alignment) unbroken(n int, clipped bool) bool {
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
	n, m := len(g.list), len(g.tail)
	a := alignment{at: make([]int, n), sure: make([]bool, n), fresh: n, reaches: j == m}
	for k := range a.at {
		a.at[k] = -1
	}
	a.score = g.score[i*g.width+j]
	if a.score <= impossible/2 {
		a.score, a.reaches = impossible, false
		return a
	}
	a.fresh = i
	for i > 0 && j > 0 {
		switch g.move[i*g.width+j] {
		case began, paired:
			a.at[i-1] = j - 1
			switch c := (i-1)*m + j - 1; {
			case g.sure[c]:
				a.sure[i-1] = true
				a.known++
			case g.like[c]:
				a.like += g.pair[c]
			}
			if g.move[i*g.width+j] == began {
				return a
			}
			i, j = i-1, j-1
		case skippedObservation:
			i--
		case skippedEntry:
			j--
		default:
			return a
		}
	}
	return a
}
