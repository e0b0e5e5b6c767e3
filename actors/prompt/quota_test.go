package prompt_test

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/prompt"
)

func TestQuota(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var q prompt.Quota
	for n, step := range []struct {
		after time.Duration
		ok    bool
	}{{0, true}, {time.Minute, true}, {2 * time.Minute, false}, {time.Hour - 1, false}, {time.Hour, true},
		{time.Hour + time.Minute, true}, {time.Hour + 2*time.Minute, false}, {-time.Hour, true}} {
		var ok bool
		if q, ok = q.Take(2, start.Add(step.after)); ok != step.ok {
			t.Errorf("step %d: Take = %v, want %v", n, ok, step.ok)
		}
	}
}
