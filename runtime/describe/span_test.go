package describe

import (
	"testing"
	"time"
)

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		720 * time.Hour: "30 days", 24 * time.Hour: "1 day", 36 * time.Hour: "36 hours", 90 * time.Minute: "1h30m0s",
		time.Second: "1s", 25*time.Hour + time.Second: "25h0m1s",
	} {
		if got := Span(d); got != want {
			t.Errorf("Span(%d) = %q, want %q", d, got, want)
		}
	}
}
