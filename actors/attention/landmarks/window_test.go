package landmarks

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
)

const picture = time.Second / 30

var usual = DefaultRules()

// film shows heads to a window, 30 pictures a second.
type film struct {
	t testing.TB
	w Window
}

func newFilm(t testing.TB) *film { return &film{t, Window{Rules: usual}} }

func (f *film) show(h head, d time.Duration) {
	for end := f.w.Last() + d; f.w.Last() < end; {
		face, err := Measure(h.points(MediaPipePoints))
		if err != nil {
			f.t.Fatal(err)
		}
		f.w.Add(f.w.Last()+picture, &face)
	}
}

func (f *film) nobody(d time.Duration) {
	for end := f.w.Last() + d; f.w.Last() < end; {
		f.w.Add(f.w.Last()+picture, nil)
	}
}

func watch(h head, seconds int) *Window {
	f := newFilm(nil)
	f.show(h, time.Duration(seconds)*time.Second)
	return &f.w
}

func with(edit func(*head)) head {
	h := facing()
	edit(&h)
	return h
}

var (
	shut     = with(func(h *head) { h.ear = 0.08 })
	yawn     = with(func(h *head) { h.mar = 0.9 })
	aside    = with(func(h *head) { h.gazeYaw = 50 })
	turned30 = with(func(h *head) { h.yaw = 30 })
)

func wantNumber(t *testing.T, name string, got messages.Maybe[float64], want, within float64) {
	t.Helper()
	if !got.Known || !near(got.Value, want, within) {
		t.Errorf("%s = %v, want %v ± %v", name, got, want, within)
	}
}

func wantTruth(t *testing.T, name string, got messages.Maybe[bool], want bool) {
	t.Helper()
	if got != messages.Just(want) {
		t.Errorf("%s = %v, want %v", name, got, want)
	}
}

func TestSnapshotOfACalmMinute(t *testing.T) {
	f := newFilm(t)
	for range 16 {
		f.show(facing(), 3850*time.Millisecond)
		f.show(shut, 150*time.Millisecond)
	}
	s := f.w.Snapshot()
	wantTruth(t, "face_detected", s.FaceDetected, true)
	wantNumber(t, "face_not_detected_ratio", s.FaceNotDetectedRatio, 0, 0)
	wantNumber(t, "ear_average", s.EARAverage, 0.3, 0.03)
	wantNumber(t, "perclos", s.Perclos, 0.04, 0.015)
	wantTruth(t, "perclos_drowsy", s.PerclosDrowsy, false)
	wantTruth(t, "yawning", s.Yawning, false)
	wantNumber(t, "yaw", s.HeadPose.Yaw, 0, 1)
	wantNumber(t, "pitch", s.HeadPose.Pitch, 0, 1)
	wantNumber(t, "gaze_off_screen_ratio", s.GazeOffScreenRatio, 0, 0)
	wantNumber(t, "blinks_per_minute", s.BlinksPerMinute, 14.5, 1)
	if s.HeadMovementCount != messages.Just(0) {
		t.Errorf("head_movement_count = %v, want 0", s.HeadMovementCount)
	}
}

func TestPerclosBound(t *testing.T) {
	for _, c := range []struct {
		shutFor time.Duration // in each 10 s
		drowsy  bool
	}{{1400 * time.Millisecond, false}, {1600 * time.Millisecond, true}} {
		f := newFilm(t)
		f.show(facing(), 2*time.Minute)
		for range 7 {
			f.show(facing(), 10*time.Second-c.shutFor)
			f.show(shut, c.shutFor)
		}
		s := f.w.Snapshot()
		wantNumber(t, "perclos", s.Perclos, c.shutFor.Seconds()/10, 0.008)
		wantTruth(t, "perclos_drowsy", s.PerclosDrowsy, c.drowsy)
		wantNumber(t, "blinks of a sleepy person", s.BlinksPerMinute, 0, 0)
	}
}

func TestYawn(t *testing.T) {
	for _, c := range []struct {
		open, after time.Duration
		want        bool
	}{
		{1400 * time.Millisecond, 0, false},
		{1600 * time.Millisecond, 0, true},
		{1600 * time.Millisecond, 9 * time.Second, true},
		{1600 * time.Millisecond, 11 * time.Second, false},
	} {
		f := newFilm(t)
		f.show(facing(), time.Second)
		f.show(yawn, c.open)
		f.show(facing(), c.after)
		wantTruth(t, "yawning", f.w.Snapshot().Yawning, c.want)
	}
	f := newFilm(t) // talking: never open for long
	for range 30 {
		f.show(yawn, time.Second)
		f.show(facing(), 100*time.Millisecond)
	}
	wantTruth(t, "yawning of a talker", f.w.Snapshot().Yawning, false)
}

func TestAbsence(t *testing.T) {
	f := newFilm(t)
	f.show(facing(), time.Minute)
	f.nobody(42 * time.Second)
	s := f.w.Snapshot()
	wantTruth(t, "face_detected", s.FaceDetected, false)
	wantNumber(t, "face_not_detected_ratio", s.FaceNotDetectedRatio, 0.7, 0.02)
	if s.EARAverage.Known || s.HeadPose.Yaw.Known {
		t.Errorf("Snapshot(nobody) = EAR %v, yaw %v, want none", s.EARAverage, s.HeadPose.Yaw)
	}
	f.nobody(time.Minute)
	wantNumber(t, "face_not_detected_ratio", f.w.Snapshot().FaceNotDetectedRatio, 1, 0)
	f.show(facing(), time.Second)
	wantTruth(t, "face_detected", f.w.Snapshot().FaceDetected, true)
}

func TestAShortLossIsNoAbsence(t *testing.T) {
	f := newFilm(t)
	f.show(facing(), time.Second)
	f.nobody(900 * time.Millisecond)
	wantTruth(t, "face_detected", f.w.Snapshot().FaceDetected, true)
}

func TestGazeRatio(t *testing.T) {
	f := newFilm(t)
	f.show(facing(), 45*time.Second)
	f.show(aside, 15*time.Second)
	wantNumber(t, "gaze_off_screen_ratio", f.w.Snapshot().GazeOffScreenRatio, 0.25, 0.01)
	old := Window{Rules: usual}
	face := measure(t, facing().points(OpenFacePoints))
	old.Add(0, &face)
	old.Add(picture, &face)
	if got := old.Snapshot().GazeOffScreenRatio; got.Known {
		t.Errorf("gaze_off_screen_ratio of 68 points = %v, want none", got)
	}
}

func TestMovements(t *testing.T) {
	f := newFilm(t)
	for range 3 {
		f.show(facing(), 2*time.Second)
		f.show(turned30, 2*time.Second)
	}
	f.show(with(func(h *head) { h.yaw, h.x = 30, 8 }), time.Second)
	if got := f.w.Snapshot().HeadMovementCount; got != messages.Just(6) {
		t.Errorf("head_movement_count = %v, want 6", got)
	}
}

// A tracker that was silent has not seen anybody leave or sleep.
func TestSilenceIsNotCounted(t *testing.T) {
	f := newFilm(t)
	f.show(facing(), 20*time.Second)
	f.show(shut, 100*time.Millisecond)
	face := measure(t, facing().points(MediaPipePoints))
	f.w.Add(f.w.Last()+20*time.Second, &face)
	s := f.w.Snapshot()
	wantNumber(t, "face_not_detected_ratio", s.FaceNotDetectedRatio, 0, 0)
	wantNumber(t, "perclos", s.Perclos, 0.005, 0.003)
	wantNumber(t, "blinks_per_minute", s.BlinksPerMinute, 0, 0)
}

func TestNothingSeen(t *testing.T) {
	w := Window{Rules: usual}
	if got := w.Snapshot(); got != (messages.CameraSnapshot{}) {
		t.Errorf("Snapshot() = %+v, want nothing known", got)
	}
	w.Add(time.Hour, nil)
	s := w.Snapshot()
	wantTruth(t, "face_detected", s.FaceDetected, false)
	if s.FaceNotDetectedRatio.Known || s.Perclos.Known {
		t.Errorf("Snapshot(one picture) = %+v, want no shares", s)
	}
}

// Another person's eyes are not shut just because they are narrower, and a drowsy
// quarter of an hour does not become the norm.
func TestBaselineOfAPerson(t *testing.T) {
	narrow := with(func(h *head) { h.ear = 0.2 })
	f := newFilm(t)
	f.show(narrow, 2*time.Minute)
	if got := f.w.Baseline.Open(&usual); !near(got, 0.2, 0.01) {
		t.Errorf("Open() = %v after two minutes, want 0.2", got)
	}
	if got := f.w.Baseline.Closure(&usual, 0.2); !near(got, 0, 0.1) {
		t.Errorf("Closure(0.2) = %v, want about 0", got)
	}
	if got := f.w.Baseline.Closure(&usual, 0.08); !near(got, 1, 0.1) {
		t.Errorf("Closure(0.08) = %v, want about 1", got)
	}
	f.show(with(func(h *head) { h.ear = 0.15 }), 15*time.Minute)
	if got := f.w.Baseline.Open(&usual); got < 0.155 {
		t.Errorf("Open() = %v after a drowsy quarter of an hour, want it to follow slowly", got)
	}
	var cold Baseline
	opened, shut := cold.Closure(&usual, 0.3), cold.Closure(&usual, 0.12)
	if cold.Open(&usual) != 0.30 || !near(opened, 0, 1e-9) || !near(shut, 1, 1e-9) {
		t.Errorf("cold Baseline: open %v, closures %v %v, want 0.30, 0 and 1", cold.Open(&usual), opened, shut)
	}
}

// The usual openness is reported once it is known, unless Literal is set.
func TestOpenEyes(t *testing.T) {
	narrow := with(func(h *head) { h.ear = 0.2 })
	for _, c := range []struct {
		literal bool
		seen    time.Duration
		want    messages.Maybe[float64]
	}{
		{false, 59 * time.Second, messages.Maybe[float64]{}},
		{false, 2 * time.Minute, messages.Just(0.2)},
		{true, 2 * time.Minute, messages.Maybe[float64]{}},
	} {
		f := newFilm(t)
		f.w.Literal = c.literal
		f.show(narrow, c.seen)
		if got := f.w.Snapshot().EAROpen; got.Known != c.want.Known || !near(got.Value, c.want.Value, 0.01) {
			t.Errorf("ear_open after %v, literal %v = %v, want %v", c.seen, c.literal, got, c.want)
		}
	}
}

// A camera beside the screen sees a person who faces the screen from the side.
func TestNeutralPose(t *testing.T) {
	f := newFilm(t)
	f.show(with(func(h *head) { h.yaw = 12 }), 10*time.Second)
	wantNumber(t, "yaw at first", f.w.Snapshot().HeadPose.Yaw, 12, 1.5)
	f.show(with(func(h *head) { h.yaw = 12 }), time.Minute)
	wantNumber(t, "yaw once learnt", f.w.Snapshot().HeadPose.Yaw, 0, 1)
	f.show(with(func(h *head) { h.yaw = 40 }), 10*time.Second)
	wantNumber(t, "yaw of a turned head", f.w.Snapshot().HeadPose.Yaw, 28, 3)
	plain := newFilm(t)
	plain.w.Literal = true
	plain.show(with(func(h *head) { h.yaw = 12 }), 70*time.Second)
	wantNumber(t, "yaw taken literally", plain.w.Snapshot().HeadPose.Yaw, 12, 1.5)
}
