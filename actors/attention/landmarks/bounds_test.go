package landmarks

import (
	"math"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
)

const tenth = 100 * time.Millisecond

// open is a measured face with open eyes that faces the screen.
func open(edits ...func(*Face)) Face {
	f := Face{EAR: 0.3, Size: 10, HasGaze: true}
	for _, e := range edits {
		e(&f)
	}
	return f
}

// eyesAt are a stranger's eyes, shut by a share.
func eyesAt(closure float64) func(*Face) {
	return func(f *Face) { f.EAR = 0.3 - closure*0.3*(1-usual.Shut) }
}

// exposure is a face that is visible for a time, in pictures of a tenth of a
// second.
type exposure struct {
	face *Face // nil for nobody
	d    time.Duration
}

func seen(f Face, d time.Duration) exposure { return exposure{&f, d} }

// sum adds the exposures picture by picture and summarises them. The baseline
// stays that of a stranger, so that each number is exact.
func sum(sights ...exposure) messages.CameraSnapshot {
	w := Window{Rules: usual}
	at := time.Duration(0)
	w.Add(at, sights[0].face)
	for _, s := range sights {
		for range s.d / tenth {
			at += tenth
			w.Baseline = Baseline{}
			w.Add(at, s.face)
		}
	}
	return w.Snapshot()
}

// Each threshold of the window, at it and beside it.
func TestWindowBounds(t *testing.T) {
	const most = 40 * time.Second
	mar := func(v float64) func(*Face) { return func(f *Face) { f.MAR = v } }
	gaze := func(yaw, pitch float64) func(*Face) {
		return func(f *Face) { f.GazeYaw, f.GazePitch = yaw, pitch }
	}
	drowsy := func(s messages.CameraSnapshot) bool { return s.PerclosDrowsy == messages.Just(true) }
	yawns := func(s messages.CameraSnapshot) bool { return s.Yawning == messages.Just(true) }
	closed := func(s messages.CameraSnapshot) bool { return s.Perclos.Known && s.Perclos.Value > 0 }
	off := func(s messages.CameraSnapshot) bool { return s.GazeOffScreenRatio.Value > 0 }
	blinks := func(s messages.CameraSnapshot) bool { return s.BlinksPerMinute.Value > 0 }
	moves := func(s messages.CameraSnapshot) bool { return s.HeadMovementCount.Value > 0 }
	there := func(s messages.CameraSnapshot) bool { return s.FaceDetected == messages.Just(true) }
	known := func(s messages.CameraSnapshot) bool { return s.Perclos.Known }
	shutFor := func(d time.Duration) []exposure { return []exposure{seen(open(), most-d), seen(open(eyesAt(1)), d)} }
	oneBlink := func(closure float64, d time.Duration, to float64) []exposure {
		return []exposure{seen(open(), most), seen(open(eyesAt(closure)), d), seen(open(eyesAt(to)), tenth)}
	}
	moved := func(edit func(*Face)) []exposure { return []exposure{seen(open(), tenth), seen(open(edit), tenth)} }
	for _, c := range []struct {
		name   string
		sights []exposure
		what   func(messages.CameraSnapshot) bool
		want   bool
	}{
		{"closure below 0.8", []exposure{seen(open(eyesAt(0.799)), most)}, closed, false},
		{"closure 0.8", []exposure{seen(open(eyesAt(0.8001)), most)}, closed, true},
		{"closed for less than 0.15", shutFor(5900 * time.Millisecond), drowsy, false},
		{"closed for 0.15", shutFor(6 * time.Second), drowsy, true},
		{"eyes seen for less than 10 s", []exposure{seen(open(), 10*time.Second-tenth)}, known, false},
		{"eyes seen for 10 s", []exposure{seen(open(), 10*time.Second)}, known, true},

		{"mouth at 0.6", []exposure{seen(open(mar(0.6)), 3*time.Second)}, yawns, false},
		{"mouth above 0.6", []exposure{seen(open(mar(0.6001)), 3*time.Second)}, yawns, true},
		{"mouth open for less than 1.5 s", []exposure{seen(open(), tenth), seen(open(mar(1)), 1500*time.Millisecond)},
			yawns, false},
		{"mouth open for 1.5 s", []exposure{seen(open(), tenth), seen(open(mar(1)), 1500*time.Millisecond+tenth)},
			yawns,
			true},
		{"mouth closed between", []exposure{seen(open(mar(1)), time.Second), seen(open(), tenth),
			seen(open(mar(1)), time.Second)}, yawns, false},
		{"nobody between", []exposure{seen(open(mar(1)), time.Second), {nil, tenth}, seen(open(mar(1)), time.Second)},
			yawns, false},
		{"a yawn 10 s ago", []exposure{seen(open(mar(1)), 2*time.Second), seen(open(), 10*time.Second)}, yawns, true},
		{"a yawn more than 10 s ago", []exposure{seen(open(mar(1)), 2*time.Second), seen(open(), 10*time.Second+tenth)},
			yawns, false},

		{"gaze at 30 to the right", []exposure{seen(open(gaze(30, 0)), time.Second)}, off, false},
		{"gaze above 30 to the right", []exposure{seen(open(gaze(30.1, 0)), time.Second)}, off, true},
		{"gaze at 30 to the left", []exposure{seen(open(gaze(-30, 0)), time.Second)}, off, false},
		{"gaze above 30 to the left", []exposure{seen(open(gaze(-30.1, 0)), time.Second)}, off, true},
		{"gaze at 20 up", []exposure{seen(open(gaze(0, -20)), time.Second)}, off, false},
		{"gaze above 20 up", []exposure{seen(open(gaze(0, -20.1)), time.Second)}, off, true},
		{"gaze at 35 down", []exposure{seen(open(gaze(0, 35)), time.Second)}, off, false},
		{"gaze above 35 down", []exposure{seen(open(gaze(0, 35.1)), time.Second)}, off, true},

		{"eyes narrower by less than 0.15 for a moment", oneBlink(0.249, 2*tenth, 0), blinks, false},
		{"a blink", oneBlink(0.251, 2*tenth, 0), blinks, true},
		{"a blink to the bound", oneBlink(0.6, 2*tenth, 0.166), blinks, true},
		{"a blink that does not end", oneBlink(0.6, 2*tenth, 0.167), blinks, false},
		{"a blink of 0.5 s", oneBlink(1, 500*time.Millisecond, 0), blinks, true},
		{"eyes shut for longer", oneBlink(1, 600*time.Millisecond, 0), blinks, false},

		{"moved by 4 cm", moved(func(f *Face) { f.Centre.X = 40 }), moves, false},
		{"moved by more", moved(func(f *Face) { f.Centre.X = 40.1 }), moves, true},
		{"turned by 15", moved(func(f *Face) { f.Yaw = -15 }), moves, false},
		{"turned by more", moved(func(f *Face) { f.Yaw = -15.1 }), moves, true},
		{"bent by 15", moved(func(f *Face) { f.Pitch = 15 }), moves, false},
		{"bent by more", moved(func(f *Face) { f.Pitch = 15.1 }), moves, true},

		{"nobody for 1 s", []exposure{seen(open(), time.Second), {nil, time.Second}}, there, true},
		{"nobody for longer", []exposure{seen(open(), time.Second), {nil, time.Second + tenth}}, there, false},
	} {
		if got := c.what(sum(c.sights...)); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// What is averaged, and over how long: eyes over 5 s, the pose over 2 s, shares
// over a minute.
func TestWindowSpans(t *testing.T) {
	turned := open(func(f *Face) { f.Yaw, f.EAR = 10, 0.2 })
	away := exposure{nil, 30 * time.Second}
	for _, c := range []struct {
		name   string
		sights []exposure
		what   func(messages.CameraSnapshot) messages.Maybe[float64]
		want   float64
	}{
		{"EAR of 5 s", []exposure{seen(open(), 19900*time.Millisecond), seen(turned, 5*time.Second)}, ear, 0.2},
		{"EAR of 4 s of 5", []exposure{seen(open(), 20900*time.Millisecond), seen(turned, 4*time.Second)}, ear, 0.22},
		{"yaw of 2 s", []exposure{seen(open(), 19900*time.Millisecond), seen(turned, 2*time.Second)}, yawOf, 10},
		{"yaw of 1 s of 2", []exposure{seen(open(), 20900*time.Millisecond), seen(turned, time.Second)}, yawOf, 5},
		{"half a minute of nobody", []exposure{seen(open(), 2*time.Minute-tenth), away}, gone, 0.5},
		{"half a minute of nobody, a minute ago", []exposure{away, seen(open(), time.Minute)}, gone, 0},
	} {
		if got := c.what(sum(c.sights...)); !got.Known || math.Abs(got.Value-c.want) > 0.001*max(1, c.want) {
			t.Errorf("%s = %v, want %v", c.name, got, c.want)
		}
	}
}

func ear(s messages.CameraSnapshot) messages.Maybe[float64]   { return s.EARAverage }
func yawOf(s messages.CameraSnapshot) messages.Maybe[float64] { return s.HeadPose.Yaw }
func gone(s messages.CameraSnapshot) messages.Maybe[float64]  { return s.FaceNotDetectedRatio }

// An eye that is shut exactly as far as the threshold is closed.
func TestClosedAtTheBound(t *testing.T) {
	known := Baseline{Openness: 0.25, Learnt: time.Hour}
	f := open(func(f *Face) { f.EAR = 0.13 })
	if got := known.Closure(&usual, f.EAR); got != 0.8 {
		t.Fatalf("Closure(%v) = %v, want 0.8", f.EAR, got)
	}
	w := Window{Rules: usual}
	for n := range 200 {
		w.Baseline = known
		w.Add(time.Duration(n)*tenth, &f)
	}
	if s := w.Snapshot(); s.Perclos != messages.Just(1.0) {
		t.Errorf("perclos of eyes closed by 0.8 = %v, want 1", s.Perclos)
	}
}

// Pictures that are a second apart stand for the time between them; a longer
// silence counts for nothing.
func TestSlowTrackers(t *testing.T) {
	for _, c := range []struct {
		apart time.Duration
		want  bool
	}{{time.Second, true}, {time.Second + 1, false}} {
		w := Window{Rules: usual}
		f := open()
		for n := range 30 {
			w.Add(time.Duration(n)*c.apart, &f)
		}
		if got := w.Snapshot().Perclos.Known; got != c.want {
			t.Errorf("perclos of pictures %v apart is known: %v, want %v", c.apart, got, c.want)
		}
	}
}
