package ocr

import (
	"image"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// note draws an incoming bubble with an icon and lines beside it.
func (p *page) note(icon bool, lines ...string) image.Rectangle {
	s := p.scale
	box := image.Rect(0, 0, 200*s, (len(lines)*21+18)*s).Add(image.Pt(56*s, p.y))
	p.rounded(box, 16*s, p.pal.incoming)
	x := box.Min.X + 13*s
	if icon {
		p.rounded(image.Rect(x, box.Min.Y+10*s, x+22*s, box.Min.Y+32*s), 11*s, rgb(120, 126, 134))
		x += 34 * s
	}
	for i, l := range lines {
		p.write(x, box.Min.Y+9*s+i*21*s+16*s, l, p.pal.ink)
	}
	p.y = box.Max.Y + 10*s
	return box
}

// name writes a small line above where the next bubble begins.
func (p *page) name(text string) {
	p.writeSmall(60*p.scale, p.y+14*p.scale, text)
	p.y += 20 * p.scale
}

// TestKinds draws what bubbles can be besides text.
func TestKinds(t *testing.T) {
	everywhere(t, func(t *testing.T, pal palette, scale int) {
		p := newPage(t, pal, scale, 720, "Hana")
		p.note(true, "不在着信")
		p.note(false, "不在着信")
		p.note(true, "見積書.pdf", "サイズ 120 KB")
		p.say(said{messages.SideIncoming, "12:30"})
		p.say(said{messages.SideIncoming, "既読"})
		got := do(t, tesseractWorker(t), p.frame()).Bubbles
		want := []messages.Kind{messages.KindCall, messages.KindText, messages.KindFile, messages.KindText, messages.KindText}
		if len(got) != len(want) {
			t.Fatalf("%d bubbles, want %d", len(got), len(want))
		}
		for i, b := range got {
			if b.Kind != want[i] || b.Text == "" {
				t.Errorf("bubble %d = %s %q, want %s with its text", i, b.Kind, string(b.Text), want[i])
			}
		}
	})
}

// TestEmojiAlone draws two yellow faces, which an engine without emoji takes
// for letters.
func TestEmojiAlone(t *testing.T) {
	everywhere(t, func(t *testing.T, pal palette, scale int) {
		for _, c := range []struct {
			read string
			want messages.Kind
		}{{"oo", messages.KindUnreadable}, {"😀😀", messages.KindText}, {"", messages.KindUnreadable}, {"はい、またね", messages.KindText}} {
			p := newPage(t, pal, scale, 720, "Hana")
			box := p.note(false, "")
			for i := range 2 {
				face := image.Rect(0, 0, 20*scale, 20*scale).Add(box.Min.Add(image.Pt((14+26*i)*scale, 10*scale)))
				p.rounded(face, 10*scale, rgb(255, 204, 50))
				p.fill(image.Rect(face.Min.X+6*scale, face.Min.Y+6*scale, face.Min.X+8*scale, face.Min.Y+9*scale), rgb(100, 60, 10))
			}
			f := says(c.read)
			got := do(t, NewWorker(Always(layout.Line()), NewCache(9), f.open), p.frame()).Bubbles
			if len(got) != 1 || got[0].Kind != c.want || (got[0].Text == "") != (c.want == messages.KindUnreadable) {
				t.Errorf("faces read as %q = %d bubbles, %s %q, want one %s", c.read, len(got), got[0].Kind, string(got[0].Text), c.want)
			}
		}
		// Letters in the same bubble stay, also few ones.
		p := newPage(t, pal, scale, 720, "Hana")
		p.say(said{messages.SideIncoming, "OK"})
		p.say(said{messages.SideOwn, "OK"})
		f := says("OK")
		for i, b := range do(t, NewWorker(Always(layout.Line()), NewCache(9), f.open), p.frame()).Bubbles {
			if b.Kind != messages.KindText {
				t.Errorf("bubble %d with letters = %s, want text", i, b.Kind)
			}
		}
	})
}

// TestSenders reads names in a conversation of several. One character in a name
// may be misread; a bubble without a name must not get one.
func TestSenders(t *testing.T) {
	everywhere(t, func(t *testing.T, pal palette, scale int) {
		p := newPage(t, pal, scale, 720, "読書会")
		p.pill("7月3日(木)")
		p.name("鈴木一郎")
		p.say(said{messages.SideIncoming, "おはようございます"})
		p.say(said{messages.SideIncoming, "明日の朝は早く起きます"})
		p.say(said{messages.SideOwn, "了解です"})
		p.name("佐藤")
		p.say(said{messages.SideIncoming, "駅前の本屋で会いましょう"})
		w := tesseractWorker(t)
		got := do(t, w, p.frame())
		want := []string{"鈴木一郎", "", "", "佐藤"}
		if len(got.Bubbles) != len(want) {
			t.Fatalf("%d bubbles, want %d", len(got.Bubbles), len(want))
		}
		for i, b := range got.Bubbles {
			if d := editDistance(bare(string(b.Sender)), bare(want[i])); d > 1 || (b.Sender == "") != (want[i] == "") {
				t.Errorf("sender of bubble %d = %q, want %q", i, string(b.Sender), want[i])
			}
		}
		if again := do(t, w, p.frame()); again.Read != 0 || again.Bubbles[3].Sender != got.Bubbles[3].Sender {
			t.Errorf("second time: %d read, sender %q, want 0 and the same", again.Read, string(again.Bubbles[3].Sender))
		}
	})
}

// TestSenderIsNeverGuessed has an engine that is not sure, or reads something
// that is no name.
func TestSenderIsNeverGuessed(t *testing.T) {
	for _, c := range []struct {
		text       string
		confidence float64
		want       string
	}{{"山田", 0.9, "山田"}, {"山田", 0.39, ""}, {"既読", 0.9, ""}, {"12:30", 0.9, ""}} {
		f := &fake{read: func(_ int, hint hardware.Hint) ([]messages.Line, error) {
			if hint.Block {
				return []messages.Line{line("はい", 0.9, 0)}, nil
			}
			return []messages.Line{line(c.text, c.confidence, 0)}, nil
		}}
		p := newPage(t, lightPage, 1, 720, "")
		p.name("山田")
		p.say(said{messages.SideIncoming, "はい"})
		got := do(t, NewWorker(Always(layout.Line()), NewCache(9), f.open), p.frame()).Bubbles
		if len(got) != 1 || string(got[0].Sender) != c.want {
			t.Errorf("%q at %v: sender %q, want %q", c.text, c.confidence, string(got[0].Sender), c.want)
		}
	}
}

// TestStamps reads clock times beside bubbles where the layout asks for it.
func TestStamps(t *testing.T) {
	everywhere(t, func(t *testing.T, pal palette, scale int) {
		for _, on := range []bool{false, true} {
			l := layout.Line()
			l.Bubble.ReadStamp = on
			w := NewWorker(Always(l), NewCache(64), tesseractWorker(t).factory)
			defer w.Close()
			p := newPage(t, pal, scale, 720, "Hana")
			p.say(said{messages.SideIncoming, "おはようございます"})
			want := ""
			if on {
				want = "9:41"
			}
			if got := do(t, w, p.frame()).Bubbles[0].Stamp; got != want {
				t.Errorf("read_stamp %v: stamp = %q, want %q", on, got, want)
			}
		}
	})
}
