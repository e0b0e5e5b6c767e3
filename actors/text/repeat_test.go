package text

import (
	"testing"

	"pgregory.net/rapid"
)

func TestRepeats(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		want       bool
	}{
		{"equal", "うん", "うん", true},
		{"equal in compact form", "はい、 ＯＫ！", "はい ok", true},
		{"other", "うん", "ううん", false},
		{"contained, 82 %", of(0, 100), of(9, 82), true},
		{"contained, 81 %", of(0, 100), of(9, 81), false},
		{"contained, six characters", of(0, 6), of(0, 7), true},
		{"contained, five characters", of(0, 5), of(0, 6), false},
		{"contained, punctuation aside", of(0, 5) + "！。" + of(5, 1), of(0, 7), true},
		{"similarity 0.90", of(0, 12), of(0, 11) + "x", true},
		{"similarity 0.89", of(0, 11), of(0, 10) + "x", false},
		{"similarity, below six characters", "wwww", "wwwww", true},
		{"a digit in a short line", "10時に集合", "11時に集合", false},
		{"only punctuation, equal", "！ ？", "！？", true},
		{"only punctuation, other", "…", "！？", false},
		{"punctuation and a word", "…", "うん", false},
		{"a symbol", "👍", "👍", true},
		{"nothing", "", "", false},
		{"white space", " ", "\t", false},
	} {
		r := DefaultRepeats()
		if got, back := r.Repeats(c.a, c.b), r.Repeats(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%s: Repeats(%q, %q) = %v, the other way round %v, want %v", c.name, c.a, c.b, got, back, c.want)
		}
	}
}

// Each number decides on its own; none at all leaves equality.
func TestRepeatsByEachRule(t *testing.T) {
	part, whole := of(0, 10), of(0, 20) // 50 % contained, similarity 16/26
	for _, c := range []struct {
		rules RepeatRules
		want  bool
	}{
		{RepeatRules{}, false},
		{RepeatRules{Min: 10, Cover: 50}, true},
		{RepeatRules{Min: 11, Cover: 50}, false},
		{RepeatRules{Min: 10, Cover: 51}, false},
		{RepeatRules{Similar: 0.61}, true},
		{RepeatRules{Similar: 0.62}, false},
	} {
		if got := c.rules.Repeats(part, whole); got != c.want {
			t.Errorf("%+v.Repeats(half, whole) = %v, want %v", c.rules, got, c.want)
		}
		if !c.rules.Repeats(part, " "+part+"。") {
			t.Errorf("%+v.Repeats(a line, itself with punctuation) = false, want true", c.rules)
		}
	}
}

func TestRepeatsProperties(t *testing.T) {
	r := DefaultRepeats()
	rapid.Check(t, func(t *rapid.T) {
		a, b := genLine().Draw(t, "a"), genLine().Draw(t, "b")
		if got, back := r.Repeats(a, b), r.Repeats(b, a); got != back {
			t.Fatalf("Repeats(%+q, %+q) = %v and %v the other way round, want the same", a, b, got, back)
		}
		if got, want := r.Repeats(a, a), Normalize(a) != ""; got != want {
			t.Fatalf("Repeats(%+q, itself) = %v, want %v", a, got, want)
		}
	})
}

func BenchmarkRepeats(b *testing.B) {
	r, x, y := DefaultRepeats(), "明日の会議は10時から第二会議室です", "明日の会議は14時から第三会議室です"
	b.ReportAllocs()
	for b.Loop() {
		r.Repeats(x, y)
	}
}
