package feed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// MaxLine is the longest line in bytes, without its line feed.
const MaxLine = 256 << 10

// Codes of bad lines.
const (
	CodeJSON     = "json"     // not a JSON object, or fields of the wrong type
	CodeLong     = "long"     // longer than MaxLine
	CodePoints   = "points"   // wrong number of points, or impossible coordinates
	CodeTime     = "time"     // at_ms is missing, not a time, or earlier than in the last line
	CodeSnapshot = "snapshot" // a field of a snapshot is wrong
	CodeBusy     = "busy"     // not taken now; later lines may be
)

// LineError says what is wrong with a line. It never quotes it.
type LineError struct {
	Code string
	Text string
}

func (e *LineError) Error() string { return "feed: " + e.Text }

func bad(code, format string, args ...any) error {
	return &LineError{Code: code, Text: fmt.Sprintf(format, args...)}
}

// session checks that the times of its lines do not go back. The zero value is a
// new session.
type session struct {
	name  string
	began bool
	last  time.Duration
}

// line is what a tracker sends.
type line struct {
	AtMS   *float64        `json:"at_ms"`
	Width  float64         `json:"width"`
	Height float64         `json:"height"`
	Points json.RawMessage `json:"points"`
	Camera json.RawMessage `json:"camera"`
	Ack    bool            `json:"ack"`
}

// parse reads one line. The message is nil for a line that only asks for an answer.
// Errors are *LineError.
func (s *session) parse(data []byte) (msg messages.Message, ack bool, err error) {
	var l line
	if err := json.Unmarshal(data, &l); err != nil {
		return nil, false, badJSON(data, err)
	}
	switch {
	case l.Camera != nil && l.Points != nil:
		return nil, l.Ack, bad(CodeJSON, "a line has points or camera, not both")
	case l.Camera != nil:
		snapshot, err := messages.DecodeCamera(l.Camera)
		if err != nil {
			return nil, l.Ack, bad(CodeSnapshot, "%v", err)
		}
		return snapshot, l.Ack, nil
	case l.Points == nil && l.AtMS == nil && l.Ack:
		return nil, true, nil
	case l.Points == nil:
		return nil, l.Ack, bad(CodeJSON, `want {"at_ms":…,"points":[…]} or {"camera":{…}}`)
	}
	at, err := s.time(l.AtMS)
	if err != nil {
		return nil, l.Ack, err
	}
	points, err := parsePoints(l)
	if err != nil {
		return nil, l.Ack, err
	}
	s.began, s.last = true, at
	return messages.FaceFrame{Session: s.name, At: at, Points: points}, l.Ack, nil
}

func badJSON(data []byte, err error) error {
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &typ) && typ.Field != "":
		return bad(CodeJSON, "%s has another form than it should", typ.Field)
	case bytes.Contains(data, []byte("NaN")) || bytes.Contains(data, []byte("Infinity")):
		return bad(CodeJSON, "NaN and Infinity are no JSON: leave out what was not measured")
	}
	return bad(CodeJSON, "no JSON object")
}

// maxMS limits times to what a time.Duration holds, 292 years. That is enough for
// milliseconds since 1970, but not for microseconds.
const maxMS = 9e12

func (s *session) time(ms *float64) (time.Duration, error) {
	switch {
	case ms == nil:
		return 0, bad(CodeTime, "at_ms: want milliseconds, from any beginning")
	case !(*ms >= 0 && *ms <= maxMS):
		return 0, bad(CodeTime, "at_ms: want milliseconds from 0 to %.0e; "+
			"microseconds and nanoseconds have to be divided",
			maxMS)
	}
	at := time.Duration(*ms * float64(time.Millisecond))
	if s.began && at < s.last {
		return 0, bad(CodeTime,
			"at_ms goes back: a tracker that began anew needs a new connection, or over HTTP another session")
	}
	return at, nil
}

// maxCoordinate is larger than the width and height of any picture, in pixels.
const maxCoordinate = 1e6

// maxShare is the largest coordinate of a face that is partly outside of its picture, as
// a share of that.
const maxShare = 2

func parsePoints(l line) ([]messages.Point, error) {
	points, err := decodePoints(l.Points)
	if err != nil {
		return nil, err
	}
	if n := len(points); n != 0 && n != 478 && n != 68 {
		return nil, bad(CodePoints, "%d points: want 478 (MediaPipe), 68 (OpenFace), or none without a face", n)
	}
	sized := l.Width != 0 || l.Height != 0
	if sized && !(l.Width > 0 && l.Width <= maxCoordinate && l.Height > 0 && l.Height <= maxCoordinate) {
		return nil, bad(CodePoints, "width and height: want the size of the picture in pixels, both or neither")
	}
	largest := 0.0
	for i := range points {
		if sized && max(math.Abs(points[i].X), math.Abs(points[i].Y)) > maxShare {
			return nil, bad(CodePoints,
				"point %d is in pixels: give width and height only with coordinates from 0 to 1", i)
		}
		if sized {
			points[i].X *= l.Width
			points[i].Y *= l.Height
		}
		largest = max(largest, math.Abs(points[i].X), math.Abs(points[i].Y))
	}
	switch {
	case largest > maxCoordinate:
		return nil, bad(CodePoints, "a coordinate is outside of any picture")
	case !sized && len(points) > 0 && largest <= maxShare:
		return nil, bad(CodePoints, "coordinates from 0 to 1 need width and height: "+
			"without them the face has another shape")
	}
	return points, nil
}

// decodePoints reads [[x,y],…] and [{"x":…,"y":…},…], both valid JSON.
func decodePoints(raw json.RawMessage) ([]messages.Point, error) {
	if points, wrong := scanPairs(raw); points != nil {
		if wrong >= 0 {
			return nil, bad(CodePoints, "point %d: want 2 or 3 coordinates", wrong)
		}
		return points, nil
	}
	var named []struct{ X, Y *float64 }
	if json.Unmarshal(raw, &named) != nil {
		return nil, bad(CodePoints, `points: want [[x,y],…] or [{"x":…,"y":…},…] with numbers`)
	}
	points := make([]messages.Point, len(named))
	for i, p := range named {
		if p.X == nil || p.Y == nil {
			return nil, bad(CodePoints, "point %d: want x and y", i)
		}
		points[i] = messages.Point{X: *p.X, Y: *p.Y}
	}
	return points, nil
}

// scanPairs reads valid JSON of the form [[x,y],…], the form of most lines, without an
// allocation for each point. It returns nil for any other form. wrong is the index of the
// first point without two or three coordinates, -1 for none.
func scanPairs(raw []byte) (points []messages.Point, wrong int) {
	points, wrong = make([]messages.Point, 0, 478), -1
	depth, coordinate := 0, 0
	var p [3]float64
	for i := 0; i < len(raw); {
		switch c := raw[i]; c {
		case ' ', '\t', '\r', '\n', ',':
		case '[':
			if depth++; depth > 2 {
				return nil, -1
			}
			coordinate = 0
		case ']':
			if depth--; depth == 1 {
				if wrong < 0 && (coordinate < 2 || coordinate > 3) {
					wrong = len(points)
				}
				points = append(points, messages.Point{X: p[0], Y: p[1]})
			}
		default:
			end := i
			for end < len(raw) && (raw[end] >= '0' && raw[end] <= '9' || raw[end] == '.' ||
				raw[end] == '-' || raw[end] == '+' || raw[end]|0x20 == 'e') {
				end++
			}
			v, err := strconv.ParseFloat(string(raw[i:end]), 64)
			if depth != 2 || err != nil {
				return nil, -1
			}
			if coordinate < len(p) {
				p[coordinate] = v
			}
			coordinate++
			i = end
			continue
		}
		i++
	}
	return points, wrong
}
