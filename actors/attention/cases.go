package attention

import (
	"math"

	"github.com/kehai-run/kehai/messages"
)

// How far apart two measurements of the same case may be. Noise moves them by
// less; differences that matter to the prompt are larger.
const (
	sameShare  = 0.25 // of a minute
	sameEyes   = 0.04 // of the eye aspect ratio
	sameAngle  = 15.0 // degrees
	nodding    = 15.0 // degrees up or down that are ignored
	sameFactor = 3.0  // between two times or rates
	soon       = 20.0 // seconds; shorter times are the same
	fewEvents  = 10.0 // a minute; lower rates are the same

	// system.txt calls more switches than this, between more applications than
	// this, hectic.
	hecticSwitches, hecticApps = 6, 4
)

// SameCase reports whether two looks are so similar that a language model which
// has judged one has judged the other. It compares the two directly and does not
// round them to a grid, so noise around a threshold is not a change. Booleans,
// the application, and which values were measured must agree. Blinks and head
// movements are ignored: on their own they decide nothing.
func SameCase(a, b Look) bool {
	if (a.Camera == nil) != (b.Camera == nil) || (a.Usage == nil) != (b.Usage == nil) {
		return false
	}
	return (a.Camera == nil || sameFace(a.Camera, b.Camera)) && (a.Usage == nil || sameUse(a.Usage, b.Usage))
}

func sameFace(a, b *messages.CameraSnapshot) bool {
	return a.FaceDetected == b.FaceDetected && a.PerclosDrowsy == b.PerclosDrowsy && a.Yawning == b.Yawning &&
		within(a.FaceNotDetectedRatio, b.FaceNotDetectedRatio, sameShare) &&
		within(a.Perclos, b.Perclos, sameShare) &&
		within(a.GazeOffScreenRatio, b.GazeOffScreenRatio, 2*sameShare) &&
		within(a.EARAverage, b.EARAverage, sameEyes) &&
		within(a.EAROpen, b.EAROpen, sameEyes) &&
		within(a.HeadPose.Yaw, b.HeadPose.Yaw, sameAngle) &&
		within(beyondNod(a.HeadPose.Pitch), beyondNod(b.HeadPose.Pitch), sameAngle)
}

func sameUse(a, b *messages.UsageSnapshot) bool {
	return a.ActiveApp == b.ActiveApp && a.IsIdle == b.IsIdle && hectic(a) == hectic(b) &&
		sameSize(a.IdleSeconds, b.IdleSeconds, soon) &&
		sameSize(a.SecondsSinceLastKeyboard, b.SecondsSinceLastKeyboard, soon) &&
		sameSize(a.KeyboardRateWindow, b.KeyboardRateWindow, fewEvents) &&
		sameSize(a.MouseRateWindow, b.MouseRateWindow, fewEvents)
}

// within reports whether two numbers differ by at most the tolerance. Either both
// are measured or neither is.
func within(a, b messages.Maybe[float64], tolerance float64) bool {
	if !measured(a) || !measured(b) {
		return measured(a) == measured(b)
	}
	return math.Abs(a.Value-b.Value) <= tolerance
}

// sameSize reports whether two numbers are both small, or differ by at most
// sameFactor.
func sameSize(a, b messages.Maybe[float64], small float64) bool {
	if !measured(a) || !measured(b) {
		return measured(a) == measured(b)
	}
	x, y := max(a.Value, small), max(b.Value, small)
	return x <= y*sameFactor && y <= x*sameFactor
}

func measured(m messages.Maybe[float64]) bool { return m.Known && !math.IsNaN(m.Value) }

// beyondNod is how far a head is tilted beyond an ordinary nod.
func beyondNod(pitch messages.Maybe[float64]) messages.Maybe[float64] {
	pitch.Value = math.Copysign(max(0, math.Abs(pitch.Value)-nodding), pitch.Value)
	return pitch
}

// hectic reports what the system prompt calls hectic.
func hectic(u *messages.UsageSnapshot) messages.Maybe[bool] {
	return messages.Maybe[bool]{
		Known: u.AppSwitchesInWindow.Known && u.UniqueAppsInWindow.Known,
		Value: more(u.AppSwitchesInWindow, hecticSwitches) && more(u.UniqueAppsInWindow, hecticApps),
	}
}
