package segment_test

import (
	"errors"
	"image"
	"image/color"
	"image/draw"
	"math"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatpage"
)

func open(tb testing.TB, p *chatpage.Page) *segment.Pane {
	tb.Helper()
	l := layout.Line()
	pane, err := segment.Open(p.Image, float64(p.Scale), &l)
	if err != nil {
		tb.Fatalf("Open() = %v, want a pane", err)
	}
	return pane
}

func TestSegment(t *testing.T) {
	chatpage.Everywhere(t, func(t *testing.T, pal chatpage.Palette, scale int) {
		p := chatpage.New(t, pal, scale, 720, "Hana")
		p.Pill("7月3日(木)")
		p.SayAll(chatpage.Talk...)
		got := open(t, p).Find()
		p.Check(got)
		if want := image.Rect(0, 52*scale, 480*scale, 640*scale); open(t, p).Area != want {
			t.Errorf("Area = %v, want %v", open(t, p).Area, want)
		}
		if got.Title.Empty() || !got.Title.In(image.Rect(12*scale, 10*scale, 70*scale, 44*scale)) {
			t.Errorf("Title = %v, want the name at the header's left", got.Title)
		}
		for i, s := range got.Shapes {
			incoming := s.Bubble.Side == messages.SideIncoming
			if incoming == s.Timestamp.Empty() {
				t.Errorf("shape %d timestamp = %v, want one beside incoming bubbles only", i, s.Timestamp)
			}
		}
	})
}

func TestSegmentToleratesColourProfiles(t *testing.T) {
	chatpage.Everywhere(t, func(t *testing.T, pal chatpage.Palette, scale int) {
		for _, shift := range [][3]int{{5, -4, 3}, {-6, 3, -5}, {4, 4, 4}, {-5, -5, -5}} {
			p := chatpage.New(t, pal, scale, 720, "Hana")
			p.SayAll(chatpage.Talk...)
			for i := range p.Image.Pix {
				if i%4 < 3 {
					p.Image.Pix[i] = uint8(min(max(int(p.Image.Pix[i])+shift[i%4], 0), 255))
				}
			}
			p.Check(open(t, p).Find())
		}
	})
}

func TestClipped(t *testing.T) {
	chatpage.Everywhere(t, func(t *testing.T, pal chatpage.Palette, scale int) {
		p := chatpage.New(t, pal, scale, 720, "Hana")
		p.Y = 30 * scale
		p.SayAll(chatpage.Talk[0])
		p.SayAll(chatpage.Talk[1])
		p.Y = 620 * scale
		p.SayAll(chatpage.Talk[4])
		p.Fill(image.Rect(0, 0, 480*scale, 52*scale), pal.Header)
		p.Fill(image.Rect(0, 640*scale, 480*scale, 720*scale), pal.Bar)
		p.Fill(image.Rect(8*scale, 648*scale, 472*scale, 712*scale), chatpage.RGB(250, 250, 250))
		got := open(t, p).Find()
		if len(got.Shapes) != 3 {
			t.Fatalf("Find() found %d shapes, want 3", len(got.Shapes))
		}
		for i, want := range []bool{true, false, true} {
			if b := got.Shapes[i].Bubble; b.Clipped != want || b.Side != p.Truth[i].Side {
				t.Errorf("shape %d = %s, clipped %v, want %s, %v", i, b.Side, b.Clipped, p.Truth[i].Side, want)
			}
		}
	})
}

func TestPixelKey(t *testing.T) {
	keys := func(y int, spoil func(p *chatpage.Page)) []messages.PixelKey {
		p := chatpage.New(t, chatpage.Light, 1, 720, "Hana")
		p.Y = y
		p.SayAll(chatpage.Talk[:3]...)
		spoil(p)
		var out []messages.PixelKey
		for _, s := range open(t, p).Find().Shapes {
			out = append(out, s.Bubble.Key)
		}
		return out
	}
	nothing := func(*chatpage.Page) {}
	a, b := keys(70, nothing), keys(93, nothing)
	c := keys(70, func(p *chatpage.Page) {
		box := p.Truth[0].Box
		p.Image.SetRGBA(box.Min.X+40, box.Min.Y+20, chatpage.RGB(1, 2, 3)) // inside the first
		p.Image.SetRGBA(box.Min.X, box.Min.Y, chatpage.RGB(1, 2, 3))       // outside its round corner
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
func photo(p *chatpage.Page, box image.Rectangle) {
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			p.Image.SetRGBA(x, y, chatpage.RGB(uint8(180+x*7%60), uint8(60+y*5%50), uint8(40+(x+y)%90)))
		}
	}
	p.Fill(box.Inset(box.Dx()/4), color.RGBA{255, 255, 255, 255})
}

func TestPictures(t *testing.T) {
	chatpage.Everywhere(t, func(t *testing.T, pal chatpage.Palette, scale int) {
		p := chatpage.New(t, pal, scale, 720, "Hana")
		p.SayAll(chatpage.Talk[0])
		image1 := image.Rect(56, 150, 256, 290)
		image2 := image.Rect(300, 310, 453, 420)
		at := func(r image.Rectangle) image.Rectangle {
			return image.Rectangle{r.Min.Mul(scale), r.Max.Mul(scale)}
		}
		photo(p, at(image1))
		photo(p, at(image2))
		p.Rounded(at(image.Rect(56, 440, 160, 544)), 52*scale, chatpage.RGB(168, 118, 76))
		got := open(t, p).Find()
		want := []struct {
			side messages.Side
			kind messages.Kind
		}{
			{messages.SideIncoming, messages.KindText}, {messages.SideIncoming, messages.KindImage},
			{messages.SideOwn, messages.KindImage}, {messages.SideIncoming, messages.KindSticker},
		}
		if len(got.Shapes) != len(want) {
			t.Fatalf("Find() found %d shapes, want %d", len(got.Shapes), len(want))
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
	p := chatpage.New(t, chatpage.Light, 1, 720, "Hana")
	for y := 52; y < 640; y++ {
		p.Fill(image.Rect(0, y, 480, y+1), chatpage.RGB(uint8(60+y/5), uint8(70+y%60), uint8(120+y/7%100)))
	}
	p.SayAll(chatpage.Talk...)
	p.Check(open(t, p).Find())
}

func TestOpenRefusesEmptyFrames(t *testing.T) {
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
		if _, err := segment.Open(c.img, c.scale, &l); !errors.Is(err, hardware.ErrEmptyFrame) {
			t.Errorf("Open(%s) = %v, want ErrEmptyFrame", c.name, err)
		}
	}
	l.Pane = layout.Pane{Left: 3010}
	if _, err := segment.Open(good, 1, &l); !errors.Is(err, segment.ErrPane) {
		t.Errorf("Open(a pane outside of the window) = %v, want ErrPane", err)
	}
}

// TestSegmentSubImage gives a window cut out of a larger picture.
func TestSegmentSubImage(t *testing.T) {
	p := chatpage.New(t, chatpage.Light, 1, 720, "Hana")
	p.SayAll(chatpage.Talk...)
	large := image.NewRGBA(image.Rect(0, 0, 600, 800))
	draw.Draw(large, image.Rect(50, 40, 530, 760), p.Image, image.Point{}, draw.Src)
	p.Image = large.SubImage(image.Rect(50, 40, 530, 760)).(*image.RGBA)
	p.Check(open(t, p).Find())
}

func TestPrepare(t *testing.T) {
	chatpage.Everywhere(t, func(t *testing.T, pal chatpage.Palette, scale int) {
		p := chatpage.New(t, pal, scale, 720, "Hana")
		p.SayAll(chatpage.Talk[0])
		p.SayAll(chatpage.Talk[1])
		pane := open(t, p)
		for i, s := range pane.Find().Shapes {
			got := pane.Prepare(s).Image
			grow := func(n int) int { return int(float64(n+24*scale) * segment.Enlargement(float64(scale))) }
			if want := image.Pt(grow(s.Bubble.Box.W), grow(s.Bubble.Box.H)); got.Rect.Size() != want {
				t.Errorf("shape %d is prepared to %v, want %v", i, got.Rect.Size(), want)
			}
			dark, light := 0, 0
			for _, v := range got.Pix {
				switch {
				case v < 70:
					dark++
				case v > 250:
					light++
				}
			}
			if n := len(got.Pix); dark*200 < n || light*2 < n {
				t.Errorf("shape %d: %d dark and %d white of %d pixels, want dark text on white", i, dark, light, n)
			}
			// The margin and the round corners are white.
			edge := got.Rect.Inset(grow(0)/2 - 2)
			for _, at := range []image.Point{{0, 0}, edge.Min, {edge.Max.X, edge.Min.Y}, {edge.Min.X, edge.Max.Y},
				edge.Max} {
				if v := got.GrayAt(at.X, at.Y).Y; v < 250 {
					t.Errorf("shape %d at %v = %d, want white", i, at, v)
				}
			}
		}
	})
}
