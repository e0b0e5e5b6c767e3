package rank

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/memory/lexical"
)

const (
	models       = 6 // of the best turns whose words are used
	feedbackTake = 8 // words
	hopTake      = 4 // names
)

// again searches a second time, with words and names of the best turns that are not in
// the question.
func (r *recall) again() {
	gains := r.gather()
	asked := map[lexical.Key]bool{}
	for _, t := range r.question.Terms {
		asked[t.Key] = true
	}
	var words, names []lexical.Weighted
	all := r.x.Len()
	if r.docs != nil {
		all = len(r.docs)
	}
	for _, g := range gains {
		n := r.x.Frequency(g.key)
		if asked[g.key] || n < 2 || n*20 > max(all, 60) && r.docs == nil {
			continue
		}
		g.gain *= lexical.IDF(n, max(all, n))
		switch {
		case g.name && len(names) < hopTake:
			names = append(names, lexical.Weighted{Key: g.key, Weight: g.gain})
		case g.turns > 1 && len(words) < feedbackTake:
			words = append(words, lexical.Weighted{Key: g.key, Weight: g.gain})
		}
	}
	changed := false
	for _, e := range []struct {
		terms []lexical.Weighted
		share float64
	}{{words, r.w.Feedback}, {names, r.w.Hop}} {
		if len(e.terms) == 0 || e.share == 0 {
			continue
		}
		most := 0.0
		for _, t := range e.terms {
			most = max(most, t.Weight)
		}
		for i := range e.terms {
			e.terms[i].Weight /= most
		}
		if r.docs == nil && !r.wide {
			r.enter(r.found(e.terms, matches))
		}
		r.own(e.terms, 0, e.share)
		changed = true
	}
	if changed {
		r.settle()
	}
}

// gain is the expected benefit of a term of the best turns.
type gain struct {
	key   lexical.Key
	gain  float64
	turns int
	name  bool
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
			list[n].turns++
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
