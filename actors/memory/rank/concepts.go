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
			is := t.Kind == lexical.Word || t.Kind == lexical.Pair
			if is && !slices.Contains(of[t.Key], len(fields)) { // two words may have one stem
				field = append(field, lexical.Weighted{Key: t.Key, Weight: 1})
				of[t.Key] = append(of[t.Key], len(fields))
			}
		}
		fields = append(fields, field)
	}
	return fields, of
}

const (
	// maxFields is how many fields of a question count.
	maxFields = 6
	// onceMore is what each further word of a question in a field adds to the field's weight.
	onceMore = 0.5
)

// fields are the fields of a question's words, with their weights.
func (q *Question) fields() (list []int, weights []float64) {
	for _, t := range q.Terms[:q.Words] {
		for _, f := range fieldsOf[t.Key] {
			if at := slices.Index(list, f); at >= 0 {
				weights[at] += onceMore
			} else if len(list) < maxFields {
				list, weights = append(list, f), append(weights, 1)
			}
		}
	}
	return list, weights
}

// conceive lifts turns with other words of a question's fields. All words of a field
// count as one word with their joint frequency.
func (r *recall) conceive() {
	if r.wide {
		return // everyday words are in every turn
	}
	fields, weights := r.question.fields()
	for at, f := range fields {
		var terms []lexical.Weighted
		for _, t := range concepts[f] {
			if !slices.ContainsFunc(r.question.Terms, func(q lexical.Weighted) bool { return q.Key == t.Key }) {
				terms = append(terms, t)
			}
		}
		m := r.match(terms)
		if r.docs == nil {
			r.enter(r.found(m, terms))
		}
		n := len(m.Docs)
		for _, d := range m.Docs {
			if i, ok := r.place[d]; ok {
				t := &r.turns[i]
				t.own += weights[at] * r.w.Concept * lexical.IDF(n, m.N) *
					lexical.Saturation(1, float64(t.entry.Length), m.MeanLength)
			}
		}
	}
}
