package ocr

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatpage"
)

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		texts           string
		majority, first string // by rule Majority and Longest
	}{
		{"", "", ""},
		{"はい", "はい", "はい"},
		{"はい/はい/はいllll", "はい", "はいllll"},
		{"garbage garbage/はい/はい", "はい", "garbage garbage"},
		{"今日は雨です/今曰は雨です/今日は雨てす", "今日は雨です", "今日は雨です"},
		{"今曰は雨てす/今日は雨です/今日は雨てす", "今日は雨てす", "今曰は雨てす"},
		{"はい/はいよ", "はいよ", "はいよ"}, // a tie: the longer one
		{"あい/はい", "あい", "あい"},    // a tie of equal length: the first
		{"a/a/bb/bb", "bb", "bb"},
	} {
		var texts []string
		if c.texts != "" {
			texts = strings.Split(c.texts, "/")
		}
		for rule, want := range map[Rule]string{Majority: c.majority, Longest: c.first} {
			got := ""
			if n := choose(texts, rule); n >= 0 {
				got = texts[n]
			}
			if got != want {
				t.Errorf("choose(%q, rule %d) = %q, want %q", texts, rule, got, want)
			}
		}
	}
}

func TestSimilarity(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{{"", "", 1}, {"はい", "はい", 1}, {"はい", "", 0}, {"はい", "はう", 0.5}, {"abcd", "abxcd", 0.8}} {
		if got := similarity(c.a, c.b); got != c.want {
			t.Errorf("similarity(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
	long := strings.Repeat("長い文", 200)
	if got := similarity(long, long+"。"); got < 0.5 {
		t.Errorf("similarity of long texts = %v, want much", got)
	}
}

func burstBubble(y int, key messages.PixelKey, text string) messages.Bubble {
	b := messages.Bubble{Side: messages.SideIncoming, Kind: messages.KindText, Key: key, Text: messages.Text(text),
		Box: messages.Rect{X: 56, Y: y, W: 100, H: 40}}
	if text == "" {
		b.Kind = messages.KindUnreadable
	} else {
		b.Lines = []messages.Line{{Text: b.Text, Confidence: 0.9, Box: messages.Rect{X: 60, Y: y + 5, W: 50, H: 15}}}
	}
	return b
}

func TestConsensus(t *testing.T) {
	first := []messages.Bubble{burstBubble(100, 1, "はし"), burstBubble(200, 2, ""), burstBubble(300, 3, "うん")}
	second := []messages.Bubble{burstBubble(90, 10, "はい"), burstBubble(190, 2, "了解"), burstBubble(400, 30, "別の話")}
	third := []messages.Bubble{burstBubble(90, 10, "はい")}
	got := Consensus([][]messages.Bubble{first, second, third}, Majority)
	if len(got) != 3 {
		t.Fatalf("%d bubbles, want 3", len(got))
	}
	for i, want := range []string{"はい", "了解", "うん"} {
		b := got[i]
		if string(b.Text) != want || b.Kind != messages.KindText || b.Box != first[i].Box || b.Key != first[i].Key {
			t.Errorf("bubble %d = %s %q at %v, want text %q where it was", i, b.Kind, string(b.Text), b.Box, want)
		}
		if b.Lines[0].Box.Y != b.Box.Y+5 {
			t.Errorf("line of bubble %d at %d, want it inside its bubble at %d", i, b.Lines[0].Box.Y, b.Box.Y)
		}
	}
	if first[0].Text != "はし" || second[0].Lines[0].Box.Y != 95 {
		t.Error("Consensus changed what it was given")
	}
	if got := Consensus(nil, Majority); got != nil {
		t.Errorf("Consensus(nil) = %v, want nil", got)
	}
}

// TestWorkerBurst reads three frames, the second of them damaged. Animated pixels
// make each one a different picture.
func TestWorkerBurst(t *testing.T) {
	readings := []string{"はし", "はい", "はい"}
	frames := make([]messages.Frame, 4)
	for i := range frames {
		p := chatpage.New(t, chatpage.Light, 1, 720, "")
		p.Say(messages.SideIncoming, "はい")
		p.Image.SetRGBA(p.Truth[0].Box.Min.X+30, p.Truth[0].Box.Min.Y+4, chatpage.RGB(1, 2, uint8(i))) // a moving speck
		frames[i] = p.Frame()
		frames[i].At = time.UnixMilli(int64(100 * i))
	}
	frames[3].Image = nil
	for rule, want := range map[Rule]string{Majority: "はい", Longest: "はし"} {
		n := 0
		f := &fake{read: func(int, hardware.Hint) ([]messages.Line, error) {
			n++
			return []messages.Line{line(readings[n-1], 0.9, 0)}, nil
		}}
		w := NewWorker(Options{Confidence: DefaultThresholds(),
			Layouts: always(layout.Line()), Cache: NewCache(9), Open: f.open, Burst: rule})
		got, err := w.Do(context.Background(), messages.ReadFrame{Frame: frames[0], Hash: 7, More: frames[1:]})
		if err != nil {
			t.Fatal(err)
		}
		r := got.(messages.FrameRead)
		if string(r.Bubbles[0].Text) != want || r.Hash != 7 || r.Read != 3 || !r.At.Equal(frames[0].At) {
			t.Errorf("rule %d: read %q with %d calls at %v, want %q with 3 at the first frame", rule,
				string(r.Bubbles[0].Text), r.Read, r.At, want)
		}
		details := []messages.BurstFrame{{Characters: 2}, {Delay: 100 * time.Millisecond, Characters: 2},
			{Delay: 200 * time.Millisecond, Characters: 2}, {Delay: 300 * time.Millisecond, Failed: true}}
		for i, d := range details {
			if len(r.Burst) != len(details) || r.Burst[i] != d {
				t.Fatalf("rule %d: details = %+v, want %+v", rule, r.Burst, details)
			}
		}
	}
}

func TestWorkerBurstEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	f := says("はい")
	good := f.read
	f.read = func(call int, hint hardware.Hint) ([]messages.Line, error) {
		if call == 1 {
			cancel()
		}
		return good(call, hint)
	}
	p := chatpage.New(t, chatpage.Light, 1, 720, "")
	p.Say(messages.SideIncoming, "はい")
	q := chatpage.New(t, chatpage.Light, 1, 720, "")
	q.Say(messages.SideIncoming, "いいえ")
	w := NewWorker(Options{Confidence: DefaultThresholds(),
		Layouts: always(layout.Line()), Cache: NewCache(9), Open: f.open})
	if _, err := w.Do(ctx, messages.ReadFrame{Frame: p.Frame(), More: []messages.Frame{q.Frame()}}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("Do() = %v, want context.Canceled", err)
	}
}

func BenchmarkConsensus(b *testing.B) {
	frames := make([][]messages.Bubble, 5)
	for i := range frames {
		for j := range 12 {
			frames[i] = append(frames[i], burstBubble(100*j, messages.PixelKey(100*i+j),
				strings.Repeat("今日は雨です", 4)+string(rune('あ'+i))))
		}
	}
	for b.Loop() {
		Consensus(frames, Majority)
	}
}
