package engine

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestBackoffBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 80; n++ {
		want := 30 * time.Second
		if n <= 9 {
			want = 100 * time.Millisecond << (n - 1)
		}
		low, high := want*8/10, want*12/10
		least, most := high, low
		for range 500 {
			d := backoff(n, rng)
			if d < low || d > high {
				t.Fatalf("backoff(%d) = %v, want %v to %v", n, d, low, high)
			}
			least, most = min(least, d), max(most, d)
		}
		if least > want*85/100 || most < want*115/100 {
			t.Errorf("backoff(%d) came out from %v to %v, want it spread over %v to %v", n, least, most, low, high)
		}
	}
}

func TestBudget(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b restartBudget
	now := goldenTime
	for i := 1; i <= 10; i++ {
		if delay, changed := b.failed(now, "x", rng); changed || delay > 36*time.Second {
			t.Errorf("failed() number %d = %v, %v, want a healthy backoff", i, delay, changed)
		}
		now = now.Add(time.Second)
	}
	if delay, changed := b.failed(now, "last", rng); delay != 30*time.Second || !changed || b.reason != "last" {
		t.Errorf("failed() number 11 = %v, %v, want 30s and unhealthy", delay, changed)
	}
	if delay, changed := b.failed(now, "x", rng); delay != 30*time.Second || changed {
		t.Errorf("failed() number 12 = %v, %v, want 30s and no second report", delay, changed)
	}
	if !b.worked() || b.worked() {
		t.Errorf("worked() does not report health exactly once")
	}
	if delay, changed := b.failed(now, "x", rng); changed || delay > 120*time.Millisecond {
		t.Errorf("failed() after health = %v, %v, want the first backoff", delay, changed)
	}
	if b.restarts != 13 {
		t.Errorf("restarts = %d, want 13", b.restarts)
	}
}

// An actor that meets nothing but poisonous messages stays healthy: each takes
// its restarts with it into quarantine.
func TestQuarantinedRestartsAreFree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b restartBudget
	for message := range 20 {
		for attempt := 1; attempt <= MaxAttempts; attempt++ {
			if delay, changed := b.failed(goldenTime, "x", rng); changed || delay > 2*time.Second {
				t.Fatalf("failed() at attempt %d of message %d = %v, %v, want a healthy backoff", attempt, message,
					delay, changed)
			}
		}
		b.forgive(MaxAttempts)
	}
	if len(b.recent) != 0 || b.restarts != 100 {
		t.Errorf("%d restarts count of %d, want 0 of 100", len(b.recent), b.restarts)
	}
	b.forgive(3) // more than there are
}

// Over any course of time an actor is unhealthy exactly from its 11th counted
// restart within a minute or in a row until it works again, and no delay is above
// the cap.
func TestHealthAgainstAModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		var b restartBudget
		var at []time.Time
		unhealthy, row := false, 0
		now := goldenTime
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "s")) * time.Second)
			if rapid.IntRange(0, 9).Draw(t, "works") == 0 {
				if got := b.worked(); got != unhealthy {
					t.Fatalf("worked() = %v, want %v", got, unhealthy)
				}
				if row = 0; unhealthy {
					unhealthy, at = false, nil
				}
				continue
			}
			at = append(at, now)
			row++
			counted := 0
			for _, f := range at {
				if now.Sub(f) < time.Minute {
					counted++
				}
			}
			delay, changed := b.failed(now, "x", rng)
			spent := counted > 10 || row > 10
			if want := spent && !unhealthy; changed != want {
				t.Fatalf("failed() reports %v with %d restarts in a minute and %d in a row, want %v", changed, counted,
					row, want)
			}
			unhealthy = unhealthy || spent
			if delay < 80*time.Millisecond || delay > 36*time.Second {
				t.Fatalf("failed() = %v, want 80ms to 36s", delay)
			}
		}
	})
}
