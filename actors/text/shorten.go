package text

// Shorten keeps a text within so many runes, at least one: of a longer one the last is "…".
func Shorten[T ~string](s T, runes int) T {
	if len(First(s, runes)) == len(s) {
		return s
	}
	return First(s, runes-1) + "…"
}

// First returns the first runes of a text.
func First[T ~string](s T, runes int) T {
	for i := range s {
		if runes <= 0 {
			return s[:i]
		}
		runes--
	}
	return s
}

// Ends returns a text of at most so many runes, 3 or more: of a longer one its beginning and
// its end, with a line break between them.
func Ends[T ~string](s T, runes int) T {
	all := []rune(string(s))
	if len(all) <= runes {
		return s
	}
	half := (runes - 1) / 2
	return T(all[:half]) + "\n" + T(all[len(all)-half:])
}
