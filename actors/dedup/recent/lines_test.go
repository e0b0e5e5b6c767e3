package recent

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/text"
)

var always = func(slot) bool { return true }

const letters = "あいうえおかきくけこさしすせそたちつてと日本語明今会議場所時間abcdefghij 0123、。"

func randomLine(rng *rand.Rand, n int) string {
	alphabet := []rune(letters)
	if rng.IntN(4) == 0 {
		alphabet = alphabet[:2] // grams repeat
	}
	r := make([]rune, n)
	for i := range r {
		r[i] = alphabet[rng.IntN(len(alphabet))]
	}
	return text.Normalize(string(r))
}

// misread returns a line that is often near the border of being the same.
func misread(rng *rand.Rand, line string) string {
	r := []rune(line)
	if len(r) == 0 {
		return randomLine(rng, 3)
	}
	switch rng.IntN(6) {
	case 0:
		return line
	case 1: // a part
		from := rng.IntN(1 + len(r)/5)
		r = r[from : len(r)-rng.IntN(1+(len(r)-from)/5)]
	case 2: // more before and behind
		r = []rune(randomLine(rng, rng.IntN(4)) + line + randomLine(rng, rng.IntN(4)))
	case 3:
		return randomLine(rng, len(r))
	default: // wrong letters
		for range 1 + rng.IntN(3) {
			r[rng.IntN(len(r))] = 'ロ'
		}
	}
	return text.Normalize(string(r))
}

// lots is n, and a tenth of it in a short run.
func lots(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

func TestFindDecidesAsLineEqual(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	same := 0
	pairs := lots(100_000)
	for range pairs {
		a := randomLine(rng, 1+rng.IntN(40))
		b := misread(rng, a)
		l := newLines(text.DefaultLines())
		l.add(a, time.Time{}, 1)
		got, want := l.find(b, always) >= 0, text.DefaultLines().Equal(a, b)
		if got != want {
			t.Fatalf("find(%q) among %q = %v, want %v as LineRules.Equal", b, a, got, want)
		}
		other := text.LineRules{Min: 3 + rng.IntN(10), Cover: 50 + rng.IntN(51), Similar: 0.3 + 0.7*rng.Float64()}
		l = newLines(other)
		l.add(a, time.Time{}, 1)
		if got, want := l.find(b, always) >= 0, other.Equal(a, b); got != want {
			t.Fatalf("find(%q) among %q by %+v = %v, want %v as Equal", b, a, other, got, want)
		}
		if want {
			same++
		}
	}
	if same < pairs/5 || same > pairs/5*4 {
		t.Errorf("%d of %d pairs are the same, want a fifth to four fifths: do the pairs still try the border?",
			same, pairs)
	}
}

// What was forgotten is not found, and what is left still is.
func TestFindAmongMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	l, kept := newLines(text.DefaultLines()), map[string]int{}
	var all []string
	for step := range lots(20_000) {
		line := randomLine(rng, 1+rng.IntN(30))
		if n := len(all); n > 0 && rng.IntN(2) == 0 {
			line = misread(rng, all[rng.IntN(n)])
		}
		want := false
		for _, other := range all {
			want = want || text.DefaultLines().Equal(line, other)
		}
		i := l.find(line, always)
		if (i >= 0) != want || i >= 0 && !text.DefaultLines().Equal(l.slots[i].text, line) {
			t.Fatalf("step %d: find(%q) = %d, want found %v", step, line, i, want)
		}
		if _, ok := kept[line]; !ok && utf8.ValidString(line) {
			kept[line] = l.add(line, time.Time{}, uint64(step+1))
			all = append(all, line)
		}
		if len(all) > 60 {
			k := rng.IntN(len(all))
			l.remove(kept[all[k]])
			delete(kept, all[k])
			all = append(all[:k], all[k+1:]...)
		}
	}
	for _, line := range all {
		l.remove(kept[line])
	}
	if len(l.exact) != 0 || len(l.posting) != 0 {
		t.Errorf("after forgetting all: %d lines and %d grams, want none", len(l.exact), len(l.posting))
	}
}

// plain compares by two maps of trigrams for each pair.
func plain(a, b string) bool {
	if a == b {
		return true
	}
	n, m := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	if n > m {
		a, b, n, m = b, a, m, n
	}
	if n < 8 {
		return false
	}
	if n*100 >= 84*m && strings.Contains(b, a) {
		return true
	}
	grams := func(s string) map[string]bool {
		r, set := []rune(s), map[string]bool{}
		for i := 0; i+3 <= len(r); i++ {
			set[string(r[i:i+3])] = true
		}
		return set
	}
	x, y := grams(a), grams(b)
	common := 0
	for g := range x {
		if y[g] {
			common++
		}
	}
	return 2*float64(common)/float64(len(x)+len(y)) >= 0.88
}

// corpus is 240 lines, and lines to look for: 40 % are there, 20 % are misread,
// the rest is new.
func corpus() (remembered, queries []string) {
	rng := rand.New(rand.NewPCG(5, 6))
	line := func() string {
		r := make([]rune, 15+rng.IntN(17))
		for i := range r {
			r[i] = []rune(letters)[rng.IntN(40)]
		}
		return text.Normalize(string(r))
	}
	for range 240 {
		remembered = append(remembered, line())
	}
	for i := range 100 {
		q := line()
		if i%10 < 6 {
			q = remembered[rng.IntN(240)]
		}
		if i%10 == 4 || i%10 == 5 {
			r := []rune(q)
			r[rng.IntN(len(r))] = 'ロ'
			q = string(r)
		}
		queries = append(queries, q)
	}
	return remembered, queries
}

func indexed(remembered []string) *lines {
	l := newLines(text.DefaultLines())
	for i, line := range remembered {
		l.add(line, time.Time{}, uint64(i+1))
	}
	return l
}

func findPlain(remembered []string, q string) bool {
	for _, line := range remembered {
		if plain(line, q) {
			return true
		}
	}
	return false
}

func TestFindAsPlain(t *testing.T) {
	remembered, queries := corpus()
	l := indexed(remembered)
	found := 0
	for _, q := range queries {
		got, want := l.find(q, always) >= 0, findPlain(remembered, q)
		if got != want {
			t.Errorf("find(%q) = %v, want %v", q, got, want)
		}
		if want {
			found++
		}
	}
	if found < 40 || found > 60 {
		t.Errorf("%d of 100 lines are known, want 40 to 60", found)
	}
}
