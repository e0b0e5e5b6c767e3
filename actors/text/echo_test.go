package text

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// of returns n different characters, beginning with the ith.
func of(i, n int) string {
	var b strings.Builder
	for k := range n {
		b.WriteRune(rune(0x4E00 + i + k))
	}
	return b.String()
}

var rules = DefaultEcho()

func match(read, sent string) Echo {
	return rules.Match(rules.EchoFormOf(read), rules.EchoFormOf(sent))
}

func TestEchoMatch(t *testing.T) {
	for _, c := range []struct {
		name, read, sent string
		want             Echo
	}{
		{"equal, one character", "あ", "あ", EchoNone},
		{"equal, two characters", "うん", "うん", EchoEqual},
		{"equal in normal form", "ｏｋ Ｄesu", "OK desu", EchoEqual},
		{"broken into other lines", "明日は三時に\n駅前で", "明日は三時に駅前で", EchoEqual},
		{"nothing", "", "", EchoNone},
		{"white space", " \n", "\t", EchoNone},
		{"contains 70 %", of(0, 100), of(30, 70), EchoContains},
		{"contains 69 %", of(0, 100), of(31, 69), EchoNone},
		{"contains, six characters", of(0, 8), of(1, 6), EchoContains},
		{"contains, five characters", of(0, 6), of(1, 5), EchoNone},
		{"contained 85 %", of(15, 85), of(0, 100), EchoContained},
		{"contained 84 %", of(16, 84), of(0, 100), EchoNone},
		{"contained, six characters", of(0, 6), of(0, 7), EchoContained},
		{"contained, five characters", of(0, 5), of(0, 5) + "x", EchoNone},
		{"as long, but other", of(0, 20), of(1, 20), EchoNone},
	} {
		if got := match(c.read, c.sent); got != c.want {
			t.Errorf("%s: Match(%q, %q) = %q, want %q", c.name, c.read, c.sent, got, c.want)
		}
	}
}

func TestEchoLines(t *testing.T) {
	line := func(i int) string { return of(100*i, 10) }
	lines := func(from, n int) []string {
		var l []string
		for i := range n {
			l = append(l, line(from+i))
		}
		return l
	}
	join := func(parts ...[]string) string {
		var all []string
		for _, p := range parts {
			all = append(all, p...)
		}
		return strings.Join(all, "\n")
	}
	long := join(lines(0, 20))
	for _, c := range []struct {
		name, read string
		sent       []string
		want       Echo
	}{
		{"60 % of five", join(lines(0, 3), lines(40, 2)), []string{long}, EchoLines},
		{"50 % of four", join(lines(0, 2), lines(40, 2)), []string{long}, EchoNone},
		{"59 % of 22", join(lines(0, 13), lines(40, 9)), []string{long}, EchoNone},
		{"one line", line(0), []string{long}, EchoNone},
		{"two lines of six", of(0, 6) + "\n" + of(100, 6), []string{long}, EchoLines},
		{"one of six, one of five", of(0, 6) + "\n" + of(100, 5), []string{long}, EchoNone},
		{"short lines do not count", join(lines(0, 3), lines(40, 2), []string{"はい", "うん", "まだ", "…"}), []string{long},
			EchoLines},
		{"a letter misread in each", strings.ReplaceAll(join(lines(0, 2)), of(0, 1), "ん"),
			[]string{of(1, 9) + "他\n" + line(1) + line(60)}, EchoNone},
		{"two texts read as one", join(lines(0, 1), lines(30, 1)), []string{line(0), line(30)}, EchoLines},
		{"in another order", join(lines(1, 1), lines(0, 1)), []string{long}, EchoLines},
	} {
		var sends []Send
		for _, s := range c.sent {
			sends = append(sends, Send{Form: rules.EchoFormOf(s), At: t0})
		}
		if got := rules.Find(rules.EchoFormOf(c.read), t0, time.Minute, sends); got.How != c.want {
			t.Errorf("%s: Find = %q, want %q", c.name, got.How, c.want)
		}
	}
}

var t0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestEchoWindow(t *testing.T) {
	sends := []Send{
		{rules.EchoFormOf("おはよう"), t0},
		{rules.EchoFormOf("またあとで"), t0.Add(20 * time.Second)},
		{rules.EchoFormOf("おはよう"), t0.Add(30 * time.Second)},
	}
	for _, c := range []struct {
		read  string
		after time.Duration
		want  EchoFound
	}{
		{"おはよう", 40 * time.Second, EchoFound{EchoEqual, 10 * time.Second, 3, 10 * time.Second}},
		{"またあとで", 119 * time.Second, EchoFound{EchoEqual, 99 * time.Second, 3, 89 * time.Second}},
		{"またあとで", 120*time.Second - 1, EchoFound{EchoEqual, 100*time.Second - 1, 3, 90*time.Second - 1}},
		{"またあとで", 140*time.Second - 1, EchoFound{EchoEqual, 120*time.Second - 1, 2, 110*time.Second - 1}},
		{"またあとで", 140 * time.Second, EchoFound{EchoNone, 0, 1, 110 * time.Second}},
		{"おはよう", 150 * time.Second, EchoFound{}},
		{"おはよう", -90*time.Second + 1, EchoFound{EchoEqual, -120*time.Second + 1, 3, -120*time.Second + 1}},
		{"おはよう", -120 * time.Second, EchoFound{}},
		{"いいえ", 40 * time.Second, EchoFound{EchoNone, 0, 3, 10 * time.Second}},
	} {
		if got := rules.Find(rules.EchoFormOf(c.read), t0.Add(c.after), 2*time.Minute, sends); got != c.want {
			t.Errorf("Find(%q, after %v) = %+v, want %+v", c.read, c.after, got, c.want)
		}
	}
}

func TestNoRulesMatchNothing(t *testing.T) {
	sends := []Send{{rules.EchoFormOf("おはよう"), t0}}
	want := EchoFound{Active: 1}
	if got := (EchoRules{}).Find(rules.EchoFormOf("おはよう"), t0, time.Minute, sends); got != want {
		t.Errorf("EchoRules{}.Find = %+v, want %+v", got, want)
	}
}

// checkEcho holds for any two texts.
func checkEcho(t failer, a, b string) {
	fa, fb := rules.EchoFormOf(a), rules.EchoFormOf(b)
	if got, want := rules.Match(fa, fa) == EchoEqual, fa.n >= 2; got != want {
		t.Fatalf("Match(%+q, itself) = %v, want %v", a, got, want)
	}
	how, back := rules.Match(fa, fb), rules.Match(fb, fa)
	if (how == EchoEqual) != (back == EchoEqual) {
		t.Fatalf("Match(%+q, %+q) = %q and %q the other way round, want equality to be symmetric", a, b, how, back)
	}
	if how == EchoContained && back != EchoContains {
		t.Fatalf("Match(%+q, %+q) = %q, want %q the other way round, got %q", a, b, how, EchoContains, back)
	}
	for _, la := range fa.lines {
		for _, lb := range fb.lines {
			if got, want := la.same(rules.Lines, lb), lineEqual(la.text, lb.text); got != want {
				t.Fatalf("same(%+q, %+q) = %v, want %v as LineRules.Equal", la.text, lb.text, got, want)
			}
		}
	}
}

func TestEchoProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(genLine(), 0, 4)
		checkEcho(t, strings.Join(lines.Draw(t, "a"), "\n"), strings.Join(lines.Draw(t, "b"), "\n"))
	})
}

func FuzzEcho(f *testing.F) {
	f.Add("明日は三時に\n駅前で待っています", "明日は三時に駅前で待っています。")
	f.Add("a\u2028b\xff", "a b")
	f.Fuzz(func(t *testing.T, a, b string) { checkEcho(t, a, b) })
}

func BenchmarkEchoFind(b *testing.B) {
	var sends []Send
	for i := range 128 {
		sends = append(sends, Send{rules.EchoFormOf(of(37*i, 12) + "\n" + of(37*i+13, 14)), t0})
	}
	read := rules.EchoFormOf(of(5000, 20) + "\n" + of(5100, 12) + "\n" + of(5200, 12))
	for b.Loop() {
		rules.Find(read, t0, time.Minute, sends)
	}
}

// TestEchoLinesDecideAsLineRules: the prepared form is for speed alone.
func TestEchoLinesDecideAsLineRules(t *testing.T) {
	lines := func(t *rapid.T, name string) string {
		base := "明日は三時に駅前で会いましょうね"
		r := []rune(base + base)
		from := rapid.IntRange(0, 16).Draw(t, name+" from")
		r = r[from : from+rapid.IntRange(0, 16).Draw(t, name+" length")]
		for range rapid.IntRange(0, 3).Draw(t, name+" changes") {
			if len(r) > 0 {
				r = append([]rune(nil), r...)
				r[rapid.IntRange(0, len(r)-1).Draw(t, name+" at")] = rapid.SampledFrom([]rune("かKｋ… ")).Draw(t,
					name+" to")
			}
		}
		return string(r)
	}
	rapid.Check(t, func(t *rapid.T) {
		r := EchoRules{MinLine: 1, Lines: rapid.SampledFrom([]LineRules{DefaultLines(), {},
			{Min: 3, Cover: 50, Similar: 0.5}, {Min: 20, Cover: 84, Similar: 0.88}}).Draw(t, "rules")}
		a, b := r.EchoFormOf(lines(t, "a")), r.EchoFormOf(lines(t, "b"))
		if len(a.lines) != 1 || len(b.lines) != 1 {
			return
		}
		x, y := a.lines[0], b.lines[0]
		if got, want := x.same(r.Lines, y), r.Lines.Equal(x.text, y.text); got != want {
			t.Fatalf("%+v: %q is the same as %q = %v, want %v as LineRules.Equal", r.Lines, x.text, y.text, got, want)
		}
	})
}
