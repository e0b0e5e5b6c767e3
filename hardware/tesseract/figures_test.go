package tesseract

import (
	"image"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

func TestSettled(t *testing.T) {
	for _, c := range []struct {
		first  string
		surely bool
		again  second
		more   string
		want   string
		sure   bool
	}{
		{"12.50", false, second{"12.50", 0.2}, "", "12.50", true},           // both say so
		{`\1,000`, false, second{"¥1,000", 0.9}, "", `\1,000`, true},        // repaired later
		{"F67 .98", false, second{"£67.98", 0.9}, "£67.98", "£67.98", true}, // two against one
		{"F67 .98", false, second{"£67.98", 0.9}, "£67.93", "F67 .98", false},
		{"F67 .98", false, second{"£67.98", 0.5}, "£67.98", "F67 .98", false}, // hardly
		{"F67 .98", false, second{"£67.98", 0.6}, "£67.98", "£67.98", true},
		{"55.7%%", false, second{"55.7%", 0.9}, "", "55.7%", true},
		{"509%", false, second{"50%", 0.9}, "50%", "50%", true},
		{"99%", false, second{"9%", 0.9}, "9%", "99%", false}, // or too little was cut out
		{"4596", false, second{"45%", 0.9}, "45%", "45%", true},
		{"2026-11-99", false, second{"2026-11-09}", 0.9}, "2026-11-99", "2026-11-99", true},
		{"18", false, second{"18)", 0.5}, "", "18", true},                 // something beside it
		{"18", false, second{"188", 0.9}, "188", "18", false},             // is that a figure?
		{"18", true, second{"188", 0.9}, "188", "18", true},               // not of it, as it is surely read
		{"177.87", false, second{"77.87", 0.9}, "77.87", "177.87", false}, // too little was cut out
		{"+4429144", false, second{"+442014", 0.9}, "+442014", "+4429144", false},
		{"+4429144", true, second{"4429144", 0.9}, "4429144", "+4429144", true},
		{"+4429144", true, second{"4420144", 0.9}, "4420144", "+4429144", false}, // too little, and other figures
		{"+4429144", true, second{"4420144", 0.8}, "4420144", "+4429144", true},
		{"19/24", true, second{"10/24", 0.9}, "10/24", "10/24", true},
		{"19/24", true, second{"10/24", 0.7}, "10/24", "19/24", false},
		{"93-4154", true, second{"@3-4154", 0.3}, "Q3-4154", "03-4154", true}, // a slashed zero
		{"93-4154", true, second{"@3-4154", 0.3}, "3-4154", "93-4154", false},
		{"mio94@example.jp", false, second{"mio94example.jp", 0.9}, "mio94example.jp", "mio94@example.jp", false},
		{"を4", false, second{"€", 0.9}, "€", "を4", false},
		{"を2", false, second{"€2", 0.9}, "€2", "€2", true},
		{"を2", false, second{"€2", 0.8}, "€2", "を2", false},
		{"を2", false, second{"%2", 0.9}, "%2", "を2", false},
		{"98.59", false, second{"£98.5", 0.8}, "£98.5", "98.59", false},
		{"https : //a.jp/1", false, second{"https://a.jp/1", 0.5}, "", "https://a.jp/1", true},
		{"https:/a.jp/1", false, second{"httpsi//a.jp/1", 0.5}, "https://a.jp/1", "https:/a.jp/1", true},
		{"+44 20 31", false, second{"+442031", 0.5}, "", "+44 20 31", true},
		{"https://exampLe.com/1", true, second{"https://exampLe.com/1", 0.9}, "", "https://exampLe.com/1", false},
		{"is @3-4505", true, second{"is @3-4505", 0.9}, "", "is @3-4505", false},
		{"9", true, second{}, "", "9", true},   // nothing was read
		{"9", false, second{}, "", "9", false}, // and the first is not sure
	} {
		text, sure := settled(c.first, c.surely, c.again, func() second { return second{c.more, 0.7} })
		if text != c.want || sure != c.sure {
			t.Errorf("settled(%q, %v, %q, %q) = %q, %v, want %q, %v", c.first, c.surely, c.again.text, c.more, text,
				sure, c.want, c.sure)
		}
	}
}

// symbolsOf are the letters of a text without its spaces, surely read.
func symbolsOf(text string) (out []symbol) {
	spaced := false
	for _, r := range text {
		if r == ' ' {
			spaced = true
			continue
		}
		out = append(out, symbol{text: string(r), confidence: 0.99, spaced: spaced})
		spaced = false
	}
	return out
}

func TestPartsOf(t *testing.T) {
	for text, want := range map[string]string{
		"了解です":                         "了解です",
		"合計12円です":                      "合計|#12|円です",
		"It costs $5 now":              "It|costs|#$5|now",
		"call +44 20 3115 please":      "call|#+44203115|please",
		"見て https : //exampLe . com/a": "見て|#https://exampLe.com/a",
		"hana@shop . examp Le .net":    "#hana@shop.exampLe.net",
		"See you. Bye":                 "See|you.Bye",
		"本を3冊":                         "本を|#3|冊",
		"合計はを5です":                      "合計は|#を5|です",
		"ま15 orを18":                    "#ま15orを18",
		"5をです":                         "#5を|です",
		"5を押す":                         "#5|を押す",
		"いま3時":                         "いま|#3|時",
		"来る2人":                         "来る|#2|人",
		"costs 240を":                   "costs|#240を",
	} {
		symbols := symbolsOf(text)
		var got []string
		for _, p := range partsOf(symbols, true) {
			said := textOf(symbols[p.from:p.to])
			if p.class == figures {
				said = "#" + said
			}
			got = append(got, said)
		}
		if g := strings.Join(got, "|"); g != want {
			t.Errorf("partsOf(%q) = %s, want %s", text, g, want)
		}
	}
	symbols := symbolsOf("5を") // the next line may go on with it
	if p := partsOf(symbols, false); len(p) != 2 {
		t.Errorf("partsOf(5を, not the last) = %d parts, want 2", len(p))
	}
	symbols = symbolsOf("でる2人")
	if symbols[1].confidence = 0.9; partsOf(symbols, true)[1].class != figures {
		t.Error("partsOf(a kana that is unsurely read before a digit) leaves it, want it among the figures")
	}
}

func TestWorthSecond(t *testing.T) {
	for _, c := range []struct {
		text       string
		confidence float64 // of the first figure
		want       bool
	}{{"あと12個", 0.99, false}, {"あと12個", 0.98, true}, {"あと19個", 0.99, true}, {"あとE12個", 0.99, true},
		{"あと1.008個", 0.99, true}, {"あと1.08個", 0.99, false}, {"見てa.jp/b", 0.99, true}, {"あとは", 0.99, false}} {
		symbols := symbolsOf(c.text)
		symbols[2].confidence = c.confidence
		got := slices.ContainsFunc(partsOf(symbols, true), func(p part) bool { return worthSecond(symbols, p) })
		if got != c.want {
			t.Errorf("worthSecond(%s at %v) = %v, want %v", c.text, c.confidence, got, c.want)
		}
	}
	symbols := symbolsOf("1時2分") // in fact 20
	if symbols[3].confidence = 0.9; !worthSecond(symbols, partsOf(symbols, true)[2]) {
		t.Error("worthSecond(2 beside what is unsurely read) = false, want true")
	}
}

// The ink tells where figures stand, however far off the places of symbols are.
func TestPlace(t *testing.T) {
	const em = 20
	symbols := symbolsOf("合計12.5になります")
	var ink [][2]int
	x := 10
	for i := range symbols {
		wide := em
		if !wideSymbol(symbols[i].text) {
			wide = 11
			if symbols[i].text == "." {
				wide = 6
			}
		}
		symbols[i].left, symbols[i].right = x+7, x+wide+7 // late by a third of a letter
		if symbols[i].text == "に" || symbols[i].text == "り" {
			ink = append(ink, [2]int{x + 2, x + 5}, [2]int{x + 9, x + 18}) // in two pieces
		} else {
			ink = append(ink, [2]int{x + 1, x + wide - 1})
		}
		x += wide
	}
	parts := partsOf(symbols, true)
	if !place(parts, symbols, ink, em) {
		t.Fatal("place() = false, want places")
	}
	if p := parts[1]; p.class != figures || p.left != 51 || p.right != 88 {
		t.Errorf("place() puts the figures from %d to %d, want 51 to 88", p.left, p.right)
	}
	if place(parts, symbols, ink[:2], em) || place(nil, symbols, ink, em) {
		t.Error("place() finds places in less ink than there are parts, or of nothing")
	}
}

func TestSpread(t *testing.T) {
	symbols := symbolsOf("あと12個")
	at, ok := spread("あと 12\u3000個 ", symbols)
	if want := []int{0, 3, 7, 8, 12}; !ok || !slices.Equal(at, want) {
		t.Errorf("spread() = %v, %v, want %v", at, ok, want)
	}
	if !symbols[2].spaced || symbols[3].spaced || !symbols[4].spaced {
		t.Error("spread() notes other spaces than those before 1 and 個")
	}
	for _, text := range []string{"あと1個", "あと12個です", ""} {
		if _, ok := spread(text, symbols); ok {
			t.Errorf("spread(%q) of other symbols = true, want false", text)
		}
	}
}

// inMono draws a line with a font whose zero is slashed.
func inMono(tb testing.TB, text string) *image.Gray {
	tb.Helper()
	img := picture(tb, 24, strings.Repeat("　", len([]rune(text))))
	parsed, err := opentype.Parse(gomono.TTF)
	if err != nil {
		tb.Fatal(err)
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: 24, DPI: 72})
	if err != nil {
		tb.Fatal(err)
	}
	d := font.Drawer{Dst: img, Src: image.Black, Face: face, Dot: fixed.P(24, 48)}
	d.DrawString(text)
	return img
}

// countReadings counts the pictures that an engine reads.
func countReadings(r *Recognizer) *int {
	n := 0
	lib := *r.lib
	recognize := lib.recognize
	lib.recognize = func(h handle, monitor uintptr) int32 { n++; return recognize(h, monitor) }
	r.lib = &lib
	return &n
}

// Signs and slashed zeros are read as they are, in a further reading.
func TestFiguresAreReadAgain(t *testing.T) {
	r := open(t)
	readings := countReadings(r)
	for _, c := range []struct {
		img  *image.Gray
		want string
	}{
		{picture(t, 22.5, "送料込みで€177.87くらい"), "送料込みで€177.87くらい"},
		{picture(t, 22.5, "£15"), "£15"},
		{inMono(t, "2027/08/28"), "2027/08/28"},
		{inMono(t, "070-0275-8205"), "070-0275-8205"},
	} {
		lines, err := r.Recognize(t.Context(), c.img, hardware.Hint{Lang: hardware.LangJapanese, Block: true})
		if err != nil || len(lines) != 1 {
			t.Fatalf("Recognize(%s) = %d lines, %v, want one", c.want, len(lines), err)
		}
		if got := strings.ReplaceAll(string(lines[0].Text), " ", ""); got != c.want || lines[0].Doubtful {
			t.Errorf("Recognize(%s) = %s, doubtful %v, want it for certain", c.want, got, lines[0].Doubtful)
		}
	}
	if *readings < 8 {
		t.Errorf("%d readings of four pictures, want at least two of each", *readings)
	}
}

// What has no figures that may be misread is read once, and so is a title.
func TestOtherTextIsReadOnce(t *testing.T) {
	r := open(t)
	readings := countReadings(r)
	for _, c := range []struct {
		text  string
		block bool
	}{{"明日の朝は早く起きます", true}, {"明日の10時に第2会議室で会いましょう", true}, {"£15", false}} {
		*readings = 0
		hint := hardware.Hint{Lang: hardware.LangJapanese, Block: c.block}
		lines, err := r.Recognize(t.Context(), picture(t, 30, c.text), hint)
		if err != nil || len(lines) != 1 || lines[0].Doubtful || *readings != 1 {
			t.Errorf("Recognize(%s) = %d lines, %v, after %d readings, want one that is not doubtful after one", c.text,
				len(lines), err, *readings)
		}
	}
}

// A line whose figures cannot be found in it is doubtful if they are not surely read.
func TestFiguresThatAreNotFound(t *testing.T) {
	r := open(t)
	blank := image.NewGray(image.Rect(0, 0, 200, 60))
	for i := range blank.Pix {
		blank.Pix[i] = 255
	}
	for confidence, want := range map[float64]bool{0.99: false, 0.9: true} {
		symbols := symbolsOf("あと19個")
		symbols[2].confidence = confidence
		line := messages.Line{Text: "あと19個", Box: messages.Rect{X: 10, Y: 10, W: 100, H: 20}}
		if err := r.figuresOf(blank, &line, symbols, true); err != nil || line.Doubtful != want ||
			string(line.Text) != "あと19個" {
			t.Errorf("figuresOf(%v) = %s, doubtful %v, %v, want doubtful %v", confidence, string(line.Text),
				line.Doubtful, err, want)
		}
	}
}
