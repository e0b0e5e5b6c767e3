package attention_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/attention"
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
		{"distracted, not in a row", 0.75, []messages.Attention{f, d, f, d, f, d},
			[]messages.Attention{f, f, f, f, f, f}},
		{"two of the weakest", 0.5, []messages.Attention{f, d, d}, []messages.Attention{f, f, d}},
		{"two of the strongest", 1, []messages.Attention{f, a, a}, []messages.Attention{f, f, a}},
		{"three for one of no confidence", 0, []messages.Attention{f, d, d, d}, []messages.Attention{f, f, f, d}},
		{"others do not help", 0.9, []messages.Attention{f, d, z, a, d, z}, []messages.Attention{f, f, f, f, f, f}},
		{"nothing known takes two", 0, []messages.Attention{f, u, u}, []messages.Attention{f, f, u}},
		{"the second change takes longer", 0.9, []messages.Attention{f, a, a, f, f, f},
			[]messages.Attention{f, f, a, a, a, f}},
	} {
		var s attention.Debouncer
		for i, in := range c.in {
			before := s.Reported()
			changed := s.Take(judged(in, c.confidence, i))
			if s.Reported() != c.want[i] || changed && i > 0 && s.Reported() == before {
				t.Errorf("%s: after %v reported %s, %v, want %s", c.name, c.in[:i+1], s.Reported(), changed, c.want[i])
			}
		}
	}
}

// Each change within an hour makes the next one take longer.
func TestUnrest(t *testing.T) {
	var s attention.Debouncer
	s.Take(judged(messages.Focused, 1, 0))
	n, state := 0, messages.Away
	var took []int
	for range 8 {
		began := n
		for !s.Take(judged(state, 1, n)) {
			n++
		}
		n++
		took = append(took, n-began)
		if state = messages.Focused; s.State == messages.Focused {
			state = messages.Away
		}
	}
	if want := []int{2, 3, 4, 6, 8, 12, 120, 120}; !slices.Equal(took, want) {
		t.Errorf("changes as fast as they go took %v judgements, want %v", took, want)
	}
	n += 400 // more than an hour
	if s.Take(judged(messages.Drowsy, 1, n)) || !s.Take(judged(messages.Drowsy, 1, n+1)) {
		t.Error("a change after a calm hour did not take two judgements")
	}
}

// noise is a source of correlated values: a first-order autoregressive process for
// each of the values that a moment draws.
type noise struct {
	rng  *rand.Rand
	rho  float64 // of neighbours
	last []float64
	next int
}

func newNoise(seed uint64, rho float64) *noise {
	return &noise{rng: rand.New(rand.NewPCG(seed, 7)), rho: rho}
}

func (n *noise) normal() float64 {
	v := n.rng.NormFloat64()
	if n.next == len(n.last) {
		n.last = append(n.last, v)
	}
	n.last[n.next] = n.rho*n.last[n.next] + math.Sqrt(1-n.rho*n.rho)*v
	n.next++
	return n.last[n.next-1]
}

// uniform is from 0 to 1.
func (n *noise) uniform() float64 { return math.Erfc(-n.normal()/math.Sqrt2) / 2 }

// person makes noisy snapshots around means that lie on or near the bounds of
// the rules, which is where judgements flicker.
type person struct {
	name                              string
	ear, yaw, pitch, gone, idle, keys float64
	spread                            float64 // of each around its mean, as a share of what is usual
	yawn, drop, blind                 float64 // probabilities at each moment
}

// people are persons whose judgements flicker.
var people = []person{
	{name: "calm", ear: 0.31, idle: 5, keys: 80, spread: 1},
	{name: "eyes at the bound", ear: 0.27, idle: 5, keys: 80, spread: 1},
	{name: "turned to the bound of the fallback", ear: 0.31, yaw: 45, idle: 5, keys: 60, spread: 1},
	{name: "a tracker that loses the face", ear: 0.31, idle: 5, keys: 60, spread: 1, drop: 0.5},
	{name: "mostly gone", ear: 0.31, gone: 0.7, idle: 60, spread: 1},
	{name: "tired", ear: 0.24, idle: 40, spread: 2, yawn: 0.4},
	{name: "a camera that fails", ear: 0.3, idle: 61, spread: 1, blind: 0.5},
	{name: "everything at once", ear: 0.26, yaw: 40, pitch: 20, gone: 0.65, idle: 60, spread: 3, yawn: 0.3, drop: 0.3,
		blind: 0.3},
}

func (p person) look(n *noise) attention.Look {
	n.next = 0
	near := func(mean, width float64) messages.Maybe[float64] {
		return messages.Just(mean + n.normal()*width*p.spread)
	}
	share := func(mean float64) messages.Maybe[float64] {
		return messages.Just(min(max(near(mean, 0.1).Value, 0), 1))
	}
	c := &messages.CameraSnapshot{
		FaceDetected: messages.Just(n.uniform() >= p.drop), FaceNotDetectedRatio: share(p.gone),
		EARAverage:    near(p.ear, 0.02),
		PerclosDrowsy: messages.Just(n.uniform() < p.yawn/2), Yawning: messages.Just(n.uniform() < p.yawn),
		HeadPose: messages.HeadPose{Yaw: near(p.yaw, 12), Pitch: near(p.pitch, 8)},
	}
	idle := messages.Just(max(0, near(p.idle, 20).Value))
	u := &messages.UsageSnapshot{
		ActiveApp: "Code", IdleSeconds: idle, IsIdle: messages.Just(idle.Value > 60),
		KeyboardRateWindow:  messages.Just(max(0, near(p.keys, 30).Value)),
		AppSwitchesInWindow: messages.Just(int(10 * n.uniform())),
		UniqueAppsInWindow:  messages.Just(int(7 * n.uniform())),
	}
	l := attention.Look{Camera: c, Usage: u}
	if n.uniform() < p.blind {
		l.Camera = nil
	}
	return l
}

// judge judges a moment without a language model.
func judge(r *attention.Rules, l attention.Look, n int) messages.FocusState {
	state, clear := r.Judge(l)
	if !clear {
		state = r.Fallback(l)
	}
	state.At = noon.Add(time.Duration(n) * tick)
	return state
}

// A certain state is reported with the second judgement, whatever happened in the hour
// before. Certain changes do not slow down uncertain ones.
func TestCertainChangesTakeTwo(t *testing.T) {
	var s attention.Debouncer
	n := 0
	take := func(state messages.Attention, by messages.FocusSource, confidence float64) bool {
		j := judged(state, confidence, n)
		j.Source = by
		n++
		return s.Take(j)
	}
	take(messages.Focused, messages.FromRule, 0.9)
	for range 20 { // breaks, each seen by the camera
		for _, state := range []messages.Attention{messages.Away, messages.Focused} {
			if take(state, messages.FromRule, 0.9) || !take(state, messages.FromRule, 0.9) {
				t.Fatalf("%s by rule did not take two judgements after %d", state, n)
			}
		}
	}
	const by = messages.FromFallback
	if take(messages.Drowsy, by, 0.7) || !take(messages.Drowsy, by, 0.7) {
		t.Error("drowsy was held back by certain changes")
	}
	for state := messages.Distracted; n < 200; n++ { // until the limit of opinions is reached
		if take(state, by, 0.6) {
			state = map[messages.Attention]messages.Attention{messages.Distracted: messages.Drowsy,
				messages.Drowsy: messages.Distracted}[state]
		}
	}
	if take(messages.Away, messages.FromRule, 1) || !take(messages.Away, messages.FromRule, 1) {
		t.Error("away by rule was held back by opinions")
	}
	if take(messages.Unknown, messages.FromRule, 0) || !take(messages.Unknown, messages.FromRule, 0) ||
		take(messages.Drowsy, by, 0.7) || !take(messages.Drowsy, by, 0.7) {
		t.Error("what follows on a time without data was held back")
	}
}

// However noisy the judgements, the reported state changes at most six times in
// any hour by judgements that are not certain. This holds for noise that is independent from moment to moment and
// for noise that is correlated over minutes. Without the debouncer the same hours
// change a hundred times and more. Certain judgements are left out here.
func TestAtMostSixChangesAnHour(t *testing.T) {
	const hour = 360 // judgements
	r := rules(attention.ProfileDefault)
	for _, rho := range []float64{0, 0.5, 0.8, 0.95} {
		noisy, worst := 0, 0
		for _, p := range people {
			for seed := range uint64(12) {
				var s attention.Debouncer
				source := newNoise(seed, rho)
				var raw, steady []int // when they changed
				last := messages.Attention("")
				for n := range 3 * hour {
					state := judge(r, p.look(source), n)
					if state.State == messages.Unknown {
						continue
					}
					if last != "" && state.State != last {
						raw = append(raw, n)
					}
					last = state.State
					state.Source = messages.FromFallback
					if had := s.State != ""; s.Take(state) && had {
						steady = append(steady, n)
					}
				}
				noisy, worst = max(noisy, mostWithin(raw, hour)), max(worst, mostWithin(steady, hour))
				if n := mostWithin(steady, hour); n > 6 {
					t.Errorf(
						"%s, rho %v, seed %d: %d changes within an hour (%d without the debouncer), want at most 6",
						p.name, rho, seed, n, mostWithin(raw, hour))
				}
			}
		}
		if noisy < 60 || worst < 4 {
			t.Errorf(
				"rho %v: the noisiest hour has %d changes, %d with the debouncer, want a test that tests something",
				rho, noisy, worst)
		}
	}
}

// mostWithin is the largest number of moments within any period of a length.
func mostWithin(moments []int, length int) int {
	most, first := 0, 0
	for i, m := range moments {
		for m-moments[first] >= length {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

// A lasting state is reported in spite of the noise, however often it comes.
func TestLastingChangesAreFollowed(t *testing.T) {
	r := rules(attention.ProfileDefault)
	source := newNoise(1, 0)
	working := person{name: "working", ear: 0.3, idle: 5, keys: 80, spread: 1, drop: 0.05}
	absent := person{name: "absent", ear: 0.3, idle: 200, gone: 0.9, spread: 1, drop: 0.95}
	var s attention.Debouncer
	n := 0
	run := func(p person, ticks int) {
		for range ticks {
			s.Take(judge(r, p.look(source), n))
			n++
		}
	}
	run(working, 60)
	for i := range 6 {
		run(absent, 12)
		if s.Reported() != messages.Away {
			t.Errorf("round %d: absent for 2 minutes is reported as %s, want away", i, s.Reported())
		}
		run(working, 42)
		if s.Reported() != messages.Focused {
			t.Errorf("round %d: working for 7 minutes is reported as %s, want focused", i, s.Reported())
		}
	}
}
