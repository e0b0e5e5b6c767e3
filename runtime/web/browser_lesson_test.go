//go:build browser

package web

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"testing"
	"time"
)

// chatShot is a picture of a chat with one message of each side.
func chatShot() *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, 1600, 900)) // wider than the page, which shows it smaller
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	for box, fill := range map[image.Rectangle]color.RGBA{
		image.Rect(1100, 100, 1500, 200): {0x85, 0xe2, 0x49, 255},
		image.Rect(100, 300, 500, 400):   {0xdd, 0xdd, 0xdd, 255},
	} {
		draw.Draw(img, box, image.NewUniform(fill), image.Point{}, draw.Src)
	}
	return img
}

// A person clicks on two messages, sees what would be read, begins again, and takes what is good.
func TestLessonInABrowser(t *testing.T) {
	shown := make(chan Pointed, 10)
	names := false
	l := Lesson{Shot: chatShot(), Try: func(_ context.Context, p Pointed) Tried {
		shown <- p
		if names && p.Me == "" {
			return Tried{Said: "names stand beside its messages", Names: true, Found: chatShot()}
		}
		return Tried{Said: "found 1 own and 1 incoming bubbles", Good: true, Found: chatShot(), Texts: []TriedText{
			{Side: "own", Text: "<b>明日</b>"}, {Side: "incoming", Sender: "Hana\u202e", Text: "了解"}}}
	}}
	addresses, served := make(chan string, 1), make(chan error, 1)
	go func() { served <- l.Serve(t.Context(), func(a string) { addresses <- a }) }()
	b := startBrowser(t)
	p := b.tab(look{w: 1000, h: 1000})
	p.do("Page.navigate", map[string]any{"url": <-addresses}, nil)
	p.until(`document.getElementById("task")?.textContent === "Click on a message of yours."`)
	p.wantNoBarriers("the lesson")
	at := func(x, y float64) {
		t.Helper()
		box := p.box("#picture")
		for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
			p.do("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": box.X + x*box.Width/1600,
				"y": box.Y + y*box.Height/900, "button": "left", "clickCount": 1}, nil)
		}
	}
	wantNear := func(got, want image.Point) {
		t.Helper()
		if d := got.Sub(want); d.X < -3 || d.X > 3 || d.Y < -3 || d.Y > 3 {
			t.Errorf("the page sent %v, want %v", got, want)
		}
	}
	both := func() Pointed {
		t.Helper()
		at(1300, 150)
		p.until(`document.getElementById("task").textContent.startsWith("Now click")`)
		at(300, 350)
		select {
		case got := <-shown:
			wantNear(got.Mine, image.Pt(1300, 150))
			wantNear(got.Theirs, image.Pt(300, 350))
			return got
		case <-time.After(20 * time.Second):
			t.Fatal("the page tries nothing")
			return Pointed{}
		}
	}
	both()
	p.until(`!document.getElementById("take").disabled`)
	p.wantText("#texts", "yours: <b>明日</b> theirs · Hana\ufffd: 了解")
	p.shoot("lesson")
	names = true
	p.click("#again")
	p.until(`document.getElementById("take").disabled && document.getElementById("texts").children.length === 0`)
	both()
	p.until(`!document.getElementById("named").hidden`)
	eval[int](p, `document.getElementById("me").value = " Alex ", document.querySelector("#named button").click(), 1`)
	if got := <-shown; got.Me != "Alex" {
		t.Errorf("the page sent %+v, want the name", got)
	}
	p.until(`!document.getElementById("take").disabled`)
	p.click("#take")
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	p.until(`document.getElementById("task").textContent.startsWith("Written")`)
	b.wantNoComplaints()
	if url := eval[string](p, `location.href`); len(url) > len("http://127.0.0.1:65535/") {
		t.Errorf("the address still has the key: %s", fmt.Sprint(len(url), " letters"))
	}
}
