package stream

import (
	"strings"
	"testing"
	"time"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

func TestFinal(t *testing.T) {
	short := Rule{Max: 10, Min: 3}
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{" \r\n ", ""},
		{"\n はい\r\nそう\rです \n", "はい\nそう\nです"},
		{"一二三四五六七八九十", "一二三四五六七八九十"},
		{"一二三四五六七八九十百", "一二三四五六七八九十"},   // no sentence ends
		{"一二三。五六七八九十百", "一二三。"},         // at the last sentence
		{"一。二三四五六七八九十", "一。二三四五六七八九"},   // shorter than Min
		{"一二三。五六？八九十百", "一二三。五六？"},      // the last of two
		{"一二三四五六七八九。百", "一二三四五六七八九。"},   // the limit itself
		{"一二三四五六七八九十。", "一二三四五六七八九十"},   // behind the limit
		{"一二三。」六七八九十百", "一二三。」"},        // with what closes it
		{"一二三四五六七八九。」。", "一二三四五六七八九。"},  // as far as it fits
		{"abcd. efghijkl", "abcd."},     // Latin
		{"abcd.efghijkl", "abcd.efghi"}, // an address
		{"ab 3.14 cdefg", "ab 3.14 cd"}, // a number
		{"あいう?えおかきくけこ", "あいう?"},         // half width between kana
		{"ab?cd=1&efgh", "ab?cd=1&ef"},  // a query
		{"I am. Dr. Xyzw", "I am."},     // an abbreviation
		{"abc e.g. fghi", "abc e.g. f"}, // another one
		// one family is one character
		{"👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", strings.Repeat("👨‍👩‍👧", 10)},
		{strings.Repeat("か\u3099", 11), strings.Repeat("か\u3099", 10)},
		{"a\x00b\x1b[31mc\u202ed\u2066e\ufeff\xff", "ab[31mcde"},
		{"مرحبا\u200fب", "مرحبا\u200fب"}, // a mark that only says which way is kept
	} {
		if got := short.Final(c.in); got != c.want {
			t.Errorf("Final(%q) = %q, want %q", c.in, got, c.want)
		}
	}
	long := strings.Repeat("あ", 390) + "。" + strings.Repeat("い", 100)
	if got := DefaultRule().Final(long); got != long[:391*3] {
		t.Errorf("Final(491 characters) has %d, want the 391 of its first sentence", len(got)/3)
	}
	if got := (Rule{}).Final(long); got != long {
		t.Errorf("Final() without a limit cuts to %d bytes", len(got))
	}
}

func TestAListsNumbersEndNoSentence(t *testing.T) {
	r := Rule{Max: 24, Min: 3}
	if got, want := r.Final("Buy this:\n1. milk\n2. eggs and more"), "Buy this:\n1. milk\n2. egg"; got != want {
		t.Errorf("Final(list) = %q, want %q", got, want)
	}
	if got, want := r.Final("It was in 2025. Then came more of it"), "It was in 2025."; got != want {
		t.Errorf("Final(year) = %q, want %q", got, want)
	}
}

func TestShown(t *testing.T) {
	r := Rule{Max: 20, Min: 3}
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"は", ""}, // a voicing mark may follow
		{"はい", "は"},
		{"はい、そう", "はい、"}, // the first Min
		{"はい、そうです。", "はい、"},       // a bracket may follow
		{"はい、そうです。で", "はい、そうです。"}, // a sentence
		{"はい、そうです。」で", "はい、そうです。」"},
		{"It is 3.", "It"},
		{"It is 3.1", "It"},
		{"It is so. B", "It is so."},
		{"はい\xe3", "は"}, // a character that has not arrived whole
		{"一二三四五六七八九十一二三四五六七八九十", "一二三"},
		{"一二三四五六七八九十一二三四五六七八九十百", "一二三四五六七八九十一二三四五六七八九十"}, // nothing can change any more
	} {
		if got := r.Shown(c.in); got != c.want {
			t.Errorf("Shown(%q) = %q, want %q", c.in, got, c.want)
		}
	}
	if got := (Rule{}).Shown("no limit"); got != "no limi" {
		t.Errorf("Shown() without a limit = %q, want all but what may grow", got)
	}
}

// parts are what replies are made of, and what breaks programs.
var parts = []string{"あ", "か\u3099", "が", "。", "」", "？", "!", ".", ". ", "a", "Zq ", "3", "\n", "\r\n", "\r", " ", "\t",
	"👨‍👩‍👧", "👍🏽", "🇯🇵", "e\u0301", "\u200d", "\ufe0f", "\u202e", "\u200f", "\x00", "\xff", "\xe3\x81", "1. ", "e.g. ",
	"한", "ﾊﾞ",
	"これは長い文です。", "A whole sentence. "}

func anyText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 80).Draw(t, "text"), "")
}

func anyRule(t *rapid.T) Rule {
	most := rapid.IntRange(1, 60).Draw(t, "max")
	return Rule{Max: most, Min: rapid.IntRange(0, most).Draw(t, "min")}
}

// However a text is cut into pieces, even inside a character: every frame goes on
// where the one before stopped, the last one is Final of the whole, and none is
// longer than allowed or ends inside a grapheme.
func TestAnyChunking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, text := anyRule(t), anyText(t)
		final := r.Final(text)
		a := NewAssembler(r, 0)
		shown := ""
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			a.Add(0, rest[:n])
			rest = rest[n:]
			f, _, ok := a.Next(time.Time{})
			switch {
			case !ok:
			case !strings.HasPrefix(f.Text, shown):
				t.Fatalf("%q was shown, then %q", shown, f.Text)
			case !strings.HasPrefix(final, f.Text):
				t.Fatalf("%q was shown of %q", f.Text, final)
			default:
				shown = f.Text
			}
			if a.Full() && r.Final(a.text.String()) != final {
				t.Fatalf("full with %q of %q, but the final text changed", a.text.String(), text)
			}
		}
		if end := a.End(); end.Text != final || !end.Done {
			t.Fatalf("End() = %+v, want %q", end, final)
		}
		if n := uniseg.GraphemeClusterCount(final); n > r.Max {
			t.Fatalf("Final(%q) has %d graphemes, want at most %d", text, n, r.Max)
		}
		if again := r.Final(final); again != final {
			t.Fatalf("Final(%q) = %q", final, again)
		}
		for rest, left := clean(text), final; left != ""; {
			c, more, _, _ := uniseg.FirstGraphemeClusterInString(rest, -1)
			if !strings.HasPrefix(left, c) {
				t.Fatalf("Final(%q) = %q ends inside %q", text, final, c)
			}
			rest, left = more, left[len(c):]
		}
	})
}

// The short way agrees with the tables of Unicode.
func TestGraphemeAgreesWithTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyText(t) + rapid.String().Draw(t, "more")
		for text != "" {
			want, rest, _, _ := uniseg.FirstGraphemeClusterInString(text, -1)
			if got := grapheme(text); got != len(want) {
				t.Fatalf("grapheme(%q) = %d bytes, want %d", text, got, len(want))
			}
			text = rest
		}
	})
}

func TestThrottle(t *testing.T) {
	th := Throttle{Every: Every}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		at   time.Duration
		wait time.Duration // 0: it passes
	}{
		{0, 0}, {0, 150 * time.Millisecond}, {100 * time.Millisecond, 50 * time.Millisecond},
		{150 * time.Millisecond, 0},
		{299 * time.Millisecond, time.Millisecond}, {time.Second, 0}, {-time.Hour, 0}, // a clock that goes back
	} {
		if wait, ok := th.Pass(start.Add(c.at)); wait != c.wait || ok != (c.wait == 0) {
			t.Errorf("Pass(%s) = %s, %v, want to wait %s", c.at, wait, ok, c.wait)
		}
	}
}

// The first piece is shown at once, later ones at most every 150 ms and the last
// of them too, and the end at any time.
func TestAssemblerKeepsTime(t *testing.T) {
	a := NewAssembler(Rule{Max: 100, Min: 2}, Every)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	next := func(want string, wantWait time.Duration) {
		t.Helper()
		f, wait, _ := a.Next(now)
		if f.Text != want || wait != wantWait {
			t.Errorf("Next() = %q, %s, want %q, %s", f.Text, wait, want, wantWait)
		}
	}
	next("", 0)
	a.Add(0, "はい。そ")
	next("はい。", 0)
	next("", 0) // nothing new
	now = now.Add(10 * time.Millisecond)
	a.Add(0, "う。で")
	next("", 140*time.Millisecond)
	now = now.Add(100 * time.Millisecond)
	a.Add(0, "す。よ")
	next("", 40*time.Millisecond)
	now = now.Add(40 * time.Millisecond)
	next("はい。そう。です。", 0)
	if f := a.End(); f.Text != "はい。そう。です。よ" || !f.Done {
		t.Errorf("End() = %+v, want the whole", f)
	}
	a.Add(0, "late")
	next("", 0)
	if f := a.End(); f.Text != "はい。そう。です。よ" {
		t.Errorf("End() after a late piece = %+v, want the same", f)
	}
}

// A retry replaces what was shown from its beginning; what came before it and
// arrives late does not.
func TestEpochs(t *testing.T) {
	a := NewAssembler(Rule{Max: 100, Min: 2}, 0)
	a.Add(0, "古い答え。")
	a.Add(1, "新しい")
	a.Add(0, "もっと古い")
	if f, _, _ := a.Next(time.Time{}); f != (Frame{Epoch: 1, Text: "新し"}) {
		t.Errorf("Next() = %+v, want the second attempt", f)
	}
	a.Set(1, "新しい答え。は")
	a.Set(0, "古い")
	if f := a.End(); f != (Frame{Epoch: 1, Text: "新しい答え。は", Done: true}) {
		t.Errorf("End() = %+v, want the second attempt", f)
	}
}

func BenchmarkShown(b *testing.B) {
	text := strings.Repeat("今日はとても良い天気ですね。", 28)
	b.ReportAllocs()
	for b.Loop() {
		DefaultRule().Shown(text)
	}
}
