package camera_test

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/actors/attention/camera"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

const second = time.Second

func spawn(t *testing.T) *actortest.Harness {
	t.Helper()
	h := actortest.Spawn(t, camera.New(camera.DefaultOptions()), actortest.Address("camera/desk"))
	h.Start()
	return h
}

// face is 68 points of a made-up face, seen from the front.
func face() []messages.Point {
	points := make([]messages.Point, 68)
	for i, p := range map[int]messages.Point{
		36: {X: -44, Y: -27}, 37: {X: -36, Y: -31}, 38: {X: -27, Y: -31}, 39: {X: -19, Y: -26}, 40: {X: -27, Y: -23},
		41: {X: -36, Y: -23},
		42: {X: 19, Y: -26}, 43: {X: 27, Y: -31}, 44: {X: 36, Y: -31}, 45: {X: 44, Y: -27}, 46: {X: 36, Y: -23},
		47: {X: 27, Y: -23},
		27: {X: 0, Y: -33}, 30: {X: 0, Y: 11}, 33: {X: 0, Y: 21},
		60: {X: -20, Y: 40}, 64: {X: 20, Y: 40}, 61: {X: -10, Y: 40}, 62: {X: 0, Y: 40}, 63: {X: 10, Y: 40},
		65: {X: 10, Y: 40}, 66: {X: 0, Y: 40}, 67: {X: -10, Y: 40},
	} {
		points[i] = p
	}
	return points
}

// film sends pictures of a tracker, ten a second, while time passes.
func film(h *actortest.Harness, session string, from time.Duration, points []messages.Point, d time.Duration) {
	for at := time.Duration(0); at < d; at += second / 10 {
		h.Send(messages.FaceFrame{Session: session, At: from + at, Points: points})
		h.Advance(second / 10)
	}
}

// sent returns the snapshots that were sent.
func sent(t *testing.T, h *actortest.Harness) (list []messages.CameraSnapshot) {
	t.Helper()
	for _, s := range h.Sent() {
		snapshot, ok := s.Message.(messages.CameraSnapshot)
		if !ok || s.To != "focus/desk" {
			t.Fatalf("sent %v, want snapshots to focus/desk", s)
		}
		list = append(list, snapshot)
	}
	return list
}

func TestSnapshotEveryFiveSeconds(t *testing.T) {
	h := spawn(t)
	film(h, "a", time.Hour, face(), 20*second)
	got := sent(t, h)
	if len(got) != 4 {
		t.Fatalf("%d snapshots in 20 s, want 4", len(got))
	}
	last := got[3]
	if last.FaceDetected != messages.Just(true) || !last.EARAverage.Known || last.EARAverage.Value < 0.25 ||
		last.EARAverage.Value > 0.4 || last.GazeOffScreenRatio.Known {
		t.Errorf("snapshot %+v, want a face with open eyes and no gaze", last)
	}
	if age := h.Now().Sub(last.ObservedAt); age > second/5 {
		t.Errorf("snapshot is %v old, want it dated by its arrival", age)
	}
	h.WantCommits(0)
}

func TestSilenceIsPassedOn(t *testing.T) {
	h := spawn(t)
	film(h, "a", 0, face(), 10*second)
	sent(t, h)
	h.Advance(time.Minute)
	h.WantSent()
	film(h, "a", 70*second, nil, 5*second)
	if got := sent(t, h); len(got) != 1 || got[0].FaceDetected != messages.Just(false) {
		t.Errorf("after an empty picture sent %+v, want one snapshot without a face", got)
	}
}

func TestATrackersOwnSnapshot(t *testing.T) {
	h := spawn(t)
	h.Send(messages.CameraSnapshot{FaceDetected: messages.Just(false), ObservedAt: h.Now().Add(time.Hour)})
	want := messages.CameraSnapshot{FaceDetected: messages.Just(false), ObservedAt: h.Now()}
	h.Advance(12 * second)
	h.WantSent(actortest.To("focus/desk", want)) // once
	film(h, "a", 0, face(), 5*second)
	if got := sent(t, h); len(got) != 1 || got[0].FaceDetected != messages.Just(true) {
		t.Errorf("sent %+v, want what is newer", got)
	}
}

// The tracker's next session takes over at once, with a clock and a minute of its
// own.
func TestNextSession(t *testing.T) {
	h := spawn(t)
	film(h, "a", time.Hour, face(), 15*second)
	film(h, "b", 0, nil, 5*second)
	h.WantNothingDropped()
	got := sent(t, h)
	if len(got) != 4 || got[2].FaceNotDetectedRatio != messages.Just(0.0) ||
		got[3].FaceDetected != messages.Just(false) || got[3].FaceNotDetectedRatio != messages.Just(1.0) {
		t.Errorf("sent %+v, want the fourth to be of the second session alone", got)
	}
}

func TestBadPictures(t *testing.T) {
	h := spawn(t)
	h.Send(messages.FaceFrame{Session: "a", At: second, Points: make([]messages.Point, 7)})
	h.WantDropped(events.StageCamera, events.RuleNoFace,
		events.Detail{Note: "landmarks: a face cannot be measured: 7 points: want 478 (MediaPipe) or 68 (OpenFace)"})
	h.Send(messages.FaceFrame{Session: "a", At: second, Points: make([]messages.Point, 68)})
	h.WantDropped(events.StageCamera, events.RuleNoFace,
		events.Detail{Note: "landmarks: a face cannot be measured: they form no face"})
	h.Advance(5 * second)
	h.WantSent() // what cannot be measured does not say that nobody is there
	h.Send(messages.FaceFrame{Session: "a", At: second, Points: face()})
	h.Send(messages.FaceFrame{Session: "a", At: second / 2, Points: face()})
	h.WantDropped(events.StageCamera, events.RuleTimeBack)
}

// Each person has a norm of their own, which is forgotten when somebody asks for it.
func TestPersons(t *testing.T) {
	options := camera.DefaultOptions()
	options.Person = "hana"
	h := actortest.Spawn(t, camera.New(options), actortest.Address("camera/desk"))
	h.Start()
	film(h, "a", 0, face(), 70*second)
	if _, ok := actortest.Stored(h, camera.Baselines, camera.RowKey("")); ok {
		t.Error("the norm of hana is also that of nobody")
	}
	known := func() bool {
		got := sent(t, h)
		return got[len(got)-1].EAROpen.Known
	}
	if _, ok := actortest.Stored(h, camera.Baselines, camera.RowKey("hana")); !ok || !known() {
		t.Fatal("the norm of hana is not stored, or does not count")
	}
	h.Send(messages.ForgetEyes{Person: "ken"})
	h.CrashBeforeCommit()
	h.Send(messages.ForgetEyes{Person: "hana"})
	h.Start()
	if _, ok := actortest.Stored(h, camera.Baselines, camera.RowKey("hana")); ok {
		t.Error("the norm of hana is still stored")
	}
	film(h, "b", 0, face(), 15*second)
	if known() {
		t.Error("the norm of hana still counts")
	}
	if got := camera.PersonOf(camera.RowKey("hana")) + camera.PersonOf(camera.RowKey("")); got != "hana" {
		t.Errorf("the rows of hana and of nobody are of %q", got)
	}
}

// Narrow eyes count as open once the camera knows them, even after a crash.
func TestNarrowEyes(t *testing.T) {
	narrow := face()
	for _, i := range []int{37, 38, 43, 44} {
		narrow[i].Y += 2.2
	}
	rules := attention.DefaultRules()
	working := &messages.UsageSnapshot{IdleSeconds: messages.Just(2.0), IsIdle: messages.Just(false)}
	h := spawn(t)
	film(h, "a", 0, narrow, 70*second)
	judge := func(when string, want bool) {
		t.Helper()
		got := sent(t, h)
		last := got[len(got)-1]
		if state, clear := rules.Judge(attention.Look{Camera: &last, Usage: working}); last.EARAverage.Value > 0.26 ||
			clear != want {
			t.Errorf("%s: eyes of %v, usually %v, are judged %s, %v, want a clear case: %v", when, last.EARAverage,
				last.EAROpen, state.State, clear, want)
		}
	}
	judge("after a minute", true)
	h.Crash()
	h.Start()
	film(h, "b", 0, narrow, 15*second)
	judge("after a crash", true)
	for _, i := range []int{37, 38, 43, 44} {
		narrow[i].Y += 1.5
	}
	film(h, "b", 15*second, narrow, 10*second)
	judge("half shut", false)
}

// What was learnt about a person survives a crash; the last minute does not.
func TestCrash(t *testing.T) {
	h := spawn(t)
	film(h, "a", 0, face(), 70*second)
	h.WantCommits(1)
	learnt, ok := actortest.Stored(h, camera.Baselines, camera.RowKey(""))
	if !ok || learnt.Openness < 0.25 {
		t.Fatalf("stored baseline %+v, %v, want that of the face", learnt, ok)
	}
	film(h, "a", 70*second, face(), 65*second)
	h.WantCommits(1)
	h.Crash()
	h.Start()
	sent(t, h)
	h.Advance(10 * second)
	h.WantSent()
	h.CrashBeforeCommit()
	h.Send(messages.FaceFrame{Session: "b", Points: face()})
	h.Start()
	film(h, "b", 0, face(), 5*second)
	if got := sent(t, h); len(got) != 1 || got[0].Perclos.Known {
		t.Errorf("after a crash sent %+v, want a fresh window", got)
	}
}
