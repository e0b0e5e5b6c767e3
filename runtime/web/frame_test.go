package web

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"sync"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
)

func TestFrame(t *testing.T) {
	s := serve(t, &host{})
	get := func(path, etag string) (int, string, string) {
		t.Helper()
		r := request(t, s, path)
		if etag != "" {
			r.Header.Set("If-None-Match", etag)
		}
		resp, body := do(t, r)
		return resp.StatusCode, resp.Header.Get("ETag"), body
	}
	if code, _, _ := get("/frame?window=line@a", ""); code != 404 {
		t.Errorf("GET /frame before the first = %d, want 404", code)
	}
	for _, grey := range []uint8{10, 200} {
		s.Listen(frameOf("line@a", grey, "x"))
		code, etag, body := get("/frame?window=line@a", "")
		img, err := png.Decode(strings.NewReader(body))
		if code != 200 || err != nil {
			t.Fatalf("GET /frame = %d, %v, want 200 and a PNG", code, err)
		}
		if r, _, _, a := img.At(3, 3).RGBA(); a>>8 != uint32(grey) || img.Bounds().Dx() != 40 {
			t.Errorf("pixel = %d alpha %d of %v, want alpha %d of 40 by 30", r>>8, a>>8, img.Bounds(), grey)
		}
		if code, _, body := get("/frame?window=line@a", etag); code != 304 || body != "" {
			t.Errorf("GET /frame unchanged = %d with %d bytes, want 304 and none", code, len(body))
		}
	}
	if code, _, _ := get("/frame?window=other", ""); code != 404 {
		t.Errorf("GET /frame of an unknown window = %d, want 404", code)
	}
}

func TestFrameIsMadeOnceAndOnlyWhenAsked(t *testing.T) {
	s := serve(t, &host{})
	s.Listen(frameOf("a", 10, "x"))
	p := &s.hub.windows["a"].picture
	if p.png != nil {
		t.Fatal("the PNG is made before anybody asked")
	}
	frame := s.hub.windows["a"].frame
	var made [8][]byte
	var wg sync.WaitGroup
	for i := range made {
		wg.Go(func() { made[i], _ = p.of(frame, 1) })
	}
	wg.Wait()
	for i := range made {
		if &made[i][0] != &made[0][0] {
			t.Errorf("asker %d got a picture of its own, want one for all", i)
		}
	}
	if again, _ := p.of(frame, 2); &again[0] == &made[0][0] || !bytes.Equal(again, made[0]) {
		t.Error("a newer version gets the old picture, want it made again")
	}
}

func TestWindowsAreBounded(t *testing.T) {
	s := serve(t, &host{})
	for i := range 3 * maxWindows {
		s.Listen(frameOf(messages.WindowID(fmt.Sprint(i)), 1, "x"))
		s.Listen(engine.Published{Message: events.CaptureState{Window: messages.WindowID(fmt.Sprint("c", i)),
			Code: "x"}})
	}
	if got := len(s.hub.windows); got != maxWindows {
		t.Errorf("%d windows are kept, want %d", got, maxWindows)
	}
}

func BenchmarkFrame(b *testing.B) {
	img := image.NewRGBA(image.Rect(0, 0, 1000, 800))
	for i := range img.Pix {
		img.Pix[i] = uint8(i / 900 * 7)
	}
	ev := &events.FrameSeen{Frame: messages.Frame{Image: img}}
	for b.Loop() {
		var p picture
		data, err := p.of(ev, 1)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(img.Pix)))
		b.ReportMetric(float64(len(data)), "png-bytes")
	}
}

func BenchmarkListen(b *testing.B) {
	h := &host{}
	s, err := New(h.options())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for range maxClients {
		s.hub.join()
	}
	ev := frameOf("a", 1, "x")
	b.ReportAllocs()
	for b.Loop() {
		s.Listen(ev)
	}
}
