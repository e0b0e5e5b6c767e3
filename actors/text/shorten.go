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
