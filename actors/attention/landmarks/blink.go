package landmarks

import (
	"math"
	"time"
)

// lids counts blinks. A blink is a short fall of the EAR against what it was a moment
// before, not against what is usual for the person: pictures drift with the pose and
// the light by more than what a smoothing tracker leaves of a blink. The zero value has
// seen nothing.
type lids struct {
	open      float64 // EAR of a moment before; 0 for none yet
	jitter    float64 // mean difference of neighbouring pictures with open eyes
	last      float64 // EAR of the last picture
	shut      bool
	shutSince time.Duration
	rose      time.Duration // since when they open again, while shut; 0 for not yet
}

// How the open EAR is followed: its noise up at once, and down over a second; and how
// many times its noise a blink must be.
const (
	openRises   = 100 * time.Millisecond
	openFalls   = time.Second
	jitterOver  = 2 * time.Second
	aboveJitter = 4.0
)

// blinked takes a picture that represents dt and reports whether a blink ended with it.
func (l *lids) blinked(r *Rules, ear float64, at, dt time.Duration) bool {
	last := l.last
	l.last = ear
	if l.open <= 0 {
		l.open = ear
		return false
	}
	fall := (l.open - ear) / l.open
	switch {
	case !l.shut && fall >= max(r.BlinkFrom, aboveJitter*l.jitter/l.open):
		l.shut, l.shutSince, l.rose = true, at, 0
	case l.shut && fall < r.BlinkTo:
		l.shut = false
		return l.opening(at)-l.shutSince <= r.LongestBlink
	case l.shut && at-l.shutSince > r.LongestBlink:
		l.open += part(dt, openFalls) * (ear - l.open)
	case l.shut:
	case ear > l.open:
		l.open += part(dt, openRises) * (ear - l.open)
	default:
		l.open += part(dt, openFalls) * (ear - l.open)
	}
	switch {
	case l.shut && fall >= r.BlinkFrom:
		l.rose = 0
	case l.shut:
		l.rose = l.opening(at)
	default:
		l.jitter += part(dt, jitterOver) * (math.Abs(ear-last) - l.jitter)
	}
	return false
}

// opening is when the lids began to open again, at if they do now. A tracker that smooths
// takes longer for the rest of the way than eyes do.
func (l *lids) opening(at time.Duration) time.Duration {
	if l.rose == 0 {
		return at
	}
	return l.rose
}

// part is how much of a way is gone in dt, if it is gone with a time constant.
func part(dt, constant time.Duration) float64 { return 1 - math.Exp(-float64(dt)/float64(constant)) }
