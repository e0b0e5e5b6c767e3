package ocr

import (
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		"今日 は いい 天気":              "今日はいい天気",
		"ア イ ウ 、 エ":               "アイウ、エ",
		"本当 ? はい !":               "本当？はい！",
		"え ! ?":                   "え！？",
		"really?":                 "really?",
		"see  you\tsoon":          "see you soon",
		"| am here":               "I am here",
		"|'m late":                "I'm late",
		"you and | agree":         "you and I agree",
		"W|LL":                    "WILL",
		"3 | 4":                   "3 | 4",
		"左 | 右":                   "左 | 右",
		"LINE で 送 って":             "LINE で送って",
		"25 日 に":                  "25 日に",
		"明日の朝\u3000早く起きる":         "明日の朝\u3000早く起きる",
		"今日 は\u3000 いい 天気":        "今日は\u3000いい天気",
		"\u3000はい、\u3000そう\u3000": "はい、そう",
		"LINE\u3000で\u3000送る":     "LINE で\u3000送る",
		"see\u3000you":            "see you",
		"WWWW":                    "wwww",
		"すごいWWW":                  "すごいwww",
		"わかる WW":                  "わかる ww",
		"草WW。":                    "草ww。",
		"WWW is old":              "WWW is old",
		"the WWW":                 "the WWW",
		"W":                       "W",
		"WWF":                     "WWF",
		"lam":                     "I am",
		"lam here":                "I am here",
		"lagree, let us go":       "I agree, let us go",
		"but Ithink so":           "but I think so",
		"llamas have wool":        "llamas have wool",
		"Iam so tired":            "I am so tired",
		"1am here":                "I am here",
		"1am going home":          "I am going home",
		"1am works for me":        "1am works for me",
		"at 1am":                  "at 1am",
		"ls it?":                  "Is it?",
		"Itis late":               "It is late",
		"lt is late":              "It is late",
		"lf you like":             "If you like",
		"l'm late":                "I'm late",
		"l":                       "l",
		"you and l agree":         "you and I agree",
		"islam":                   "islam",
		"a lamb":                  "a lamb",
		"lamさん":                   "lamさん",
		`\1.000`:                  "¥1,000",
		`C:\temp`:                 `C:\temp`,
		"¥1.5":                    "¥1.5",
		"¥1,200でした":               "¥1,200でした",
		"or 1,980F9":              "or 1,980円",
		"合計12.500円":               "合計12,500円",
		"そろそるろ行くね":                "そろそろ行くね",
		"昼どごはん":                   "昼ごはん",
		"どごまで":                    "どごまで",
		"ラ一メンとカレ一ライス":             "ラーメンとカレーライス",
		"プラン一つ":                   "プラン一つ",
		"やった一":                    "やったー",
		"えええ一！":                   "えええー！",
		"もう一つ":                    "もう一つ",
		"たった一":                    "たった一",
		"その一":                     "その一",
		"見て https:/example.com/a": "見て https://example.com/a",
		"https:/a.jp/b?id三42":     "https://a.jp/b?id=42",
		"https://a.jp/三":          "https://a.jp/三",
		"1 agree":                 "I agree",
		"1 apple":                 "1 apple",
		"room 1 have":             "room 1 have",
		"I'l bring it":            "I'll bring it",
		"晩どはん食べた？":                "晩ごはん食べた？",
		"だけどはんたい":                 "だけどはんたい",
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func line(text string, confidence float64, y int) messages.Line {
	return messages.Line{Text: messages.Text(text), Confidence: confidence, Box: messages.Rect{Y: y, W: 50, H: 20}}
}

func texts(lines []messages.Line) string {
	var out []string
	for _, l := range lines {
		out = append(out, string(l.Text))
	}
	return strings.Join(out, "/")
}

func TestAccept(t *testing.T) {
	for _, c := range []struct {
		name         string
		lines, other []messages.Line
		want         string
		doubtful     int
	}{
		{"nothing", nil, nil, "", 0},
		{"at the limits", []messages.Line{line("a", 0.40, 0), line("b", 0.25, 30), line("c", 0.249, 60)}, nil, "a/b",
			1},
		{"other reading", []messages.Line{line("a", 0.39, 0), line("b", 0.9, 30)},
			[]messages.Line{line("A", 0.40, 2), line("B", 0.95, 32)}, "A/b", 0},
		{"other reading not accepted", []messages.Line{line("a", 0.30, 0)},
			[]messages.Line{line("A", 0.39, 0)}, "a", 0},
		{"other reading elsewhere", []messages.Line{line("a", 0.30, 0)}, []messages.Line{line("A", 0.9, 40)}, "a", 0},
		{"blank", []messages.Line{line("  ", 0.1, 0)}, nil, "", 0},
		{"invalid", []messages.Line{line("a\xffb", 0.9, 0)}, nil, "a\uFFFDb", 0},
	} {
		lines, doubtful := DefaultThresholds().accept(c.lines, c.other, clean)
		if got := texts(lines); got != c.want || doubtful != c.doubtful {
			t.Errorf("accept(%s) = %q, %d, want %q, %d", c.name, got, doubtful, c.want, c.doubtful)
		}
	}
}

// The thresholds of a worker decide; one of 0 accepts everything.
func TestThresholds(t *testing.T) {
	if got, want := DefaultThresholds(), (Thresholds{Accept: 0.40, Fallback: 0.25}); got != want {
		t.Errorf("DefaultThresholds() = %v, want %v", got, want)
	}
	lines, other := []messages.Line{line("a", 0.79, 0), line("b", 0.69, 30)}, []messages.Line{line("A", 0.8, 2)}
	accepted, _ := Thresholds{0.8, 0.7}.accept(lines, other, clean)
	if got, want := texts(accepted), "A"; got != want {
		t.Errorf("accept from 0.8 and 0.7 = %q, want %q", got, want)
	}
	all, doubtful := Thresholds{}.accept([]messages.Line{line("a", 0, 0), line("b", 0.01, 30)}, nil, clean)
	if got, want := texts(all), "a/b"; got != want || doubtful != 0 {
		t.Errorf("accept from 0 and 0 = %q, %d doubtful, want %q", got, doubtful, want)
	}
}

func TestJoin(t *testing.T) {
	for want, lines := range map[string][]string{
		"":               nil,
		"今日はいい天気":        {"今日は", "いい天気"},
		"see you soon":   {"see you", "soon"},
		"明日はfree?":       {"明日は", "free?"},
		"10時 LINE に now": {"10時 LINE に", " now"},
		"a b":            {"a", "", "b"},
	} {
		var in []messages.Line
		for _, l := range lines {
			in = append(in, line(l, 1, 0))
		}
		if got := join(in); got != want {
			t.Errorf("join(%q) = %q, want %q", lines, got, want)
		}
	}
}

func TestMostlyLatin(t *testing.T) {
	for in, want := range map[string]bool{"": false, "12:30": false, "hello": true, "OKです": false,
		"helloです": true, "了解": false} {
		if got := mostlyLatin([]messages.Line{line(in, 1, 0)}); got != want {
			t.Errorf("mostlyLatin(%q) = %v, want %v", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("| 今日 \xff は |a|")
	f.Add("lam \u3000あ\u3000い WWW l'm l 1am here")
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "\uFFFD")
		once := clean(s)
		if twice := clean(once); twice != once {
			t.Fatalf("clean(%q) = %q, again = %q, want the same", s, once, twice)
		}
	})
}
