package messages

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func TestMaybe(t *testing.T) {
	for _, c := range []struct {
		in   any
		want string
	}{
		{Maybe[float64]{}, "null"}, {Just(0.0), "0"}, {Just(math.NaN()), "null"}, {Just(math.Inf(-1)), "null"},
		{Maybe[bool]{}, "null"}, {Just(false), "false"}, {Just(3), "3"},
	} {
		if got, err := json.Marshal(c.in); err != nil || string(got) != c.want {
			t.Errorf("Marshal(%v) = %s, %v, want %s", c.in, got, err, c.want)
		}
	}
	m := Just(1.5)
	if err := json.Unmarshal([]byte("null"), &m); err != nil || m.Known || m.Value != 0 {
		t.Errorf("Unmarshal(null) = %+v, %v, want nothing known", m, err)
	}
}

func TestDecodeCamera(t *testing.T) {
	got, err := DecodeCamera([]byte(`{"face_detected":true,"ear_average":null,"head_pose":{"yaw":-3},"observed_at":1767225600.5,"title":"x"}`))
	want := CameraSnapshot{
		FaceDetected: Just(true), HeadPose: HeadPose{Yaw: Just(-3.0)},
		ObservedAt: time.Date(2026, 1, 1, 0, 0, 0, 5e8, time.UTC),
	}
	if err != nil || got != want {
		t.Errorf("DecodeCamera() = %+v, %v, want %+v", got, err, want)
	}
	if got, err := DecodeCamera([]byte(`{"head_pose":null}`)); err != nil || got != (CameraSnapshot{}) {
		t.Errorf("DecodeCamera(no pose) = %+v, %v, want nothing known", got, err)
	}
}

func TestDecodeSnapshotErrors(t *testing.T) {
	for in, want := range map[string]string{
		``:                                  "want a JSON object",
		`null`:                              "want a JSON object",
		`[1]`:                               "want a JSON object",
		`{"ear_average":"secret"}`:          "ear_average: want a number or null",
		`{"face_detected":"true"}`:          "face_detected: want true, false or null",
		`{"head_movement_count":1.5}`:       "head_movement_count: want a whole number or null",
		`{"head_pose":5}`:                   "head_pose: want a JSON object",
		`{"face_not_detected_ratio":1.01}`:  "face_not_detected_ratio: want 0 to 1",
		`{"ear_open":0}`:                    "ear_open: want 0.05 to 10",
		`{"head_pose":{"yaw":-181}}`:        "head_pose.yaw: want -180 to 180",
		`{"observed_at":"yesterday"}`:       "observed_at: want another form",
		`{"ear_average":1,"perclos":[0.5]}`: "perclos: want a number or null",
	} {
		_, err := DecodeCamera([]byte(in))
		if !errors.Is(err, ErrSnapshot) || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("DecodeCamera(%s) = %v, want %q", in, err, want)
		}
	}
	for in, want := range map[string]string{
		`{"idle_seconds":-1}`:              "idle_seconds",
		`{"active_app":7}`:                 "active_app: want a text",
		`{"unique_apps_in_window":"many"}`: "unique_apps_in_window: want a whole number or null",
	} {
		if _, err := DecodeUsage([]byte(in)); !errors.Is(err, ErrSnapshot) || !strings.Contains(err.Error(), want) {
			t.Errorf("DecodeUsage(%s) = %v, want %q", in, err, want)
		}
	}
}

func TestUnknownFields(t *testing.T) {
	for in, want := range map[string]string{
		`{"face_detected":true,"EAR_average":0.3,"head_pose":{"yaw":1,"pitch":2},"observed_at":1}`: "",
		`{"face_detectd":true,"yaw":3,"ear_average":1}`:                                            "face_detectd yaw",
		`{"head_pose":{"yaw":1,"pich":{"yaw":2}},"head_pose.yaw":3}`: "head_pose.pich " +
			"head_pose.yaw",
		`{"ear_average":{"left":1}}`: "ear_average.left",
		`null`:                       "",
		`{`:                          "",
	} {
		if got := strings.Join(UnknownFields([]byte(in), CameraFields()), " "); got != want {
			t.Errorf("UnknownFields(%s) = %q, want %q", in, got, want)
		}
	}
	raw, err := json.Marshal(UsageSnapshot{})
	if got := UnknownFields(raw, UsageFields()); err != nil || got != nil {
		t.Errorf("UnknownFields(%s) = %q, %v, want none", raw, got, err)
	}
	if got := UnknownFields([]byte(`{"idle_second":1}`), UsageFields()); len(got) != 1 || got[0] != "idle_second" {
		t.Errorf("UnknownFields(idle_second) = %q, want it", got)
	}
}

func FuzzDecodeSnapshot(f *testing.F) {
	f.Add(`{"face_detected":true,"head_pose":{"yaw":1,"pitch":2},"observed_at":1}`)
	f.Add(`{"active_app":"Zoom","idle_seconds":1e300,"observed_at":"2026-01-01T00:00:00Z"}`)
	f.Fuzz(func(t *testing.T, in string) {
		if c, err := DecodeCamera([]byte(in)); err == nil {
			raw, err := json.Marshal(c)
			if err != nil {
				t.Fatalf("Marshal(%+v) = %v", c, err)
			}
			if again, err := DecodeCamera(raw); err != nil || !again.ObservedAt.Equal(c.ObservedAt) ||
				again.HeadPose != c.HeadPose {
				t.Fatalf("DecodeCamera(%s) = %+v, %v, want %+v", raw, again, err, c)
			}
		}
		if u, err := DecodeUsage([]byte(in)); err == nil && u.Check() != nil {
			t.Fatalf("DecodeUsage(%s) let %v pass", in, u.Check())
		}
	})
}
