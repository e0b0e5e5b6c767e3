package backoff

import (
	"testing"
	"time"
)

func TestDelay(t *testing.T) {
	s := time.Second
	for _, c := range []struct {
		interval time.Duration
		failures int
		want     time.Duration
	}{
		{s, 1, s}, {s, 2, 2 * s}, {s, 5, 16 * s}, {s, 6, 30 * s}, {s, 1 << 40, 30 * s},
		{s / 2, 2, s}, {time.Minute, 3, time.Minute},
	} {
		if got := Delay(c.interval, 30*s, c.failures); got != c.want {
			t.Errorf("Delay(%v, 30s, %d) = %v, want %v", c.interval, c.failures, got, c.want)
		}
	}
}
