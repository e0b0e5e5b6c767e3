package drawn

import (
	"errors"
	"image"
	"testing"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/hardwaretest"
	"github.com/kehai-run/kehai/messages"
)

func TestRecognizer(t *testing.T) {
	everyLook(t, func(t *testing.T, o Options) {
		o.Conversation = "Hana 田中"
		w := open(t, o)
		chat(t, w)
		img := picture(t, w)
		s := o.Scale
		texts := map[image.Rectangle][]string{
			image.Rect(0, 0, img.Rect.Dx(), 52*s):    {"Hana 田中"},
			image.Rect(12*s, 4*s, 300*s, 48*s):       {"Hana 田中"},
			w.frame(w.s).bar():                       {"メッセージを入力"},
			image.Rect(0, 60*s, 40*s, 62*s).Inset(0): nil,
		}
		if !w.fonts.Japanese() {
			texts[w.frame(w.s).bar()] = []string{"Message"}
		}
		for _, p := range w.layout(w.s) {
			if p.kind != messages.KindText || p.box.Min.Y < 60*s {
				continue
			}
			want := p.measured.lines
			texts[p.box] = want
			if p.unsent {
				continue
			}
			texts[p.box.Inset(5*s)] = want
			texts[p.box.Inset(-1)] = want
			beak := p.box
			beak.Min.X -= 9 * s
			beak.Max.X += 9 * s
			texts[beak] = want
			timestamp := image.Rect(p.box.Max.X+2*s, p.box.Max.Y-20*s, p.box.Max.X+60*s, p.box.Max.Y)
			want = []string{"14:03"}
			if p.who == Me {
				timestamp = image.Rect(p.box.Min.X-60*s, p.box.Max.Y-34*s, p.box.Min.X-2*s, p.box.Max.Y)
				if p.read {
					want = []string{"既読", "14:03"}
				}
			}
			texts[timestamp] = want
		}
		if len(texts) < 20 {
			t.Fatalf("only %d boxes to read, want the whole chat", len(texts))
		}
		hardwaretest.CropRecognizer(t, hardwaretest.CropFixture{
			Recognizer: NewRecognizer(open(t, Options{}), w), Frame: img, Scale: float64(s), Texts: texts,
			Blank: image.Rect(0, 55*s, 8*s, 80*s),
		})
	})
}

// TestRecognizerOldFrames reads pictures from before the window changed.
func TestRecognizerOldFrames(t *testing.T) {
	w := open(t, Options{})
	must(t, w.Append("", Friend, "first"))
	old, box := picture(t, w), w.layout(w.s)[0].box
	must(t, w.Edit("", 0, "second"))
	picture(t, w)
	r := NewRecognizer(w)
	lines, err := r.RecognizeCrop(t.Context(), old, box, hardware.Hint{})
	if err != nil || len(lines) != 1 || lines[0].Text != "first" {
		t.Errorf("RecognizeCrop(old frame) = %d lines, %v, want the old text", len(lines), err)
	}
	if _, err := r.Recognize(t.Context(), image.NewGray(box), hardware.Hint{}); !errors.Is(err,
		hardware.ErrUnavailable) {
		t.Errorf("Recognize(prepared) = %v, want %v", err, hardware.ErrUnavailable)
	}
}

// TestRecognizerClipped scrolls a long bubble through the upper edge: only whole
// lines may be read, and only lines of that bubble.
func TestRecognizerClipped(t *testing.T) {
	w := open(t, Options{Size: image.Pt(480, 400)})
	must(t, w.Append("", Friend, "one one one one one one one one two two two two two two two two three three "+
		"three three three three"))
	for range 6 {
		must(t, w.Append("", Me, "later"))
	}
	must(t, w.Scroll(1<<20))
	r := NewRecognizer(w)
	fewer := 99
	for range 100 {
		img := picture(t, w)
		first := w.layout(w.s)[0]
		if first.index != 0 {
			break
		}
		lines, err := r.RecognizeCrop(t.Context(), img, first.box.Intersect(w.frame(w.s).view()), hardware.Hint{})
		must(t, err)
		if len(lines) > fewer {
			t.Fatalf("clipped to %v: %d lines, want at most %d", first.box, len(lines), fewer)
		}
		fewer = len(lines)
		for i, l := range lines {
			if want := first.measured.lines[len(first.measured.lines)-len(lines)+i]; string(l.Text) != want {
				t.Errorf("clipped to %v: line %d = %q, want %q", first.box, i, string(l.Text), want)
			}
		}
		must(t, w.Scroll(-3))
	}
	if fewer != 0 {
		t.Errorf("%d lines still read at the edge, want the bubble scrolled out", fewer)
	}
}

func TestUnknownRunesDiffer(t *testing.T) {
	w := open(t, Options{})
	must(t, w.Append("", Friend, "😀"))
	must(t, w.Append("", Friend, "😂"))
	img := picture(t, w)
	r := NewRecognizer(w)
	for _, p := range w.layout(w.s) {
		lines, err := r.RecognizeCrop(t.Context(), img, p.box, hardware.Hint{})
		if err != nil || len(lines) != 1 || string(lines[0].Text) != p.text {
			t.Errorf("RecognizeCrop(message %d) = %d lines, %v, want the emoji itself", p.index, len(lines), err)
		}
	}
}
