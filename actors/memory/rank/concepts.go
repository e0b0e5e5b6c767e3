package rank

import (
	_ "embed" // the words
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/memory/lexical"
)

//go:embed concepts.txt
var conceptLines string

// concepts are everyday fields, each with the words people use for it: a question about
// somebody's pets also means the puppy. A word may be in several fields.
var concepts, fieldsOf = parseConcepts(conceptLines)

func parseConcepts(lines string) (fields [][]lexical.Weighted, of map[lexical.Key][]int) {
	of = map[lexical.Key][]int{}
	for line := range strings.Lines(lines) {
		var field []lexical.Weighted
		for _, t := range lexical.Terms(line) {
			if t.Kind == lexical.Word || t.Kind == lexical.Pair {
				field = append(field, lexical.Weighted{Key: t.Key, Weight: 1})
				of[t.Key] = append(of[t.Key], len(fields))
			}
		}
		fields = append(fields, field)
	}
	return fields, of
}

// maxFields is how many fields of a question count.
const maxFields = 4

// fields are the fields of a question's words.
func (q *Question) fields() []int {
	var list []int
	for _, t := range q.Terms[:q.Words] {
		for _, f := range fieldsOf[t.Key] {
			if !slices.Contains(list, f) && len(list) < maxFields {
				list = append(list, f)
			}
		}
	}
	return list
}

// conceive lifts turns with other words of a question's fields. All words of a field
// count as one word with their joint frequency.
func (r *recall) conceive() {
	if r.wide {
		return // everyday words are in every turn
	}
	for _, f := range r.question.fields() {
		var terms []lexical.Weighted
		for _, t := range concepts[f] {
			if !slices.ContainsFunc(r.question.Terms, func(q lexical.Weighted) bool { return q.Key == t.Key }) {
				terms = append(terms, t)
			}
		}
		if r.docs == nil {
			r.enter(r.found(terms, matches))
		}
		m := r.match(terms)
		n := len(m.Docs)
		for _, d := range m.Docs {
			if i, ok := r.place[d]; ok {
				t := &r.turns[i]
				t.own += r.w.Concept * lexical.IDF(n, m.N) *
					lexical.Saturation(1, float64(t.entry.Length), m.MeanLength)
			}
		}
	}
}
