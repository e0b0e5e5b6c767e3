// Package chatpage draws chat windows for tests that look at pixels: a [Page]
// knows what it shows and where. Unlike the window of hardware/drawn it can show
// what no application would. Tests of actors/ocr and actors/ocr/segment use it.
package chatpage

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"os"
	"strings"
	"sync"
	"testing"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/messages"
)

// Said is a message on a page.
type Said struct {
	Side messages.Side
	Text string
}

// Talk is a short conversation.
var Talk = []Said{
	{messages.SideIncoming, "おはよう、今日は何時に起きた？"},
	{messages.SideOwn, "OK"},
	{messages.SideIncoming, "k"},
	{messages.SideIncoming, "I will be about ten minutes late today, please start without me and tell the others"},
	{messages.SideOwn, "了解です。気をつけて来てください。駅に着いたら電話をもらえると助かります"},
	{messages.SideOwn, "!"},
}

// Palette holds the colours of a page.
type Palette struct {
	Background, Header, Own, Incoming, Ink, OwnInk, Bar color.RGBA
}

// Light and Dark have LINE's colours.
var (
	Light = Palette{
		Background: RGB(140, 171, 216), Header: RGB(226, 232, 240), Own: RGB(195, 246, 157),
		Incoming: RGB(255, 255, 255), Ink: RGB(20, 20, 20), OwnInk: RGB(18, 26, 14), Bar: RGB(250, 250, 250),
	}
	Dark = Palette{
		Background: RGB(23, 25, 30), Header: RGB(34, 37, 43), Own: RGB(102, 205, 124), Incoming: RGB(54, 57, 64),
		Ink: RGB(238, 239, 241), OwnInk: RGB(8, 22, 11), Bar: RGB(34, 37, 43),
	}
)

// Everywhere runs a test in both palettes and at both scales. The race detector
// has nothing to find in pixels: a short run has one of each.
func Everywhere(t *testing.T, test func(t *testing.T, pal Palette, scale int)) {
	palettes, scales := map[string]Palette{"light": Light, "dark": Dark}, []int{1, 2}
	if testing.Short() {
		palettes, scales = map[string]Palette{"light": Light}, []int{1}
	}
	for name, pal := range palettes {
		for _, scale := range scales {
			t.Run(fmt.Sprintf("%s/x%d", name, scale), func(t *testing.T) { test(t, pal, scale) })
		}
	}
}

// RGB is an opaque colour.
func RGB(r, g, b uint8) color.RGBA { return color.RGBA{r, g, b, 255} }

// Page is a chat window of 480 logical pixels' width, drawn top to bottom.
type Page struct {
	Image   *image.RGBA
	Palette Palette
	Scale   int
	Y       int // where the next message goes, captured pixels
	Truth   []Truth

	tb   testing.TB
	face font.Face
}

// Truth is a message and where its bubble stands.
type Truth struct {
	Said
	Box image.Rectangle
}

var parseFont = sync.OnceValues(func() (*opentype.Font, error) {
	data, err := os.ReadFile("/usr/share/fonts/opentype/ipaexfont-gothic/ipaexg.ttf")
	if err != nil {
		return nil, err
	}
	return opentype.Parse(data)
})

// New draws an empty page with a title in its header. height is in logical
// pixels.
func New(tb testing.TB, pal Palette, scale, height int, title string) *Page {
	tb.Helper()
	f, err := parseFont()
	if err != nil {
		tb.Fatalf("%v: install fonts-ipaexfont-gothic", err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: float64(15 * scale), DPI: 72})
	if err != nil {
		tb.Fatal(err)
	}
	p := &Page{
		tb: tb, Image: image.NewRGBA(image.Rect(0, 0, 480*scale, height*scale)), Palette: pal, Scale: scale, face: face,
	}
	p.Fill(p.Image.Rect, pal.Background)
	p.Fill(image.Rect(0, 0, 480*scale, 52*scale), pal.Header)
	p.Write(18*scale, 33*scale, title, pal.Ink)
	bar := image.Rect(0, (height-80)*scale, 480*scale, height*scale)
	p.Fill(bar, pal.Bar)
	p.Fill(bar.Inset(8*scale), RGB(250, 250, 250))
	p.Y = 64 * scale
	return p
}

// WriteSmall writes a name or a time.
func (p *Page) WriteSmall(x, y int, s string) {
	d := font.Drawer{Dst: p.Image, Src: image.NewUniform(p.Palette.Ink), Face: p.small(), Dot: fixed.P(x, y)}
	d.DrawString(s)
}

func (p *Page) small() font.Face {
	f, err := parseFont()
	if err != nil {
		p.tb.Fatal(err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: float64(12 * p.Scale), DPI: 72})
	if err != nil {
		p.tb.Fatal(err)
	}
	return face
}

// Note draws an incoming bubble with an icon and lines beside it.
func (p *Page) Note(icon bool, lines ...string) image.Rectangle {
	s := p.Scale
	box := image.Rect(0, 0, 200*s, (len(lines)*21+18)*s).Add(image.Pt(56*s, p.Y))
	p.Rounded(box, 16*s, p.Palette.Incoming)
	x := box.Min.X + 13*s
	if icon {
		p.Rounded(image.Rect(x, box.Min.Y+10*s, x+22*s, box.Min.Y+32*s), 11*s, RGB(120, 126, 134))
		x += 34 * s
	}
	for i, l := range lines {
		p.Write(x, box.Min.Y+9*s+i*21*s+16*s, l, p.Palette.Ink)
	}
	p.Y = box.Max.Y + 10*s
	return box
}

// Name writes a small line above where the next bubble begins.
func (p *Page) Name(text string) {
	p.WriteSmall(60*p.Scale, p.Y+14*p.Scale, text)
	p.Y += 20 * p.Scale
}

// Check compares what was found with what the page shows: whole texts only.
func (p *Page) Check(got segment.Segments) {
	p.tb.Helper()
	if len(got.Shapes) != len(p.Truth) {
		p.tb.Fatalf("Find() found %d shapes, want %d", len(got.Shapes), len(p.Truth))
	}
	for i, s := range got.Shapes {
		box, want := s.Box(), p.Truth[i]
		if !box.In(want.Box.Inset(-1)) || !want.Box.In(box.Inset(-2)) || s.Bubble.Side != want.Side {
			p.tb.Errorf("shape %d = %s at %v, want %s at %v", i, s.Bubble.Side, box, want.Side, want.Box)
		}
		if s.Bubble.Clipped || s.Bubble.Kind != messages.KindText {
			p.tb.Errorf("shape %d: clipped %v, kind %s, want a whole text", i, s.Bubble.Clipped, s.Bubble.Kind)
		}
	}
}

// Fill paints a rectangle.
func (p *Page) Fill(r image.Rectangle, c color.RGBA) {
	draw.Draw(p.Image, r, image.NewUniform(c), image.Point{}, draw.Src)
}

// Write writes a line, whose letters stand on y.
func (p *Page) Write(x, y int, s string, c color.RGBA) {
	d := font.Drawer{Dst: p.Image, Src: image.NewUniform(c), Face: p.face, Dot: fixed.P(x, y)}
	d.DrawString(s)
}

// Rounded fills a rectangle with hard round corners.
func (p *Page) Rounded(r image.Rectangle, radius int, c color.RGBA) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		dy := max(r.Min.Y+radius-y, y-(r.Max.Y-1-radius), 0)
		dx := 0
		for dx*dx+dy*dy <= radius*radius && dx <= radius {
			dx++
		}
		in := radius - dx + 1
		p.Fill(image.Rect(r.Min.X+in, y, r.Max.X-in, y+1), c)
	}
}

// Say draws a bubble with an avatar or a stamp beside it.
func (p *Page) Say(side messages.Side, text string) {
	lines := p.wrap(text, 290*p.Scale)
	width := 0
	for _, l := range lines {
		width = max(width, font.MeasureString(p.face, l).Ceil())
	}
	s := p.Scale
	box := image.Rect(0, 0, width+27*s, len(lines)*21*s+18*s).Add(image.Pt(56*s, p.Y))
	fill, ink := p.Palette.Incoming, p.Palette.Ink
	if side == messages.SideOwn {
		fill, ink = p.Palette.Own, p.Palette.OwnInk
		box = box.Add(image.Pt(480*s-27*s-box.Max.X, 0))
	} else {
		p.Rounded(image.Rect(10*s, p.Y, 46*s, p.Y+36*s), 18*s, RGB(222, 128, 112))
		p.WriteSmall(box.Max.X+6*s, box.Max.Y-4*s, "9:41")
	}
	p.Rounded(box, 16*s, fill)
	for i, l := range lines {
		p.Write(box.Min.X+13*s, box.Min.Y+9*s+i*21*s+16*s, l, ink)
	}
	p.Truth = append(p.Truth, Truth{Said{side, text}, box})
	p.Y = box.Max.Y + 10*s
}

// SayAll draws a bubble for each message.
func (p *Page) SayAll(list ...Said) {
	for _, m := range list {
		p.Say(m.Side, m.Text)
	}
}

// Pill draws a centred date.
func (p *Page) Pill(text string) {
	s := p.Scale
	w := font.MeasureString(p.face, text).Ceil() + 24*s
	p.Rounded(image.Rect(0, 0, w, 22*s).Add(image.Pt((480*s-w)/2, p.Y)), 11*s, p.Palette.Incoming)
	p.Write((480*s-w)/2+12*s, p.Y+16*s, text, p.Palette.Ink)
	p.Y += 32 * s
}

// wrap breaks at spaces, or anywhere between Japanese characters.
func (p *Page) wrap(text string, width int) []string {
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

// Frame is the page as it is captured.
func (p *Page) Frame() messages.Frame {
	return messages.Frame{Window: "line@test", Image: p.Image, Scale: float64(p.Scale)}
}

func japanese(r rune) bool {
	return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) || r >= 0x3000 && r <= 0x303F ||
		r == 'ー' || r >= 0xFF01
}
