package segment

import "image"

// nameWidth is how far a name above a bubble is followed to the right, logical.
const nameWidth = 240

// nameBox finds the name above an incoming bubble: ink on the background, one
// line high, that begins near the bubble's left edge and touches nothing else.
// above is where the shape before ends. It is empty where there is no such ink:
// a second bubble of the same person has no name, and nothing is guessed.
func (p *Pane) nameBox(box image.Rectangle, above int) image.Rectangle {
	s, g := p.layout.Sender, p.background
	if s.Height == 0 || g.patterned {
		return image.Rectangle{}
	}
	within := p.px(s.Within)
	zone := image.Rect(box.Min.X-within, max(box.Min.Y-p.px(s.Height), above),
		box.Min.X+p.px(nameWidth), box.Min.Y-p.px(1))
	zone = zone.Intersect(p.Area)
	var found image.Rectangle
	for y := zone.Min.Y; y < zone.Max.Y; y++ {
		for x := zone.Min.X; x < zone.Max.X; x++ {
			if !g.has(p.at(x, y)) {
				found = found.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	line := found.Dy() >= p.px(5) && found.Dy() <= p.px(18) && found.Dx() >= p.px(4)
	free := found.Min.Y > zone.Min.Y && found.Max.X < zone.Max.X && found.Min.X > zone.Min.X
	if !line || !free || found.Min.X > box.Min.X+within {
		return image.Rectangle{}
	}
	return found.Inset(-p.px(3)).Intersect(p.Area)
}
