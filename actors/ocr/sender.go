package ocr

import (
	"image"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/messages"
)

// nameWidth is how far a name above a bubble is followed to the right, logical.
const nameWidth = 240

// nameBox finds the name above an incoming bubble: ink on the ground, one line
// high, that begins near the bubble's left edge and touches nothing else. above
// is where the shape before ends. It is empty where there is no such ink: a
// second bubble of the same person has no name, and nothing is guessed.
func nameBox(p pixels, g ground, b messages.Bubble, area image.Rectangle, above int, scale float64, s layout.Sender) image.Rectangle {
	if s.Height == 0 || g.patterned || b.Side != messages.SideIncoming {
		return image.Rectangle{}
	}
	box := rect(b.Box)
	within := px(s.Within, scale)
	zone := image.Rect(box.Min.X-within, max(box.Min.Y-px(s.Height, scale), above), box.Min.X+px(nameWidth, scale), box.Min.Y-px(1, scale))
	zone = zone.Intersect(area)
	var found image.Rectangle
	for y := zone.Min.Y; y < zone.Max.Y; y++ {
		for x := zone.Min.X; x < zone.Max.X; x++ {
			if !g.has(p.at(x, y)) {
				found = found.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	line := found.Dy() >= px(5, scale) && found.Dy() <= px(18, scale) && found.Dx() >= px(4, scale)
	free := found.Min.Y > zone.Min.Y && found.Max.X < zone.Max.X && found.Min.X > zone.Min.X
	if !line || !free || found.Min.X > box.Min.X+within {
		return image.Rectangle{}
	}
	return found.Inset(-px(3, scale)).Intersect(area)
}
