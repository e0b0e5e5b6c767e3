package attention

import (
	"math"

	"github.com/kehai-run/kehai/messages"
)

// How far apart measurements may be in one case. Noise moves them by less, and
// what the prompt tells apart differs by more.
const (
	sameShare  = 0.25 // of a minute
	sameEyes   = 0.04 // of the eye aspect ratio
	sameAngle  = 15.0 // degrees
	nodding    = 15.0 // degrees up or down that mean nothing
	sameFactor = 3.0  // of times and rates
	soon       = 20.0 // seconds; shorter times are alike
	fewEvents  = 10.0 // a minute; fewer are alike
)

// SameCase reports that two looks do not differ materially: a language model
// that has judged one has judged the other. Both are compared with each other and
// not with a grid, so that noise around a bound is no change; whether something
// was measured, what is true or not, and the application must agree. Blinks and
// movements of the head are left out: they decide nothing by themselves.
func SameCase(a, b Look) bool {
	if (a.Camera == nil) != (b.Camera == nil) || (a.Usage == nil) != (b.Usage == nil) {
		return false
	}
	return (a.Camera == nil || sameFace(a.Camera, b.Camera)) && (a.Usage == nil || sameUse(a.Usage, b.Usage))
}

func sameFace(a, b *messages.CameraSnapshot) bool {
	return a.FaceDetected == b.FaceDetected && a.PerclosDrowsy == b.PerclosDrowsy && a.Yawning == b.Yawning &&
		near(a.FaceNotDetectedRatio, b.FaceNotDetectedRatio, sameShare) &&
		near(a.Perclos, b.Perclos, sameShare) &&
		near(a.GazeOffScreenRatio, b.GazeOffScreenRatio, 2*sameShare) &&
		near(a.EARAverage, b.EARAverage, sameEyes) &&
		near(a.EAROpen, b.EAROpen, sameEyes) &&
		near(a.HeadPose.Yaw, b.HeadPose.Yaw, sameAngle) &&
		near(bent(a.HeadPose.Pitch), bent(b.HeadPose.Pitch), sameAngle)
}

func sameUse(a, b *messages.UsageSnapshot) bool {
	return a.ActiveApp == b.ActiveApp && a.IsIdle == b.IsIdle && hectic(a) == hectic(b) &&
		alike(a.IdleSeconds, b.IdleSeconds, soon) &&
		alike(a.SecondsSinceLastKeyboard, b.SecondsSinceLastKeyboard, soon) &&
		alike(a.KeyboardRateWindow, b.KeyboardRateWindow, fewEvents) &&
		alike(a.MouseRateWindow, b.MouseRateWindow, fewEvents)
}

// near reports numbers that are at most so far apart. Neither is measured, or
// both are.
func near(a, b messages.Maybe[float64], within float64) bool {
	if !measured(a) || !measured(b) {
		return measured(a) == measured(b)
	}
	return math.Abs(a.Value-b.Value) <= within
}

// alike reports numbers that are small both, or of the same size.
func alike(a, b messages.Maybe[float64], small float64) bool {
	if !measured(a) || !measured(b) {
		return measured(a) == measured(b)
	}
	x, y := max(a.Value, small), max(b.Value, small)
	return x <= y*sameFactor && y <= x*sameFactor
}

func measured(m messages.Maybe[float64]) bool { return m.Known && !math.IsNaN(m.Value) }

// bent is how far a head is bent beyond what means nothing.
func bent(pitch messages.Maybe[float64]) messages.Maybe[float64] {
	pitch.Value = math.Copysign(max(0, math.Abs(pitch.Value)-nodding), pitch.Value)
	return pitch
}

// hectic is what the prompt calls so.
func hectic(u *messages.UsageSnapshot) messages.Maybe[bool] {
	if !u.AppSwitchesInWindow.Known || !u.UniqueAppsInWindow.Known {
		return messages.Maybe[bool]{}
	}
	return messages.Just(u.AppSwitchesInWindow.Value > 6 && u.UniqueAppsInWindow.Value > 4)
}
