package landmarks

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// series is the EAR of a person in front of a common tracker, 30 pictures a second, with
// the statistics of a measured series: 36 blinks in 186 s; eyes of 0.35 to 0.42 that
// drift; neighbours that differ by 2 in a hundred, some not at all; blinks that fall by
// 20 to 33 in a hundred within two pictures, stay there for four to eight, rise to nine
// tenths within five, and to all of it over twenty; and glances down, by 10 in a hundred, that are no blinks.
func series(seed uint64) (ears []float64) {
	rng := rand.New(rand.NewPCG(seed, 36))
	uniform := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	const blinks, pictures = 36, 186 * 30
	factor := make([]float64, pictures)
	for i := range factor {
		factor[i] = 1
	}
	dip := func(from int, depth float64, stays int) {
		for i := 0; i < stays+20 && from+i < pictures; i++ {
			rising := -max(0, float64(i-stays))
			share := 0.75*math.Exp(rising/2.5) + 0.25*math.Exp(rising/12)
			if i == 0 {
				share = uniform(0.6, 1)
			}
			factor[from+i] = min(factor[from+i], 1-depth*share)
		}
	}
	for n := range blinks {
		from := 45 + n*pictures/blinks + rng.IntN(60)
		dip(from, uniform(0.2, 0.33), 4+rng.IntN(5))
		if n%3 == 0 {
			dip(from+60, uniform(0.06, 0.1), 4)
		}
	}
	level, last := 0.385, 0.0
	for _, f := range factor {
		level += 0.0006*rng.NormFloat64() + 0.002*(0.385-level)
		if ear := level*f + 0.0055*rng.NormFloat64(); last == 0 || f < 0.98 || rng.IntN(6) > 0 {
			last = ear
		}
		ears = append(ears, last)
	}
	return ears
}

func TestBlinksOfASeries(t *testing.T) {
	for seed := range uint64(20) {
		for _, share := range []float64{1, 0.55} { // also of narrow eyes
			var l lids
			blinks := 0
			for n, ear := range series(seed) {
				if l.blinked(&usual, ear*share, time.Duration(n)*picture, picture) {
					blinks++
				}
			}
			if blinks < 33 || blinks > 39 {
				t.Errorf("seed %d, eyes of %v: %d blinks, want 36 within a tenth", seed, 0.385*share, blinks)
			}
		}
	}
}

// The noise of a rough tracker is no blinking, nor is what lasts.
func TestNoBlinks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, ear := range map[string]func(n int) float64{
		"noise":            func(int) float64 { return 0.3 + 0.015*rng.NormFloat64() },
		"a head that nods": func(n int) float64 { return 0.3 - 0.1*float64(n/90%2) },
		"a slow droop":     func(n int) float64 { return 0.3 - 0.2*float64(n)/5400 },
	} {
		var l lids
		blinks := 0
		for n := range 5400 { // three minutes
			if l.blinked(&usual, ear(n), time.Duration(n)*picture, picture) {
				blinks++
			}
		}
		if blinks > 3 {
			t.Errorf("%s: %d blinks, want none", name, blinks)
		}
	}
}

// The first minute counts as any other: nothing has to be known of the person before.
func TestBlinksOfTheFirstMinute(t *testing.T) {
	w := Window{Rules: usual}
	for n, ear := range series(3) {
		if n == 60*30 {
			break
		}
		f := open(func(f *Face) { f.EAR = ear })
		w.Add(time.Duration(n)*picture, &f)
	}
	wantNumber(t, "blinks_per_minute", w.Snapshot().BlinksPerMinute, 12, 1.5)
}
