package landmarks

import (
	"math"
	"time"
)

// Defaults before a person is known: the middle of the normal range of open eyes,
// and the share of it that shut eyes have. Shut eyes scale with open ones, since
// glasses and narrow eyes change both.
const (
	coldOpen    = 0.30
	closedShare = 0.4
)

// Baseline is what is usual for one person at one camera. The zero value knows
// nothing. A baseline is usable after a minute of open eyes. From then on it
// adapts slowly, over tens of minutes, so that a tired hour does not become the
// norm.
type Baseline struct {
	Openness float64       `json:"openness"` // upper quartile of the EAR of open eyes
	NeutralX float64       `json:"neutral_yaw"`
	NeutralY float64       `json:"neutral_pitch"`
	Learnt   time.Duration `json:"learnt"` // how long open eyes were seen
}

// Bounds of a baseline and the speed of its learning.
const (
	learning               = time.Minute
	lowOpen, highOpen      = 0.15, 0.45
	maxNeutral             = 15.0 // degrees: how far a camera can stand beside what one looks at
	fastOpen, slowOpen     = 0.02, 0.00017
	fastDegrees, slowAngle = 2.0, 0.01 // degrees a second
)

// Open is the EAR of this person's open eyes, or the usual one until that is
// known.
func (b *Baseline) Open() float64 {
	if !b.Known() {
		return coldOpen
	}
	return b.Openness
}

// Known reports whether the person was seen for long enough.
func (b *Baseline) Known() bool { return b.Learnt >= learning }

// Closure says how far eyes are shut: 0 is open, 1 is shut. Wide open eyes are
// below 0, eyes pressed shut above 1. Wierwille and others, "Research on
// Vehicle-Based Driver Status/Performance Monitoring", 1994, count eyes as closed
// from 0.8 on (P80).
func (b *Baseline) Closure(ear float64) float64 {
	open := b.Open()
	return (open - ear) / (open * (1 - closedShare))
}

// Neutral is where the head points when this person faces the screen.
func (b *Baseline) Neutral() (yaw, pitch float64) {
	if !b.Known() {
		return 0, 0
	}
	return b.NeutralX, b.NeutralY
}

// learn takes a picture that represents dt. Each value moves up or down at a
// fixed speed, weighted so that it settles at its quantile: a stochastic
// approximation in constant memory.
func (b *Baseline) learn(f *Face, dt time.Duration) {
	if b.Learnt == 0 {
		b.Openness = coldOpen
	}
	open, degrees := slowOpen, slowAngle
	if !b.Known() {
		open, degrees = fastOpen, fastDegrees
	}
	s := dt.Seconds()
	if math.Abs(f.Yaw) < 3*maxNeutral && math.Abs(f.Pitch) < 3*maxNeutral {
		b.NeutralX = follow(b.NeutralX, f.Yaw, 0.5, degrees*s, -maxNeutral, maxNeutral)
		b.NeutralY = follow(b.NeutralY, f.Pitch, 0.5, degrees*s, -maxNeutral, maxNeutral)
	}
	// Before the person is known, shut eyes cannot be told from open ones, but
	// blinks are too short to move an upper quartile.
	if !b.Known() || b.Closure(f.EAR) < blinkFrom {
		b.Openness = follow(b.Openness, f.EAR, 0.75, open*s, lowOpen, highOpen)
		b.Learnt += dt
	}
}

// follow moves the estimate of a quantile towards a new value, never past it.
func follow(estimate, value, quantile, step, lo, hi float64) float64 {
	if value > estimate {
		return min(estimate+step*quantile, value, hi)
	}
	return max(estimate-step*(1-quantile), value, lo)
}
