package pii

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Hiding what was found gives what folding the text anew gives, in each round of a search.
func TestHideIsFold(t *testing.T) {
	texts := []string{"㈱田中、㍿ﾔﾏﾀﾞのﾀﾛｳ", "é田中さん、taro@example.com、ＡＢＣ①②", "田\u200b中さん🙂e\u0301です", "[氏名]の佐藤さんpw: abcd1"}
	for _, file := range []string{"tuned.txt", "fourth.txt", "sixth.txt"} {
		for _, m := range readCorpus(t, file) {
			texts = append(texts, m.text)
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	for _, text := range texts {
		labels := labelsIn(text)
		f := fold(text, labels)
		spans := find(text)
		if random.IntN(2) == 0 {
			spans = cut(f, random)
		}
		f.hide(spans)
		want := fold(text, union(labels, spans))
		if !slices.Equal(f.r, want.r) || !slices.Equal(f.class, want.class) || !slices.Equal(f.starts, want.starts) ||
			!slices.Equal(f.from, want.from) || !slices.Equal(f.to, want.to) {
			t.Errorf("%q without %v = %q, want %q", text, spans, string(f.r), string(want.r))
		}
	}
}

// cut returns spans of a few folded runes, which may end within a word.
func cut(f *folded, random *rand.Rand) (spans []Span) {
	for i := random.IntN(3); i < len(f.r); i += 1 + random.IntN(9) {
		j := min(i+random.IntN(3), len(f.r)-1)
		if slices.Contains(f.r[i:j+1], masked) {
			continue
		}
		spans = join(spans, Span{Start: int(f.from[i]), End: int(f.to[j])})
		i = j
	}
	return spans
}

// A lexicon finds what a look at every one of its words finds.
func TestLexiconIsAList(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := []rune("abあいう山川")
	word := func(most int) string {
		w := make([]rune, 1+random.IntN(most))
		for i := range w {
			w[i] = letters[random.IntN(len(letters))]
		}
		return string(w)
	}
	l := newLexicon()
	marks := map[string]uint32{}
	for n := range 300 {
		w := word(4)
		if _, ok := marks[w]; !ok { // of two that are the same, the first counts
			marks[w] = uint32(n)
		}
		l.add(w, uint32(n))
	}
	text := strings.ToUpper(word(2000))
	f := fold(text, nil)
	for i := range f.r {
		end, mark := -1, uint32(0)
		start, markBefore := -1, uint32(0)
		for n := 1; n <= 4; n++ {
			if j := i + n; j <= len(f.r) && whole(f, i, j) {
				if m, ok := marks[strings.ToLower(f.string(i, j))]; ok {
					end, mark = j, m
				}
			}
			if k := i - n; k >= 0 && whole(f, k, i) {
				if m, ok := marks[strings.ToLower(f.string(k, i))]; ok {
					start, markBefore = k, m
				}
			}
		}
		if gotEnd, got := l.at(f, i); gotEnd != end || got != mark {
			t.Fatalf("at %d of %q = %d, %d, want %d, %d", i, text, gotEnd, got, end, mark)
		}
		if gotStart, got := l.before(f, i); gotStart != start || got != markBefore {
			t.Fatalf("before %d of %q = %d, %d, want %d, %d", i, text, gotStart, got, start, markBefore)
		}
	}
}

// Words that are looked for at every place of a text begin where their starts say so.
func TestWordsBeginAtTheirStarts(t *testing.T) {
	for mark, lists := range startLists() {
		for _, l := range lists {
			for _, s := range l.first.slots {
				for _, e := range s.list {
					for _, w := range []string{string(e.word), strings.ToUpper(string(e.word))} {
						if f := fold(w, nil); f.starts[0]&mark == 0 && l.startsAt(f, 0) {
							t.Errorf("%q does not begin at its starts", w)
						}
					}
				}
			}
		}
	}
}

// Words that come before names end where titleEnds say so.
func TestTitlesEndAtTheirEnds(t *testing.T) {
	for _, l := range titleLists() {
		for _, s := range l.first.slots {
			for _, e := range s.list {
				f := fold(string(e.word), nil)
				if n := len(f.r); l.endsAt(f, n) && titleEnds().of(f.at(n-1), f.at(n-2)) == 0 {
					t.Errorf("%q does not end at its end", string(e.word))
				}
			}
		}
	}
}

// What two letters rule out would not have been found: where they rule out nothing, the same is proposed.
func TestStartsRuleOutNothingElse(t *testing.T) {
	var texts []string
	for _, l := range []*lexicon{beforeName, unitsOfCompany, honorifics, legalForms, kin} {
		for _, s := range l.first.slots {
			for _, e := range s.list {
				texts = append(texts, "昨日"+string(e.word)+"佐藤が来た")
			}
		}
	}
	random := rand.New(rand.NewPCG(5, 6))
	var before []rune
	for _, file := range []string{"tuned.txt", "second.txt", "fourth.txt", "sixth.txt"} {
		for _, m := range readCorpus(t, file) {
			now := []rune(m.text)
			mixed := string(before[:random.IntN(len(before)+1)]) + string(now[random.IntN(len(now)+1):])
			texts = append(texts, m.text, mixed, strings.ToUpper(mixed))
			before = now
		}
	}
	var all startsTable
	for i := range all.lone {
		all.lone[i] = ^starts(0)
	}
	for _, text := range texts {
		quick, slow := newSearch(fold(text, nil)), newSearch(fold(text, nil))
		slow.words, slow.titles = &all, &all
		for i := range slow.r {
			slow.begin(i)
		}
		quick.read()
		slow.read()
		if !slices.Equal(quick.found, slow.found) {
			t.Errorf("%q has %v, and %v without starts", text, quick.found, slow.found)
		}
	}
}
