package tesseract

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/draw"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/kehai-run/kehai/hardware"
)

const fontPath = "/usr/share/fonts/opentype/ipaexfont-gothic/ipaexg.ttf"

// picture draws lines of dark text on white.
func picture(tb testing.TB, size float64, lines ...string) *image.Gray {
	tb.Helper()
	data, err := os.ReadFile(fontPath)
	if err != nil {
		tb.Fatalf("%v: install fonts-ipaexfont-gothic", err)
	}
	parsed, err := opentype.Parse(data)
	if err != nil {
		tb.Fatal(err)
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: size, DPI: 72})
	if err != nil {
		tb.Fatal(err)
	}
	width := 0
	for _, l := range lines {
		width = max(width, font.MeasureString(face, l).Ceil())
	}
	step := int(size * 1.5)
	img := image.NewGray(image.Rect(0, 0, width+48, len(lines)*step+48))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	d := font.Drawer{Dst: img, Src: image.Black, Face: face}
	for i, l := range lines {
		d.Dot = fixed.P(24, 24+i*step+int(size))
		d.DrawString(l)
	}
	return img
}

func open(tb testing.TB) *Recognizer {
	tb.Helper()
	r, err := Open(Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { r.Close() })
	return r
}

func TestRecognizeInReadingOrder(t *testing.T) {
	r := open(t)
	img := picture(t, 30, "明日の朝は早く起きます", "駅前の本屋で会いましょう")
	lines, err := r.Recognize(context.Background(), img, hardware.Hint{Lang: hardware.LangJapanese, Block: true})
	if err != nil || len(lines) != 2 {
		t.Fatalf("Recognize = %d lines, %v, want 2, nil", len(lines), err)
	}
	for i, want := range []string{"明日の朝は早く起きます", "駅前の本屋で会いましょう"} {
		l := lines[i]
		if got := strings.ReplaceAll(string(l.Text), " ", ""); got != want {
			t.Errorf("line %d = %q, want %q", i, got, want)
		}
		if l.Confidence < 0.4 || l.Confidence > 1 {
			t.Errorf("line %d confidence = %v, want 0.4..1", i, l.Confidence)
		}
		box := image.Rect(l.Box.X, l.Box.Y, l.Box.X+l.Box.W, l.Box.Y+l.Box.H)
		if !box.In(img.Rect) || box.Dy() < 20 || box.Dy() > 45 || box.Min.X > 40 {
			t.Errorf("line %d box = %v, want one line of text inside %v", i, box, img.Rect)
		}
	}
	if lines[0].Box.Y >= lines[1].Box.Y {
		t.Errorf("boxes at %d and %d, want top to bottom", lines[0].Box.Y, lines[1].Box.Y)
	}
}

func TestRecognizeLatinAndSingleLine(t *testing.T) {
	r := open(t)
	lines, err := r.Recognize(context.Background(), picture(t, 30, "See you at the station"),
		hardware.Hint{Lang: hardware.LangLatin})
	if err != nil || len(lines) != 1 || string(lines[0].Text) != "See you at the station" {
		t.Fatalf("Recognize = %d lines, %v, want the sentence", len(lines), err)
	}
}

func TestRecognizeSubImage(t *testing.T) {
	r := open(t)
	whole := picture(t, 30, "明日の朝は早く起きます", "駅前の本屋で会いましょう")
	part := whole.SubImage(image.Rect(0, 66, whole.Rect.Dx(), whole.Rect.Dy())).(*image.Gray)
	lines, err := r.Recognize(context.Background(), part, hardware.Hint{Block: true})
	if err != nil || len(lines) != 1 || lines[0].Box.Y < 66 {
		t.Fatalf("Recognize of the lower half = %v, %v, want one line below 66", lines, err)
	}
}

func TestRecognizeNothing(t *testing.T) {
	r := open(t)
	blank := image.NewGray(image.Rect(0, 0, 200, 80))
	draw.Draw(blank, blank.Rect, image.White, image.Point{}, draw.Src)
	if lines, err := r.Recognize(context.Background(), blank, hardware.Hint{Block: true}); err != nil ||
		len(lines) != 0 {
		t.Errorf("Recognize of blank paper = %d lines, %v, want 0, nil", len(lines), err)
	}
	for name, img := range map[string]*image.Gray{
		"nil": nil, "empty": {}, "short": {Pix: make([]byte, 5), Stride: 10, Rect: image.Rect(0, 0, 10, 10)},
	} {
		if _, err := r.Recognize(context.Background(), img, hardware.Hint{}); !errors.Is(err, hardware.ErrEmptyFrame) {
			t.Errorf("Recognize(%s) = %v, want ErrEmptyFrame", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Recognize(ctx, blank, hardware.Hint{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Recognize after cancel = %v, want context.Canceled", err)
	}
}

func TestClosed(t *testing.T) {
	r := open(t)
	for range 2 {
		if err := r.Close(); err != nil {
			t.Fatalf("Close() = %v, want nil", err)
		}
	}
	if _, err := r.Recognize(context.Background(), image.NewGray(image.Rect(0, 0, 9, 9)),
		hardware.Hint{}); !errors.Is(err, hardware.ErrUnavailable) {
		t.Errorf("Recognize after Close = %v, want ErrUnavailable", err)
	}
}

func TestProbe(t *testing.T) {
	info, err := Probe(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(info.Version, "5.") && !strings.HasPrefix(info.Version, "4.") {
		t.Errorf("Version = %q, want 4.x or 5.x", info.Version)
	}
	if !strings.Contains(info.Library, "libtesseract") ||
		!bytes.Contains([]byte(strings.Join(info.Languages, " ")), []byte("jpn")) {
		t.Errorf("Probe() = %+v, want a library path and jpn", info)
	}
}

func TestProbeSaysHowToMend(t *testing.T) {
	if _, err := Probe(Options{Library: "libnothing.so.9"}); !errors.Is(err, hardware.ErrUnavailable) ||
		!strings.Contains(err.Error(), "install") {
		t.Errorf("Probe without library = %v, want ErrUnavailable and a command", err)
	}
	for _, dir := range []string{t.TempDir(), "/nonexistent"} {
		info, err := Probe(Options{Tessdata: dir})
		if !errors.Is(err, hardware.ErrNoLanguage) || !strings.Contains(err.Error(), "tesseract-ocr-jpn") &&
			!strings.Contains(err.Error(), "tesseract-lang") {
			t.Errorf("Probe with tessdata %s = %v, want ErrNoLanguage and a command", dir, err)
		}
		if info.Version == "" {
			t.Errorf("Probe with tessdata %s has no version, want what was found", dir)
		}
	}
	if _, err := Open(Options{Tessdata: t.TempDir()}); !errors.Is(err, hardware.ErrNoLanguage) {
		t.Errorf("Open without languages = %v, want ErrNoLanguage", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/jpn.traineddata", []byte("no model"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{Tessdata: dir}); !errors.Is(err, hardware.ErrNoLanguage) {
		t.Errorf("Open with a damaged language = %v, want ErrNoLanguage", err)
	}
}

// TestMemory would see a picture or an iterator leaked per call: 200 pictures
// alone are 40 MB.
func TestMemory(t *testing.T) {
	r := open(t)
	img := picture(t, 28, "明日の朝は早く起きます")
	wide := image.NewGray(image.Rect(0, 0, 1200, 160))
	draw.Draw(wide, wide.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(wide, img.Rect, img, image.Point{}, draw.Src)
	read := func(n int) {
		for range n {
			if lines, err := r.Recognize(context.Background(), wide, hardware.Hint{Block: true}); err != nil ||
				len(lines) == 0 {
				t.Fatalf("Recognize = %d lines, %v, want some", len(lines), err)
			}
		}
	}
	read(20)
	before := resident(t)
	read(200)
	if grown := resident(t) - before; grown > 16<<20 {
		t.Errorf("200 recognitions grew the process by %d KB, want at most 16 MB", grown>>10)
	}
}

// resident is the process's resident memory, 0 where the system does not tell.
func resident(t *testing.T) int {
	t.Helper()
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, err := strconv.Atoi(strings.Fields(string(data))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

func BenchmarkRecognize(b *testing.B) {
	r := open(b)
	img := picture(b, 26, "明日の朝は早く起きます", "駅前の本屋で会いましょう")
	for b.Loop() {
		if _, err := r.Recognize(context.Background(), img, hardware.Hint{Block: true}); err != nil {
			b.Fatal(err)
		}
	}
}
