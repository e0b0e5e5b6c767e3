package ocr

import (
	"image"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatpage"
)

// TestKinds draws what bubbles can be besides text.
func TestKinds(t *testing.T) {
	chatpage.Everywhere(t, func(t *testing.T, pal chatpage.Palette, scale int) {
		p := chatpage.New(t, pal, scale, 720, "Hana")
		p.Note(true, "不在着信")
		p.Note(false, "不在着信")
		p.Note(true, "見積書.pdf", "サイズ 120 KB")
		p.Say(messages.SideIncoming, "12:30")
		p.Say(messages.SideIncoming, "既読")
		got := do(t, tesseractWorker(t), p.Frame()).Bubbles
		want := []messages.Kind{messages.KindCall, messages.KindText, messages.KindFile,
			messages.KindText, messages.KindText}
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

// TestEmojiAlone draws two yellow faces, which an engine without emoji reads as
// letters.
func TestEmojiAlone(t *testing.T) {
	chatpage.Everywhere(t, func(t *testing.T, pal chatpage.Palette, scale int) {
		for _, c := range []struct {
			read string
			want messages.Kind
		}{{"oo", messages.KindUnreadable}, {"😀😀", messages.KindText}, {"", messages.KindUnreadable},
			{"はい、またね", messages.KindText}} {
			p := chatpage.New(t, pal, scale, 720, "Hana")
			box := p.Note(false, "")
			for i := range 2 {
				face := image.Rect(0, 0, 20*scale, 20*scale).Add(box.Min.Add(image.Pt((14+26*i)*scale, 10*scale)))
				p.Rounded(face, 10*scale, chatpage.RGB(255, 204, 50))
				p.Fill(image.Rect(face.Min.X+6*scale, face.Min.Y+6*scale, face.Min.X+8*scale, face.Min.Y+9*scale),
					chatpage.RGB(100, 60, 10))
			}
			f := says(c.read)
			got := do(t, NewWorker(Options{Confidence: DefaultThresholds(),
				Layouts: always(layout.Line()), Cache: NewCache(9), Open: f.open}),
				p.Frame()).Bubbles
			if len(got) != 1 || got[0].Kind != c.want || (got[0].Text == "") != (c.want == messages.KindUnreadable) {
				t.Errorf("faces read as %q = %d bubbles, %s %q, want one %s", c.read, len(got), got[0].Kind,
					string(got[0].Text), c.want)
			}
		}
		// Letters in the same bubble stay, even a few.
		p := chatpage.New(t, pal, scale, 720, "Hana")
		p.Say(messages.SideIncoming, "OK")
		p.Say(messages.SideOwn, "OK")
		f := says("OK")
		for i, b := range do(t, NewWorker(Options{Confidence: DefaultThresholds(),
			Layouts: always(layout.Line()), Cache: NewCache(9), Open: f.open}),
			p.Frame()).Bubbles {
			if b.Kind != messages.KindText {
				t.Errorf("bubble %d with letters = %s, want text", i, b.Kind)
			}
		}
	})
}

// TestSenders reads names in a group conversation. One character of a name may be
// misread, but a bubble without a name must not get one.
func TestSenders(t *testing.T) {
	chatpage.Everywhere(t, func(t *testing.T, pal chatpage.Palette, scale int) {
		p := chatpage.New(t, pal, scale, 720, "読書会")
		p.Pill("7月3日(木)")
		p.Name("鈴木一郎")
		p.Say(messages.SideIncoming, "おはようございます")
		p.Say(messages.SideIncoming, "明日の朝は早く起きます")
		p.Say(messages.SideOwn, "了解です")
		p.Name("佐藤")
		p.Say(messages.SideIncoming, "駅前の本屋で会いましょう")
		w := tesseractWorker(t)
		got := do(t, w, p.Frame())
		want := []string{"鈴木一郎", "", "", "佐藤"}
		if len(got.Bubbles) != len(want) {
			t.Fatalf("%d bubbles, want %d", len(got.Bubbles), len(want))
		}
		for i, b := range got.Bubbles {
			if d := text.EditDistance(bare(string(b.Sender)), bare(want[i])); d > 1 ||
				(b.Sender == "") != (want[i] == "") {
				t.Errorf("sender of bubble %d = %q, want %q", i, string(b.Sender), want[i])
			}
		}
		if again := do(t, w, p.Frame()); again.Read != 0 || again.Bubbles[3].Sender != got.Bubbles[3].Sender {
			t.Errorf("second time: %d read, sender %q, want 0 and the same", again.Read,
				string(again.Bubbles[3].Sender))
		}
	})
}

// TestSenderIsNeverGuessed has an engine that is unsure, or reads something that
// is no name.
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
		p := chatpage.New(t, chatpage.Light, 1, 720, "")
		p.Name("山田")
		p.Say(messages.SideIncoming, "はい")
		got := do(t, NewWorker(Options{Confidence: DefaultThresholds(),
			Layouts: always(layout.Line()), Cache: NewCache(9), Open: f.open}),
			p.Frame()).Bubbles
		if len(got) != 1 || string(got[0].Sender) != c.want {
			t.Errorf("%q at %v: sender %q, want %q", c.text, c.confidence, string(got[0].Sender), c.want)
		}
	}
}

// TestTimestamps reads clock times beside bubbles if the layout asks for it.
func TestTimestamps(t *testing.T) {
	chatpage.Everywhere(t, func(t *testing.T, pal chatpage.Palette, scale int) {
		for _, on := range []bool{false, true} {
			l := layout.Line()
			l.Bubble.ReadTimestamp = on
			w := NewWorker(Options{Confidence: DefaultThresholds(),
				Layouts: always(l), Cache: NewCache(64), Open: tesseractWorker(t).o.Open})
			defer w.Close()
			p := chatpage.New(t, pal, scale, 720, "Hana")
			p.Say(messages.SideIncoming, "おはようございます")
			want := ""
			if on {
				want = "9:41"
			}
			if got := do(t, w, p.Frame()).Bubbles[0].Stamp; got != want {
				t.Errorf("read_stamp %v: stamp = %q, want %q", on, got, want)
			}
		}
	})
}
