package messages

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
)

// ErrSnapshot marks a snapshot that cannot be used. The text names the field,
// never its value.
var ErrSnapshot = errors.New("messages: bad snapshot")

// DecodeCamera reads the JSON object of a camera snapshot and checks it. Fields
// that it does not know are left out. observed_at may be RFC 3339 or a number
// of seconds or milliseconds since 1970.
func DecodeCamera(data []byte) (CameraSnapshot, error) {
	s, err := decodeSnapshot[CameraSnapshot](data)
	if err == nil {
		err = s.Check()
	}
	return s, err
}

// DecodeUsage reads the JSON object of a usage snapshot, as [DecodeCamera] does.
func DecodeUsage(data []byte) (UsageSnapshot, error) {
	s, err := decodeSnapshot[UsageSnapshot](data)
	if err == nil {
		err = s.Check()
	}
	return s, err
}

// CameraFields lists the fields of a camera snapshot as [DecodeCamera] reads
// them, those of the pose with its name and a point before theirs.
func CameraFields() []string { return fieldsOf(reflect.TypeFor[CameraSnapshot](), "") }

// UsageFields lists the fields of a usage snapshot in the same way.
func UsageFields() []string { return fieldsOf(reflect.TypeFor[UsageSnapshot](), "") }

func fieldsOf(t reflect.Type, prefix string) (names []string) {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, prefix+name)
		if t.Field(i).Type == reflect.TypeFor[HeadPose]() {
			names = append(names, fieldsOf(t.Field(i).Type, prefix+name+".")...)
		}
	}
	return names
}

// UnknownFields lists the fields of a JSON object, and of the objects in it, that are not
// among the known ones, sorted by name. Case does not count.
func UnknownFields(data []byte, known []string) (unknown []string) {
	return unknownFields(data, known, "", 2)
}

func unknownFields(data []byte, known []string, prefix string, depth int) (unknown []string) {
	var fields map[string]json.RawMessage
	if depth == 0 || json.Unmarshal(data, &fields) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !strings.Contains(name, ".") &&
			slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, prefix+name) }) {
			unknown = append(unknown, unknownFields(fields[name], known, prefix+name+".", depth-1)...)
		} else {
			unknown = append(unknown, prefix+name)
		}
	}
	return unknown
}

// Check returns an error wrapping [ErrSnapshot] for a number outside its range.
func (s *CameraSnapshot) Check() error {
	return errors.Join(
		within("face_not_detected_ratio", s.FaceNotDetectedRatio, 0, 1),
		within("ear_average", s.EARAverage, 0, 10),
		within("ear_open", s.EAROpen, 0.05, 10),
		within("perclos", s.Perclos, 0, 1),
		within("head_pose.yaw", s.HeadPose.Yaw, -180, 180),
		within("head_pose.pitch", s.HeadPose.Pitch, -180, 180),
		within("gaze_off_screen_ratio", s.GazeOffScreenRatio, 0, 1),
		within("blinks_per_minute", s.BlinksPerMinute, 0, 1e4),
		within("head_movement_count", s.HeadMovementCount, 0, 1e6),
	)
}

// Check returns an error wrapping [ErrSnapshot] for a number outside its range.
func (s *UsageSnapshot) Check() error {
	return errors.Join(
		within("idle_seconds", s.IdleSeconds, 0, math.MaxFloat64),
		within("keyboard_rate_window", s.KeyboardRateWindow, 0, 1e9),
		within("mouse_rate_window", s.MouseRateWindow, 0, 1e9),
		within("app_switches_in_window", s.AppSwitchesInWindow, 0, 1e6),
		within("unique_apps_in_window", s.UniqueAppsInWindow, 0, 1e6),
		within("seconds_since_last_keyboard", s.SecondsSinceLastKeyboard, 0, math.MaxFloat64),
	)
}

// within lets NaN pass: it counts as missing.
func within[N int | float64](field string, m Maybe[N], lo, hi float64) error {
	if v := float64(m.Value); m.Known && (v < lo || v > hi) {
		return fmt.Errorf("%w: %s: want %g to %g", ErrSnapshot, field, lo, hi)
	}
	return nil
}

func decodeSnapshot[S any](data []byte) (S, error) {
	var s S
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil || fields == nil {
		return s, fmt.Errorf("%w: want a JSON object such as {\"face_detected\":true} or {\"idle_seconds\":3}",
			ErrSnapshot)
	}
	if at, ok := fields["observed_at"]; ok {
		fields["observed_at"] = moment(at)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		one, err := json.Marshal(map[string]json.RawMessage{name: fields[name]})
		if err == nil {
			err = json.Unmarshal(one, &s)
		}
		if err != nil {
			return s, fmt.Errorf("%w: %s: want %s", ErrSnapshot, name, wanted(err))
		}
	}
	return s, nil
}

// wanted says what a field should have been.
func wanted(err error) string {
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &typ) && typ.Type.Kind().String() == "bool":
		return "true, false or null"
	case errors.As(err, &typ) && typ.Type.Kind().String() == "int":
		return "a whole number or null"
	case errors.As(err, &typ) && typ.Type.Kind().String() == "float64":
		return "a number or null"
	case errors.As(err, &typ) && typ.Type.Kind().String() == "string":
		return "a text"
	case errors.As(err, &typ):
		return "a JSON object"
	}
	return "another form"
}

// moment turns a number of seconds or milliseconds since 1970 into RFC 3339.
func moment(raw json.RawMessage) json.RawMessage {
	var n float64
	raw = bytes.TrimSpace(raw)
	if json.Unmarshal(raw, &n) != nil || bytes.Equal(raw, []byte("null")) || n < 0 || n >= 1e13 {
		return raw
	}
	if n < 1e11 {
		n *= 1000
	}
	text, err := time.UnixMilli(int64(n)).UTC().MarshalJSON()
	if err != nil {
		return raw
	}
	return text
}
