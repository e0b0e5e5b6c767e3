package ocr

import (
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatpage"
)

// TestCalibratedLayoutFindsTheSame proposes a layout for drawn windows. It finds
// what the built-in one finds, even in another window.
func TestCalibratedLayoutFindsTheSame(t *testing.T) {
	for theme, scale := range looks(2) {
		t.Run(fmt.Sprintf("%s/x%d", theme.Name, scale), func(t *testing.T) {
			w := drawnWindow(t, theme, scale)
			for _, m := range shown {
				apply(t, w, drawn.Change{Op: drawn.OpAppend, Who: m.who, Text: messages.Text(m.text)})
			}
			frame := capture(t, w)
			proposed, err := layout.Calibrate(frame.Image, frame.Scale)
			if err != nil {
				t.Fatal(err)
			}
			source, err := proposed.YAML("drawn")
			if err != nil {
				t.Fatal(err)
			}
			l, err := layout.Parse("drawn.yaml", source)
			if err != nil {
				t.Fatal(err)
			}
			sameBubbles(t, frame, &l)
			apply(t, w, drawn.Change{Op: drawn.OpAppend, Who: drawn.Friend, Kind: messages.KindSticker},
				drawn.Change{Op: drawn.OpAppend, Who: drawn.Me, Text: "w"},
				drawn.Change{Op: drawn.OpScroll, By: 70})
			sameBubbles(t, capture(t, w), &l)
		})
	}
}

// found is what a layout finds in a picture.
func found(t *testing.T, img *image.RGBA, scale float64, l *layout.Layout) (*segment.Pane, segment.Segments) {
	t.Helper()
	pane, err := segment.Open(img, scale, l)
	if err != nil {
		t.Fatal(err)
	}
	return pane, pane.Find()
}

func sameBubbles(t *testing.T, frame messages.Frame, l *layout.Layout) {
	t.Helper()
	line := layout.Line()
	pane, want := found(t, frame.Image, frame.Scale, &line)
	proposed, _ := found(t, frame.Image, frame.Scale, l)
	picture, got, err := segment.Overlay(frame.Image, frame.Scale, l)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Shapes) != len(want.Shapes) {
		t.Fatalf("%d bubbles with the proposed layout, want %d as with the built-in one",
			len(got.Shapes), len(want.Shapes))
	}
	for i, s := range got.Shapes {
		g, w := s.Bubble, want.Shapes[i].Bubble
		if g.Side != w.Side || g.Kind != w.Kind || !segment.Rect(g.Box).In(segment.Rect(w.Box).Inset(-2)) ||
			!segment.Rect(w.Box).In(segment.Rect(g.Box).Inset(-2)) {
			t.Errorf("bubble %d = %s %s at %v, want %s %s at %v", i, g.Side, g.Kind, g.Box, w.Side, w.Kind, w.Box)
		}
		if at := segment.Rect(g.Box).Min; picture.RGBAAt(at.X+g.Box.W/2, at.Y-1) == frame.Image.RGBAAt(at.X+g.Box.W/2,
			at.Y-1) && at.Y > proposed.Area.Min.Y {
			t.Errorf("bubble %d is not boxed in the picture", i)
		}
	}
	if d := proposed.Area.Min.Y - pane.Area.Min.Y; d < -1 || d > 1 {
		t.Errorf("messages begin at %d, want %d", proposed.Area.Min.Y, pane.Area.Min.Y)
	}
}

// TestCalibrateOtherColours proposes a layout for blue own bubbles on white.
func TestCalibrateOtherColours(t *testing.T) {
	pal := chatpage.Palette{
		Background: chatpage.RGB(255, 255, 255), Header: chatpage.RGB(246, 246, 246), Own: chatpage.RGB(10, 124, 255),
		Incoming: chatpage.RGB(233, 233, 235), Ink: chatpage.RGB(20, 20, 20), OwnInk: chatpage.RGB(255, 255, 255),
		Bar: chatpage.RGB(246, 246, 246),
	}
	for _, scale := range []int{1, 2} {
		p := chatpage.New(t, pal, scale, 720, "Hana")
		p.Pill("7月3日(木)")
		p.SayAll(chatpage.Talk...)
		l, err := layout.Calibrate(p.Image, float64(scale))
		if err != nil {
			t.Fatal(err)
		}
		generic, _ := layout.ByName("generic")
		for _, l := range []*layout.Layout{&l, &generic} {
			_, got := found(t, p.Image, float64(scale), l)
			p.Check(got)
		}
	}
}

func TestCalibrateSaysWhatIsMissing(t *testing.T) {
	one := func(sides ...messages.Side) *image.RGBA {
		p := chatpage.New(t, chatpage.Light, 1, 720, "Hana")
		for _, s := range sides {
			p.Say(s, "おはよう、今日は何時に起きた？")
			p.Say(s, "電車が遅れている")
		}
		return p.Image
	}
	pattern := one(messages.SideOwn, messages.SideIncoming)
	for i := range pattern.Pix {
		pattern.Pix[i] ^= byte(i * i >> 3)
	}
	// Bubbles without a fill, as with an outline: texts on the background.
	outlined := func(side messages.Side) *image.RGBA {
		p := chatpage.New(t, chatpage.Light, 1, 720, "Hana")
		x := map[messages.Side]int{messages.SideOwn: 300, messages.SideIncoming: 60}
		for y := 100; y < 400; y += 60 {
			p.Write(x[side], y, "電車が遅れている", p.Palette.Ink)
		}
		other := messages.SideOwn
		if side == messages.SideOwn {
			other = messages.SideIncoming
		}
		p.Y = 420
		p.Say(other, "おはよう、今日は何時に起きた？")
		p.Say(other, "電車が遅れている")
		return p.Image
	}
	for _, c := range []struct {
		name, want string
		img        *image.RGBA
		scale      float64
	}{
		{"none", "want a picture", nil, 1},
		{"scale", "want a picture", one(), 0},
		{"small", "too small", image.NewRGBA(image.Rect(0, 0, 50, 50)), 1},
		{"plain", "no bubble stands at the right", one(), 1},
		{"own alone", "message of the other side", one(messages.SideOwn), 1},
		{"incoming alone", "message of your own", one(messages.SideIncoming), 1},
		{"pattern", "plain background", pattern, 1},
		{"own with an outline", "text at the right, but no bubble with a fill", outlined(messages.SideOwn), 1},
		{"incoming with an outline", "text at the left, but no bubble with a fill", outlined(messages.SideIncoming), 1},
	} {
		if _, err := layout.Calibrate(c.img, c.scale); !errors.Is(err, layout.ErrCalibrate) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("Calibrate(%s) = %v, want ErrCalibrate with %q", c.name, err, c.want)
		}
	}
}

func FuzzCalibrate(f *testing.F) {
	f.Add(130, 200, 1.0, []byte{255, 255, 255, 255, 195, 246, 157, 255, 140, 171, 216, 255})
	f.Add(200, 180, 0.5, []byte{1})
	f.Fuzz(func(t *testing.T, w, h int, scale float64, data []byte) {
		img := image.NewRGBA(image.Rect(0, 0, w&255, h&255))
		for i := range img.Pix {
			if len(data) > 0 {
				img.Pix[i] = data[(i/160)%len(data)]
			}
		}
		l, err := layout.Calibrate(img, scale)
		if err != nil {
			return
		}
		if _, err := l.YAML("fuzz"); err != nil {
			t.Fatalf("the layout proposed cannot be read back: %v", err)
		}
		if _, _, err := segment.Overlay(img, scale, &l); err != nil {
			t.Fatal(err)
		}
	})
}
