package focus_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/focus"
	"github.com/kehai-run/kehai/messages"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

const tick = 10 * time.Second

func judged(state messages.Attention, confidence float64, n int) messages.FocusState {
	return messages.FocusState{State: state, Confidence: confidence, At: noon.Add(time.Duration(n) * tick)}
}

func TestSteady(t *testing.T) {
	const f, d, a, z, u = messages.Focused, messages.Distracted, messages.Away, messages.Drowsy, messages.Unknown
	for _, c := range []struct {
		name       string
		confidence float64
		in, want   []messages.Attention
	}{
		{"the first counts at once", 0.5, []messages.Attention{f, f}, []messages.Attention{f, f}},
		{"distracted takes two", 0.75, []messages.Attention{d, d}, []messages.Attention{u, d}},
		{"distracted in a row", 0.75, []messages.Attention{f, d, d}, []messages.Attention{f, f, d}},
		{"distracted, not in a row", 0.75, []messages.Attention{f, d, f, d, f, d}, []messages.Attention{f, f, f, f, f, f}},
		{"two of the weakest", 0.5, []messages.Attention{f, d, d}, []messages.Attention{f, f, d}},
		{"two of the strongest", 1, []messages.Attention{f, a, a}, []messages.Attention{f, f, a}},
		{"three for one of no confidence", 0, []messages.Attention{f, d, d, d}, []messages.Attention{f, f, f, d}},
		{"others do not help", 0.9, []messages.Attention{f, d, z, a, d, z}, []messages.Attention{f, f, f, f, f, f}},
		{"nothing known takes two", 0, []messages.Attention{f, u, u}, []messages.Attention{f, f, u}},
		{"the second change takes longer", 0.9, []messages.Attention{f, a, a, f, f, f}, []messages.Attention{f, f, a, a, a, f}},
	} {
		var s focus.Steady
		for i, in := range c.in {
			before := s.Reported()
			changed := s.Take(judged(in, c.confidence, i))
			if s.Reported() != c.want[i] || changed && i > 0 && s.Reported() == before {
				t.Errorf("%s: after %v reported %s, %v, want %s", c.name, c.in[:i+1], s.Reported(), changed, c.want[i])
			}
		}
	}
}

func TestUnrestPasses(t *testing.T) {
	var s focus.Steady
	s.Take(judged(messages.Focused, 1, 0))
	n, state := 0, messages.Away
	for range 8 { // eight changes as fast as they go
		for !s.Take(judged(state, 1, n)) {
			n++
		}
		if state = messages.Focused; s.State == messages.Focused {
			state = messages.Away
		}
	}
	n++
	slow := n
	for !s.Take(judged(state, 1, n)) {
		n++
	}
	if got := n - slow + 1; got != 12 {
		t.Errorf("a change after 8 changes took %d judgements, want 12", got)
	}
	n += 400 // more than an hour
	if s.Take(judged(messages.Drowsy, 1, n)) || !s.Take(judged(messages.Drowsy, 1, n+1)) {
		t.Error("a change after a calm hour did not take two judgements")
	}
}

// person makes noisy snapshots around means that lie on or near the bounds of
// the rules, which is where judgements flicker.
type person struct {
	name                              string
	ear, yaw, pitch, gone, idle, keys float64
	spread                            float64 // of each around its mean, as a share of what is usual
	yawn, drop, blind                 float64 // probabilities at each moment
}

func (p person) look(rng *rand.Rand) focus.Look {
	near := func(mean, width float64) messages.Maybe[float64] {
		return messages.Just(mean + rng.NormFloat64()*width*p.spread)
	}
	share := func(mean float64) messages.Maybe[float64] {
		return messages.Just(min(max(near(mean, 0.1).Value, 0), 1))
	}
	c := &messages.CameraSnapshot{
		FaceDetected: messages.Just(rng.Float64() >= p.drop), FaceNotDetectedRatio: share(p.gone), EARAverage: near(p.ear, 0.02),
		PerclosDrowsy: messages.Just(rng.Float64() < p.yawn/2), Yawning: messages.Just(rng.Float64() < p.yawn),
		HeadPose: messages.HeadPose{Yaw: near(p.yaw, 12), Pitch: near(p.pitch, 8)},
	}
	idle := messages.Just(max(0, near(p.idle, 20).Value))
	u := &messages.UsageSnapshot{
		ActiveApp: "Code", IdleSeconds: idle, IsIdle: messages.Just(idle.Value > 60), KeyboardRateWindow: near(p.keys, 30),
		AppSwitchesInWindow: messages.Just(rng.IntN(10)), UniqueAppsInWindow: messages.Just(rng.IntN(7)),
	}
	l := focus.Look{Camera: c, Usage: u}
	if rng.Float64() < p.blind {
		l.Camera = nil
	}
	return l
}

// However noisy an hour, the reported state changes at most six times. Without
// steadying the same hours change up to a hundred times and more.
func TestAtMostSixChangesAnHour(t *testing.T) {
	people := []person{
		{name: "calm", ear: 0.31, yaw: 0, pitch: 0, idle: 5, keys: 80, spread: 1},
		{name: "eyes at the bound", ear: 0.27, idle: 5, keys: 80, spread: 1},
		{name: "turned to the bound of the fallback", ear: 0.31, yaw: 45, idle: 5, keys: 60, spread: 1},
		{name: "a tracker that loses the face", ear: 0.31, idle: 5, keys: 60, spread: 1, drop: 0.5},
		{name: "mostly gone", ear: 0.31, gone: 0.7, idle: 60, spread: 1},
		{name: "tired", ear: 0.24, idle: 40, spread: 2, yawn: 0.4},
		{name: "a camera that fails", ear: 0.3, idle: 61, spread: 1, blind: 0.5},
		{name: "everything at once", ear: 0.26, yaw: 40, pitch: 20, gone: 0.65, idle: 60, spread: 3, yawn: 0.3, drop: 0.3, blind: 0.3},
	}
	r := rules(t, focus.ProfileDefault)
	noisy := 0
	for _, p := range people {
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, 7))
			var s focus.Steady
			steady, raw := 0, 0
			last := messages.Attention("")
			for n := range 360 {
				l := p.look(rng)
				state, clear := r.Judge(l)
				if !clear {
					state = r.Fallback(l)
				}
				state.At = noon.Add(time.Duration(n) * tick)
				if last != "" && state.State != last {
					raw++
				}
				last = state.State
				if s.Take(state) && n > 0 {
					steady++
				}
			}
			noisy = max(noisy, raw)
			if steady > 6 {
				t.Errorf("%s, seed %d: %d changes in an hour (%d without steadying), want at most 6", p.name, seed, steady, raw)
			}
		}
	}
	if noisy < 100 {
		t.Errorf("the noisiest hour has %d changes without steadying, want a test that tests something", noisy)
	}
}

// What lasts is followed, in spite of the noise.
func TestLastingChangesAreFollowed(t *testing.T) {
	r := rules(t, focus.ProfileDefault)
	rng := rand.New(rand.NewPCG(1, 2))
	working := person{name: "working", ear: 0.3, idle: 5, keys: 80, spread: 1, drop: 0.05}
	absent := person{name: "absent", ear: 0.3, idle: 200, gone: 0.9, spread: 1, drop: 0.95}
	var s focus.Steady
	n := 0
	run := func(p person, ticks int) {
		for range ticks {
			l := p.look(rng)
			state, clear := r.Judge(l)
			if !clear {
				state = r.Fallback(l)
			}
			state.At = noon.Add(time.Duration(n) * tick)
			s.Take(state)
			n++
		}
	}
	for i := range 4 {
		run(working, 60)
		if s.Reported() != messages.Focused {
			t.Errorf("round %d: working for 10 minutes is reported as %s, want focused", i, s.Reported())
		}
		run(absent, 12)
		if s.Reported() != messages.Away {
			t.Errorf("round %d: absent for 2 minutes is reported as %s, want away", i, s.Reported())
		}
	}
}
