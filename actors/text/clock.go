package text

import (
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"
)

var (
	clockOf = regexp.MustCompile(`(?i)^(?:(午前|午後|am|pm|a\.m\.|p\.m\.)\s*)?` +
		`([0-2]?\d)\s*[:.]\s*([0-5]\d)(?:\s*[:.]\s*([0-5]\d))?(?:\s*(am|pm|a\.m\.|p\.m\.))?$`)
	kanjiOf = regexp.MustCompile(`^(?:(午前|午後)\s*)?([0-2]?\d)\s*時\s*(?:([0-5]?\d)\s*分)?$`)
)

// ClockTime returns a line that is only a clock time in normal form, such as "午後 3:05",
// "9:05 PM" or "23:59:59"; "" for any other line.
func ClockTime(line string) string {
	line = strings.TrimSpace(norm.NFKC.String(line))
	var before, hour, minute, second, after string
	if m := clockOf.FindStringSubmatch(line); m != nil {
		before, hour, minute, second, after = m[1], m[2], m[3], m[4], m[5]
	} else if m := kanjiOf.FindStringSubmatch(line); m != nil {
		before, hour, minute = m[1], m[2], fmt.Sprintf("%02s", m[3])
	} else {
		return ""
	}
	out := hour + ":" + minute
	if second != "" {
		out += ":" + second
	}
	half := func(s string) string { return strings.ReplaceAll(s, ".", "") }
	return strings.TrimSpace(half(before) + " " + out + " " + half(after))
}
