package tesseract

import (
	"image"
	"image/draw"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

func TestForeign(t *testing.T) {
	for _, c := range []struct {
		first string
		conf  float64
		again string
		then  float64
		want  bool
	}{
		{"Npuspet,kak neJa?", 0.5, "Mpuser, kak nena?", 0.5, true},
		{"外 6yy depe3 AeCTb MMHYT", 0.32, "欠 6yAy Jepe3 AecgTb MMHYT", 0.51, true},
		{"KoT cnMT Ha nMBaHe", 0.73, "KoT cnMT Ha nMBaHe", 0.75, true}, // alike, but no language writes so
		{"KoT cnMT Ha nMBaHe", 0.73, "KoT cnMT Ha nMBaHe", 0.83, false},
		{"Npuspet,kak neJa?", 0.8, "Mpuser, kak nena?", 0.5, false}, // one of them is sure
		{"Npuspet,kak neJa?", 0.5, "Mpuser, kak nena?", 0.8, false},
		{"緊急地震速報", 0.44, "", 0, false}, // nothing was read
		{"電車遅延証明書発行", 0.46, "電車遅延証明填発行", 0.5, false},
		{"1 agree", 0.64, "| agree", 0.55, false}, // one letter
		{"func main() {}", 0.52, "func main() { }", 0.6, false},
		{"https:/example.com/a/b?id三42", 0.44, "Https://exampIe.c0m/a/D?id=42", 0.4, false},
		{"LOL I can't even", 0.65, "LOL I can't even", 0.7, false},
		{"d41d8cd98f00b204e9", 0.5, "d41d8cd98f00b204e9", 0.5, false}, // one word
		{"をおめでとう記", 0.6, "伺おめでとう組", 0.2, false},                       // Japanese beside what is not
		{"YU ay 上ルっっっ", 0.3, "YU Suy 4Lっっっ", 0.2, true},
		{"ox", 0.1, "vy", 0.1, false},
	} {
		got := foreign(messages.Line{Text: messages.Text(c.first), Confidence: c.conf},
			messages.Line{Text: messages.Text(c.again), Confidence: c.then})
		if got != c.want {
			t.Errorf("foreign(%q %v, %q %v) = %v, want %v", c.first, c.conf, c.again, c.then, got, c.want)
		}
	}
}

func TestFurtherLanguages(t *testing.T) {
	for _, c := range []struct {
		installed []string
		want      string
	}{
		{[]string{"eng", "jpn", "jpn_vert", "osd", "snum"}, ""},
		{[]string{"eng", "jpn", "kor", "osd", "rus"}, "kor+rus"},
		{[]string{"ara", "deu", "eng", "fra", "jpn", "kor", "rus"}, ""}, // too many to tell which are meant
	} {
		if got := further(c.installed); got != c.want {
			t.Errorf("further(%q) = %q, want %q", c.installed, got, c.want)
		}
	}
}

// written draws a line as a bubble is prepared: the embedded font knows Cyrillic and Greek.
func written(t *testing.T, line string) *image.Gray {
	t.Helper()
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: 24, DPI: 72})
	if err != nil {
		t.Fatal(err)
	}
	img := image.NewGray(image.Rect(0, 0, font.MeasureString(face, line).Ceil()+64, 96))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	(&font.Drawer{Dst: img, Src: image.Black, Face: face, Dot: fixed.P(32, 56)}).DrawString(line)
	return img
}

// Of two languages that the library has not, nearly all lines are marked, and of those that it has none.
func TestWhatIsMarkedForeign(t *testing.T) {
	r := open(t)
	r.further = "" // whatever is installed here
	marks := func(img *image.Gray) bool {
		hint := hardware.Hint{Lang: hardware.LangJapanese, Block: true}
		lines, err := r.Recognize(t.Context(), img, hint)
		if err == nil && mostlyLatin(lines) {
			hint.Lang = hardware.LangLatin
			lines, err = r.Recognize(t.Context(), img, hint)
		}
		if err != nil || len(lines) == 0 {
			t.Fatalf("Recognize = %d lines, %v, want one", len(lines), err)
		}
		return isForeign(lines[0])
	}
	lines, missed := []string{"Привет, как дела?", "Сегодня хорошая погода", "Спасибо большое за помощь!",
		"Не забудь купить молоко и хлеб", "Что будем делать на выходных?", "Отправь мне адрес, пожалуйста",
		"Θα αργήσω δέκα λεπτά", "Ευχαριστώ πολύ για τη βοήθεια", "Τι ώρα φεύγει το τρένο αύριο;",
		"Στείλε μου τη διεύθυνση σε παρακαλώ"}, 0
	for _, line := range lines {
		if !marks(written(t, line)) {
			missed++
			t.Logf("missed %q", line)
		}
	}
	if missed > len(lines)/5 {
		t.Errorf("%d of %d lines pass as read, want at most a fifth", missed, len(lines))
	}
	for _, line := range []string{"OK", "LOL", "See you soon", "I will be about ten minutes late", "iPhone15 Pro",
		"$12.50", "https://example.com/a/b?id=42", "Mio & Ken", "v1.2.3", "ohayou gozaimasu"} {
		if marks(written(t, line)) {
			t.Errorf("%q is marked foreign", line)
		}
	}
	for _, line := range []string{"おはよう", "ｗｗｗ", "了解しました", "東京都千代田区丸の内", "今日は何時に会う？", "1,980円でした"} {
		if marks(picture(t, 26, line)) {
			t.Errorf("%q is marked foreign", line)
		}
	}
}

// A further language that is installed is read where the others know nothing of a line. Here the data of
// English has another name, and what is called English is Japanese.
func TestFurtherLanguagesAreRead(t *testing.T) {
	data, err := tessdata("")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, of := range map[string]string{"jpn": "jpn", "eng": "jpn", "further": "eng"} {
		if err := os.Symlink(filepath.Join(data, of+suffix), filepath.Join(dir, name+suffix)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Open(Options{Tessdata: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	const line = "silly little ill hill"
	hint, img := hardware.Hint{Lang: hardware.LangLatin, Block: true}, written(t, line)
	with, err := r.Recognize(t.Context(), img, hint)
	if err != nil || len(with) != 1 || string(with[0].Text) != line || isForeign(with[0]) {
		t.Errorf("Recognize = %v, %v, want the line", with, err)
	}
	r.further = ""
	without, err := r.Recognize(t.Context(), img, hint)
	if err != nil || len(without) != 1 || !isForeign(without[0]) {
		t.Errorf("Recognize without the language = %v, %v, want a foreign line", without, err)
	}
}
