package focus

import (
	"math"

	"github.com/kehai-run/kehai/messages"
)

// Features are a look in coarse steps. Two looks with the same features are the
// same case to a language model: it is asked once for both. The zero step of
// each feature is "missing".
type Features struct {
	Camera, Usage                          bool // present
	Face, Drowsy, Yawn, IsIdle             int8
	NoFace, EAR, Perclos, Yaw, Pitch, Gaze int16
	Blinks, Moves                          int16
	App                                    string
	Idle, SinceKey                         int16
	Keys, Mouse                            int16
	Switches, Apps                         int16
}

// Quantise brings a look into steps: 0.02 of the eye aspect ratio, 10 degrees,
// tenths of a share, five blinks, and for times and counts the steps below.
func Quantise(l Look) Features {
	var f Features
	if c := l.Camera; c != nil {
		f.Camera = true
		f.Face, f.Drowsy, f.Yawn = truth(c.FaceDetected), truth(c.PerclosDrowsy), truth(c.Yawning)
		f.NoFace, f.Perclos, f.Gaze = step(c.FaceNotDetectedRatio, 0.1), step(c.Perclos, 0.1), step(c.GazeOffScreenRatio, 0.1)
		f.EAR = step(c.EARAverage, 0.02)
		f.Yaw, f.Pitch = step(c.HeadPose.Yaw, 10), step(c.HeadPose.Pitch, 10)
		f.Blinks = step(c.BlinksPerMinute, 5)
		f.Moves = rung(number(c.HeadMovementCount), fews[:])
	}
	if u := l.Usage; u != nil {
		f.Usage = true
		f.IsIdle, f.App = truth(u.IsIdle), appName(u.ActiveApp)
		f.Idle, f.SinceKey = rung(u.IdleSeconds, times[:]), rung(u.SecondsSinceLastKeyboard, times[:])
		f.Keys, f.Mouse = rung(u.KeyboardRateWindow, rates[:]), rung(u.MouseRateWindow, rates[:])
		f.Switches, f.Apps = rung(number(u.AppSwitchesInWindow), fews[:]), rung(number(u.UniqueAppsInWindow), fews[:])
	}
	return f
}

var (
	times = [...]float64{5, 20, 60, 180, 600, 1800} // seconds
	rates = [...]float64{0, 10, 40, 120, 300}       // a minute
	fews  = [...]float64{0, 2, 4, 6, 12}
)

func truth(m messages.Maybe[bool]) int8 {
	switch {
	case !m.Known:
		return 0
	case m.Value:
		return 1
	}
	return -1
}

// step is 1 plus the number of whole steps; negative values go below 1.
func step(m messages.Maybe[float64], size float64) int16 {
	if !m.Known || math.IsNaN(m.Value) {
		return 0
	}
	n := math.Floor(m.Value/size + 1e-9)
	if n >= 0 {
		n++
	}
	return int16(min(max(n, -30000), 30000))
}

// rung is 1 for a value up to the first bound, 2 up to the second and so on.
func rung(m messages.Maybe[float64], bounds []float64) int16 {
	if !m.Known || math.IsNaN(m.Value) {
		return 0
	}
	n := int16(1)
	for _, b := range bounds {
		if m.Value > b {
			n++
		}
	}
	return n
}

func number(m messages.Maybe[int]) messages.Maybe[float64] {
	return messages.Maybe[float64]{Value: float64(m.Value), Known: m.Known}
}
