package fusion

// Delta returns the lines that were not there before. Where all of them were,
// though the text has changed, the reader has broken lines elsewhere: that is no
// news if something else knows what was passed on (known: a cursor), otherwise
// all lines go on and the next stage decides.
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
