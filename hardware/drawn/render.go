package drawn

import (
	"image"
	"image/color"

	"golang.org/x/image/math/fixed"

	"github.com/kehai-run/kehai/messages"
)

// render draws the window into a new picture and adds its texts to the glyph
// cache. The same state gives the same bytes.
func (w *Window) render(s *state, bubbles []placed) *image.RGBA {
	f := w.frame(s)
	img := image.NewRGBA(image.Rectangle{Max: f.size})
	p := painter{w: w, s: s, frame: f, img: img, cache: w.cache}
	if s.chats {
		p.list(img.Rect)
		return img
	}
	fill(img, img.Rect, w.theme.Background)
	view, _ := img.SubImage(f.view()).(*image.RGBA)
	p.img = view
	for _, b := range bubbles {
		p.bubble(b)
	}
	p.img = img
	p.header(f.header())
	p.bar(f.bar())
	if s.beside {
		return w.beside(s, img)
	}
	return img
}

// painter draws one picture. img is the part of it that may be painted.
type painter struct {
	w *Window
	s *state
	frame
	img   *image.RGBA
	cache *glyphCache
}

func (p *painter) bubble(b placed) {
	if b.date != "" {
		y := b.box.Min.Y - (dateHeight+pillHeight)/2*p.scale
		width := p.w.pill.width(b.date).Ceil() + 24*p.scale
		p.pill(image.Rect(0, 0, width, pillHeight*p.scale).Add(image.Pt((p.size.X-width)/2, y)), b.date)
	}
	switch {
	case b.unsent:
		p.pill(b.box, b.measured.lines[0])
		return
	case b.kind == messages.KindSticker:
		p.sticker(b.box)
	default:
		p.speech(b)
	}
	if b.who == Friend && b.first {
		p.avatar(image.Pt(avatarLeft*p.scale, b.box.Min.Y))
	}
	p.timestamps(b)
}

func (p *painter) speech(b placed) {
	th := p.w.theme
	background, ink := th.Incoming, th.IncomingText
	if b.who == Me {
		background, ink = th.Own, th.OwnText
	} else if p.s.blurred {
		background = halfway(background, th.Background)
	}
	rounded(p.img, b.box, radius*p.scale, background)
	if b.first {
		tail(p.img, b.box, p.scale, b.who == Friend, background)
	}
	lines := make([]inkLine, 0, len(b.measured.lines))
	jitter := fixed.Int26_6(p.s.phase%4) * 16
	for i, line := range b.measured.lines {
		at := b.box.Min.Add(image.Pt(padLeft*p.scale, (padY+i*lineHeight+(lineHeight-textPx)/2)*p.scale))
		lines = append(lines, inkLine{line, p.w.text.draw(p.img, at, jitter, line, ink)})
	}
	p.cache.addBubble(p.img, b.box.Intersect(p.img.Rect), lines)
}

// timestamps writes the clock time and the read mark beside a bubble.
func (p *painter) timestamps(b placed) {
	f := p.w.timestamp
	line := func(text string, up int) {
		x := b.box.Max.X + 6*p.scale
		if b.who == Me {
			x = b.box.Min.X - 6*p.scale - f.width(text).Ceil()
		}
		y := b.box.Max.Y - (timestampPx+3+up*(timestampPx+3))*p.scale
		p.line(f, image.Pt(x, y), text, p.w.theme.Timestamp)
	}
	line(b.at.Format("15:04"), 0)
	if b.read && b.who == Me {
		mark := "Read"
		if p.w.fonts.Japanese() {
			mark = "既読"
		}
		line(mark, 1)
	}
}

// line writes one line outside the bubbles and adds it to the glyph cache.
func (p *painter) line(f *face, at image.Point, text string, c color.RGBA) {
	ink := f.draw(p.img, at, 0, text, c)
	if ink.In(p.img.Rect) {
		p.cache.addLine(p.img, text, ink)
	}
}

func (p *painter) pill(box image.Rectangle, text string) {
	rounded(p.img, box, box.Dy()/2, p.w.theme.Pill)
	at := box.Min.Add(image.Pt(12*p.scale, (pillHeight-pillPx)/2*p.scale))
	p.line(p.w.pill, at, text, p.w.theme.PillText)
}

var avatarColours = []color.RGBA{
	rgb(222, 128, 112), rgb(150, 130, 196), rgb(226, 160, 92), rgb(112, 140, 190), rgb(200, 120, 152),
}

func (p *painter) avatar(at image.Point) {
	box := image.Rect(0, 0, avatarSize*p.scale, avatarSize*p.scale).Add(at)
	circle(p.img, box, avatarColours[hue(p.s.shown, len(avatarColours))])
	if cs := clusters(p.s.shown); len(cs) > 0 {
		f := p.w.title
		x := box.Min.X + (box.Dx()-f.width(cs[0]).Ceil())/2
		f.draw(p.img, image.Pt(x, box.Min.Y+(avatarSize-titlePx)/2*p.scale), 0, cs[0], rgb(246, 240, 232))
	}
}

// sticker paints a bear: no text, no bubble, no colour of one.
func (p *painter) sticker(box image.Rectangle) {
	fur, dark, snout := rgb(168, 118, 76), rgb(62, 40, 28), rgb(214, 176, 134)
	part := func(x, y, d int, c color.RGBA) { // centre and diameter
		r := image.Rect(x-d/2, y-d/2, x-d/2+d, y-d/2+d)
		circle(p.img, image.Rectangle{Min: r.Min.Mul(p.scale), Max: r.Max.Mul(p.scale)}.Add(box.Min), c)
	}
	part(24, 22, 32, fur)
	part(80, 22, 32, fur)
	part(52, 56, 90, fur)
	part(52, 70, 38, snout)
	part(34, 48, 10, dark)
	part(70, 48, 10, dark)
	part(52, 62, 12, dark)
}

func (p *painter) header(r image.Rectangle) {
	th, s := p.w.theme, p.scale
	fill(p.img, r, th.Header)
	fill(p.img, image.Rect(r.Min.X, r.Max.Y-s, r.Max.X, r.Max.Y), th.Pill)
	p.line(p.w.title, image.Pt(18*s, (headerHeight-titlePx)/2*s), p.s.titleOf(p.s.shown), th.HeaderText)
	x := r.Max.X - 30*s
	for i := range 3 { // menu
		fill(p.img, image.Rect(x, (20+i*5)*s, x+16*s, (22+i*5)*s).Intersect(r), th.Line)
	}
	glass := image.Rect(0, 0, 13*s, 13*s).Add(image.Pt(x-36*s, 18*s))
	ring(p.img, glass, 2*s, th.Line)
	shape(p.img, image.Rect(0, 0, 7*s, 7*s).Add(glass.Max.Sub(image.Pt(3*s, 3*s))), th.Line, func(x, y float64) bool {
		return x-y < float64(s) && y-x < float64(s)
	})
}

// bar draws the input bar. Its field is white across the whole sampling strip, from
// top to bottom.
func (p *painter) bar(r image.Rectangle) {
	th, s := p.w.theme, p.scale
	fill(p.img, r, th.Bar)
	field := r
	if th.Field != th.Bar {
		in := min(8*s, r.Dy()/8)
		field = r.Inset(in)
		rounded(p.img, field, 8*s, th.Field)
	}
	if field.Dy() < 2*lineHeight*s {
		return
	}
	text, c := p.s.draft, th.FieldText
	if text == "" {
		text, c = "Message", th.Placeholder
		if p.w.fonts.Japanese() {
			text = "メッセージを入力"
		}
	}
	text = p.tailOf(text, p.size.X-100*s)
	p.line(p.w.text, image.Pt(18*s, field.Min.Y+10*s), text, c)
	for i := range 3 { // attach, smile, record
		icon := image.Rect(0, 0, 16*s, 16*s).Add(image.Pt((18+i*28)*s, field.Max.Y-24*s))
		ring(p.img, icon, 2*s, th.Line)
		dot := func(x, y, w, h int) {
			fill(p.img, image.Rect(x*s, y*s, (x+w)*s, (y+h)*s).Add(icon.Min), th.Line)
		}
		switch i {
		case 0:
			dot(4, 7, 8, 2)
			dot(7, 4, 2, 8)
		case 1:
			dot(5, 5, 2, 2)
			dot(9, 5, 2, 2)
			dot(5, 10, 6, 1)
		case 2:
			dot(6, 6, 4, 4)
		}
	}
}

// tailOf is the last line of text, cut at its beginning to fit width.
func (p *painter) tailOf(text string, width int) string {
	cs := clusters(text)
	w, i := 0, len(cs)
	for ; i > 0 && cs[i-1] != "\n"; i-- {
		w += p.w.text.width(cs[i-1]).Ceil()
		if w > width {
			break
		}
	}
	out := ""
	for _, c := range cs[i:] {
		out += c
	}
	return out
}
