package landmarks

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// teach shows faces to a baseline, 10 pictures a second, with a tracker's noise and a
// blink every four seconds.
func teach(b *Baseline, d time.Duration, ear float64, edits ...func(*Face)) {
	rng := rand.New(rand.NewPCG(1, uint64(d)))
	for n := range int(d / tenth) {
		f := open(edits...)
		if f.EAR = ear + 0.01*rng.NormFloat64(); n%40 < 2 {
			f.EAR = ear * 0.4
		}
		b.learn(&usual, &f, tenth)
	}
}

func yawed(degrees float64) func(*Face) { return func(f *Face) { f.Yaw = degrees } }

// A turned head has a larger EAR, a yawning one a smaller, and a face that nobody has is
// none: nothing is learnt from them.
func TestOnlyFrontalPlausibleFacesAreLearnt(t *testing.T) {
	for name, edit := range map[string]func(*Face){
		"turned": yawed(-20), "bent": func(f *Face) { f.Pitch = 20 }, "yawning": func(f *Face) { f.MAR = 0.61 },
		"too wide": func(f *Face) { f.EAR = 0.46 }, "too narrow": func(f *Face) { f.EAR = 0.14 },
	} {
		var b Baseline
		f := open(edit)
		b.learn(&usual, &f, time.Minute)
		if b.Learnt != 0 || b.Known(&usual) {
			t.Errorf("a face that is %s: learnt %+v, want nothing", name, b)
		}
	}
	var b Baseline
	teach(&b, 64*time.Second, 0.38, yawed(45)) // looks at a colleague while Kehai starts
	teach(&b, 2*time.Minute, 0.24)
	if got := b.Open(&usual); !near(got, 0.24, 0.015) {
		t.Errorf("Open() = %v after a minute turned and two facing, want 0.24", got)
	}
}

// A norm that was learnt from somebody else goes, up as well as down.
func TestBaselineRecovers(t *testing.T) {
	for _, c := range []struct{ from, to float64 }{{0.36, 0.19}, {0.36, 0.17}, {0.45, 0.2}, {0.16, 0.3}, {0.2, 0.36}} {
		b := Baseline{Openness: c.from, Learnt: 10 * time.Hour}
		teach(&b, 10*time.Minute, c.to)
		if got := b.Open(&usual); math.Abs(got-c.to) > 0.55*math.Abs(c.from-c.to) {
			t.Errorf("from %v to %v: Open() = %v after the half-life, want at most half of the way left", c.from,
				c.to, got)
		}
		teach(&b, 40*time.Minute, c.to)
		if got := b.Open(&usual); !near(got, c.to, 0.02) {
			t.Errorf("from %v to %v: Open() = %v after 50 minutes", c.from, c.to, got)
		}
		if got := b.Closure(&usual, c.to); got > 0.15 {
			t.Errorf("from %v to %v: open eyes are shut by %v after 50 minutes", c.from, c.to, got)
		}
	}
}

// A sleeping person does not teach that shut eyes are open.
func TestSleepIsNotLearnt(t *testing.T) {
	b := Baseline{Openness: 0.3, Learnt: time.Hour}
	teach(&b, 2*time.Hour, 0.1)
	if got := b.Open(&usual); got != 0.3 {
		t.Errorf("Open() = %v after two hours of sleep, want 0.3", got)
	}
}
