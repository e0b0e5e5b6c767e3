package feed

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// points is n points as JSON, made of one.
func points(n int, one string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(one+",", n), ",") + "]"
}

func TestParse(t *testing.T) {
	var s session
	for _, c := range []struct {
		in   string
		at   time.Duration
		n    int
		last messages.Point
	}{
		{`{"at_ms":0,"points":` + points(68, "[10,20.5]") + `}`, 0, 68, messages.Point{X: 10, Y: 20.5}},
		{`{"at_ms":33.4,"points":` + points(478, "[10,20,-3]") + `}`, 33400 * time.Microsecond, 478,
			messages.Point{X: 10, Y: 20}},
		{`{"at_ms":33.4,"width":1280,"height":720,"points":` + points(478, `{"x":0.5,"y":0.25,"z":0}`) + `}`,
			33400 * time.Microsecond, 478, messages.Point{X: 640, Y: 180}},
		{`{"at_ms":40,"points":null}`, 40 * time.Millisecond, 0, messages.Point{}},
		{`{"at_ms":41,"points":[]}`, 41 * time.Millisecond, 0, messages.Point{}},
		{`{"at_ms":1790000000000,"points":[]}`, 1790000000 * time.Second, 0, messages.Point{}},
		{`{"at_ms":9e12,"points":[]}`, 9e9 * time.Second, 0, messages.Point{}},
	} {
		got, ack, err := s.parse([]byte(c.in))
		f, ok := got.(messages.FaceFrame)
		if err != nil || ack || !ok || f.At != c.at || len(f.Points) != c.n || c.n > 0 && f.Points[c.n-1] != c.last {
			t.Errorf("parse(%.60s) = %v with %d points, %v, %v, want %d at %v", c.in, f.At, len(f.Points), ack, err,
				c.n, c.at)
		}
	}
	got, ack, err := s.parse([]byte(`{"camera":{"face_detected":true,"head_pose":{"yaw":3}},"ack":true}`))
	want := messages.CameraSnapshot{FaceDetected: messages.Just(true),
		HeadPose: messages.HeadPose{Yaw: messages.Just(3.0)}}
	if err != nil || !ack || got != messages.Message(want) {
		t.Errorf("parse(snapshot) = %+v, %v, %v, want %+v", got, ack, err, want)
	}
}

func TestParseQuestion(t *testing.T) {
	var s session
	if msg, ack, err := s.parse([]byte(`{"ack":true}`)); msg != nil || !ack || err != nil || s.began {
		t.Errorf("parse(question) = %v, %v, %v, want nothing but an answer", msg, ack, err)
	}
	if _, _, err := s.parse([]byte(`{"ack":true,"at_ms":1}`)); err == nil {
		t.Error("parse(a picture without points) = none, want an error")
	}
}

func TestParseErrors(t *testing.T) {
	face := points(68, "[10,20]")
	for _, c := range []struct{ in, code, text string }{
		{`hello`, CodeJSON, "no JSON object"},
		{`[]`, CodeJSON, "no JSON object"},
		{`{}`, CodeJSON, `want {"at_ms"`},
		{`{"at_ms":1,"points":[],"camera":{}}`, CodeJSON, "not both"},
		{`{"at_ms":"1","points":[]}`, CodeJSON, "at_ms has another form"},
		{`{"at_ms":1,"points":[[NaN,2]]}`, CodeJSON, "NaN and Infinity"},
		{`{"at_ms":-Infinity,"points":[]}`, CodeJSON, "NaN and Infinity"},
		{`{"points":[]}`, CodeTime, "at_ms: want"},
		{`{"at_ms":-1,"points":[]}`, CodeTime, "at_ms: want"},
		{`{"at_ms":9.1e12,"points":[]}`, CodeTime, "from 0 to 9e+12"},
		{`{"at_ms":1.79e15,"points":[]}`, CodeTime, "microseconds"},
		{`{"at_ms":1e300,"points":[]}`, CodeTime, "at_ms: want"},
		{`{"at_ms":4,"points":[]}`, CodeTime, "at_ms goes back"},
		{`{"at_ms":9,"points":` + points(70, "[10,20]") + `}`, CodePoints, "70 points: want 478"},
		{`{"at_ms":9,"points":` + points(468, "[10,20]") + `}`, CodePoints, "468 points"},
		{`{"at_ms":9,"points":` + points(68, "[10]") + `}`, CodePoints, "point 0: want 2 or 3 coordinates"},
		{`{"at_ms":9,"points":` + points(68, `{"x":1}`) + `}`, CodePoints, "point 0: want x and y"},
		{`{"at_ms":9,"points":` + points(68, "[1,2,3,4]") + `}`, CodePoints, "point 0: want 2 or 3 coordinates"},
		{`{"at_ms":9,"points":` + points(68, "[[1,2]]") + `}`, CodePoints, "points: want [[x,y]"},
		{`{"at_ms":9,"points":[1,2]}`, CodePoints, "points: want [[x,y]"},
		{`{"at_ms":9,"points":` + points(68, "[1,null]") + `}`, CodePoints, "points: want [[x,y]"},
		{`{"at_ms":9,"points":` + points(68, "[1e999,1]") + `}`, CodePoints, "points: want [[x,y]"},
		{`{"at_ms":9,"points":"[[1,2]]"}`, CodePoints, "points: want [[x,y]"},
		{`{"at_ms":9,"points":` + points(68, `["1","2"]`) + `}`, CodePoints, "points: want [[x,y]"},
		{`{"at_ms":9,"points":` + points(68, `[1e7,2]`) + `}`, CodePoints, "outside of any picture"},
		{`{"at_ms":9,"points":` + points(68, `[0.5,0.25]`) + `}`, CodePoints, "need width and height"},
		{`{"at_ms":9,"width":1280,"points":` + points(68, `[0.5,0.25]`) + `}`, CodePoints, "both or neither"},
		{`{"at_ms":9,"width":-1,"height":5,"points":` + face + `}`, CodePoints, "both or neither"},
		{`{"at_ms":9,"width":1280,"height":720,"points":` + points(68, `[0.5,2.1]`) + `}`, CodePoints,
			"point 0 is in pixels"},
		{`{"at_ms":9,"width":640,"height":480,"points":` + points(478, `[-320,240]`) + `}`, CodePoints, "is in pixels"},
		{`{"camera":{"ear_average":"hidden"}}`, CodeSnapshot, "ear_average: want a number"},
		{`{"camera":{"perclos":2}}`, CodeSnapshot, "perclos: want 0 to 1"},
		{`{"camera":7}`, CodeSnapshot, "want a JSON object"},
	} {
		s := session{began: true, last: 5 * time.Millisecond}
		got, _, err := s.parse([]byte(c.in))
		var bad *LineError
		if got != nil || !errors.As(err, &bad) || bad.Code != c.code || !strings.Contains(bad.Text, c.text) ||
			strings.Contains(bad.Text, "hidden") {
			t.Errorf("parse(%.60s) = %v, %v, want %s: %s", c.in, got, err, c.code, c.text)
		}
		if s.last != 5*time.Millisecond {
			t.Errorf("parse(%.60s) moved the session's time", c.in)
		}
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", MaxLine+1)
	in := newLineReader(strings.NewReader("a\r\n\n" + long + "\n" + long[1:] + "\nb"))
	for _, want := range []struct {
		size, n int
		long    bool
	}{{1, 1, false}, {-1, 3, true}, {MaxLine, 4, false}, {1, 5, false}} {
		text, isLong, err := in.next()
		if err != nil || isLong != want.long || !isLong && len(text) != want.size || in.n != want.n {
			t.Errorf("next() = %d bytes of line %d, %v, %v, want %d of line %d, %v", len(text), in.n, isLong, err,
				want.size, want.n, want.long)
		}
	}
	if _, _, err := in.next(); err == nil {
		t.Error("next() after the end = none, want an error")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"at_ms":1,"points":[[1,2]]}`)
	f.Add(`{"at_ms":1,"width":1,"height":1e9,"points":` + points(68, "[1e3,1e3]") + `}`)
	f.Add(`{"camera":{"observed_at":1e12,"head_pose":null}}`)
	f.Fuzz(func(t *testing.T, in string) {
		var s session
		for range 2 {
			msg, _, err := s.parse([]byte(in))
			var bad *LineError
			if err != nil && (!errors.As(err, &bad) || bad.Code == "" || msg != nil) {
				t.Fatalf("parse(%q) = %v, %v, want a message or a *LineError", in, msg, err)
			}
			frame, ok := msg.(messages.FaceFrame)
			if !ok {
				continue
			}
			if n := len(frame.Points); n != 0 && n != 68 && n != 478 {
				t.Fatalf("parse(%q) let %d points pass", in, n)
			}
			for _, p := range frame.Points {
				if !(math.Abs(p.X) <= maxCoordinate && math.Abs(p.Y) <= maxCoordinate) {
					t.Fatalf("parse(%q) let %v pass", in, p)
				}
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	list := make([][3]float64, 478)
	for i := range list {
		list[i] = [3]float64{400 + float64(i)/7, 300 - float64(i)/11, float64(i) / 13}
	}
	raw, err := json.Marshal(list)
	if err != nil {
		b.Fatal(err)
	}
	text := fmt.Appendf(nil, `{"at_ms":1,"points":%s}`, raw)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var s session
		if _, _, err := s.parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

// Whatever is posted: each line is taken or told, and nothing else is.
func FuzzPost(f *testing.F) {
	f.Add("", `{"at_ms":0,"points":[]}`+"\n"+`{"at_ms":33.4,"points":null}`)
	f.Add("a&session=b", "\n\n{\r\n")
	f.Add("%zz", "\xff\x00")
	f.Fuzz(func(t *testing.T, query, body string) {
		taken := 0
		s := newServer(Options{Token: "0123456789abcdef", Sink: func(messages.Message) error { taken++; return nil }})
		r := httptest.NewRequest(http.MethodPost, "/v1/focus", strings.NewReader(body))
		r.URL.RawQuery = "session=" + query
		r.Header.Set("Authorization", "Bearer 0123456789abcdef")
		w := httptest.NewRecorder()
		s.handler().ServeHTTP(w, r)
		var res result
		if err := json.Unmarshal(w.Body.Bytes(), &res); err != nil || (w.Code == http.StatusOK) != (res.Taken > 0) ||
			res.Taken == 0 && len(res.Errors) == 0 || len(res.Errors) > maxErrors || taken > res.Taken {
			t.Errorf("answered %d %+v, %v, after %d messages", w.Code, res, err, taken)
		}
	})
}
