package text

import "slices"

// EditDistance is how many characters to insert, delete or replace to turn a into b
// (Levenshtein).
func EditDistance(a, b []rune) int { return distance(a, b, max(len(a), len(b))) }

// PartDistance is the edit distance of part to that piece of whole which is most like it.
func PartDistance(part, whole []rune) int {
	row := make([]int, len(whole)+1) // of part so far to a piece that ends here
	for i, r := range part {
		diagonal := row[0]
		row[0] = i + 1
		for j, w := range whole {
			cost := diagonal
			if r != w {
				cost = min(diagonal, row[j], row[j+1]) + 1
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return slices.Min(row)
}

// Difference is the edit distance as a share of the longer text's characters: 0 for equal
// texts, 1 for texts with nothing in common.
func Difference(a, b []rune) float64 {
	return float64(EditDistance(a, b)) / float64(max(len(a), len(b), 1))
}

// distance is the edit distance if it is at most limit, else limit+1. It computes only
// table cells within limit of the diagonal, and keeps one row: row[j] is the distance
// between the characters of a so far and the first j of b.
func distance(a, b []rune, limit int) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	for len(a) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	for len(a) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	far := limit + 1
	if len(b)-len(a) > limit {
		return far
	}
	var short [128]int // most texts need no other memory
	row := short[:]
	if len(b) >= len(short) {
		row = make([]int, len(b)+1)
	}
	row = row[:len(b)+1]
	for j := range row {
		row[j] = min(j, far)
	}
	for i, r := range a {
		from, to := max(0, i-limit), min(len(b), i+1+limit)
		diagonal, left := row[from], far
		if from == 0 {
			left = i + 1
		}
		row[from] = left
		best := left
		for j := from; j < to; j++ {
			cost := diagonal
			if r != b[j] {
				cost = min(diagonal, left, row[j+1]) + 1
			}
			diagonal, left = row[j+1], cost
			row[j+1] = cost
			best = min(best, cost)
		}
		if best > limit {
			return far
		}
	}
	return min(row[len(b)], far)
}
