package ocr

import (
	"image"
	"image/color"
	"image/draw"
	"os"
	"strings"
	"sync"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/kehai-run/kehai/messages"
)

// said is a message on a test page.
type said struct {
	side messages.Side
	text string
}

// palette holds the colours of a test page.
type palette struct {
	ground, header, own, incoming, ink, ownInk, bar color.RGBA
}

var (
	lightPage = palette{rgb(140, 171, 216), rgb(226, 232, 240), rgb(195, 246, 157), rgb(255, 255, 255), rgb(20, 20, 20), rgb(18, 26, 14), rgb(250, 250, 250)}
	darkPage  = palette{rgb(23, 25, 30), rgb(34, 37, 43), rgb(102, 205, 124), rgb(54, 57, 64), rgb(238, 239, 241), rgb(8, 22, 11), rgb(34, 37, 43)}
)

func rgb(r, g, b uint8) color.RGBA { return color.RGBA{r, g, b, 255} }

// page draws a chat window of 480 logical pixels' width, top to bottom.
type page struct {
	tb    testing.TB
	img   *image.RGBA
	pal   palette
	scale int
	face  font.Face
	y     int // where the next message goes, captured pixels
	truth []truth
}

type truth struct {
	said
	box image.Rectangle
}

var parseFont = sync.OnceValues(func() (*opentype.Font, error) {
	data, err := os.ReadFile("/usr/share/fonts/opentype/ipaexfont-gothic/ipaexg.ttf")
	if err != nil {
		return nil, err
	}
	return opentype.Parse(data)
})

func newPage(tb testing.TB, pal palette, scale, height int, title string) *page {
	tb.Helper()
	f, err := parseFont()
	if err != nil {
		tb.Fatalf("%v: install fonts-ipaexfont-gothic", err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: float64(15 * scale), DPI: 72})
	if err != nil {
		tb.Fatal(err)
	}
	p := &page{tb: tb, img: image.NewRGBA(image.Rect(0, 0, 480*scale, height*scale)), pal: pal, scale: scale, face: face}
	p.fill(p.img.Rect, pal.ground)
	p.fill(image.Rect(0, 0, 480*scale, 52*scale), pal.header)
	p.write(18*scale, 33*scale, title, pal.ink)
	bar := image.Rect(0, (height-80)*scale, 480*scale, height*scale)
	p.fill(bar, pal.bar)
	p.fill(bar.Inset(8*scale), rgb(250, 250, 250))
	p.y = 64 * scale
	return p
}

// writeSmall writes a name or a time.
func (p *page) writeSmall(x, y int, s string) {
	d := font.Drawer{Dst: p.img, Src: image.NewUniform(p.pal.ink), Face: p.small(), Dot: fixed.P(x, y)}
	d.DrawString(s)
}

func (p *page) small() font.Face {
	f, err := parseFont()
	if err != nil {
		p.tb.Fatal(err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: float64(12 * p.scale), DPI: 72})
	if err != nil {
		p.tb.Fatal(err)
	}
	return face
}

func (p *page) fill(r image.Rectangle, c color.RGBA) {
	draw.Draw(p.img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

func (p *page) write(x, y int, s string, c color.RGBA) {
	d := font.Drawer{Dst: p.img, Src: image.NewUniform(c), Face: p.face, Dot: fixed.P(x, y)}
	d.DrawString(s)
}

// rounded fills a rectangle with hard round corners.
func (p *page) rounded(r image.Rectangle, radius int, c color.RGBA) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		dy := max(r.Min.Y+radius-y, y-(r.Max.Y-1-radius), 0)
		dx := 0
		for dx*dx+dy*dy <= radius*radius && dx <= radius {
			dx++
		}
		in := radius - dx + 1
		p.fill(image.Rect(r.Min.X+in, y, r.Max.X-in, y+1), c)
	}
}

// say draws a bubble with an avatar or a stamp beside it.
func (p *page) say(m said) {
	lines := p.wrap(m.text, 290*p.scale)
	width := 0
	for _, l := range lines {
		width = max(width, font.MeasureString(p.face, l).Ceil())
	}
	s := p.scale
	box := image.Rect(0, 0, width+27*s, len(lines)*21*s+18*s).Add(image.Pt(56*s, p.y))
	fill, ink := p.pal.incoming, p.pal.ink
	if m.side == messages.SideOwn {
		fill, ink = p.pal.own, p.pal.ownInk
		box = box.Add(image.Pt(480*s-27*s-box.Max.X, 0))
	} else {
		p.rounded(image.Rect(10*s, p.y, 46*s, p.y+36*s), 18*s, rgb(222, 128, 112))
		p.writeSmall(box.Max.X+6*s, box.Max.Y-4*s, "9:41")
	}
	p.rounded(box, 16*s, fill)
	for i, l := range lines {
		p.write(box.Min.X+13*s, box.Min.Y+9*s+i*21*s+16*s, l, ink)
	}
	p.truth = append(p.truth, truth{m, box})
	p.y = box.Max.Y + 10*s
}

// pill draws a centred date.
func (p *page) pill(text string) {
	s := p.scale
	w := font.MeasureString(p.face, text).Ceil() + 24*s
	p.rounded(image.Rect(0, 0, w, 22*s).Add(image.Pt((480*s-w)/2, p.y)), 11*s, p.pal.incoming)
	p.write((480*s-w)/2+12*s, p.y+16*s, text, p.pal.ink)
	p.y += 32 * s
}

// wrap breaks at spaces, or anywhere between Japanese characters.
func (p *page) wrap(text string, width int) []string {
	var out []string
	line := ""
	for _, word := range words(text) {
		if line != "" && font.MeasureString(p.face, line+word).Ceil() > width {
			out = append(out, strings.TrimSpace(line))
			line = ""
		}
		line += word
	}
	return append(out, strings.TrimSpace(line))
}

func words(text string) []string {
	var out []string
	fresh := true
	for _, r := range text {
		if fresh || japanese(r) {
			out = append(out, "")
		}
		out[len(out)-1] += string(r)
		fresh = r == ' ' || japanese(r)
	}
	return out
}

func (p *page) frame() messages.Frame {
	return messages.Frame{Window: "line@test", Image: p.img, Scale: float64(p.scale)}
}
