package layout

import (
	"errors"
	"image"
	"os"
	"reflect"
	"slices"
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
		{"  left: 365 ", "  left: -1", "my.yaml:8:9: pane.left must lie in 0..10000, is -1"},
		{"  left: 365 ", "  left: 7", "my.yaml:12:9: pane.when must be always, " +
			"or edge with a left side of 8 or more, is \"edge\""},
		{"when: edge", "when: never", "pane.when must be always, or edge"},
		{"rule: full_width", "rule: everything", "own_rows.rule"},
		{"agree: 2", "agree: 4", "my.yaml:23:10: lane.agree must lie in 1..3, is 4"},
		{"brightness: {min: 0, max: 95}", "brightness: {min: 96, max: 95}", "themes[1].brightness"},
		{"incoming: {min: 48, max: 92, spread: 14}", "incoming: {min: 48, max: 92, spread: -1}",
			"themes[1].incoming.spread"},
		{"picture: 64", "pictures: 64", "my.yaml:44:3: unknown field"},
		{"from_right: 38", "from_right: 1", "my.yaml:21:15: lane.from_right must lie in 2..1000, is 1"},
		{"ratio: 0.045", "ratio: 0.51", "my.yaml:22:10: lane.ratio must lie in 0..0.5, " +
			"or the lane is not at the right, is 0.51"},
		{"width: 3", "width: 0", "my.yaml:20:10: lane.width must lie in 1..100, is 0"},
		{"  agree: 2           # lane pixels that must agree on a row's class\n", "",
			"my.yaml:20:3: lane.agree must lie in 1..3, is 0"},
		{"    tokens: [不在着信,", "    tokens: [' ',", "kinds.call.tokens[0]"},
		{"exclude:             # left out", "exclude: [{x: 99999}]\nx: # left out", "unknown field"},
		{"    separator: {min: 238, max: 255, spread: 17}\n",
			"    separator: {min: 238, max: 255, spread: 17}\n    own_colours: [{r: 300, g: 0, b: 0, off: 1}]\n",
			"themes[0].own_colours[0].r must lie in 0..255, is 300"},
		{"picture: 64", "picture: big", "my.yaml:44:12: cannot unmarshal string"},
		{"[既読,", "['',", "tokens[0]"},
		{"names: []", "names: ['']", "names[0]"},
	} {
		if !strings.Contains(good, c.old) {
			t.Fatalf("line.yaml does not contain %q", c.old)
		}
		_, err := Parse("my.yaml", []byte(strings.Replace(good, c.old, c.new, 1)))
		if !errors.Is(err, ErrLayout) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse with %q = %v, want ErrLayout with %q", c.new, err, c.want)
		}
	}
	for _, in := range []string{"", "[]", "themes: []", ":"} {
		if _, err := Parse("my.yaml", []byte(in)); !errors.Is(err, ErrLayout) {
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
		{Box{0, 0, 10, 10}, 1e300, image.Rect(0, 0, 480, 720)}, // a scale beyond reason does not overflow
	} {
		if got := c.box.In(size, c.scale); got != c.want {
			t.Errorf("%v.In(%v, %v) = %v, want %v", c.box, size, c.scale, got, c.want)
		}
	}
}

func TestStripColumns(t *testing.T) {
	strip := Line().Strip
	for _, c := range []struct {
		width    int
		scale    float64
		from, to int
	}{
		{480, 1, 441, 444}, {960, 2, 881, 887}, {2000, 1, 1909, 1912}, {2, 1, 0, 2},
	} {
		if from, to := strip.Columns(c.width, c.scale); from != c.from || to != c.to {
			t.Errorf("Columns(%d, %v) = %d, %d, want %d, %d", c.width, c.scale, from, to, c.from, c.to)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(lineYAML)
	f.Add([]byte("themes: [{}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Parse("f.yaml", data)
		if err != nil {
			return
		}
		l.ThemeFor(128)
		l.IsToken("既読")
		l.Excluded(image.Pt(10, 10), 2)
		l.Strip.Columns(10, 1)
		l.Kinds.IsCall([]string{"不在着信"}, 9)
		l.Kinds.IsFile([]string{"a.pdf"}, 9)
	})
}

func TestByName(t *testing.T) {
	for _, name := range BuiltIn() {
		if l, ok := ByName(name); !ok || l.Name != name {
			t.Errorf("ByName(%s) = %q, %v, want it", name, l.Name, ok)
		}
	}
	if _, ok := ByName("telepathy"); ok {
		t.Error("ByName(telepathy) = true, want false")
	}
}

func TestParseRefusesForeignBytes(t *testing.T) {
	for name, data := range map[string]string{
		"empty": " \n", "utf-8": "name: \xff", "long": strings.Repeat("#", 64<<10+1),
		"brackets": "name: " + strings.Repeat("[", 5000), "dashes": strings.Repeat("- ", 5000),
	} {
		if _, err := Parse("x.yaml", []byte(data)); !errors.Is(err, ErrLayout) ||
			!strings.Contains(err.Error(), "x.yaml:") {
			t.Errorf("Parse(%s) = %v, want ErrLayout with x.yaml", name, err)
		}
	}
}

func TestColours(t *testing.T) {
	l, _ := ByName("generic")
	light := l.ThemeFor(250)
	for _, c := range []struct {
		r, g, b       uint8
		own, incoming bool
	}{
		{0, 132, 255, true, false}, {20, 120, 240, true, false}, {120, 132, 255, false, false},
		{233, 233, 235, false, true}, {195, 246, 157, true, false},
	} {
		if own, in := light.IsOwn(c.r, c.g, c.b), light.IsIncoming(c.r, c.g, c.b); own != c.own || in != c.incoming {
			t.Errorf("colour %d,%d,%d: own %v, incoming %v, want %v, %v", c.r, c.g, c.b, own, in, c.own, c.incoming)
		}
	}
}

func TestKinds(t *testing.T) {
	k := Line().Kinds
	for _, c := range []struct {
		lines      string
		indent     int
		call, file bool
	}{
		{"不在着信", 40, true, false}, {"不在着信", 13, false, false}, {"音声通話/1:23", 40, true, false},
		{"音声通話/1:02:33", 40, true, false}, {"☎ Missed call", 40, true, false}, {"1:23", 40, false, false},
		{"不在着信って何？", 40, false, false}, {"音声通話/また後で", 40, false, false}, {"", 40, false, false},
		{"plan.pdf/120 KB", 40, false, true}, {"見積 2025.XLSX/有効期間：7月10日", 40, false, true},
		{"plan.pdf", 40, false, false}, {"plan.pdf/120 KB", 13, false, false},
		{"read plan.pdf please/120 KB", 40, false, false},
	} {
		lines := strings.Split(c.lines, "/")
		if call, file := k.IsCall(lines, c.indent), k.IsFile(lines, c.indent); call != c.call || file != c.file {
			t.Errorf("kind of %q at %d: call %v, file %v, want %v, %v", c.lines, c.indent, call, file, c.call, c.file)
		}
	}
	if (Kinds{}).IsCall([]string{"不在着信"}, 99) || (Kinds{}).IsFile([]string{"a.pdf", "1 KB"}, 99) {
		t.Error("a layout without words tells calls or files, want none")
	}
}

// TestParseAuto: with find: auto nothing has to be written that is found.
func TestParseAuto(t *testing.T) {
	l, err := Parse("dir/slack.yaml", []byte("find: auto\nme: [Alex]\n"))
	want, _ := ByName(FindAuto)
	want.Name, want.Me = "slack", []string{"Alex"}
	if err != nil || !reflect.DeepEqual(l, want) {
		t.Errorf("Parse(find: auto, me: [Alex]) = %+v, %v, want auto with that name", l, err)
	}
	if _, err := Parse("slack.yaml", []byte("find: auto\nlane: {width: 0}\n")); err == nil {
		t.Error("Parse(find: auto, lane.width: 0) = nil, want an error: what is written counts")
	}
}

// TestTheReadmeSaysEachField: whoever writes a layout finds all that can stand in one.
func TestTheReadmeSaysEachField(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(readme), "### The fields of a layout file\n")
	if section, _, _ = strings.Cut(section, "\n###"); !found {
		t.Fatal("the README has no section of the fields")
	}
	var rows []string // of the sections and what is in them
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "| `") {
			rows = append(rows, strings.NewReplacer(".", " ", "`", " ", "{", " ", ",", " ", "}", " ").Replace(line))
		}
	}
	says := func(above, field string) bool {
		return slices.ContainsFunc(rows, func(row string) bool {
			words := strings.Fields(row)
			return slices.Contains(words, field) && (above == "" || slices.Contains(words, above))
		})
	}
	var walk func(above string, in reflect.Type)
	walk = func(above string, in reflect.Type) {
		for in.Kind() == reflect.Slice {
			in = in.Elem()
		}
		if in.Kind() != reflect.Struct || in == reflect.TypeFor[Box]() {
			return
		}
		for i := range in.NumField() {
			name, _, _ := strings.Cut(in.Field(i).Tag.Get("yaml"), ",")
			if !says(above, name) {
				t.Errorf("no row of the README's section says %s of %q", name, above)
			}
			walk(name, in.Field(i).Type)
		}
	}
	walk("", reflect.TypeFor[Layout]())
}
