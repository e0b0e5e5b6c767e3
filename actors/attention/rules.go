package attention

import (
	"math"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Profile names a set of rules.
type Profile string

// Profiles.
const (
	ProfileDefault Profile = "default"
	ProfileSeed    Profile = "seed" // the plain table: no guards, no debouncing
)

// Rules are the thresholds of the clear cases and of the fallback. "More than"
// and "less than" exclude the number itself.
type Rules struct {
	// Away at more than this share of the last minute without a face, 0 to 1.
	// Default 0.7.
	NoFaceRatio float64 `yaml:"no_face" min:"0" max:"1"`

	// Focused at more than this eye aspect ratio, 0 to 1. It applies to eyes of the
	// usual shape: profile default scales it to the person's own eyes once the
	// camera knows them. Default 0.27.
	EyesOpen float64 `yaml:"eyes_open" min:"0" max:"1"`

	// Focused while the head is turned by less than this many degrees to a side, 1
	// to 90. Default 25.
	FacingYaw float64 `yaml:"facing_yaw" min:"1" max:"90"`

	// Focused while the head is turned by less than this many degrees up or down,
	// 1 to 90. Default 25.
	FacingPitch float64 `yaml:"facing_pitch" min:"1" max:"90"`

	// Focused up to this time without input, 1s to 24h. Default 1m.
	IdleAfter time.Duration `yaml:"idle" min:"1s" max:"24h"`

	// Distracted, where nothing else is clear, at more than this many degrees to a
	// side, 1 to 180. Default 45.
	TurnedYaw float64 `yaml:"turned" min:"1" max:"180"`

	// Distracted, where nothing else is clear, at more switches than this in the
	// last minute, 0 to 1000. Default 6.
	ManySwitches int `yaml:"switches" min:"0" max:"1000"`

	// And between more applications than this, 0 to 1000. Default 4.
	ManyApps int `yaml:"apps" min:"0" max:"1000"`

	// If a key was pressed at most this long ago, a camera that sees no face counts
	// as covered, 0s to 10m; 0 is never. Not used by profile seed. Default 10s.
	CoveredKey time.Duration `yaml:"covered_key" min:"0s" max:"10m"`

	// Idle, without a camera, after more than this time without input, 0s to 24h;
	// 0 is never. Not used by profile seed. Default 10m.
	LongIdle time.Duration `yaml:"long_idle" min:"0s" max:"24h"`

	// A camera that said nothing for longer than this counts as absent, 1s to 1h.
	// Default 15s.
	CameraAge time.Duration `yaml:"camera_age" min:"1s" max:"1h"`

	// And so does the use of the computer, 1s to 1h. Default 1m30s.
	UsageAge time.Duration `yaml:"usage_age" min:"1s" max:"1h"`

	// A missing value satisfies no condition. Without this, a missing yes-or-no
	// value counts as no, except that a missing face_detected counts as yes.
	Strict bool `yaml:"-"`

	// EyesOpen is scaled to this person's eyes where the camera knows them.
	Personal bool `yaml:"-"`
}

// DefaultRules returns the rules of profile default.
func DefaultRules() Rules {
	return Rules{
		NoFaceRatio: 0.7, EyesOpen: 0.27, FacingYaw: 25, FacingPitch: 25, IdleAfter: 60 * time.Second,
		TurnedYaw: 45, ManySwitches: 6, ManyApps: 4, CoveredKey: 10 * time.Second, LongIdle: 600 * time.Second,
		Strict: true, Personal: true, CameraAge: 15 * time.Second, UsageAge: 90 * time.Second,
	}
}

// Plain returns the rules without the guards of profile default, as profile seed
// uses them.
func (r Rules) Plain() Rules {
	r.Strict, r.Personal, r.CoveredKey, r.LongIdle = false, false, 0, 0
	return r
}

// Look is what can be judged at one moment: either half may be absent.
type Look struct {
	Camera *messages.CameraSnapshot
	Usage  *messages.UsageSnapshot
}

// Fresh removes a half that is too old at now. A snapshot from the future counts
// as fresh, since clocks can be set back.
func (r *Rules) Fresh(l Look, now time.Time) Look {
	now = now.Round(0) // drop the monotonic reading, which stops while the machine sleeps
	if l.Camera != nil && now.Sub(l.Camera.ObservedAt) > r.CameraAge {
		l.Camera = nil
	}
	if l.Usage != nil && now.Sub(l.Usage.ObservedAt) > r.UsageAge {
		l.Usage = nil
	}
	return l
}

// Uncover removes a camera that sees no face while somebody types: it is covered
// or points elsewhere. Later steps judge what Uncover returns.
func (r *Rules) Uncover(l Look) Look {
	if r.CoveredKey > 0 && l.Camera != nil && l.Usage != nil && r.blind(l.Camera) {
		if key := l.Usage.SecondsSinceLastKeyboard; key.Known && key.Value >= 0 && key.Value <= r.CoveredKey.Seconds() {
			l.Camera = nil
		}
	}
	return l
}

// blind reports whether no face is visible now. Where that is not known, no face
// for most of the last minute counts.
func (r *Rules) blind(c *messages.CameraSnapshot) bool {
	return is(c.FaceDetected, false) || !c.FaceDetected.Known && more(c.FaceNotDetectedRatio, r.NoFaceRatio)
}

// Judge decides the clear cases; false means that the case is not clear. Neither
// a missing number nor NaN satisfies any condition.
func (r *Rules) Judge(l Look) (messages.FocusState, bool) {
	l = r.Uncover(l)
	c, u := l.Camera, l.Usage
	switch {
	case c == nil && u == nil:
		return verdict(messages.FromRule, messages.Unknown, 0, "no data from the camera or the computer"), true
	case c == nil:
	case is(c.FaceDetected, false):
		return verdict(messages.FromRule, messages.Away, 1, "no face in front of the camera"), true
	case more(c.FaceNotDetectedRatio, r.NoFaceRatio):
		return verdict(messages.FromRule, messages.Away, 0.9, "no face for most of the last minute"), true
	case u == nil:
	case r.attentive(c) && r.active(u):
		return verdict(messages.FromRule, messages.Focused, 0.9,
			"facing the screen with open eyes, and the computer is in use"), true
	}
	return messages.FocusState{}, false
}

// Fallback judges the cases that neither the rules nor a language model decide.
func (r *Rules) Fallback(l Look) messages.FocusState {
	l = r.Uncover(l)
	c, u := l.Camera, l.Usage
	const by = messages.FromFallback
	switch {
	case c == nil && u != nil && r.LongIdle > 0 && more(u.IdleSeconds, r.LongIdle.Seconds()):
		return verdict(by, messages.Idle, 0.5, "no camera, and no input for a long time")
	case c != nil && is(c.PerclosDrowsy, true) && is(c.Yawning, true):
		return verdict(by, messages.Drowsy, 0.7, "eyes closed for much of the last minute, and yawning")
	case c != nil && is(c.Yawning, true):
		return verdict(by, messages.Drowsy, 0.6, "yawning")
	case c != nil && c.HeadPose.Yaw.Known && math.Abs(c.HeadPose.Yaw.Value) > r.TurnedYaw:
		return verdict(by, messages.Distracted, 0.6, "the head is turned far to the side")
	case u != nil && more(u.AppSwitchesInWindow, r.ManySwitches) && more(u.UniqueAppsInWindow, r.ManyApps):
		return verdict(by, messages.Distracted, 0.6, "many switches between many applications")
	case c == nil && u == nil:
		return verdict(by, messages.Unknown, 0, "no data from the camera or the computer")
	}
	return verdict(by, messages.Focused, 0.5, "nothing speaks against it")
}

// attentive reports whether the face is turned to the screen with open eyes.
func (r *Rules) attentive(c *messages.CameraSnapshot) bool {
	pose := c.HeadPose
	return r.yes(c.FaceDetected) && more(c.EARAverage, r.eyesOpen(c)) &&
		pose.Yaw.Known && math.Abs(pose.Yaw.Value) < r.FacingYaw &&
		pose.Pitch.Known && math.Abs(pose.Pitch.Value) < r.FacingPitch &&
		r.no(c.PerclosDrowsy) && r.no(c.Yawning)
}

// usualOpen is the eye aspect ratio of open eyes of the usual shape.
const usualOpen = 0.30

// eyesOpen is the threshold of open eyes for the person in front of the camera.
func (r *Rules) eyesOpen(c *messages.CameraSnapshot) float64 {
	if open := c.EAROpen; r.Personal && measured(open) && open.Value > 0 {
		return r.EyesOpen * open.Value / usualOpen
	}
	return r.EyesOpen
}

// active reports whether the computer is in use. Either is_idle or idle_seconds
// is enough, except that Strict requires idle_seconds. Neither may contradict.
func (r *Rules) active(u *messages.UsageSnapshot) bool {
	idle := u.IdleSeconds
	if u.IsIdle.Known && u.IsIdle.Value || idle.Known && !(idle.Value <= r.IdleAfter.Seconds()) {
		return false
	}
	return idle.Known || u.IsIdle.Known && !r.Strict
}

func (r *Rules) yes(m messages.Maybe[bool]) bool { return m.Value || !m.Known && !r.Strict }

func (r *Rules) no(m messages.Maybe[bool]) bool { return !m.Value && (m.Known || !r.Strict) }

func is(m messages.Maybe[bool], v bool) bool { return m.Known && m.Value == v }

func more[T int | float64](m messages.Maybe[T], than T) bool { return m.Known && m.Value > than }

func verdict(by messages.FocusSource, state messages.Attention, confidence float64,
	why messages.Text) messages.FocusState {
	return messages.FocusState{State: state, Confidence: confidence, Reasoning: why, Source: by}
}
