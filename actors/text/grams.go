package text

import (
	"slices"
	"unicode/utf8"
)

// Grams is a set of 3-grams of characters, sorted. A text of fewer than three
// characters has an empty set.
type Grams []uint64

// GramsOf returns the set of a text as given: normalise it first.
func GramsOf(s string) Grams { return appendGrams(nil, s) }

// appendGrams puts three runes of 21 bits into each element.
func appendGrams(g Grams, s string) Grams {
	const mask = 1<<63 - 1
	var window uint64
	n := 0
	for _, r := range s {
		window = (window<<21 | uint64(r)) & mask
		if n++; n >= 3 {
			g = append(g, window)
		}
	}
	slices.Sort(g)
	return slices.Compact(g)
}

// Similarity is 2·|common| / (|g|+|h|), from 0 to 1; 0 if both are empty.
func (g Grams) Similarity(h Grams) float64 {
	if len(g)+len(h) == 0 {
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(g) && j < len(h); {
		switch {
		case g[i] == h[j]:
			common++
			i++
			j++
		case g[i] < h[j]:
			i++
		default:
			j++
		}
	}
	return 2 * float64(common) / float64(len(g)+len(h))
}

// Similarity compares two texts as given by their sets of 3-grams of characters. Equal
// texts have 1, even if they are too short for a 3-gram.
func Similarity(a, b string) float64 {
	if a == b {
		return 1
	}
	var bufA, bufB [160]uint64
	return appendGrams(bufA[:0], a).Similarity(appendGrams(bufB[:0], b))
}

// runes counts characters.
func runes(s string) int { return utf8.RuneCountInString(s) }
