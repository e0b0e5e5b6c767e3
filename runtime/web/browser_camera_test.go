//go:build browser && camera

package web

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/kehai-run/kehai/actors/attention/landmarks"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/feed"
)

// lids are where the eyes of the photograph are.
var lids = [2]image.Rectangle{image.Rect(190, 97, 214, 111), image.Rect(231, 98, 257, 113)}

// film writes three seconds of a face as a camera shows it: it sways, and shuts its eyes
// in the last one, when skin from above is drawn over them.
func film(t *testing.T, photograph string) string {
	t.Helper()
	raw, err := os.ReadFile(photograph)
	if err != nil {
		t.Fatal(err)
	}
	face, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var film bytes.Buffer
	for n := range 90 {
		angle := float64(n) * 2 * math.Pi / 90
		picture := image.NewRGBA(image.Rect(0, 0, 640, 480))
		for y := range 480 {
			for x := range 640 {
				left, top := 105+6*math.Sin(angle), 30+3*math.Cos(angle)
				picture.Set(x, y, skin(face, left+0.375*float64(x), top+0.375*float64(y), n >= 60))
			}
		}
		if err := jpeg.Encode(&film, picture, &jpeg.Options{Quality: 90}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "face.mjpeg")
	if err := os.WriteFile(path, film.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// skin is the colour at a place of the photograph.
func skin(face image.Image, x, y float64, shut bool) color.Color {
	for _, lid := range lids {
		if shut && image.Pt(int(x), int(y)).In(lid) {
			y = float64(lid.Min.Y) - 3 + 0.15*(y-float64(lid.Min.Y))
		}
	}
	return face.At(int(x), int(y))
}

// The camera page finds the face of a film, draws its points, and tells Kehai, who sees
// its eyes open and shut. No picture is among what it sends.
func TestCameraInABrowser(t *testing.T) {
	frames := make(chan messages.FaceFrame, 100)
	trackers, err := feed.New(feed.Options{Sink: func(m messages.Message) error {
		if f, ok := m.(messages.FaceFrame); ok {
			select {
			case frames <- f:
			default:
			}
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	sc := newScene(t)
	s := serve(t, &sc.host, func(s *Server) {
		s.opts.Tracker, s.opts.Faces = Tracker(os.Getenv("KEHAI_TRACKER")), trackers.Lines
		s.http.Handler = s.routes()
	})
	b := startBrowser(t, "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--use-fake-device-for-media-stream",
		"--use-fake-ui-for-media-stream", "--use-file-for-fake-video-capture="+film(t, os.Getenv("KEHAI_FACE")))
	p := b.page(s, "/camera", look{w: 1200, h: 900})
	p.until(`document.querySelector("#link.live")`)
	p.wantNoBarriers("the camera page")
	p.click("#start")
	p.until(`document.getElementById("face").textContent === "478 points"`)
	p.until(`document.getElementById("points").getContext("2d").getImageData(0, 0, 640, 480).data.some((v) => v > 0)`)
	p.until(`Number(document.getElementById("taken").textContent) > 0`)
	for least, most := math.Inf(1), 0.0; least > 0.75*most; {
		face, err := landmarks.Measure((<-frames).Points)
		if err != nil || math.Abs(face.Yaw) > 25 || math.Abs(face.Pitch) > 25 || face.EAR < 0.08 || face.EAR > 0.45 {
			t.Fatalf("the face measures %+v, %v, want one that faces the camera", face, err)
		}
		least, most = min(least, face.EAR), max(most, face.EAR)
	}
	p.click("#stop")
	p.until(`document.getElementById("video").srcObject === null && document.getElementById("seen").hidden`)
	b.wantNoComplaints()
}
