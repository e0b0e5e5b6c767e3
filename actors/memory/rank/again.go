package rank

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/memory/lexical"
)

const (
	models  = 6 // of the best turns whose names are used
	hopTake = 4 // names
)

// again searches a second time, with names of the best turns that are not in the question.
func (r *recall) again() {
	asked := map[lexical.Key]bool{}
	for _, t := range r.question.Terms {
		asked[t.Key] = true
	}
	var names []lexical.Weighted
	all := r.x.Len()
	if r.docs != nil {
		all = len(r.docs)
	}
	most := 0.0
	for _, g := range r.gather() {
		n := r.x.Frequency(g.key)
		if len(names) == hopTake || asked[g.key] || !g.name || n < 2 || n*20 > max(all, 60) && r.docs == nil {
			continue
		}
		g.gain *= lexical.IDF(n, max(all, n))
		names, most = append(names, lexical.Weighted{Key: g.key, Weight: g.gain}), max(most, g.gain)
	}
	if len(names) == 0 {
		return
	}
	for i := range names {
		names[i].Weight /= most
	}
	m := r.match(names)
	if r.docs == nil && !r.wide {
		r.enter(r.found(m, names))
	}
	r.own(m, names, 0, r.w.Hop)
	r.settle()
}

// gain is the expected benefit of a term of the best turns.
type gain struct {
	key  lexical.Key
	gain float64
	name bool
}

// gather collects the terms of the best turns, the most promising first.
func (r *recall) gather() []gain {
	at := map[lexical.Key]int{}
	var list []gain
	best := r.order[:min(models, len(r.order))]
	if len(best) == 0 || r.turns[best[0]].own == 0 {
		return nil
	}
	top := r.turns[best[0]].score
	for _, i := range best {
		t := &r.turns[i]
		if t.own == 0 {
			continue
		}
		names := namesIn(t.said)
		seen := map[lexical.Key]bool{}
		for _, term := range lexical.Terms(t.said[:min(len(t.said), 2<<10)]) {
			if term.Common || seen[term.Key] || term.Kind != lexical.Word && term.Kind != lexical.Pair {
				continue
			}
			seen[term.Key] = true
			n, known := at[term.Key]
			if !known {
				n = len(list)
				at[term.Key] = n
				list = append(list, gain{key: term.Key})
			}
			list[n].gain += t.score / top
			list[n].name = list[n].name || names[term.Surface]
		}
	}
	slices.SortStableFunc(list, func(a, b gain) int { return cmp.Compare(b.gain, a.gain) })
	return list
}

// namesIn are words, folded, that look like names: Latin ones with a capital that do
// not begin a sentence, and the pairs of words in katakana.
func namesIn(s string) map[string]bool {
	names := map[string]bool{}
	begins := true
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsLetter(c) {
			begins = begins || c == '.' || c == '!' || c == '?' || c == '\n'
			i += n
			continue
		}
		end := i
		for end < len(s) {
			next, size := utf8.DecodeRuneInString(s[end:])
			if !unicode.IsLetter(next) && !unicode.IsMark(next) && next != 'ー' ||
				unicode.Is(unicode.Katakana, next) != unicode.Is(unicode.Katakana, c) && next != 'ー' {
				break
			}
			end += size
		}
		switch word := s[i:end]; {
		case unicode.Is(unicode.Katakana, c) && utf8.RuneCountInString(word) >= 3,
			unicode.IsUpper(c) && !begins && len(word) > 2:
			for _, t := range lexical.Terms(word) {
				names[t.Surface] = true
			}
		}
		begins = false
		i = max(end, i+n)
	}
	return names
}
