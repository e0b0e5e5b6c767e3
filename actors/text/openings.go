package text

import (
	"slices"
	"strings"
	"unicode"
)

// openingsMost is how many openings of a text are looked at.
const openingsMost = 12

// Openings lists what a text begins with, up to the end of each of its first words. A row
// of a list begins with a name, and what else it says follows: "Hana Lee, see you" opens
// with "Hana", "Hana Lee", and so on. None ends with a dash or a bar between two words.
func Openings(s string) (list []string) {
	s = strings.TrimSpace(s)
	breaks := func(c rune) bool { return unicode.IsSpace(c) || c == ',' || c == '、' }
	from := 0 // where the word begins
	for i, c := range s {
		if !breaks(c) {
			continue
		}
		if word := s[from:i]; word != "" && !slices.Contains([]string{"-", "–", "—", "|", "·"}, word) {
			list = append(list, s[:i])
		}
		from = i + len(string(c))
		if len(list) == openingsMost {
			return list
		}
	}
	if from < len(s) {
		list = append(list, s)
	}
	return list
}
