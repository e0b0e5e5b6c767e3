package fusion

// Delta returns the lines that were not there before. If the text has changed but
// every line was there, the reader only broke the lines elsewhere. That is no
// news if a cursor knows what was passed on (known). Otherwise all lines go on,
// and the next stage decides.
func Delta(before, lines []string, known bool) []string {
	seen := make(map[string]bool, len(before))
	for _, line := range before {
		seen[line] = true
	}
	var out []string
	for _, line := range lines {
		if !seen[line] {
			out = append(out, line)
		}
	}
	if len(out) == 0 && !known {
		return lines
	}
	return out
}
