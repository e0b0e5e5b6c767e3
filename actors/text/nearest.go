package text

import "strings"

// Nearest returns the known word within an edit of one character in three, at
// least two for words of four and more; "" if there is none.
func Nearest(word string, known []string) string {
	word = strings.ToLower(word)
	if len(word) > 100 {
		return ""
	}
	best, bestDistance := "", 1+max(len(word)/3, min(len(word)/2, 2))
	for _, k := range known {
		lower := strings.ToLower(k)
		d := EditDistance([]rune(word), []rune(lower))
		if swapped(word, lower) {
			d = 1
		}
		if d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// swapped reports whether only two neighbouring characters have changed places.
func swapped(a, b string) bool {
	for i := range max(0, len(a)-1) {
		if a[:i]+a[i+1:i+2]+a[i:i+1]+a[i+2:] == b {
			return true
		}
	}
	return false
}
