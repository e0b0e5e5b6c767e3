package rank

import (
	"maps"
	"slices"

	"github.com/kehai-run/kehai/actors/memory/lexical"
)

// Asked are the words of a question, each with how much it tells.
type Asked map[lexical.Key]float64

// AskedOf returns the words of a question to an index.
func AskedOf(x *lexical.Index, q Query) Asked {
	var plan Question
	if q.Read != nil {
		plan = q.Read.Question
	} else {
		plan = Plan(q.Text, x.Speakers(q.Scope), q.Now, Defaults())
	}
	asked := Asked{}
	for _, t := range plan.Terms[:plan.Words] {
		asked[t.Key] = lexical.IDF(x.Frequency(t.Key), x.Len())
	}
	return asked
}

// Covered returns the share of the question's words that each of some documents of an index
// has, 0 to 1. It reads no text, however long one is.
func (a Asked) Covered(x *lexical.Index, docs []lexical.Doc) map[lexical.Doc]float64 {
	all := 0.0
	var terms []lexical.Weighted
	for _, k := range slices.Sorted(maps.Keys(a)) { // sums of floats depend on their order
		all += a[k]
		terms = append(terms, lexical.Weighted{Key: k})
	}
	covered := map[lexical.Doc]float64{}
	if all == 0 {
		return covered
	}
	m := x.Among(slices.Sorted(slices.Values(docs)), terms)
	for at, d := range m.Docs {
		for i, t := range terms {
			if m.Counts[i][at] > 0 {
				covered[d] += a[t.Key] / all
			}
		}
	}
	return covered
}
