package rank

import "github.com/kehai-run/kehai/actors/memory/lexical"

// Asked are the words of a question, each with how much it tells.
type Asked map[lexical.Key]float64

// AskedOf returns the words of a question to an index.
func AskedOf(x *lexical.Index, q Query) Asked {
	plan := Plan(q.Text, x.Speakers(q.Scope), q.Now, Defaults())
	asked := Asked{}
	for _, t := range plan.Terms[:plan.Words] {
		asked[t.Key] = lexical.IDF(x.Frequency(t.Key), x.Len())
	}
	return asked
}

// Covers returns the share of the question's words that a text contains, 0 to 1.
func (a Asked) Covers(said string) float64 {
	has := map[lexical.Key]bool{}
	for _, t := range lexical.Terms(said) {
		has[t.Key] = true
	}
	of, all := 0.0, 0.0
	for k, w := range a {
		all += w
		if has[k] {
			of += w
		}
	}
	if all == 0 {
		return 0
	}
	return of / all
}
