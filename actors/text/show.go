package text

import (
	"strconv"
	"strings"
	"time"
)

// Duration returns the shortest form that [time.ParseDuration] reads, such as "720h".
func Duration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Quote shows a value of any length in an error.
func Quote(s string) string {
	return strconv.Quote(Shorten(s, 61))
}

// ShowPath keeps the name of a file from breaking the line of an error or a comment.
func ShowPath(s string) string {
	if q := strconv.Quote(s); q[1:len(q)-1] != s {
		return q
	}
	return s
}
