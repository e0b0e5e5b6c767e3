package layout

import (
	"errors"
	"image"
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	l := Line()
	if l.Name != "line" || len(l.Themes) != 2 {
		t.Fatalf("Line() = %q with %d themes, want line with 2", l.Name, len(l.Themes))
	}
	light := l.ThemeFor(170)
	for _, c := range []struct {
		r, g, b       uint8
		own, incoming bool
	}{
		{195, 246, 157, true, false}, {188, 240, 165, true, false}, {255, 255, 255, false, true},
		{250, 249, 252, false, true}, {140, 171, 216, false, false}, {0, 0, 0, false, false},
		{130, 130, 100, false, false}, {100, 131, 100, true, false},
	} {
		if got := light.Own.Has(c.r, c.g, c.b); got != c.own {
			t.Errorf("Own.Has(%d, %d, %d) = %v, want %v", c.r, c.g, c.b, got, c.own)
		}
		if got := light.Incoming.Has(c.r, c.g, c.b); got != c.incoming {
			t.Errorf("Incoming.Has(%d, %d, %d) = %v, want %v", c.r, c.g, c.b, got, c.incoming)
		}
	}
	if got := l.ThemeFor(20).Name; got != "dark" {
		t.Errorf("ThemeFor(20) = %s, want dark", got)
	}
}

func TestParseNamesTheField(t *testing.T) {
	good := string(lineYAML)
	for _, c := range []struct{ old, new, want string }{
		{"name: line", "name: ''", "name must not be empty"},
		{"min_fill: 0.35", "min_fill: 1.5", "bubble.min_fill"},
		{"rule: full_width", "rule: everything", "own_rows.rule"},
		{"agree: 2", "agree: 4", "lane.agree must lie in 1..3, is 4"},
		{"brightness: {min: 0, max: 95}", "brightness: {min: 96, max: 95}", "themes[1].brightness"},
		{"incoming: {min: 48, max: 92, spread: 14}", "incoming: {min: 48, max: 92, spread: -1}", "themes[1].incoming.spread"},
		{"picture: 64", "pictures: 64", "pictures"},
		{"picture: 64", "picture: big", "big"},
		{"[既読,", "['',", "tokens[0]"},
		{"names: []", "names: ['']", "names[0]"},
	} {
		if !strings.Contains(good, c.old) {
			t.Fatalf("line.yaml does not contain %q", c.old)
		}
		_, err := Parse([]byte(strings.Replace(good, c.old, c.new, 1)))
		if !errors.Is(err, ErrLayout) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse with %q = %v, want ErrLayout with %q", c.new, err, c.want)
		}
	}
	for _, in := range []string{"", "[]", "themes: []", ":"} {
		if _, err := Parse([]byte(in)); !errors.Is(err, ErrLayout) {
			t.Errorf("Parse(%q) = %v, want ErrLayout", in, err)
		}
	}
}

func TestIsToken(t *testing.T) {
	l := Line()
	for in, want := range map[string]bool{
		"既読": true, "既読 3": true, "READ": true, " typing… ": true, "Yesterday": true,
		"": false, "3": false, "既読ついた": false, "Read this": false, "12:34": false,
	} {
		if got := l.IsToken(in); got != want {
			t.Errorf("IsToken(%q) = %v, want %v", in, got, want)
		}
	}
}

func TestBoxIn(t *testing.T) {
	size := image.Pt(480, 720)
	for _, c := range []struct {
		box   Box
		scale float64
		want  image.Rectangle
	}{
		{Box{0, 0, 0, 0}, 1, image.Rect(0, 0, 480, 720)},
		{Box{12, 4, -120, 48}, 1, image.Rect(12, 4, 360, 52)},
		{Box{0, -40, 0, 40}, 1, image.Rect(0, 680, 480, 720)},
		{Box{0, -40, 0, 40}, 2, image.Rect(0, 640, 480, 720)},
		{Box{500, 0, 0, 0}, 1, image.Rectangle{}},
		{Box{0, -900, 10, 950}, 1, image.Rect(0, 0, 10, 720)},
	} {
		if got := c.box.In(size, c.scale); got != c.want {
			t.Errorf("%v.In(%v, %v) = %v, want %v", c.box, size, c.scale, got, c.want)
		}
	}
}

func TestLaneColumns(t *testing.T) {
	lane := Line().Lane
	for _, c := range []struct {
		width    int
		scale    float64
		from, to int
	}{
		{480, 1, 441, 444}, {960, 2, 881, 887}, {2000, 1, 1909, 1912}, {2, 1, 0, 2},
	} {
		if from, to := lane.Columns(c.width, c.scale); from != c.from || to != c.to {
			t.Errorf("Columns(%d, %v) = %d, %d, want %d, %d", c.width, c.scale, from, to, c.from, c.to)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(lineYAML)
	f.Add([]byte("themes: [{}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Parse(data)
		if err != nil {
			return
		}
		l.ThemeFor(128)
		l.IsToken("既読")
		l.Excluded(image.Pt(10, 10), 2)
		l.Lane.Columns(10, 1)
	})
}
