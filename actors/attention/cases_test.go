package attention_test

import (
	"math"
	"testing"

	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/messages"
)

func keys(m messages.Maybe[float64]) pc {
	return func(u *messages.UsageSnapshot) { u.KeyboardRateWindow = m }
}
func mouse(m messages.Maybe[float64]) pc {
	return func(u *messages.UsageSnapshot) { u.MouseRateWindow = m }
}
func app(name messages.Text) pc { return func(u *messages.UsageSnapshot) { u.ActiveApp = name } }
func perclos(m messages.Maybe[float64]) cam {
	return func(c *messages.CameraSnapshot) { c.Perclos = m }
}
func gaze(m messages.Maybe[float64]) cam {
	return func(c *messages.CameraSnapshot) { c.GazeOffScreenRatio = m }
}

func TestSameCase(t *testing.T) {
	unknown := messages.Maybe[bool]{}
	face := func(a, b cam) [2]attention.Look {
		return [2]attention.Look{{Camera: camera(a), Usage: usage()}, {Camera: camera(b), Usage: usage()}}
	}
	use := func(a, b pc) [2]attention.Look {
		return [2]attention.Look{{Camera: camera(), Usage: usage(a)}, {Camera: camera(), Usage: usage(b)}}
	}
	for _, c := range []struct {
		name  string
		looks [2]attention.Look
		want  bool
	}{
		{"itself", [2]attention.Look{{Camera: camera(), Usage: usage()}, {Camera: camera(), Usage: usage()}}, true},
		{"nothing", [2]attention.Look{}, true},
		{"no camera", [2]attention.Look{{Camera: camera(), Usage: usage()}, {Usage: usage()}}, false},
		{"no computer", [2]attention.Look{{Camera: camera(), Usage: usage()}, {Camera: camera()}}, false},

		{"face unknown", face(func(*messages.CameraSnapshot) {},
			func(c *messages.CameraSnapshot) { c.FaceDetected = unknown }), false},
		{"drowsy", face(drowsy(no), drowsy(yes)), false},
		{"drowsy unknown", face(drowsy(no), drowsy(unknown)), false},
		{"yawning", face(yawning(no), yawning(yes)), false},
		{"no face, 0.25 apart", face(noFace(num(0.25)), noFace(num(0.5))), true},
		{"no face, 0.26 apart", face(noFace(num(0.25)), noFace(num(0.51))), false},
		{"perclos, 0.25 apart", face(perclos(num(0)), perclos(num(0.25))), true},
		{"perclos, 0.26 apart", face(perclos(num(0)), perclos(num(0.26))), false},
		{"gaze, 0.5 apart", face(gaze(num(0)), gaze(num(0.5))), true},
		{"gaze, 0.51 apart", face(gaze(num(0)), gaze(num(0.51))), false},
		{"EAR, 0.04 apart", face(ear(num(0.25)), ear(num(0.2875))), true},
		{"EAR, 0.05 apart", face(ear(num(0.25)), ear(num(0.3))), false},
		{"EAR missing", face(ear(none), ear(num(0.3))), false},
		{"EAR missing in both", face(ear(none), ear(nan)), true},
		{"open eyes, 0.04 apart", face(open(num(0.25)), open(num(0.2875))), true},
		{"open eyes, 0.05 apart", face(open(num(0.25)), open(num(0.3))), false},
		{"open eyes unknown", face(open(none), open(num(0.3))), false},
		{"yaw, 15 apart", face(yaw(num(-5)), yaw(num(10))), true},
		{"yaw, 16 apart", face(yaw(num(-5)), yaw(num(11))), false},
		{"yaw of the other side", face(yaw(num(-20)), yaw(num(20))), false},
		{"a nod of 15 either way", face(pitch(num(-15)), pitch(num(15))), true},
		{"bent by 30", face(pitch(num(0)), pitch(num(30))), true},
		{"bent by 31", face(pitch(num(0)), pitch(num(31))), false},
		{"bent up and down", face(pitch(num(-24)), pitch(num(24))), false},
		{"blinks and movements", face(func(*messages.CameraSnapshot) {}, func(c *messages.CameraSnapshot) {
			c.BlinksPerMinute, c.HeadMovementCount = num(60), messages.Just(50)
		}), true},

		{"another application", use(app("Code"), app("Zoom")), false},
		{"is_idle", use(isIdle(no), isIdle(yes)), false},
		{"idle, 20 s and 60 s", use(idle(num(0)), idle(num(60))), true},
		{"idle, 20 s and 61 s", use(idle(num(0)), idle(num(61))), false},
		{"idle, 100 s and 300 s", use(idle(num(300)), idle(num(100))), true},
		{"idle, 100 s and 301 s", use(idle(num(301)), idle(num(100))), false},
		{"idle unknown", use(idle(none), idle(num(1))), false},
		{"last key, 20 s and 60 s", use(key(num(3)), key(num(60))), true},
		{"last key, 20 s and 61 s", use(key(num(3)), key(num(61))), false},
		{"10 and 30 keys", use(keys(num(0)), keys(num(30))), true},
		{"10 and 31 keys", use(keys(num(0)), keys(num(31))), false},
		{"10 and 30 movements", use(mouse(num(30)), mouse(num(0))), true},
		{"10 and 31 movements", use(mouse(num(31)), mouse(num(0))), false},
		{"6 switches", use(apps(0, 5), apps(6, 5)), true},
		{"7 switches", use(apps(6, 5), apps(7, 5)), false},
		{"4 applications", use(apps(9, 0), apps(9, 4)), true},
		{"5 applications", use(apps(9, 4), apps(9, 5)), false},
		{"switches unknown", use(apps(0, 0),
			func(u *messages.UsageSnapshot) { u.AppSwitchesInWindow = messages.Maybe[int]{} }), false},
	} {
		for _, l := range [][2]attention.Look{c.looks, {c.looks[1], c.looks[0]}} {
			if got := attention.SameCase(l[0], l[1]); got != c.want {
				t.Errorf("SameCase(%s) = %v, want %v", c.name, got, c.want)
			}
		}
	}
}

// Even a noisy hour has few questions: few for a person who keeps still between
// the thresholds, and no more than the limit for one who differs at every moment.
func TestFewQuestionsInANoisyHour(t *testing.T) {
	for _, c := range []struct {
		person
		most int
	}{
		{person{name: "the head at 35 degrees", ear: 0.31, yaw: 35, idle: 5, keys: 80, spread: 0.5}, 24},
		{person{name: "eyes at the bound", ear: 0.27, idle: 5, keys: 80, spread: 0.5}, 24},
		{person{name: "tired", ear: 0.24, idle: 40, spread: 2, yawn: 0.4}, 29},
		{person{name: "everything at once", ear: 0.26, yaw: 40, pitch: 20, gone: 0.65, idle: 60, spread: 3, yawn: 0.3,
			drop: 0.3, blind: 0.3}, 29},
	} {
		for _, rho := range []float64{0, 0.8, 0.95} {
			d := spawn(t, asking())
			source := newNoise(1, rho)
			var asked []int
			for n := range 3 * 360 {
				l := c.look(source)
				d.camera, d.usage = l.Camera, l.Usage
				d.tick()
				if len(d.Calls()) > 0 {
					asked = append(asked, n)
					d.Answer(answer(`{"state":"focused","confidence":0.6}`))
				}
			}
			if got := mostWithin(asked, 360); got > c.most || got == 0 {
				t.Errorf("%s, rho %v: %d questions within an hour, want 1 to %d", c.name, rho, got, c.most)
			} else {
				t.Logf("%s, rho %v: %d questions within an hour, %d in three", c.name, rho, got, len(asked))
			}
		}
	}
}

func FuzzSameCase(f *testing.F) {
	f.Add(0.3, 10.0, 0.3, 25.0)
	f.Fuzz(func(t *testing.T, earA, yawA, earB, yawB float64) {
		a := attention.Look{Camera: camera(ear(num(earA)), yaw(num(yawA)))}
		b := attention.Look{Camera: camera(ear(num(earB)), yaw(num(yawB)))}
		if attention.SameCase(a, b) != attention.SameCase(b, a) ||
			!math.IsInf(earA, 0) && !math.IsInf(yawA, 0) && !attention.SameCase(a, a) {
			t.Fatalf("SameCase(%v %v, %v %v) depends on the order, or differs from itself", earA, yawA, earB, yawB)
		}
	})
}
