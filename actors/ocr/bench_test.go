package ocr

import (
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatpage"
)

func fullPage(tb testing.TB, scale int) *chatpage.Page {
	p := chatpage.New(tb, chatpage.Light, scale, 720, "Hana")
	for i := 0; p.Y < 560*scale; i++ {
		p.Say([]messages.Side{messages.SideIncoming, messages.SideOwn}[i%2], japaneseLines[i])
	}
	return p
}

func BenchmarkPrepare(b *testing.B) {
	p, line := fullPage(b, 1), layout.Line()
	pane, err := segment.Open(p.Image, 1, &line)
	if err != nil {
		b.Fatal(err)
	}
	shape := pane.Find().Shapes[0]
	for b.Loop() {
		pane.Prepare(shape)
	}
}
