package ocr

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

var talk = []said{
	{messages.SideIncoming, "おはよう、今日は何時に起きた？"},
	{messages.SideOwn, "OK"},
	{messages.SideIncoming, "k"},
	{messages.SideIncoming, "I will be about ten minutes late today, please start without me and tell the others"},
	{messages.SideOwn, "了解です。気をつけて来てください。駅に着いたら電話をもらえると助かります"},
	{messages.SideOwn, "!"},
}

// everywhere runs a test in both themes and at both scales.
func everywhere(t *testing.T, test func(t *testing.T, pal palette, scale int)) {
	for name, pal := range map[string]palette{"light": lightPage, "dark": darkPage} {
		for _, scale := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s/x%d", name, scale), func(t *testing.T) { test(t, pal, scale) })
		}
	}
}

func segment(tb testing.TB, p *page) Segments {
	tb.Helper()
	l := layout.Line()
	got, err := Segment(p.img, float64(p.scale), &l)
	if err != nil {
		tb.Fatalf("Segment() = %v, want bubbles", err)
	}
	return got
}

func checkTruth(t *testing.T, got Segments, want []truth) {
	t.Helper()
	if len(got.Shapes) != len(want) {
		t.Fatalf("Segment() found %d shapes, want %d", len(got.Shapes), len(want))
	}
	for i, s := range got.Shapes {
		box, w := rect(s.Bubble.Box), want[i].box
		if !box.In(w.Inset(-1)) || !w.In(box.Inset(-2)) || s.Bubble.Side != want[i].side {
			t.Errorf("shape %d = %s at %v, want %s at %v", i, s.Bubble.Side, box, want[i].side, w)
		}
		if s.Bubble.Clipped || s.Bubble.Kind != messages.KindText {
			t.Errorf("shape %d: clipped %v, kind %s, want a whole text", i, s.Bubble.Clipped, s.Bubble.Kind)
		}
	}
}

func TestSegment(t *testing.T) {
	everywhere(t, func(t *testing.T, pal palette, scale int) {
		p := newPage(t, pal, scale, 720, "Hana")
		p.pill("7月3日(木)")
		for _, m := range talk {
			p.say(m)
		}
		got := segment(t, p)
		checkTruth(t, got, p.truth)
		if want := image.Rect(0, 52*scale, 480*scale, 640*scale); got.Area != want {
			t.Errorf("Area = %v, want %v", got.Area, want)
		}
		if got.Title.Empty() || !got.Title.In(image.Rect(12*scale, 10*scale, 70*scale, 44*scale)) {
			t.Errorf("Title = %v, want the name at the header's left", got.Title)
		}
		for i, s := range got.Shapes {
			incoming := s.Bubble.Side == messages.SideIncoming
			if incoming == s.Stamp.Empty() {
				t.Errorf("shape %d stamp = %v, want one beside incoming bubbles only", i, s.Stamp)
			}
		}
	})
}

func TestSegmentToleratesColourProfiles(t *testing.T) {
	everywhere(t, func(t *testing.T, pal palette, scale int) {
		for _, shift := range [][3]int{{5, -4, 3}, {-6, 3, -5}, {4, 4, 4}, {-5, -5, -5}} {
			p := newPage(t, pal, scale, 720, "Hana")
			for _, m := range talk {
				p.say(m)
			}
			for i := range p.img.Pix {
				if i%4 < 3 {
					p.img.Pix[i] = uint8(min(max(int(p.img.Pix[i])+shift[i%4], 0), 255))
				}
			}
			checkTruth(t, segment(t, p), p.truth)
		}
	})
}

func TestClipped(t *testing.T) {
	everywhere(t, func(t *testing.T, pal palette, scale int) {
		p := newPage(t, pal, scale, 720, "Hana")
		p.y = 30 * scale
		p.say(talk[0])
		p.say(talk[1])
		p.y = 620 * scale
		p.say(talk[4])
		p.fill(image.Rect(0, 0, 480*scale, 52*scale), pal.header)
		p.fill(image.Rect(0, 640*scale, 480*scale, 720*scale), pal.bar)
		p.fill(image.Rect(8*scale, 648*scale, 472*scale, 712*scale), rgb(250, 250, 250))
		got := segment(t, p)
		if len(got.Shapes) != 3 {
			t.Fatalf("Segment() found %d shapes, want 3", len(got.Shapes))
		}
		for i, want := range []bool{true, false, true} {
			if b := got.Shapes[i].Bubble; b.Clipped != want || b.Side != p.truth[i].side {
				t.Errorf("shape %d = %s, clipped %v, want %s, %v", i, b.Side, b.Clipped, p.truth[i].side, want)
			}
		}
	})
}

func TestPixelKey(t *testing.T) {
	keys := func(y int, spoil func(p *page)) []messages.PixelKey {
		p := newPage(t, lightPage, 1, 720, "Hana")
		p.y = y
		for _, m := range talk[:3] {
			p.say(m)
		}
		spoil(p)
		var out []messages.PixelKey
		for _, s := range segment(t, p).Shapes {
			out = append(out, s.Bubble.Key)
		}
		return out
	}
	nothing := func(*page) {}
	a, b := keys(70, nothing), keys(93, nothing)
	c := keys(70, func(p *page) {
		box := p.truth[0].box
		p.img.SetRGBA(box.Min.X+40, box.Min.Y+20, rgb(1, 2, 3)) // inside the first
		p.img.SetRGBA(box.Min.X, box.Min.Y, rgb(1, 2, 3))       // outside its round corner
	})
	for i := range a {
		if a[i] != b[i] {
			t.Errorf("key of bubble %d changed with its position", i)
		}
		if (a[i] == c[i]) != (i > 0) {
			t.Errorf("key of bubble %d after changing the first: same %v, want %v", i, a[i] == c[i], i > 0)
		}
	}
	if a[0] == a[1] || a[1] == a[2] {
		t.Errorf("keys of different bubbles are equal: %v", a)
	}
}

// photo paints a picture without a plain colour, white in its middle.
func photo(p *page, box image.Rectangle) {
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			p.img.SetRGBA(x, y, rgb(uint8(180+x*7%60), uint8(60+y*5%50), uint8(40+(x+y)%90)))
		}
	}
	p.fill(box.Inset(box.Dx()/4), color.RGBA{255, 255, 255, 255})
}

func TestPictures(t *testing.T) {
	everywhere(t, func(t *testing.T, pal palette, scale int) {
		p := newPage(t, pal, scale, 720, "Hana")
		p.say(talk[0])
		image1 := image.Rect(56, 150, 256, 290)
		image2 := image.Rect(300, 310, 453, 420)
		at := func(r image.Rectangle) image.Rectangle {
			return image.Rectangle{r.Min.Mul(scale), r.Max.Mul(scale)}
		}
		photo(p, at(image1))
		photo(p, at(image2))
		p.rounded(at(image.Rect(56, 440, 160, 544)), 52*scale, rgb(168, 118, 76))
		got := segment(t, p)
		want := []struct {
			side messages.Side
			kind messages.Kind
		}{
			{messages.SideIncoming, messages.KindText}, {messages.SideIncoming, messages.KindImage},
			{messages.SideOwn, messages.KindImage}, {messages.SideIncoming, messages.KindSticker},
		}
		if len(got.Shapes) != len(want) {
			t.Fatalf("Segment() found %d shapes, want %d", len(got.Shapes), len(want))
		}
		for i, w := range want {
			if b := got.Shapes[i].Bubble; b.Side != w.side || b.Kind != w.kind {
				t.Errorf("shape %d = %s %s, want %s %s", i, b.Side, b.Kind, w.side, w.kind)
			}
		}
	})
}

// TestPatternedGround stands bubbles on a picture: they are still found.
func TestPatternedGround(t *testing.T) {
	p := newPage(t, lightPage, 1, 720, "Hana")
	for y := 52; y < 640; y++ {
		p.fill(image.Rect(0, y, 480, y+1), rgb(uint8(60+y/5), uint8(70+y%60), uint8(120+y/7%100)))
	}
	for _, m := range talk {
		p.say(m)
	}
	checkTruth(t, segment(t, p), p.truth)
}

func TestCutRow(t *testing.T) {
	l := layout.Line()
	for _, c := range []struct {
		name        string
		first, last int // white rows, last excluded
		want        int
	}{
		{"input to the bottom", 640, 720, 640},
		{"input above a border", 640, 700, 640},
		{"too short", 700, 707, 720},
		{"long enough", 700, 708, 700},
		{"starts too high", 500, 720, 720},
		{"no separator", 0, 0, 720},
		{"above the scan", 100, 300, 720},
	} {
		img := image.NewRGBA(image.Rect(0, 0, 480, 720))
		draw.Draw(img, img.Rect, image.NewUniform(lightPage.ground), image.Point{}, draw.Src)
		draw.Draw(img, image.Rect(0, c.first, 480, c.last), image.White, image.Point{}, draw.Src)
		p, err := open(img, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := cutRow(p, 1, &l, l.Themes[0]); got != c.want {
			t.Errorf("cutRow(%s) = %d, want %d", c.name, got, c.want)
		}
	}
}

func TestSegmentRefusesEmptyFrames(t *testing.T) {
	l := layout.Line()
	good := image.NewRGBA(image.Rect(0, 0, 100, 100))
	for _, c := range []struct {
		name  string
		img   *image.RGBA
		scale float64
	}{
		{"nil", nil, 1}, {"empty", &image.RGBA{}, 1}, {"scale 0", good, 0}, {"scale -1", good, -1},
		{"scale NaN", good, math.NaN()}, {"scale Inf", good, math.Inf(1)},
		{"too few bytes", &image.RGBA{Pix: make([]byte, 10), Stride: 400, Rect: good.Rect}, 1},
	} {
		if _, err := Segment(c.img, c.scale, &l); !errors.Is(err, hardware.ErrEmptyFrame) {
			t.Errorf("Segment(%s) = %v, want ErrEmptyFrame", c.name, err)
		}
	}
}

// TestSegmentSubImage gives a window cut out of a larger picture.
func TestSegmentSubImage(t *testing.T) {
	p := newPage(t, lightPage, 1, 720, "Hana")
	for _, m := range talk {
		p.say(m)
	}
	large := image.NewRGBA(image.Rect(0, 0, 600, 800))
	draw.Draw(large, image.Rect(50, 40, 530, 760), p.img, image.Point{}, draw.Src)
	p.img = large.SubImage(image.Rect(50, 40, 530, 760)).(*image.RGBA)
	checkTruth(t, segment(t, p), p.truth)
}

func FuzzSegment(f *testing.F) {
	l := layout.Line()
	f.Add(40, 30, 1.0, []byte{255, 255, 255, 255, 195, 246, 157, 255, 140, 171, 216, 255})
	f.Add(1, 1, 2.0, []byte{0})
	f.Add(90, 90, 0.01, []byte{54, 57, 64, 255, 23, 25, 30, 255, 1})
	f.Fuzz(func(t *testing.T, w, h int, scale float64, data []byte) {
		w, h = w&127, h&127
		img := image.NewRGBA(image.Rect(3, 5, 3+w, 5+h))
		for i := range img.Pix {
			if len(data) > 0 {
				img.Pix[i] = data[i%len(data)] ^ byte(i/len(data)>>6)
			}
		}
		got, err := Segment(img, scale, &l)
		if err != nil {
			return
		}
		p, err := open(img, scale)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range got.Shapes {
			box := rect(s.Bubble.Box)
			if box.Empty() || !box.In(got.Area) || len(s.rows) != box.Dy() {
				t.Fatalf("shape %v with %d rows, want it inside %v", box, len(s.rows), got.Area)
			}
			if s.Bubble.Kind == messages.KindText && scale < 8 {
				prepareShape(p, s, scale)
			}
		}
	})
}
