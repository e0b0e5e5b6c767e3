package describe

import (
	"fmt"
	"time"
)

// Span is a long time as people say it: "30 days", "36 hours", and short ones as
// they are.
func Span(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d == day:
		return "1 day"
	case d > day && d%day == 0:
		return fmt.Sprintf("%d days", d/day)
	case d > time.Hour && d%time.Hour == 0:
		return fmt.Sprintf("%d hours", d/time.Hour)
	}
	return d.String()
}
