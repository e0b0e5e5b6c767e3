package poller

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
)

func TestBackoff(t *testing.T) {
	s := time.Second
	for _, c := range []struct {
		interval time.Duration
		failures int
		want     time.Duration
	}{
		{s, 1, s}, {s, 2, 2 * s}, {s, 5, 16 * s}, {s, 6, 30 * s}, {s, 1 << 40, 30 * s},
		{s / 2, 2, s}, {time.Minute, 3, time.Minute},
	} {
		if got := backoff(c.interval, 30*s, c.failures); got != c.want {
			t.Errorf("backoff(%v, 30s, %d) = %v, want %v", c.interval, c.failures, got, c.want)
		}
	}
}

func TestResting(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	fail := func(r resting, hash messages.FrameHash, code string) resting {
		return r.failed(hash, code, at, time.Second, 30*time.Second)
	}
	crash := fail(fail(resting{}, 7, ""), 7, "")
	refused := fail(fail(resting{}, 7, "no_language"), 8, "no_language")
	for _, c := range []struct {
		name  string
		r     resting
		hash  messages.FrameHash
		after time.Duration
		want  bool
	}{
		{"nothing failed", resting{}, 7, 0, false},
		{"the same frame", crash, 7, 1999 * time.Millisecond, true},
		{"the same frame, later", crash, 7, 2 * time.Second, false},
		{"another frame", crash, 8, 0, false},
		{"any frame after a refusal", refused, 9, 1999 * time.Millisecond, true},
		{"any frame after a refusal, later", refused, 9, 2 * time.Second, false},
		{"failures of one frame are not another's", fail(crash, 8, ""), 8, time.Second, false},
	} {
		if got := c.r.holds(c.hash, at.Add(c.after)); got != c.want {
			t.Errorf("%s: holds(%d, +%v) = %v, want %v", c.name, c.hash, c.after, got, c.want)
		}
	}
}
