package ledger

import "slices"

// reorder puts observations into the order of the tail where an application shows known messages in another one, and
// reports whether it did. Some sort by the second: what came within one is shown the other way round once the chat is
// opened anew. Each of such a run is known beyond doubt, and stands nowhere else, and so is what stands right below;
// nothing stands above it that stands elsewhere in the tail. At the tail's end a message may have been taken back and
// said again, so there another run has to say that the application does this.
func (g *grid) reorder() bool {
	n, m := len(g.list), len(g.tail)
	is := g.certain()
	var runs [][2]int // of observations, from and to
	inside := false
	for i := 0; i < n; i++ {
		to := i + 1
		for to < n && is[to] >= 0 && is[to] == is[to-1]-1 {
			to++
		}
		if to-i > 1 && i > 0 {
			above, below := is[i-1] == is[to-1]-1, to < n && is[to] == is[i]+1
			if below && (above || is[i-1] < 0) || above && is[i] == m-1 {
				runs, inside = append(runs, [2]int{i, to}), inside || below
			}
		}
		i = to - 1
	}
	if !inside {
		return false
	}
	for _, run := range runs {
		part := g.list[run[0]:run[1]]
		places := slices.Clone(part)
		slices.Reverse(part)
		for i := range part {
			part[i].y, part[i].Above = places[i].y, places[i].Above
			g.compare(run[0]+i, false)
		}
	}
	return true
}

// certain is for each observation the entry that it certainly is, if that is no other's and has no other; else -1.
func (g *grid) certain() []int {
	n, m := len(g.list), len(g.tail)
	is, times := make([]int, n), make([]int, m)
	for i := range n {
		is[i] = -1
		for j := range m {
			if !g.sure[i*m+j] {
				continue
			}
			if times[j]++; is[i] >= 0 {
				is[i] = m // several
				continue
			}
			is[i] = j
		}
	}
	for i, j := range is {
		if j == m || j >= 0 && times[j] > 1 {
			is[i] = -1
		}
	}
	return is
}
