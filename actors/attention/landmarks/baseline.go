package landmarks

import (
	"math"
	"time"
)

// Rules say when eyes count as open, shut or blinking, and a mouth as yawning. An eye
// aspect ratio (EAR) is about 0.3 for open eyes, see [Face].
type Rules struct {
	// What is usual for a person is learnt while the head is turned by less than
	// this many degrees to any side, 1 to 90: the EAR of a turned face is larger.
	// Default 20.
	Frontal float64 `yaml:"frontal" min:"1" max:"90"`

	// Smallest EAR of anybody's open eyes, 0.01 to 1. Default 0.15.
	Narrowest float64 `yaml:"narrowest" min:"0.01" max:"1"`

	// Largest EAR of anybody's open eyes, 0.01 to 1. Default 0.45.
	Widest float64 `yaml:"widest" min:"0.01" max:"1"`

	// How long a face is seen from the front before its eyes are known, 1s to 1h.
	// Default 1m.
	Learning time.Duration `yaml:"learning" min:"1s" max:"1h"`

	// Time, seen from the front, in which half of a too high norm is forgotten, 10s
	// to 24h. A too low one goes in a third of it. Default 10m.
	HalfLife time.Duration `yaml:"half_life" min:"10s" max:"24h"`

	// EAR of shut eyes as a share of that of the same eyes when open, 0 to 0.9: both
	// depend alike on glasses and on the form of the eyes. Default 0.4.
	Shut float64 `yaml:"shut" min:"0" max:"0.9"`

	// Eyes are closed from this share of the way from open to shut on, 0.1 to 1.
	// Wierwille and others, "Research on Vehicle-Based Driver Status/Performance
	// Monitoring", 1994 (P80). Default 0.8.
	Closed float64 `yaml:"closed" min:"0.1" max:"1"`

	// Drowsy from this share of a minute with closed eyes on, 0.01 to 1. Default
	// 0.15.
	Drowsy float64 `yaml:"drowsy" min:"0.01" max:"1"`

	// A blink begins where eyes are narrower by this share than a moment before,
	// 0.02 to 0.9. Many trackers smooth, and show no more of a blink than a quarter.
	// Default 0.15.
	BlinkFrom float64 `yaml:"blink_from" min:"0.02" max:"0.9"`

	// And ends where less than this share is missing, 0.01 to 0.9. Default 0.1.
	BlinkTo float64 `yaml:"blink_to" min:"0.01" max:"0.9"`

	// What lasts longer is no blink, 100ms to 5s. Default 500ms.
	LongestBlink time.Duration `yaml:"longest_blink" min:"100ms" max:"5s"`

	// A mouth is open wide above this aspect ratio, 0.1 to 3. Default 0.6.
	Yawn float64 `yaml:"yawn" min:"0.1" max:"3"`

	// For so long it is a yawn, 100ms to 30s. Default 1.5s.
	YawnAfter time.Duration `yaml:"yawn_after" min:"100ms" max:"30s"`
}

// DefaultRules returns the rules of both profiles.
func DefaultRules() Rules {
	return Rules{
		Frontal: 20, Narrowest: 0.15, Widest: 0.45, Learning: time.Minute, HalfLife: 10 * time.Minute,
		Shut: 0.4, Closed: 0.8, Drowsy: 0.15,
		BlinkFrom: 0.15, BlinkTo: 0.1, LongestBlink: 500 * time.Millisecond,
		Yawn: 0.6, YawnAfter: 1500 * time.Millisecond,
	}
}

// coldOpen is the EAR of the open eyes of a stranger: the middle of the normal range.
const coldOpen = 0.30

// Baseline is what is usual for one person at one camera. The zero value knows
// nothing. It learns only from plausible faces seen from the front. From
// Rules.Learning on it is usable, and follows slowly in both directions: a tired
// quarter of an hour does not become the norm, and a wrong norm does not stay.
type Baseline struct {
	Openness float64       `json:"openness"` // upper quartile of the EAR of open eyes
	NeutralX float64       `json:"neutral_yaw"`
	NeutralY float64       `json:"neutral_pitch"`
	Learnt   time.Duration `json:"learnt"` // how long open eyes were seen
}

// Speed of learning the pose, and its bound.
const (
	maxNeutral             = 15.0      // degrees: how far a camera can stand beside what one looks at
	fastDegrees, slowAngle = 2.0, 0.01 // degrees a second
)

// rising is how much faster a norm rises than it falls. It settles where the sum of
// what lies above, times rising, is the sum of what lies below: for the noise of a
// tracker near the upper quartile.
const rising = 3

// Open is the EAR of this person's open eyes, or the usual one until that is
// known.
func (b *Baseline) Open(r *Rules) float64 {
	if !b.Known(r) {
		return coldOpen
	}
	return b.Openness
}

// Known reports whether the person was seen for long enough.
func (b *Baseline) Known(r *Rules) bool { return b.Learnt >= r.Learning }

// Closure says how far eyes are shut: 0 is open, 1 is shut. Wide open eyes are
// below 0, eyes pressed shut above 1.
func (b *Baseline) Closure(r *Rules, ear float64) float64 {
	open := b.Open(r)
	return (open - ear) / (open * (1 - r.Shut))
}

// Neutral is where the head points when this person faces the screen.
func (b *Baseline) Neutral(r *Rules) (yaw, pitch float64) {
	if !b.Known(r) {
		return 0, 0
	}
	return b.NeutralX, b.NeutralY
}

// learn takes a picture that represents dt. At first the norm is the mean of what was
// seen, later it follows with the half-life.
func (b *Baseline) learn(r *Rules, f *Face, dt time.Duration) {
	degrees := slowAngle
	if !b.Known(r) {
		degrees = fastDegrees
	}
	if s := dt.Seconds(); math.Abs(f.Yaw) < 3*maxNeutral && math.Abs(f.Pitch) < 3*maxNeutral {
		b.NeutralX = follow(b.NeutralX, f.Yaw, degrees*s)
		b.NeutralY = follow(b.NeutralY, f.Pitch, degrees*s)
	}
	if math.Abs(f.Yaw) >= r.Frontal || math.Abs(f.Pitch) >= r.Frontal || f.MAR > r.Yawn ||
		f.EAR < r.Narrowest || f.EAR > r.Widest || dt <= 0 {
		return
	}
	if b.Learnt <= 0 {
		b.Openness = f.EAR
	}
	b.Learnt += dt
	part := max(1-math.Exp2(-dt.Seconds()/r.HalfLife.Seconds()), dt.Seconds()/b.Learnt.Seconds())
	if f.EAR > b.Openness {
		part = min(1, rising*part)
	}
	b.Openness = min(max(b.Openness+part*(f.EAR-b.Openness), r.Narrowest), r.Widest)
}

// follow moves the estimate of a median towards a new value by half a step, never past
// it and not out of the bounds of a neutral pose.
func follow(estimate, value, step float64) float64 {
	if value > estimate {
		return min(estimate+step/2, value, maxNeutral)
	}
	return max(estimate-step/2, value, -maxNeutral)
}
