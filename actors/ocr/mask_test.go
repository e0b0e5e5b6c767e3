package ocr

import (
	"context"
	"fmt"
	"image"
	"image/draw"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatpage"
)

// maskCase is a frame in which the owner of every pixel is known.
type maskCase struct {
	frame messages.Frame
	boxes map[messages.Side][]image.Rectangle
}

// closePage has the sides right under each other, closer than any window.
func closePage(t *testing.T, pal chatpage.Palette, scale int) maskCase {
	t.Helper()
	p := chatpage.New(t, pal, scale, 720, "Hana")
	c := maskCase{boxes: map[messages.Side][]image.Rectangle{}}
	for i := 0; p.Y < 580*scale; i++ {
		p.SayAll(chatpage.Talk[i%len(chatpage.Talk)])
		p.Y -= 8 * scale // a gap of 2 is left
		last := p.Truth[len(p.Truth)-1]
		c.boxes[last.Side] = append(c.boxes[last.Side], last.Box)
	}
	c.frame = p.Frame()
	return c
}

func drawnCase(t *testing.T, theme drawn.Theme, scale, width int) maskCase {
	t.Helper()
	w := drawnWindow(t, theme, scale)
	apply(t, w, drawn.Change{Op: drawn.OpResize, W: width, H: 720})
	for i := range 14 {
		m := shown[i%len(shown)]
		apply(t, w, drawn.Change{Op: drawn.OpAppend, Who: m.who, Text: messages.Text(m.text)})
	}
	c := maskCase{frame: capture(t, w), boxes: map[messages.Side][]image.Rectangle{}}
	l := layout.Line()
	_, got := found(t, c.frame.Image, c.frame.Scale, &l)
	for _, s := range got.Shapes {
		c.boxes[s.Bubble.Side] = append(c.boxes[s.Bubble.Side], s.Box())
	}
	return c
}

// shifted moves all channels, as a display's colour profile does.
func shifted(img *image.RGBA, by [3]int) *image.RGBA {
	out := image.NewRGBA(img.Rect)
	draw.Draw(out, out.Rect, img, img.Rect.Min, draw.Src)
	for i := range out.Pix {
		if i%4 < 3 {
			out.Pix[i] = uint8(min(max(int(out.Pix[i])+by[i%4], 0), 255))
		}
	}
	return out
}

// cost is what masking leaves of own bubbles and removes from incoming ones, in
// pixels of their fills.
func (c maskCase) cost(t *testing.T, rule string, by [3]int) (ownLeft, incomingEaten int) {
	t.Helper()
	l := layout.Line()
	pane, _ := found(t, shifted(c.frame.Image, by), c.frame.Scale, &l)
	rows := pane.OwnRows(rule)
	theme := l.ThemeFor(int(c.frame.Image.RGBAAt(4, c.frame.Image.Rect.Dy()/2).G))
	count := func(boxes []image.Rectangle, masked bool, has func(r, g, b uint8) bool) (n int) {
		for _, box := range boxes {
			for y := box.Min.Y; y < box.Max.Y; y++ {
				for x := box.Min.X; x < box.Max.X && rows[y] == masked; x++ {
					if at := c.frame.Image.RGBAAt(x, y); has(at.R, at.G, at.B) {
						n++
					}
				}
			}
		}
		return n
	}
	return count(c.boxes[messages.SideOwn], false, theme.IsOwn),
		count(c.boxes[messages.SideIncoming], true, theme.IsIncoming)
}

// TestOwnRowRules measures both rules on the same frames. The default of the
// built-in layouts must be the better one, and must not take a single row that
// holds an incoming bubble.
func TestOwnRowRules(t *testing.T) {
	total := map[string]int{}
	add := func(name string, c maskCase, by [3]int) {
		for _, rule := range []string{layout.RuleStrip, layout.RuleFullWidth} {
			left, eaten := c.cost(t, rule, by)
			t.Logf("%-20s %v %-10s own pixels left %6d, incoming pixels eaten %6d", name, by, rule, left, eaten)
			total[rule] += left + eaten
			if rule == layout.RuleFullWidth && eaten > 0 {
				t.Errorf("%s %v: %s takes %d pixels of incoming bubbles, want none", name, by, rule, eaten)
			}
		}
	}
	palettes := map[string]chatpage.Palette{drawn.Light.Name: chatpage.Light, drawn.Dark.Name: chatpage.Dark}
	for theme, scale := range looks(2) {
		cases := map[string]maskCase{"close": closePage(t, palettes[theme.Name], scale)}
		for _, width := range []int{320, 480, 1600} {
			cases[fmt.Sprint("drawn ", width)] = drawnCase(t, theme, scale, width)
		}
		for _, name := range slices.Sorted(maps.Keys(cases)) {
			for _, by := range [][3]int{{}, {6, 6, 6}, {-6, -6, -6}, {6, -6, 6}, {-6, 6, -6}} {
				add(fmt.Sprintf("%s %s x%d", name, theme.Name, scale), cases[name], by)
			}
		}
	}
	t.Logf("pixels wrong in all: %v", total)
	for _, name := range layout.BuiltIn() {
		l, _ := layout.ByName(name)
		for rule, n := range total {
			if n < total[l.OwnRows.Rule] {
				t.Errorf("layout %s uses %s with %d wrong pixels, want %s with %d", name, l.OwnRows.Rule,
					total[l.OwnRows.Rule], rule, n)
			}
		}
	}
}

// TestStripRule checks agreement and expansion pixel by pixel.
func TestStripRule(t *testing.T) {
	l := layout.Line()
	l.OwnRows.Rule = layout.RuleStrip
	for _, c := range []struct {
		name string
		own  []int // strip pixels of row 300 that are own, from 0
		want int
	}{{"none", nil, 0}, {"one", []int{1}, 0}, {"two", []int{0, 2}, 7}, {"three", []int{0, 1, 2}, 7}} {
		p := chatpage.New(t, chatpage.Light, 1, 720, "Hana")
		from, _ := l.Strip.Columns(480, 1)
		for _, x := range c.own {
			p.Image.SetRGBA(from+x, 300, chatpage.Light.Own)
		}
		pane, _ := found(t, p.Image, 1, &l)
		rows := pane.OwnRows(layout.RuleStrip)
		got := 0
		for y, own := range rows {
			if own {
				got++
				if y < 297 || y > 303 {
					t.Errorf("%s: row %d is own, want only rows near 300", c.name, y)
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: %d rows are own, want %d", c.name, got, c.want)
		}
	}
}

func TestMask(t *testing.T) {
	p := chatpage.New(t, chatpage.Light, 1, 720, "Hana")
	p.SayAll(chatpage.Talk...)
	l := layout.Line()
	pane, _ := found(t, p.Image, 1, &l)
	got, own := pane.Mask().Image(), pane.OwnRows(l.OwnRows.Rule)
	if want := image.Rect(0, 0, 480, 640); got.Rect != want {
		t.Errorf("masked frame is %v, want %v: cut at the input", got.Rect, want)
	}
	for y := range 640 {
		for _, x := range []int{0, 100, 479} {
			at := got.RGBAAt(x, y)
			if own[y] && at != chatpage.RGB(255, 255, 255) || !own[y] && at != p.Image.RGBAAt(x, y) {
				t.Fatalf("pixel %d,%d of the masked frame is %v, own row %v", x, y, at, own[y])
			}
		}
	}
}

// TestFrameWithoutBubbles has lines on the background. They are read only if whole
// frames are asked for.
func TestFrameWithoutBubbles(t *testing.T) {
	chatpage.Everywhere(t, func(t *testing.T, pal chatpage.Palette, scale int) {
		s := scale
		p := chatpage.New(t, pal, scale, 720, "Hana")
		p.Write(60*s, 100*s, "明日の朝は早く起きます", p.Palette.Ink)
		p.Write(60*s, 121*s, "駅前の本屋で会いましょう", p.Palette.Ink)
		p.Write(180*s, 200*s, "7月3日(木)", p.Palette.Ink)
		p.Write(330*s, 300*s, "電車が遅れています", p.Palette.Ink)
		p.Write(60*s, 400*s, "既読", p.Palette.Ink)
		w := tesseractWorker(t)
		if got := do(t, w, p.Frame()); len(got.Bubbles) != 0 || got.Read != 0 {
			t.Errorf("%d bubbles, %d read, want none: nothing shows that they are messages", len(got.Bubbles), got.Read)
		}
		w.o.WholeFrames = true
		got := do(t, w, p.Frame())
		var read []string
		for _, b := range got.Bubbles {
			read = append(read, string(b.Side)+" "+string(b.Text))
		}
		want := "incoming 明日の朝は早く起きます駅前の本屋で会いましょう, own 電車が遅れています"
		if strings.Join(read, ", ") != want || got.Read != 1 {
			t.Errorf("read %q with %d calls, want %q with 1", read, got.Read, want)
		}
		left := []messages.Omitted{{What: messages.OtherMiddle, Count: 1}, {What: messages.OtherToken, Count: 1}}
		if !slices.Equal(got.LeftOut, left) {
			t.Errorf("left out %v, want the date and the token", got.LeftOut)
		}
		if again := do(t, w, p.Frame()); again.Cached != 1 || again.Read != 0 || len(again.Bubbles) != 2 ||
			again.LeftOut != nil {
			t.Errorf("second time: %d read, %d cached, want it cached", again.Read, again.Cached)
		}
	})
}

// TestBareWindowCostsNothing has neither bubbles nor ink.
func TestBareWindowCostsNothing(t *testing.T) {
	f := says("あ")
	w := NewWorker(Options{Confidence: DefaultThresholds(),
		Layouts: always(layout.Line()), Cache: NewCache(9), Open: f.open, WholeFrames: true})
	p := chatpage.New(t, chatpage.Light, 1, 720, "")
	got, err := w.Do(context.Background(), messages.ReadFrame{Frame: p.Frame()})
	if err != nil || len(f.hints) != 0 || len(got.(messages.FrameRead).Bubbles) != 0 {
		t.Errorf("Do(bare window) = %v, %d calls, want nothing read", err, len(f.hints))
	}
}

func TestAssign(t *testing.T) {
	p := chatpage.New(t, chatpage.Light, 1, 720, "Hana")
	at := func(text string, x, y, w int) messages.Line {
		return messages.Line{Text: messages.Text(text), Confidence: 0.9, Box: messages.Rect{X: x, Y: y, W: w, H: 16}}
	}
	l := layout.Line()
	pane, _ := found(t, p.Image, 1, &l)
	for _, c := range []struct {
		name  string
		lines []messages.Line
		want  string
		left  string
	}{
		{"nothing", nil, "", ""},
		{"one", []messages.Line{at("はい", 60, 100, 40)}, "incoming:はい", ""},
		{"wrapped", []messages.Line{at("はい", 60, 118, 40), at("朝に", 61, 100, 40)}, "incoming:朝にはい", ""},
		{"apart", []messages.Line{at("はい", 60, 100, 40), at("うん", 60, 140, 40)}, "incoming:はい incoming:うん", ""},
		{"own", []messages.Line{at("はい", 380, 100, 70)}, "own:はい", ""},
		{"both edges", []messages.Line{at("はい", 60, 100, 390)}, "neither:はい", ""},
		{"a date", []messages.Line{at("7月3日", 200, 100, 60), at("招待しました", 200, 200, 60)}, "", "middle 2"},
		{"a token", []messages.Line{at("既読 2", 60, 100, 60)}, "", "token 1"},
		{"a time beside", []messages.Line{at("はい", 60, 100, 40), at("12:30", 96, 104, 30)}, "incoming:はい",
			"clock 1"},
		{"a time alone", []messages.Line{at("12:30", 60, 100, 30)}, "incoming:12:30", ""},
		{"outside", []messages.Line{at("はい", 60, 700, 30)}, "", "outside 1"},
	} {
		var got []string
		bubbles, left := assign(c.lines, pane, &l)
		for _, b := range bubbles {
			got = append(got, string(b.Side)+":"+string(b.Text))
			if b.Key == 0 || b.Box.W == 0 || b.Kind != messages.KindText {
				t.Errorf("%s: bubble without key, box or kind: %+v", c.name, b)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("assign(%s) = %q, want %q", c.name, got, c.want)
		}
		var said []string
		for _, o := range left {
			said = append(said, fmt.Sprintf("%s %d", o.What, o.Count))
		}
		if strings.Join(said, ", ") != c.left {
			t.Errorf("assign(%s) left out %q, want %q", c.name, said, c.left)
		}
	}
}
