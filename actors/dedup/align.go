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
// match it must explain everything, as animated stickers alone do.
func (a *alignment) anchored() bool {
	return a.score > 0 && (a.same > 0 || a.whole())
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
// tells. Repeats can look like a view further up ("OK, so, OK, so"); then a
// flawless path to the tail's end that explains at least half of the view wins.
func align(sights []sight, tail []Entry, pinned bool) alignment {
	n, m := len(sights), len(tail)
	g := grid{w: m + 1, score: make([]int32, (n+1)*(m+1)), move: make([]int8, (n+1)*(m+1)), same: make([]bool, n*m)}
	lead := make([]int, n) // score of beginning with sight i
	for i, k := 0, 0; i < n; i++ {
		if k > 0 {
			lead[i] = scoreLead - min(k, 8)
		}
		if !sights[i].clipped {
			k++
		}
	}
	for c := range g.score {
		g.score[c] = never
	}
	for i := 1; i <= n; i++ {
		s := &sights[i-1]
		out := int32(scoreExtra)
		if s.clipped {
			out = 0
		}
		for j := 1; j <= m; j++ {
			c := i*g.w + j
			best, move := int32(never), noMove
			if score, same := compare(s, &tail[j-1]); score > never {
				g.same[(i-1)*m+j-1] = same
				best, move = int32(score+lead[i-1]), began
				if lead[i-1] < 0 && j > 1 && !tail[j-1].Gap {
					best += scoreIsle
				}
				if p := g.score[c-g.w-1]; p+int32(score) >= best {
					best, move = p+int32(score), matched
				}
			}
			if p := g.score[c-g.w] + out; p > best {
				best, move = p, extra
			}
			if p := g.score[c-1] + scoreMissing; p > best {
				best, move = p, missing
			}
			g.score[c], g.move[c] = best, move
		}
	}
	endI, endJ := n, m
	for j := m; j >= 1; j-- {
		if g.score[n*g.w+j] > g.score[endI*g.w+endJ] {
			endI, endJ = n, j
		}
	}
	atEnd, best := n, int32(never)
	for i := n; i >= 1; i-- {
		if g.score[i*g.w+m] > best {
			atEnd, best = i, g.score[i*g.w+m]
		}
	}
	if best > g.score[endI*g.w+endJ] || best == g.score[endI*g.w+endJ] && endJ < m {
		endI, endJ = atEnd, m
	}
	if pinned && endJ < m {
		for i := n - 1; i >= 1 && 2*i >= n; i-- {
			if a := g.trace(n, i, m); a.flawless(i, sights[0].clipped) {
				return a
			}
		}
	}
	return g.trace(n, endI, endJ)
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

type grid struct {
	w     int
	score []int32
	move  []int8
	same  []bool
}

func (g *grid) trace(n, i, j int) alignment {
	m := g.w - 1
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
