package chatpage

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/kehai-run/kehai/messages"
)

// Client is a window of a chat application that does not exist, with everything that
// such windows show: [Random] chooses it, and what is said in it.
type Client struct {
	Image *image.RGBA
	Scale float64
	Look  string            // what it looks like, for a person
	Pane  image.Rectangle   // of the conversation
	Area  image.Rectangle   // of the messages
	Title image.Rectangle   // ink of the conversation's name
	Name  string            // of the conversation
	Truth []Truth           // top to bottom, with those that the area's edges cut
	Clock bool              // bubbles hold their clock times
	Names []image.Rectangle // ink of the names of rows, for each of Truth

	look look
	r    *rand.Rand
	tb   testing.TB
	face map[int]font.Face
}

// look is how an application draws.
type look struct {
	Palette
	name          string
	border        [2]color.RGBA // of own and of incoming bubbles; zero is none
	shadow        bool
	ownTo         color.RGBA // where the gradient of own bubbles ends; zero is none
	backgroundTo  color.RGBA // and that of the background
	photo         bool       // the background is a picture
	radius        int
	left, right   int // room beside bubbles
	widest        int // hundredths of the pane
	gap, turn     int
	avatars       string // "", "letter", "plain" or "square"
	stamps        string // "", "beside", "inside"
	names, tails  bool
	header, input string // "band", "line"; an input may be "float"
	banner        bool
	list, rail    int // widths, 0 for none
	detail        int
	centred       bool // the name in the header
}

var backgrounds = []look{
	{name: "blue", Palette: Light},
	{name: "night", Palette: Dark},
	{name: "white", Palette: Palette{Background: RGB(255, 255, 255), Header: RGB(255, 255, 255), Own: RGB(0, 132, 255),
		Incoming: RGB(240, 240, 240), Ink: RGB(5, 5, 5), OwnInk: RGB(255, 255, 255), Bar: RGB(255, 255, 255)}},
	{name: "beige", Palette: Palette{Background: RGB(239, 234, 226), Header: RGB(240, 242, 245),
		Own: RGB(217, 253, 211), Incoming: RGB(255, 255, 255), Ink: RGB(17, 27, 33), OwnInk: RGB(17, 27, 33),
		Bar: RGB(240, 242, 245)}},
	{name: "ink", Palette: Palette{Background: RGB(11, 20, 26), Header: RGB(32, 44, 51), Own: RGB(0, 92, 75),
		Incoming: RGB(32, 44, 51), Ink: RGB(233, 237, 239), OwnInk: RGB(233, 237, 239), Bar: RGB(32, 44, 51)}},
	{name: "pale", Palette: Palette{Background: RGB(250, 250, 250), Header: RGB(235, 235, 235), Own: RGB(255, 255, 255),
		Incoming: RGB(243, 244, 246), Ink: RGB(46, 52, 54), OwnInk: RGB(46, 52, 54), Bar: RGB(246, 245, 244)}},
	{name: "violet", Palette: Palette{Background: RGB(24, 18, 38), Header: RGB(38, 30, 58), Own: RGB(111, 66, 193),
		Incoming: RGB(52, 44, 74), Ink: RGB(240, 236, 250), OwnInk: RGB(255, 255, 255), Bar: RGB(30, 24, 48)}},
	{name: "swapped", Palette: Palette{Background: RGB(30, 30, 30), Header: RGB(45, 45, 45), Own: RGB(245, 245, 245),
		Incoming: RGB(190, 214, 240), Ink: RGB(20, 20, 20), OwnInk: RGB(20, 20, 20), Bar: RGB(45, 45, 45)}},
}

// phrases are what is said; one in five is repeated to be long.
var phrases = []string{
	"k", "OK", "うん", "はい", "了解です", "See you at ten", "駅前に新しいパン屋ができたらしいよ", "No problem, maybe next time",
	"昨日の雨はすごかったね", "Could you pick up some milk on the way back?", "今度一緒に行ってみない？", "lol", "ありがとう！",
	"https://example.com/a/b?id=42", "会議の資料を送りました。確認をお願いします", "1,280円だったよ", "Yes", "The kids are asleep",
}

// Random draws the window of a seed. The same seed gives the same pixels.
func Random(tb testing.TB, seed uint64) *Client {
	tb.Helper()
	return client(tb, seed, false)
}

// RandomRows draws the window of an application that writes rows without bubbles.
func RandomRows(tb testing.TB, seed uint64) *Client {
	tb.Helper()
	return client(tb, seed, true)
}

func client(tb testing.TB, seed uint64, rows bool) *Client {
	c := &Client{tb: tb, r: rand.New(rand.NewPCG(seed, 7)), face: map[int]font.Face{}}
	c.Scale = []float64{1, 1, 1.25, 2}[c.r.IntN(4)]
	c.choose()
	if l := &c.look; rows {
		l.photo, l.backgroundTo = false, color.RGBA{}
		c.Look += ", rows"
	}
	width := c.look.rail + c.look.list + 380 + c.r.IntN(420) + c.look.detail
	high := 560 + c.r.IntN(300)
	c.Image = image.NewRGBA(image.Rect(0, 0, c.px(width), c.px(high)))
	c.Pane = image.Rect(c.px(c.look.rail+c.look.list), 0, c.px(width-c.look.detail), c.px(high))
	c.sides()
	c.background()
	top, bottom := c.bands()
	c.Area = image.Rect(c.Pane.Min.X, top, c.Pane.Max.X, bottom)
	if rows {
		c.rows()
	} else {
		c.talk()
	}
	return c
}

func (c *Client) px(n int) int { return int(math.Round(float64(n) * c.Scale)) }

func (c *Client) one(list ...string) string { return list[c.r.IntN(len(list))] }

func (c *Client) chance(percent int) bool { return c.r.IntN(100) < percent }

// choose makes a look of its independent parts.
func (c *Client) choose() {
	l := backgrounds[c.r.IntN(len(backgrounds))]
	pale := l.name == "pale"
	switch style := c.one("fill", "fill", "fill", "outline", "outlines", "shadow", "shade", "slope", "photo"); {
	case style == "outline" || pale && style == "fill":
		l.Own, l.OwnInk, l.border[0] = l.Background, inkOn(l.Background), halfway(l.Background, inkOn(l.Background), 30)
		l.name += "-outline"
	case style == "outlines":
		l.border = [2]color.RGBA{halfway(l.Own, l.OwnInk, 40), halfway(l.Incoming, l.Ink, 40)}
		l.name += "-outlines"
	case style == "shadow" && l.Background.R > 128:
		l.shadow, l.Own, l.OwnInk = true, halfway(l.Background, RGB(255, 255, 255), 70), l.Ink
		l.Incoming = halfway(l.Background, RGB(255, 255, 255), 40)
		l.name += "-shadow"
	case style == "shade":
		l.ownTo, l.name = halfway(l.Own, l.Background, 35), l.name+"-shade"
	case style == "slope":
		l.backgroundTo, l.name = halfway(l.Background, l.Own, 30), l.name+"-slope"
	case style == "photo":
		l.photo, l.name = true, l.name+"-photo"
	}
	l.radius, l.widest = []int{4, 8, 12, 16, 18}[c.r.IntN(5)], 55+c.r.IntN(22)
	l.gap, l.turn = 4+c.r.IntN(5), 8+c.r.IntN(10)
	l.left, l.right = 10+c.r.IntN(16), 10+c.r.IntN(16)
	if l.avatars = c.one("", "", "letter", "plain", "square"); l.avatars != "" {
		l.left += 46
	}
	l.stamps, l.names, l.tails = c.one("", "beside", "inside"), c.chance(25), c.chance(30)
	l.header, l.input = c.one("band", "band", "line"), c.one("band", "line", "float")
	if l.photo || l.backgroundTo.A > 0 {
		l.header, l.input = "band", "band"
	}
	l.banner, l.centred = c.chance(15), c.chance(20)
	if c.chance(50) {
		l.list = 200 + c.r.IntN(120)
		l.rail = c.r.IntN(2) * 62
		l.detail = c.r.IntN(4) / 3 * 240
	}
	c.look, c.Look, c.Clock = l, l.name, l.stamps == "inside"
}

// halfway mixes some hundredths of a colour into another.
func halfway(a, b color.RGBA, hundredths int) color.RGBA {
	mix := func(a, b uint8) uint8 { return uint8((int(a)*(100-hundredths) + int(b)*hundredths) / 100) }
	return RGB(mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B))
}

func (c *Client) fill(r image.Rectangle, with color.RGBA) {
	(&Page{Image: c.Image}).Fill(r.Intersect(c.Image.Rect), with)
}

// write writes a line below and right of a point, and returns its width.
func (c *Client) write(at image.Point, size int, text string, ink color.RGBA) int {
	f := c.faceOf(size)
	d := font.Drawer{Dst: c.Image, Src: image.NewUniform(ink), Face: f,
		Dot: fixed.P(at.X, at.Y+c.px(size)*88/100)}
	d.DrawString(text)
	return font.MeasureString(f, text).Ceil()
}

func (c *Client) faceOf(size int) font.Face {
	if c.face[size] == nil {
		f, err := parseFont()
		if err != nil {
			c.tb.Fatalf("%v: install fonts-ipaexfont-gothic", err)
		}
		o := opentype.FaceOptions{Size: float64(size) * c.Scale, DPI: 72}
		if c.face[size], err = opentype.NewFace(f, &o); err != nil {
			c.tb.Fatal(err)
		}
	}
	return c.face[size]
}

// sides draws the rail, the list of chats and the details.
func (c *Client) sides() {
	l, h := c.look, c.Image.Rect.Max.Y
	ink := inkOn(l.Background)
	list := halfway(l.Background, ink, 4)
	c.fill(image.Rect(0, 0, c.px(l.rail), h), halfway(l.Background, ink, 60))
	area := image.Rect(c.px(l.rail), 0, c.Pane.Min.X, h)
	c.fill(area, list)
	for y := c.px(60); l.list > 0 && y < h; y += c.px(64) {
		at := image.Pt(area.Min.X+c.px(12), y)
		c.rounded(image.Rectangle{at, at.Add(image.Pt(c.px(44), c.px(44)))}, 22, RGB(150, 120, 190))
		c.write(at.Add(image.Pt(c.px(56), c.px(2))), 14, c.one("Hana", "Ken", "佐藤", "Mio"), ink)
		c.write(at.Add(image.Pt(c.px(56), c.px(24))), 12, c.one(phrases[:4]...), halfway(l.Background, ink, 50))
	}
	if l.list > 0 && c.chance(60) {
		c.fill(image.Rect(c.Pane.Min.X-1, 0, c.Pane.Min.X, h), halfway(l.Background, ink, 15))
	}
	detail := image.Rect(c.Pane.Max.X, 0, c.Image.Rect.Max.X, h)
	c.fill(detail, list)
	if l.detail > 0 {
		c.write(detail.Min.Add(image.Pt(c.px(20), c.px(80))), 14, "Members", ink)
	}
}

func (c *Client) background() {
	l := c.look
	for y := range c.Image.Rect.Max.Y {
		row := image.Rect(c.Pane.Min.X, y, c.Pane.Max.X, y+1)
		switch {
		case l.photo:
			for x := row.Min.X; x < row.Max.X; x++ {
				wave := math.Sin(float64(x)/37)*math.Cos(float64(y)/53)*40 + float64(c.r.IntN(24))
				c.Image.SetRGBA(x, y, halfway(l.Background, RGB(90, 110, 70), 30+int(wave/2)))
			}
		case l.backgroundTo.A > 0:
			c.fill(row, halfway(l.Background, l.backgroundTo, 100*y/c.Image.Rect.Max.Y))
		default:
			c.fill(row, l.Background)
		}
	}
}

// bands draws header, banner and input, and returns where the messages are.
func (c *Client) bands() (top, bottom int) {
	l, p := c.look, c.Pane
	ink := inkOn(l.Background)
	line := halfway(l.Background, ink, 18)
	top = c.px(48 + c.r.IntN(16))
	fill := l.Header
	if l.header == "line" {
		fill = l.Background
	}
	c.fill(image.Rect(p.Min.X, 0, p.Max.X, top), fill)
	if fill == l.Background || c.chance(50) {
		c.fill(image.Rect(p.Min.X, top-1, p.Max.X, top), line)
	}
	name := c.one("Hana", "佐藤花子", "Ken Tanaka", "Family")
	c.Name = name
	x := p.Min.X + c.px(16)
	if c.chance(40) {
		c.rounded(image.Rect(x, c.px(8), x+c.px(34), c.px(42)), 17, RGB(200, 120, 110))
		x += c.px(46)
	}
	if l.centred {
		x = p.Min.X + p.Dx()/2 - c.px(40)
	}
	w := c.write(image.Pt(x, c.px(12)), 16, name, ink)
	c.Title = image.Rect(x, c.px(12), x+w, c.px(30))
	for i := range 3 {
		c.fill(image.Rect(p.Max.X-c.px(34), c.px(20+5*i), p.Max.X-c.px(18), c.px(22+5*i)), ink)
	}
	if l.banner {
		c.fill(image.Rect(p.Min.X, top, p.Max.X, top+c.px(36)), halfway(l.Background, ink, 10))
		c.write(image.Pt(p.Min.X+c.px(20), top+c.px(10)), 13, "Pinned: the address is in the file", ink)
		top += c.px(36)
	}
	bottom = p.Max.Y - c.px(52+c.r.IntN(40))
	field := image.Rect(p.Min.X+c.px(50), bottom+c.px(8), p.Max.X-c.px(50), p.Max.Y-c.px(10))
	switch l.input {
	case "band":
		c.fill(image.Rect(p.Min.X, bottom, p.Max.X, p.Max.Y), halfway(l.Bar, ink, 5))
	case "line":
		c.fill(image.Rect(p.Min.X, bottom, p.Max.X, bottom+1), line)
	}
	c.rounded(field, 14, halfway(l.Background, ink, 12))
	return top, bottom
}

// inkOn is a colour that can be read on another one.
func inkOn(c color.RGBA) color.RGBA {
	if light(c) {
		return RGB(30, 32, 36)
	}
	return RGB(235, 236, 238)
}

func light(c color.RGBA) bool { return int(c.R)+int(c.G)+int(c.B) > 384 }

// rounded paints a rectangle with smooth round corners.
func (c *Client) rounded(r image.Rectangle, radius int, with color.RGBA) {
	c.shaded(r, radius, func(int) color.RGBA { return with })
}

func (c *Client) shaded(r image.Rectangle, radius int, at func(y int) color.RGBA) {
	rad := min(float64(radius)*c.Scale, float64(r.Dy())/2, float64(r.Dx())/2)
	clip := r.Intersect(c.Image.Rect)
	for y := clip.Min.Y; y < clip.Max.Y; y++ {
		with := at(y)
		for x := clip.Min.X; x < clip.Max.X; x++ {
			c.mix(x, y, with, 0.5-distance(r, rad, x, y))
		}
	}
}

// distance is how far a pixel's middle is from a rounded rectangle, below 0 inside.
func distance(r image.Rectangle, radius float64, x, y int) float64 {
	half := func(from, to, at int) float64 {
		return math.Abs(float64(at)+0.5-float64(from+to)/2) - float64(to-from)/2 + radius
	}
	dx, dy := half(r.Min.X, r.Max.X, x), half(r.Min.Y, r.Max.Y, y)
	return math.Hypot(max(dx, 0), max(dy, 0)) + min(max(dx, dy), 0) - radius
}

func (c *Client) mix(x, y int, with color.RGBA, share float64) {
	if share >= 1 {
		c.Image.SetRGBA(x, y, with)
	} else if share > 0 {
		c.Image.SetRGBA(x, y, halfway(c.Image.RGBAAt(x, y), with, int(100*share)))
	}
}

// talk fills the area from its bottom upwards; what is drawn over its edges is cut.
func (c *Client) talk() {
	frame := image.NewRGBA(c.Image.Rect)
	copy(frame.Pix, c.Image.Pix)
	y, side := c.Area.Max.Y-c.px(8+c.r.IntN(20)), messages.SideOwn
	for y > c.Area.Min.Y+c.px(24) {
		if c.chance(50) {
			side = map[messages.Side]messages.Side{messages.SideOwn: messages.SideIncoming,
				messages.SideIncoming: messages.SideOwn}[side]
			y -= c.px(c.look.turn)
		}
		text := phrases[c.r.IntN(len(phrases))]
		if c.chance(20) {
			text = strings.Repeat(text+" ", 2+c.r.IntN(5))
		}
		y = c.say(y, side, strings.TrimSpace(text)) - c.px(c.look.gap)
		if c.chance(8) {
			y = c.pill(y - c.px(6))
		}
	}
	for at := c.Pane.Min; at.Y < c.Pane.Max.Y; at.Y++ { // over the edges of the area
		if at.Y < c.Area.Min.Y || at.Y >= c.Area.Max.Y {
			i := c.Image.PixOffset(at.X, at.Y)
			copy(c.Image.Pix[i:i+4*c.Pane.Dx()], frame.Pix[i:])
		}
	}
	for i, j := 0, len(c.Truth)-1; i < j; i, j = i+1, j-1 {
		c.Truth[i], c.Truth[j] = c.Truth[j], c.Truth[i]
	}
}

func (c *Client) pill(y int) int {
	w := font.MeasureString(c.faceOf(12), "7月3日(木)").Ceil() + c.px(24)
	x := (c.Pane.Min.X + c.Pane.Max.X - w) / 2
	box := image.Rect(x, y-c.px(22), x+w, y)
	if c.chance(70) {
		c.rounded(box, 11, halfway(c.look.Background, inkOn(c.look.Background), 20))
	}
	c.write(box.Min.Add(image.Pt(c.px(12), c.px(5))), 12, "7月3日(木)", inkOn(c.look.Background))
	return box.Min.Y - c.px(8)
}

// say draws a bubble that ends at a row, and returns where it begins.
func (c *Client) say(y int, side messages.Side, text string) int {
	l, mine := c.look, side == messages.SideOwn
	pad := c.px(12)
	room := (c.Pane.Dx()-c.px(l.left+l.right))*l.widest/100 - 2*pad
	lines := (&Page{face: c.faceOf(15)}).wrap(text, room)
	width := 0
	for _, line := range lines {
		width = max(width, font.MeasureString(c.faceOf(15), line).Ceil())
	}
	high := len(lines)*c.px(21) + c.px(16)
	if l.stamps == "inside" {
		width, high = max(width, c.px(40)), high+c.px(12)
	}
	x := c.Pane.Min.X + c.px(l.left)
	if mine {
		x = c.Pane.Max.X - c.px(l.right) - width - 2*pad
	}
	box := image.Rect(x, y-high, x+width+2*pad, y)
	ink := l.Ink
	if mine {
		ink = l.OwnInk
	} else if light(ink) == light(l.Incoming) {
		ink = RGB(20, 20, 20)
	}
	c.bubble(box, mine)
	for i, line := range lines {
		c.write(box.Min.Add(image.Pt(pad, c.px(8+i*21+3))), 15, line, ink)
	}
	c.beside(box, mine, ink)
	c.Truth = append(c.Truth, Truth{Said{side, text}, box})
	if !mine && l.names && c.chance(60) {
		c.write(image.Pt(box.Min.X+c.px(2), box.Min.Y-c.px(17)), 12, "Aoi",
			halfway(l.Background, inkOn(l.Background), 60))
		return box.Min.Y - c.px(18)
	}
	return box.Min.Y
}

func (c *Client) bubble(box image.Rectangle, mine bool) {
	l, i := c.look, 1
	fill, to := l.Incoming, color.RGBA{}
	if mine {
		fill, to, i = l.Own, l.ownTo, 0
	}
	if l.shadow {
		blur := c.px(4)
		for y := box.Min.Y - blur; y < box.Max.Y+2*blur; y++ {
			for x := box.Min.X - blur; x < box.Max.X+blur; x++ {
				if image.Pt(x, y).In(c.Image.Rect) {
					far := distance(box.Add(image.Pt(0, c.px(1))), float64(l.radius)*c.Scale, x, y) / float64(blur)
					c.mix(x, y, RGB(0, 0, 0), 0.3*max(0, 1-max(far, 0)))
				}
			}
		}
	}
	if l.tails && l.border[i].A == 0 && to.A == 0 && !l.shadow {
		at := image.Rect(box.Min.X-c.px(4), box.Min.Y+c.px(4), box.Min.X+c.px(8), box.Min.Y+c.px(12))
		if mine {
			at = at.Add(image.Pt(box.Dx()-c.px(4), 0))
		}
		c.rounded(at, 4, fill)
	}
	inner := box
	if l.border[i].A > 0 {
		c.rounded(box, l.radius, l.border[i])
		inner = box.Inset(max(c.px(1), 1))
	}
	c.shaded(inner, l.radius, func(y int) color.RGBA {
		if to.A == 0 {
			return fill
		}
		return halfway(fill, to, 100*(y-box.Min.Y)/box.Dy())
	})
}

// beside draws what stands beside or in the corner of a bubble.
func (c *Client) beside(box image.Rectangle, mine bool, ink color.RGBA) {
	l, s := c.look, c.px(34)
	faint := halfway(l.Background, inkOn(l.Background), 50)
	if !mine && l.avatars != "" && c.chance(70) {
		r := image.Rect(0, 0, s, s).Add(image.Pt(box.Min.X-s-c.px(8), box.Min.Y))
		radius := 17
		if l.avatars == "square" {
			radius = 4
		}
		c.rounded(r, radius, []color.RGBA{RGB(222, 128, 112), RGB(112, 140, 190)}[c.r.IntN(2)])
		if l.avatars == "letter" {
			c.write(r.Min.Add(image.Pt(c.px(11), c.px(8))), 17, "H", RGB(250, 250, 250))
		}
	}
	switch at := image.Pt(box.Max.X+c.px(6), box.Max.Y-c.px(14)); {
	case l.stamps == "inside":
		c.write(image.Pt(box.Max.X-c.px(44), box.Max.Y-c.px(18)), 11, "12:07", halfway(ink, l.Background, 20))
	case l.stamps == "beside" && mine:
		c.write(image.Pt(box.Min.X-c.px(38), at.Y), 11, "12:07", faint)
		if c.chance(50) {
			c.write(image.Pt(box.Min.X-c.px(38), at.Y-c.px(13)), 11, "既読", faint)
		}
	case l.stamps == "beside":
		c.write(at, 11, "12:07", faint)
	}
}

// rows fills the area from its top with groups: a portrait, a name with a time, and lines
// right of it. The last message that fits is whole.
func (c *Client) rows() {
	ink, faint := inkOn(c.look.Background), halfway(c.look.Background, inkOn(c.look.Background), 55)
	size, own := 28+c.r.IntN(12), false
	x := c.Pane.Min.X + c.px(14+size+10)
	room := c.Pane.Max.X - c.px(70) - x
	for y := c.Area.Min.Y + c.px(14); y < c.Area.Max.Y-c.px(120); y += c.px(16) {
		at := image.Pt(c.Pane.Min.X+c.px(14), y)
		c.rounded(image.Rectangle{at, at.Add(image.Pt(c.px(size), c.px(size)))}, size/2, RGB(150, 120, 190))
		c.write(at.Add(image.Pt(c.px(size/2-5), c.px(size/2-9))), 16, "H", RGB(250, 250, 250))
		name, side := c.Name, messages.SideIncoming
		if own = !own; own {
			name, side = "Me", messages.SideOwn
		}
		w := c.write(image.Pt(x, y), 14, name, RGB(120, 130, 200))
		called := image.Rect(x, y, x+w, y+c.px(15))
		if c.look.stamps == "beside" {
			c.write(image.Pt(x+w+c.px(14), y+c.px(2)), 11, "12:07", faint)
		} else {
			c.write(image.Pt(c.Pane.Max.X-c.px(50), y+c.px(2)), 11, "12:07", faint)
		}
		for y += c.px(22); ; y += c.px(8) {
			text := phrases[c.r.IntN(len(phrases))]
			if c.chance(20) {
				text = strings.TrimSpace(strings.Repeat(text+" ", 2+c.r.IntN(3)))
			}
			top := y
			wide := 0
			for _, line := range (&Page{face: c.faceOf(15)}).wrap(text, room) {
				wide = max(wide, c.write(image.Pt(x, y), 15, line, ink))
				y += c.px(20)
			}
			c.Truth = append(c.Truth, Truth{Said{side, text}, image.Rect(x, top, x+wide, y-c.px(3))})
			c.Names = append(c.Names, called)
			if y > c.Area.Max.Y-c.px(110) || c.chance(50) {
				break
			}
		}
	}
}
