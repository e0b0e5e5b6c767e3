package landmarks

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

func measure(t testing.TB, points []messages.Point) Face {
	t.Helper()
	f, err := Measure(points)
	if err != nil {
		t.Fatalf("Measure() = %v, want a face", err)
	}
	return f
}

func near(got, want, within float64) bool { return math.Abs(got-want) <= within }

// Measure finds the known angles of a head in front of a real lens.
func TestPose(t *testing.T) {
	for _, n := range []int{MediaPipePoints, OpenFacePoints} {
		worst := 0.0
		for yaw := -40.0; yaw <= 40; yaw += 5 {
			for pitch := -25.0; pitch <= 25; pitch += 5 {
				for _, scale := range []float64{0.85, 1, 1.15} {
					h := facing()
					h.yaw, h.pitch, h.scale = yaw, pitch, scale
					f := measure(t, h.points(n))
					worst = max(worst, math.Abs(f.Yaw-yaw), math.Abs(f.Pitch-pitch))
					// The face of a turned head is beside the camera's axis, which adds to
					// the angle against the line to the camera.
					within := 3 + math.Hypot(yaw, pitch)/25
					if !near(f.Yaw, yaw, within) || !near(f.Pitch, pitch, within) {
						t.Errorf("Measure(%d points, yaw %v, pitch %v, size %v) = yaw %.1f, pitch %.1f, want "+
							"within %.1f degrees", n, yaw, pitch, scale, f.Yaw, f.Pitch, within)
					}
				}
			}
		}
		t.Logf("%d points: at worst %.1f degrees off", n, worst)
	}
}

// People differ from the average head, and landmarks are noisy.
func TestPoseOfDifferentPeople(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	sum, count := 0.0, 0
	for range 300 {
		h := facing()
		h.yaw, h.pitch = 60*rng.Float64()-30, 40*rng.Float64()-20
		points := h.points(OpenFacePoints)
		for i := range points { // about 1.5 mm on the face
			points[i].X += rng.NormFloat64() * 2
			points[i].Y += rng.NormFloat64() * 2
		}
		f := measure(t, points)
		sum += math.Abs(f.Yaw-h.yaw) + math.Abs(f.Pitch-h.pitch)
		count += 2
	}
	if mean := sum / float64(count); mean > 4 {
		t.Errorf("with noise the angles are %.1f degrees off on average, want at most 4", mean)
	}
}

func TestGaze(t *testing.T) {
	for _, headYaw := range []float64{-20, 0, 20} {
		for _, yaw := range []float64{-40, -20, 0, 20, 40} {
			for _, pitch := range []float64{-20, 0, 20} {
				h := facing()
				h.yaw, h.gazeYaw, h.gazePitch = headYaw, yaw, pitch
				f := measure(t, h.points(MediaPipePoints))
				if !f.HasGaze || !near(f.GazeYaw, yaw, 5) || !near(f.GazePitch, pitch, 5) {
					t.Errorf("Measure(head %v, gaze %v %v) = gaze %.1f %.1f, %v, want within 5 degrees", headYaw, yaw,
						pitch, f.GazeYaw, f.GazePitch, f.HasGaze)
				}
			}
		}
	}
	if f := measure(t, facing().points(OpenFacePoints)); f.HasGaze || f.GazeYaw != 0 || f.GazePitch != 0 {
		t.Errorf("Measure(68 points) = gaze %v %v, %v, want none", f.GazeYaw, f.GazePitch, f.HasGaze)
	}
}

func TestRatios(t *testing.T) {
	for _, n := range []int{MediaPipePoints, OpenFacePoints} {
		for _, want := range []float64{0.05, 0.1, 0.2, 0.3, 0.4, 0.7, 1} {
			h := facing()
			h.ear, h.mar = want, want
			// A lens draws the slanted corner of an eye smaller: a few per cent.
			if f := measure(t, h.points(n)); !near(f.EAR, want, 0.05*want) || !near(f.MAR, want, 0.02*want) {
				t.Errorf("Measure(%d points) = EAR %.3f, MAR %.3f, want %.3f", n, f.EAR, f.MAR, want)
			}
		}
	}
}

// The textbook eye: lids at a third, openings 6 and 6 over a width of 20.
func TestEARFormula(t *testing.T) {
	points := []messages.Point{{X: 0}, {X: 6, Y: -3}, {X: 14, Y: -3}, {X: 20}, {X: 14, Y: 3}, {X: 6, Y: 3}}
	if got := eye(points, &[6]int{0, 1, 2, 3, 4, 5}); got != 0.3 {
		t.Errorf("eye() = %v, want 0.3", got)
	}
}

// Moving, turning and scaling a picture leaves the ratios; moving and scaling
// leaves the angles.
func TestInvariance(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		h := facing()
		h.yaw, h.pitch, h.gazeYaw, h.ear, h.mar = 20*rng.NormFloat64(), 10*rng.NormFloat64(), 10*rng.NormFloat64(),
			0.1+0.3*rng.Float64(), rng.Float64()
		points := h.points(MediaPipePoints)
		before := measure(t, points)
		scale, dx, dy, angle := math.Exp(2*rng.NormFloat64()), 1e3*rng.NormFloat64(), 1e3*rng.NormFloat64(),
			2*math.Pi*rng.Float64()
		moved, rolled := make([]messages.Point, len(points)), make([]messages.Point, len(points))
		for i, p := range points {
			moved[i] = messages.Point{X: scale*p.X + dx, Y: scale*p.Y + dy}
			rolled[i] = messages.Point{X: p.X*math.Cos(angle) - p.Y*math.Sin(angle),
				Y: p.X*math.Sin(angle) + p.Y*math.Cos(angle)}
		}
		after := measure(t, moved)
		if !near(after.EAR, before.EAR, 1e-6) || !near(after.MAR, before.MAR, 1e-6) ||
			!near(after.Yaw, before.Yaw, 1e-3) ||
			!near(after.Pitch, before.Pitch, 1e-3) || !near(after.GazeYaw, before.GazeYaw, 1e-3) ||
			!near(after.Size, scale*before.Size, 1e-6*after.Size) {
			t.Fatalf("Measure(moved and scaled by %v) = %+v, want as before: %+v", scale, after, before)
		}
		after = measure(t, rolled)
		if !near(after.EAR, before.EAR, 1e-9) || !near(after.MAR, before.MAR, 1e-9) ||
			!near(after.Size, before.Size, 0.2*before.Size) {
			t.Fatalf("Measure(turned by %v) = %+v, want ratios as before: %+v", angle, after, before)
		}
	}
}

// A mirrored picture shows the same face, turned the other way.
func TestMirror(t *testing.T) {
	h := facing()
	h.yaw, h.pitch = 20, 10
	a := measure(t, h.points(OpenFacePoints))
	h.yaw = -20
	b := measure(t, h.points(OpenFacePoints))
	if !near(a.Yaw, -b.Yaw, 0.01) || !near(a.Pitch, b.Pitch, 0.01) {
		t.Errorf("Measure(turned left and right) = %v %v and %v %v, want opposite yaws", a.Yaw, a.Pitch, b.Yaw, b.Pitch)
	}
}

func TestNoFace(t *testing.T) {
	line := make([]messages.Point, OpenFacePoints)
	for i := range line {
		line[i] = messages.Point{X: float64(i), Y: 2 * float64(i)}
	}
	broken := facing().points(OpenFacePoints)
	broken[36].X = math.NaN()
	far := facing().points(OpenFacePoints)
	far[36].X = math.Inf(1)
	for name, points := range map[string][]messages.Point{
		"none": nil, "67": make([]messages.Point, 67), "468": make([]messages.Point, 468),
		"one spot": make([]messages.Point, MediaPipePoints), "NaN": broken, "infinite": far,
	} {
		if f, err := Measure(points); !errors.Is(err, ErrPoints) || f != (Face{}) {
			t.Errorf("Measure(%s) = %+v, %v, want ErrPoints", name, f, err)
		}
	}
	if f, err := Measure(line); err == nil && !finite(f.EAR, f.MAR, f.Yaw, f.Pitch) {
		t.Errorf("Measure(points in a line) = %+v, want numbers or an error", f)
	}
}

func FuzzMeasure(f *testing.F) {
	f.Add(uint64(1), 1.0, true)
	f.Fuzz(func(t *testing.T, seed uint64, size float64, many bool) {
		rng := rand.New(rand.NewPCG(seed, 0))
		n := OpenFacePoints
		if many {
			n = MediaPipePoints
		}
		points := make([]messages.Point, n)
		for i := range points {
			points[i] = messages.Point{X: rng.NormFloat64() * size, Y: rng.NormFloat64() * size}
		}
		face, err := Measure(points)
		if err == nil && !finite(face.EAR, face.MAR, face.Yaw, face.Pitch, face.GazeYaw, face.GazePitch, face.Size) {
			t.Fatalf("Measure() = %+v, want finite numbers", face)
		}
	})
}

func BenchmarkSnapshot(b *testing.B) {
	w := watch(facing(), 60)
	b.ReportAllocs()
	for b.Loop() {
		if s := w.Snapshot(); !s.FaceDetected.Value {
			b.Fatal("no face")
		}
	}
}
