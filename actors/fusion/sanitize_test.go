package fusion

import (
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/messages"
)

func line(names ...string) Sanitizer { return Sanitizer{IsToken: layout.Line().IsToken, Names: names} }

func outside(lines ...string) []Raw {
	var out []Raw
	for _, l := range lines {
		out = append(out, Raw{Text: l})
	}
	return out
}

func TestNoise(t *testing.T) {
	for _, l := range []string{
		"12:34", "1:05", "9:05 PM", "9:05pm", "PM 9:05", "午前 9:05", "午後9:05", "12：34", "23:59:59", "午後3時", "3時05分",
		"1月2日", "1月2日(木)", "１月２日（木）", "2026年1月2日", "2026/01/02", "2026.1.2(木)", "1/2", "1/2 (Thu)", "木曜日", "木曜",
		"Jan 2", "January 2, 2026", "Thu, Jan 2", "2 January 2026", "Monday, March 1st",
		"42", "１２", "1,000", "-3", "3.14", "090 1234",
		"...", "…", "!?", "👍", "♪♪", "ー", "・", "――", "<>", "$ €",
	} {
		if want := l != "ー"; Noise(l) != want { // ー is a letter
			t.Errorf("Noise(%q) = %v, want %v", l, !want, want)
		}
	}
	for _, l := range []string{
		"12:34に駅", "25個", "9:05から", "1月2日に行く", "3時頃", "May be", "marching", "42kg", "はい", "OK", "a", "月がきれい", "木々",
		"12:345", "mayday 3",
	} {
		if Noise(l) {
			t.Errorf("Noise(%q) = true, want false", l)
		}
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []Raw
		want []string
	}{
		{"nothing", nil, nil},
		{"blank", outside("", " 　"), nil},
		{"content", outside("おはよう", " はい "), []string{"おはよう", "はい"}},
		{"marks", outside("既読", "未読", "Read", "既読 3", "もっと見る", "入力中...", "オンライン", "メッセージを入力", "ここから未読メッセージ", "はい"),
			[]string{"はい"}},
		{"times, dates, numbers, symbols", outside("12:34", "1月2日(木)", "42", "…", "はい", "👍"), []string{"はい"}},
		{"single latin letter beside a text", outside("A", "はい", "ｚ"), []string{"はい"}},
		{"single latin letter alone", outside("A", "12:34"), []string{"A"}},
		{"single kana", outside("え", "はい"), []string{"え", "はい"}},
		{"a real 42", outside("既読", "12:34", "42", "既読"), []string{"42"}},
		{"a real time", outside("12:34"), []string{"12:34"}},
		{"an emoji alone", outside("👍", "既読"), []string{"👍"}},
		{"only the application's words", outside("既読", "Read"), nil},
		{"inside a bubble all is content",
			[]Raw{{"12:34", true}, {"👍", true}, {"既読", true}, {"A", true}, {"42", false}},
			[]string{"12:34", "👍", "既読", "A"}},
		{"names", outside("花子: おはよう", "花子 はい", "花子", "花子さんは元気", "Hana：hi", "花子 Hana: both"),
			[]string{"おはよう", "はい", "花子さんは元気", "hi", "both"}},
		{"a name inside a bubble", []Raw{{"花子: おはよう", true}}, []string{"花子: おはよう"}},
		{"only a name", outside("花子"), nil},
	} {
		if got := line("花子", "Hana", "").Clean(c.in); !slices.Equal(got, c.want) {
			t.Errorf("%s: Clean(%+v) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
	if got := (Sanitizer{}).Clean(outside("既読", "12:34")); !slices.Equal(got, []string{"既読"}) {
		t.Errorf("Clean without words of an application = %q, want 既読", got)
	}
}

func TestUnwrap(t *testing.T) {
	at := func(text string, x, y int) messages.Line {
		return messages.Line{Text: messages.Text(text), Box: messages.Rect{X: x, Y: y, W: 100, H: 20}}
	}
	bare := func(text string) messages.Line { return messages.Line{Text: messages.Text(text)} }
	for _, c := range []struct {
		name string
		in   []messages.Line
		want []string
	}{
		{"nothing", nil, nil},
		{"one bubble", []messages.Line{at("明日の会議は", 60, 100), at("十時から", 62, 124)}, []string{"明日の会議は十時から"}},
		{"one bubble, sentences", []messages.Line{at("はい。", 60, 100), at("十時から", 60, 124)}, []string{"はい。十時から"}},
		{"two bubbles", []messages.Line{at("はい", 60, 100), at("十時から", 60, 150)}, []string{"はい", "十時から"}},
		{"indented", []messages.Line{at("はい", 60, 100), at("十時から", 90, 124)}, []string{"はい", "十時から"}},
		{"latin", []messages.Line{at("see you", 60, 100), at("tomorrow", 60, 122)}, []string{"see you tomorrow"}},
		{"no boxes", []messages.Line{bare("明日の会議は"), bare("十時から。"), bare("はい")}, []string{"明日の会議は十時から。", "はい"}},
		{"no boxes, ends", []messages.Line{bare("OK!"), bare("まじ？"), bare("笑えた笑"), bare("👍"), bare("(うん。)"), bare("え")},
			[]string{"OK!", "まじ？", "笑えた笑", "👍", "(うん。)", "え"}},
		{"blank between", []messages.Line{bare("明日の"), bare(" "), bare("会議")}, []string{"明日の会議"}},
		{"first is blank", []messages.Line{bare(""), bare("会議")}, []string{"会議"}},
	} {
		if got := Unwrap(c.in); !slices.Equal(got, c.want) {
			t.Errorf("%s: Unwrap = %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("既読\n12:34\n42", false)
	f.Add("花子: \nA\n\xff\x00", false)
	f.Add("👍\n花子花子 花子", true)
	s := line("花子", "A B")
	f.Fuzz(func(t *testing.T, in string, inside bool) {
		var raw []Raw
		own := false // a line that is more than a name and no word of the application
		for l := range strings.Lines(in) {
			raw = append(raw, Raw{l, inside})
			l = strings.TrimSpace(l)
			if !inside {
				l = s.unnamed(l)
			}
			own = own || l != "" && (inside || !s.isToken(l))
		}
		got := s.Clean(raw)
		if own != (len(got) > 0) {
			t.Errorf("Clean(%q) = %q, want something: %v", in, got, own)
		}
		var again []Raw
		for _, l := range got {
			if strings.TrimSpace(l) != l || l == "" || !strings.Contains(in, l) {
				t.Errorf("Clean(%q) has %q, want parts of the lines without white space around", in, l)
			}
			again = append(again, Raw{l, inside})
		}
		if twice := s.Clean(again); !slices.Equal(twice, got) {
			t.Errorf("Clean(%q) = %q, want it unchanged", got, twice)
		}
		Unwrap([]messages.Line{{Text: messages.Text(in)}, {Text: messages.Text(in)}})
	})
}
