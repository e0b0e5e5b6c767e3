//go:build desktop

package x11

import (
	"image"
	"image/color"
	"testing"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/hardwaretest/desktop"
)

// chatPage is a chat without text, so that every pixel is known: a mark in the
// corner, then bubbles left and right on the ground, one more every 300 ms.
const chatPage = `<!doctype html><meta charset="utf-8"><title>chat</title>
<body style="margin:0;background:#8cabd8;overflow:hidden">
<style>div{position:absolute;width:200px;height:30px}</style>
<div style="left:0;top:0;width:4px;height:4px;background:#ff00ff"></div>
<script>
let n = 0;
const add = () => {
	const d = document.createElement("div");
	const own = n % 2;
	d.style = "top:" + (20 + 40*n) + "px;left:" + (own ? 400 : 40) + "px;background:" + (own ? "#8de055" : "#ffffff");
	document.body.append(d);
	if (++n < 10) setTimeout(add, 300);
};
add();
</script>`

var (
	mark   = color.RGBA{0xff, 0x00, 0xff, 0xff}
	ground = color.RGBA{0x8c, 0xab, 0xd8, 0xff}
	own    = color.RGBA{0x8d, 0xe0, 0x55, 0xff}
	other  = color.RGBA{0xff, 0xff, 0xff, 0xff}
)

// chatPixel is what the page shows with n bubbles at a point from its corner.
func chatPixel(p image.Point, n int) color.RGBA {
	for i := range n {
		box, fill := image.Rect(40, 20+40*i, 240, 50+40*i), other
		if i%2 == 1 {
			box, fill = box.Add(image.Pt(360, 0)), own
		}
		if p.In(box) {
			return fill
		}
	}
	if p.In(image.Rect(0, 0, 4, 4)) {
		return mark
	}
	return ground
}

// chatBubbles returns how many bubbles a capture shows, -1 if the page is not
// exactly as it must be with any number of them.
func chatBubbles(img *image.RGBA) int {
	corner := image.Pt(-1, -1)
	for i := 0; i < len(img.Pix) && corner.X < 0; i += 4 {
		if p := image.Pt(i%img.Stride/4, i/img.Stride); img.RGBAAt(p.X, p.Y) == mark {
			corner = p
		}
	}
	if corner.X < 0 {
		return -1
	}
	n := 0
	for n < 10 && img.RGBAAt(corner.X+60+360*(n%2), corner.Y+30+40*n) != ground {
		n++
	}
	// The window's own frame, where it draws one, is as wide on all other sides.
	inset := corner.X
	for y := corner.Y; y < img.Rect.Dy()-inset; y++ {
		for x := corner.X; x < img.Rect.Dx()-inset; x++ {
			if img.RGBAAt(x, y) != chatPixel(image.Pt(x, y).Sub(corner), n) {
				return -1
			}
		}
	}
	return n
}

func TestCaptureOfCoveredBrowser(t *testing.T) {
	desk := managed(t)
	d := open(t, Options{Display: desk.Display})
	desk.StartBrowser(t, chatPage)
	var w hardware.Window
	var err error
	desktop.Eventually(t, "the page is open", func() bool {
		w, err = d.Find(t.Context(), "chromium")
		return err == nil && w.Title == "chat"
	})
	front := desktop.Connect(t, desk.Display).Open("front", "Front", image.Rect(0, 0, 1200, 850))
	if got, err := d.Active(t.Context()); err != nil || got.Ref == w.Ref {
		t.Fatalf("Active() = %v, %v, want the window in front", got.Ref, err)
	}
	last := 0
	for last < 10 {
		desktop.Eventually(t, "the covered page shows more bubbles", func() bool {
			n := chatBubbles(capture(t, d, w.Ref))
			if n >= 0 && n < last {
				t.Fatalf("the covered page shows %d bubbles after %d", n, last)
			}
			more := n > last
			last = max(last, n)
			return more
		})
	}
	list, err := d.Windows(t.Context())
	if err != nil || len(list) < 2 || list[0].Ref != ref(front) {
		t.Errorf("Windows() = %v, %v, want the covering window still in front", list, err)
	}
}
