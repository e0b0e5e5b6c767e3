package drawn

import (
	"image"
	"image/color"
	"image/draw"
	"maps"
	"slices"
)

// Measures of the rail and the list left of the pane, in logical pixels, as in
// LINE's main window.
const (
	railWidth = 62
	listWidth = 302
	// PaneLeft is where the pane begins in a window with a rail and a list of chats
	// beside it. The pixel before it is a line.
	PaneLeft = railWidth + listWidth + 1

	listTop   = 64 // of the first row; the search field is above
	rowHeight = 66
	rowAvatar = 44
)

var (
	railColour = rgb(42, 48, 66)
	railIcon   = rgb(134, 142, 164)
)

// listColours are the ground of the list, its highlighted row and field, and
// the line before the pane.
func (t Theme) listColours() (background, marked, line color.RGBA) {
	if t == Dark {
		return rgb(30, 32, 38), rgb(46, 49, 57), rgb(58, 61, 70)
	}
	return rgb(255, 255, 255), rgb(236, 238, 242), rgb(222, 224, 230)
}

// beside draws the rail and the list of chats to the left of a finished pane.
func (w *Window) beside(s *state, pane *image.RGBA) *image.RGBA {
	size := pane.Rect.Size()
	left := PaneLeft * w.scale
	img := image.NewRGBA(image.Rect(0, 0, left+size.X, size.Y))
	draw.Draw(img, image.Rectangle{Max: size}.Add(image.Pt(left, 0)), pane, image.Point{}, draw.Src)
	p := painter{w: w, s: s, frame: frame{size: img.Rect.Size(), scale: w.scale}, img: img, cache: w.cache}
	rail := image.Rect(0, 0, railWidth*w.scale, size.Y)
	fill(img, rail, railColour)
	for i := range 4 {
		icon := image.Rect(0, 0, 22*w.scale, 22*w.scale).Add(image.Pt(20*w.scale, (24+i*52)*w.scale))
		ring(img, icon.Intersect(rail), 2*w.scale, railIcon)
	}
	_, _, line := w.theme.listColours()
	fill(img, image.Rect(left-w.scale, 0, left, size.Y), line)
	p.list(image.Rect(rail.Max.X, 0, left-w.scale, size.Y))
	return img
}

// list draws the list of chats: a search field, and a row for each conversation
// with its last message.
func (p *painter) list(r image.Rectangle) {
	th, s := p.w.theme, p.scale
	background, marked, _ := th.listColours()
	fill(p.img, r, background)
	field := image.Rect(r.Min.X+12*s, 16*s, r.Max.X-12*s, 46*s).Intersect(r)
	fill(p.img, field, marked)
	if field.Dy() < 30*s {
		return
	}
	search := "Search"
	if p.w.fonts.Japanese() {
		search = "トークを検索"
	}
	p.line(p.w.pill, field.Min.Add(image.Pt(12*s, 9*s)), search, th.Placeholder)
	for i, name := range p.chats() {
		row := image.Rect(r.Min.X, (listTop+i*rowHeight)*s, r.Max.X, (listTop+(i+1)*rowHeight)*s)
		if !row.In(r) {
			return
		}
		if name == p.s.shown {
			fill(p.img, row, marked)
		}
		circle(p.img, image.Rect(0, 0, rowAvatar*s, rowAvatar*s).Add(row.Min.Add(image.Pt(12*s, 11*s))),
			avatarColours[hue(name, len(avatarColours))])
		at := row.Min.Add(image.Pt(68*s, 14*s))
		p.line(p.w.text, at, p.s.titleOf(name), th.HeaderText)
		p.line(p.w.pill, at.Add(image.Pt(0, 22*s)), p.preview(name, r.Dx()-140*s), th.Placeholder)
		p.line(p.w.timestamp, image.Pt(r.Max.X-44*s, at.Y), "14:03", th.Placeholder)
	}
}

// chats lists the window's conversations, and some people who never write.
func (p *painter) chats() []string {
	names := maps.Clone(p.s.convs)
	for _, silent := range []string{p.s.shown, "Aoi", "Ren", "Sou", "Yui", "Haru", "Mio"} {
		if _, ok := names[silent]; !ok {
			names[silent] = conversation{}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// preview is the beginning of a conversation's last message.
func (p *painter) preview(name string, width int) string {
	text := "See you"
	if b := p.s.convs[name].bubbles; len(b) > 0 && b[len(b)-1].text != "" {
		text = b[len(b)-1].text
	}
	out := ""
	for _, c := range clusters(text) {
		if c == "\n" || p.w.pill.width(out+c).Ceil() > width {
			break
		}
		out += c
	}
	return out
}

// halfway returns the colour half way to another one.
func halfway(c, to color.RGBA) color.RGBA {
	half := func(a, b uint8) uint8 { return uint8((int(a) + int(b)) / 2) }
	return rgb(half(c.R, to.R), half(c.G, to.G), half(c.B, to.B))
}
