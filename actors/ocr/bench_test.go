package ocr

import (
	"testing"

	"github.com/kehai-run/kehai/messages"
)

func fullPage(tb testing.TB, scale int) *page {
	p := newPage(tb, lightPage, scale, 720, "Hana")
	for i := 0; p.y < 560*scale; i++ {
		p.say(said{[]messages.Side{messages.SideIncoming, messages.SideOwn}[i%2], japaneseLines[i]})
	}
	return p
}

func BenchmarkPrepare(b *testing.B) {
	p := fullPage(b, 1)
	shapes := segment(b, p).Shapes
	px, err := open(p.img, 1)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		prepareShape(px, shapes[0], 1)
	}
}
