package landmarks

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

// canonical holds the relevant vertices of the face model that MediaPipe publishes
// (canonical_face_model.obj), by FaceLandmarker's index. They are written out, so
// that a wrong index in layout.go cannot hide.
var canonical = map[int]vec{
	// right eye: outer corner, upper lid, inner corner, lower lid
	33: {-4.445859, 2.663991, 3.173422}, 160: {-3.670075, 2.927714, 3.724325}, 158: {-2.724032, 2.961810, 3.871767},
	133: {-1.856432, 2.585245, 3.757904}, 153: {-2.724032, 2.315802, 3.777151}, 144: {-3.670075, 2.360153, 3.635230},
	// left eye: inner corner, upper lid, outer corner, lower lid
	362: {1.856432, 2.585245, 3.757904}, 385: {2.724032, 2.961810, 3.871767}, 387: {3.670075, 2.927714, 3.724325},
	263: {4.445859, 2.663991, 3.173422}, 373: {3.670075, 2.360153, 3.635230}, 380: {2.724032, 2.315802, 3.777151},
	// inner lips: corners, upper edge, lower edge
	78: {-2.153084, -4.276322, 4.038093}, 308: {2.153084, -4.276322, 4.038093},
	82: {-0.533422, -3.993222, 5.138202}, 13: {0, -3.994436, 5.219482}, 312: {0.533422, -3.993222, 5.138202},
	87: {-0.583218, -4.517982, 5.339869}, 14: {0, -4.542400, 5.404754}, 317: {0.583218, -4.517982, 5.339869},
	// nose: root, tip, base
	168: {0, 3.271027, 5.236015}, 1: {0, -1.126865, 7.475604}, 2: {0, -2.089024, 6.058267},
}

// canonicalFace draws the turned model with eyes that look at the camera. All
// other points lie anywhere.
func canonicalFace(yaw, pitch float64) []messages.Point {
	h := facing()
	h.yaw, h.pitch = yaw, pitch
	rng := rand.New(rand.NewPCG(1, 1))
	points := make([]messages.Point, MediaPipePoints)
	for i := range points {
		points[i] = messages.Point{X: 1000 * rng.Float64(), Y: 1000 * rng.Float64()}
	}
	for i, v := range canonical {
		points[i] = h.project(h.turn(v))
	}
	points[468], points[473] = middle(points[33], points[133]), middle(points[362], points[263])
	return points
}

func TestCanonicalFace(t *testing.T) {
	f := measure(t, canonicalFace(0, 0))
	if !near(f.EAR, 0.24, 0.002) || !near(f.MAR, 0.13, 0.002) || !near(f.Yaw, 0, 0.1) || !near(f.Pitch, 0, 2) ||
		!near(f.GazeYaw, 0, 1) || !near(f.GazePitch, 0, 3) || !f.HasGaze {
		t.Errorf("Measure(canonical face) = %+v, want EAR 0.24, MAR 0.13 and no angles", f)
	}
	for _, c := range []struct{ yaw, pitch float64 }{{30, 0}, {-30, 0}, {0, 20}, {0, -20}} {
		if f := measure(t, canonicalFace(c.yaw, c.pitch)); !near(f.Yaw, c.yaw, 4) || !near(f.Pitch, c.pitch, 4) {
			t.Errorf("Measure(canonical face, yaw %v, pitch %v) = %.1f, %.1f, want within 4 degrees", c.yaw, c.pitch,
				f.Yaw, f.Pitch)
		}
	}
}

// Shut lids, by their numbers: one eye is half the ratio, both are all of it.
func TestCanonicalLids(t *testing.T) {
	for _, c := range []struct {
		name string
		lids [][2]int
		want float64
	}{
		{"right", [][2]int{{160, 144}, {158, 153}}, 0.12},
		{"left", [][2]int{{385, 380}, {387, 373}}, 0.12},
		{"both", [][2]int{{160, 144}, {158, 153}, {385, 380}, {387, 373}}, 0},
		{"the lips", [][2]int{{13, 14}, {82, 87}, {312, 317}}, 0.24},
	} {
		points := canonicalFace(0, 0)
		for _, pair := range c.lids {
			points[pair[0]] = points[pair[1]]
		}
		f := measure(t, points)
		if !near(f.EAR, c.want, 0.002) || c.name == "the lips" && f.MAR > 0.001 {
			t.Errorf("Measure(shut: %s) = EAR %.3f, MAR %.3f, want EAR %.3f", c.name, f.EAR, f.MAR, c.want)
		}
	}
}

// Either iris moves the gaze.
func TestCanonicalIrises(t *testing.T) {
	for _, iris := range []int{468, 473} {
		points := canonicalFace(0, 0)
		points[iris].X += 5
		if f := measure(t, points); !f.HasGaze || !(f.GazeYaw > 5 && f.GazeYaw < 15) || !near(f.GazePitch, 0, 3) {
			t.Errorf("Measure(iris %d to the right) = gaze %.1f %.1f, want a look to the right", iris, f.GazeYaw,
				f.GazePitch)
		}
	}
}

// The points behind each measurement: moving one of them changes it, and moving
// any other point does not.
func TestWhichPointsCount(t *testing.T) {
	eyes := []int{33, 160, 158, 133, 153, 144, 362, 385, 387, 263, 373, 380}
	mouth := []int{78, 308, 82, 13, 312, 87, 14, 317}
	rigid := []int{33, 133, 362, 263, 168, 1, 2}
	irises := []int{468, 473}
	before := measure(t, canonicalFace(0, 0))
	for i := range MediaPipePoints {
		points := canonicalFace(0, 0)
		points[i].X += 3
		points[i].Y += 4
		f := measure(t, points)
		moved := func(a, b float64) bool { return math.Abs(a-b) > 1e-6 }
		for _, c := range []struct {
			name string
			got  bool
			want []int
		}{
			{"EAR", moved(f.EAR, before.EAR), eyes},
			{"MAR", moved(f.MAR, before.MAR), mouth},
			{"pose", moved(f.Yaw, before.Yaw) || moved(f.Pitch, before.Pitch), rigid},
			{"gaze", moved(f.GazeYaw, before.GazeYaw) || moved(f.GazePitch, before.GazePitch),
				slices.Concat(rigid, irises)},
		} {
			if want := slices.Contains(c.want, i); c.got != want {
				t.Errorf("point %d moves %s: %v, want %v", i, c.name, c.got, want)
			}
		}
	}
}

// The layouts, written out a second time: MediaPipe's by the model above, the
// other by the mark-up of iBUG 300-W, counted from 0.
func TestLayouts(t *testing.T) {
	if want := (layout{
		right: [6]int{33, 160, 158, 133, 153, 144}, left: [6]int{362, 385, 387, 263, 373, 380},
		mouth: [8]int{78, 308, 82, 13, 312, 87, 14, 317}, rigid: [7]int{33, 133, 362, 263, 168, 1, 2},
		iris: [2]int{468, 473},
	}); mediaPipe != want {
		t.Errorf("mediaPipe = %+v, want %+v", mediaPipe, want)
	}
	if want := (layout{
		right: [6]int{36, 37, 38, 39, 40, 41}, left: [6]int{42, 43, 44, 45, 46, 47},
		mouth: [8]int{60, 64, 61, 62, 63, 67, 66, 65}, rigid: [7]int{36, 39, 42, 45, 27, 30, 33},
	}); openFace != want {
		t.Errorf("openFace = %+v, want %+v", openFace, want)
	}
	for i, at := range []int{33, 133, 362, 263, 168, 1, 2} {
		for k := range 3 {
			if !near(skull[i][k], canonical[at][k], 0.0006) {
				t.Errorf("skull[%d] = %v, want vertex %d of the model, %v", i, skull[i], at, canonical[at])
				break
			}
		}
	}
}
