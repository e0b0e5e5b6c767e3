package segment_test

import (
	"image"
	"slices"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatpage"
)

// TestEmojiBoxes finds colourful pictures among the letters of a bubble, each for itself, and
// no words in colour. A prepared picture has none of them.
func TestEmojiBoxes(t *testing.T) {
	for _, scale := range []int{1, 2} {
		p := chatpage.New(t, chatpage.Light, scale, 400, "Hana")
		p.Say(messages.SideIncoming, "はい　　　　　　はい")
		b := p.Truth[0].Box
		y := b.Min.Y + (b.Dy()-16*scale)/2
		var want []image.Rectangle
		for i, c := range []uint8{0, 60} {
			r := image.Rect(b.Min.X+(60+18*i)*scale, y, b.Min.X+(76+18*i)*scale, y+16*scale)
			p.Rounded(r, 7*scale, chatpage.RGB(255, 200, c))
			want = append(want, r)
		}
		p.Write(b.Max.X-50*scale, b.Max.Y-12*scale, "www", chatpage.RGB(0, 90, 255))
		frame := p.Frame()
		line := layout.Line()
		pane, err := segment.Open(frame.Image, frame.Scale, &line)
		if err != nil {
			t.Fatal(err)
		}
		shape := pane.Find().Shapes[0]
		got := pane.Emoji(shape)
		if len(got) != 2 {
			t.Fatalf("x%d: %d emoji %v, want %v", scale, len(got), got, want)
		}
		for i, r := range got {
			if in := r.Intersect(want[i]); in.Dx()*in.Dy()*10 < 8*want[i].Dx()*want[i].Dy() {
				t.Errorf("x%d: emoji %d at %v, want %v", scale, i, r, want[i])
			}
		}
		shape.Emoji = got
		made := pane.Prepare(shape)
		for i, v := range made.Image.Pix {
			x, y := i%made.Image.Stride, i/made.Image.Stride
			at := segment.Rect(made.ToPane(messages.Rect{X: x, Y: y})).Min
			if at.In(got[0].Inset(2)) && v != 255 {
				t.Fatalf("x%d: grey %d where an emoji stood, want white", scale, v)
			}
		}
	}
}

// TestEmojiOfManyColours: what is drawn thinly in several colours is one too, and the letters of a link are none.
func TestEmojiOfManyColours(t *testing.T) {
	pane := photographed(t, "converse-signs.png", 1)
	pane.Rows = photographed(t, "converse.png", 1).Find().Rows
	var got []int
	for _, s := range pane.Find().Shapes {
		got = append(got, len(pane.Emoji(s)))
	}
	if want := []int{0, 0, 0, 0, 2, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("emoji of each row: %v, want %v", got, want)
	}
}
