package calibrate_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/calibrate"
	"github.com/kehai-run/kehai/testkit/chatpage"
)

// TestCalibrateTriesItsLayout: a layout that does not find both sides in the
// screenshot that it was made from is no layout. What it finds is shown.
func TestCalibrateTriesItsLayout(t *testing.T) {
	// Low white and green bars line up as bubbles do, but no bubble is so low.
	img := image.NewRGBA(image.Rect(0, 0, 480, 720))
	fill := func(r image.Rectangle, c color.RGBA) { draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src) }
	fill(img.Rect, drawn.Light.Background)
	fill(image.Rect(0, 0, 480, 52), drawn.Light.Header)
	fill(image.Rect(0, 640, 480, 720), drawn.Light.Bar)
	for y := 80; y < 600; y += 40 {
		fill(image.Rect(60, y, 200, y+16), drawn.Light.Incoming)
		fill(image.Rect(300, y, 440, y+16), drawn.Light.Own)
	}
	c, err := calibrate.Layout(1, img)
	if !errors.Is(err, layout.ErrCalibrate) || !strings.Contains(err.Error(), "finds 0 own and 0 incoming bubbles") ||
		!strings.Contains(err.Error(), "write under pane in the layout") {
		t.Errorf("Layout() = %v, want ErrCalibrate that says what was found, and of what to cut", err)
	}
	if c.Found == nil {
		t.Error("Layout() shows nothing of what it found, want a picture")
	}
}

var placed = regexp.MustCompile(`messages are at( \d+,\d+)+$`)

// TestLearnFindsBothSides teaches windows of applications that do not exist which messages
// are whose. What is learnt holds in the same window, and is refused where no message
// stands.
func TestLearnFindsBothSides(t *testing.T) {
	tried := 0
	for seed := uint64(0); tried < 6; seed++ {
		c := chatpage.Random(t, seed)
		points := map[messages.Side]image.Point{}
		for _, m := range c.Truth {
			if m.Box.In(c.Area) {
				points[m.Side] = m.Box.Min.Add(m.Box.Max).Div(2)
			}
		}
		mine, both := points[messages.SideOwn]
		theirs, ok := points[messages.SideIncoming]
		if !both || !ok {
			continue
		}
		tried++
		p, err := calibrate.Learn(c.Scale, mine, theirs, c.Image)
		if err != nil || p.Own == 0 || p.Incoming == 0 || p.Found == nil {
			t.Errorf("seed %d, %s: Learn() = %v with %d own and %d incoming messages",
				seed, c.Look, err, p.Own, p.Incoming)
			continue
		}
		if l, err := layout.Parse("learnt.yaml", p.YAML); err != nil || l.Find != layout.FindAuto {
			t.Errorf("seed %d: what was written reads as %q, %v", seed, l.Find, err)
		}
		if !bytes.Contains(p.YAML, []byte("# auto: pane, header")) {
			t.Errorf("seed %d: what was written has no comments", seed)
		}
		p, err = calibrate.Learn(c.Scale, c.Pane.Min, theirs, c.Image)
		if !errors.Is(err, layout.ErrCalibrate) || p.YAML != nil || p.Found == nil ||
			!placed.MatchString(err.Error()) {
			t.Errorf("seed %d: Learn() beside a message = %v, want ErrCalibrate, the places of messages, "+
				"a picture and no layout", seed, err)
		}
		if tried > 1 {
			continue
		}
		_, err = calibrate.Learn(c.Scale, mine, mine, c.Image)
		if err == nil || !strings.Contains(err.Error(), "both points stand in one message") {
			t.Errorf("seed %d: Learn() with one message twice = %v, want an error that says so", seed, err)
		}
	}
}

// TestLearnName: where names say whose a message is, no colour can be learnt, but a name.
func TestLearnName(t *testing.T) {
	c := chatpage.RandomRows(t, 1)
	at := c.Truth[0].Box.Min.Add(c.Truth[0].Box.Max).Div(2)
	if p, err := calibrate.Learn(c.Scale, at, at, c.Image); !errors.Is(err, calibrate.ErrNames) || p.Found == nil {
		t.Errorf("Learn() of rows = %v, want ErrNames and a picture", err)
	}
	p, err := calibrate.LearnName(c.Scale, "Alex", c.Image)
	if err != nil || p.Rows != len(c.Truth) {
		t.Fatalf("LearnName() = %v with %d rows, want %d", err, p.Rows, len(c.Truth))
	}
	l, err := layout.Parse("learnt.yaml", p.YAML)
	if err != nil || l.Find != layout.FindAuto || !slices.Contains(l.Me, "Alex") || !slices.Contains(l.Me, "You") {
		t.Errorf("what was written reads as me %v, %v, want Alex beside the names that are known", l.Me, err)
	}
	bubbles := chatpage.Random(t, 0)
	if _, err := calibrate.LearnName(bubbles.Scale, "Alex", bubbles.Image); !errors.Is(err, layout.ErrCalibrate) {
		t.Errorf("LearnName() of bubbles = %v, want ErrCalibrate", err)
	}
}

// TestSeveralPictures: a layout from a light and a dark picture finds both sides in both.
func TestSeveralPictures(t *testing.T) {
	var shots []*image.RGBA
	for _, pal := range []chatpage.Palette{chatpage.Light, chatpage.Dark, chatpage.Light} {
		if len(shots) == 2 {
			pal.Incoming = chatpage.RGB(214, 219, 226) // the window has lost the focus
		}
		p := chatpage.New(t, pal, 1, 720, "Hana")
		p.SayAll(chatpage.Talk...)
		shots = append(shots, p.Image)
	}
	c, err := calibrate.Layout(1, shots...)
	if err != nil || c.Own != 9 || c.Incoming != 9 {
		t.Errorf("Layout() = %v with %d own and %d incoming messages, want 9 of each", err, c.Own, c.Incoming)
	}
	shots = append(shots, image.NewRGBA(shots[0].Rect))
	if _, err := calibrate.Layout(1, shots...); !errors.Is(err, layout.ErrCalibrate) ||
		!strings.Contains(err.Error(), "picture 4") {
		t.Errorf("Layout() with an empty picture = %v, want ErrCalibrate that says which", err)
	}
}
