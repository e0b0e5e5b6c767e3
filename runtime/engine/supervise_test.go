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
	if !b.worked(now) || b.worked(now) {
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
	if p := b.part(goldenTime); p.failed != 0 || p.turns != 0 || b.restarts != 100 {
		t.Errorf("%d restarts count of %d, want 0 of 100", p.failed, b.restarts)
	}
	b.forgive(3) // more than there are
}

// An actor runs at a rate and fails a share of its turns, spread evenly.
func TestBudgetIsAShare(t *testing.T) {
	for _, c := range []struct {
		perSecond int
		percent   int
		paused    bool
	}{
		{30, 0, false},
		{30, 3, false}, // 54 failures a minute
		{30, 20, false},
		{30, 40, true},
		{30, 60, true},
		{1, 3, false},
		{1, 15, false}, // 9 failures a minute
		{1, 60, true},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		var b restartBudget
		paused, sum := false, 0
		for turn := range c.perSecond * 180 {
			now := goldenTime.Add(time.Duration(turn) * time.Second / time.Duration(c.perSecond))
			if sum += c.percent; sum < 100 {
				b.worked(now)
				continue
			}
			sum -= 100
			_, changed := b.failed(now, "x", rng)
			paused = paused || changed
		}
		if paused != c.paused {
			t.Errorf("%d turns a second of which %d %% fail: paused %v, want %v", c.perSecond, c.percent, paused,
				c.paused)
		}
	}
}

// Failures are forgotten after a minute, and successes too.
func TestBudgetForgets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b restartBudget
	for range 1000 {
		b.worked(goldenTime)
	}
	for range 100 {
		if _, changed := b.failed(goldenTime, "x", rng); changed {
			t.Fatal("100 of 1,100 turns failed: the budget is spent, want a share of a quarter")
		}
		b.worked(goldenTime)
	}
	now := goldenTime.Add(2 * time.Minute)
	for i := range 12 {
		_, changed := b.failed(now, "x", rng)
		if want := i == 10; changed != want {
			t.Errorf("failure %d two minutes later: spent %v, want %v", i+1, changed, want)
		}
		now = now.Add(time.Second / 10)
	}
}

// Over any course of time an actor is unhealthy exactly from when more than 10 turns
// and a quarter of them have failed within a minute, or 11 in a row, until it works
// again, and no delay is above the cap.
func TestHealthAgainstAModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		var b restartBudget
		var failed, turns []int64 // the parts of the window in which they ended
		unhealthy, row := false, 0
		now := goldenTime
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "s")) * time.Second)
			part := now.Unix() / 10
			turns = append(turns, part)
			if rapid.IntRange(0, 3).Draw(t, "works") == 0 {
				if got := b.worked(now); got != unhealthy {
					t.Fatalf("worked() = %v, want %v", got, unhealthy)
				}
				if row = 0; unhealthy {
					unhealthy, failed, turns = false, nil, nil
				}
				continue
			}
			failed = append(failed, part)
			row++
			within := func(list []int64) (n int) {
				for _, p := range list {
					if part-p < 6 {
						n++
					}
				}
				return n
			}
			counted := within(failed)
			delay, changed := b.failed(now, "x", rng)
			spent := counted > 10 && 4*counted > within(turns) || row > 10
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

// People are told once which key something waits for, after a few failures in a row, and again when it is another
// one, or none any more.
func TestBudgetNamesAKeyWhenItChanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b restartBudget
	for i, c := range []struct {
		key  string // that the failure names; "-": it works
		told bool
	}{
		{"a", false}, {"a", false}, {"a", false}, {"a", true}, {"a", false},
		{"b", true}, {"b", false}, {"", true}, {"", false}, {"a", true},
		{"-", true}, {"a", false}, {"", false}, {"", false}, {"", false},
		{"a", true}, {"-", true},
	} {
		if c.key == "-" {
			if got := b.worked(goldenTime); got != c.told {
				t.Errorf("%d: worked() = %v, want %v", i, got, c.told)
			}
			continue
		}
		_, changed := b.failed(goldenTime, "x", rng)
		if named := b.names(c.key); changed || named != c.told {
			t.Errorf("%d: names(%q) = %v after %v, want %v", i, c.key, named, changed, c.told)
		}
	}
	for i := 1; i <= 12; i++ { // for another reason first
		_, changed := b.failed(goldenTime, "x", rng)
		if named := b.names(""); changed != (i == 11) || named {
			t.Errorf("failure %d: told %v, and of a key %v, want it at 11 and none", i, changed, named)
		}
	}
	if b.failed(goldenTime, "x", rng); !b.names("a") {
		t.Errorf("names() = false of something that was unhealthy, want true")
	}
}
