package ocr

import (
	"image"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

func TestWithEmoji(t *testing.T) {
	at := func(x, y int, text string) pictured { return pictured{image.Rect(x, y, x+16, y+16), text} }
	one := func(text string, w int) messages.Line {
		return messages.Line{Text: messages.Text(text), Confidence: 0.9, Box: messages.Rect{X: 100, Y: 20, W: w, H: 14}}
	}
	for _, c := range []struct {
		name  string
		lines []messages.Line
		list  []pictured
		want  string
	}{
		{"none", []messages.Line{one("はい", 32)}, nil, "はい"},
		{"one that nobody knows", []messages.Line{one("はい", 32)}, []pictured{at(140, 19, "")}, "はい"},
		{"at the end", []messages.Line{one("はい", 32)}, []pictured{at(140, 19, "👍")}, "はい👍"},
		{"at the beginning", []messages.Line{one("はい", 32)}, []pictured{at(80, 19, "👍")}, "👍はい"},
		{"two in order", []messages.Line{one("はい", 32)}, []pictured{at(140, 19, "👍"), at(158, 19, "🎉")}, "はい👍🎉"},
		{"inside", []messages.Line{one("ありがとうまたね", 8*16+18)}, []pictured{at(181, 19, "🙏")}, "ありがとう🙏またね"},
		{"between words", []messages.Line{one("Great job see you", 136+18)}, []pictured{at(180, 19, "👍")},
			"Great job 👍 see you"},
		{"alone", nil, []pictured{at(100, 19, "😂"), at(118, 19, "😂")}, "😂😂"},
		{"below", []messages.Line{one("はい", 32)}, []pictured{at(100, 44, "🔥")}, "はい🔥"},
	} {
		if got := join(withEmoji(c.lines, c.list)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
