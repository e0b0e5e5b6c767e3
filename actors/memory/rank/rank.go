package rank

import (
	"cmp"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/actors/text/when"
)

// Query is what to recall.
type Query struct {
	Text  string
	Now   time.Time // when it is asked, in the asker's zone; later events are not seen
	Scope lexical.Scope
	K     int // how many turns at most
	// Read is what [Read] has returned for the same question and scope, if that is known already.
	Read *Reading
}

// Reading is how a question reads in a scope of an index, and what its words find there.
type Reading struct {
	Question Question
	// Best are the best events by the telling words alone, BestKept of them.
	Best []lexical.Hit

	telling Question // with the most telling terms only
	narrow  bool
	docs    []lexical.Doc // the scope, if that is narrow
	match   lexical.Match // of the telling terms in it
}

// Read reads the question of a query, and searches its scope for it.
func Read(x *lexical.Index, q Query, w Weights) *Reading {
	r := &Reading{Question: Plan(q.Text, x.Speakers(q.Scope), q.Now, w)}
	r.telling = telling(x, r.Question)
	words := r.telling.few(x)
	if r.docs, r.narrow = x.Documents(q.Scope); !r.narrow {
		r.Best = x.Search(lexical.Query{Terms: words, Scope: q.Scope, K: BestKept})
		return r
	}
	r.match = x.Within(r.docs, r.telling.Terms)
	var places []int
	for _, t := range words {
		is := func(o lexical.Weighted) bool { return o.Key == t.Key }
		places = append(places, slices.IndexFunc(r.telling.Terms, is))
	}
	r.Best = x.Best(r.match.Of(places), words, BestKept)
	return r
}

// Best returns the best events by the telling words of a question that was read.
func Best(x *lexical.Index, q Query, k int) []lexical.Hit {
	return x.Search(lexical.Query{Terms: q.Read.telling.few(x), Scope: q.Scope, K: k})
}

// few are the words to look for where not each event can be examined: the rarest twelve of a
// question with more, or what else it has if it has no words.
func (q Question) few(x *lexical.Index) []lexical.Weighted {
	if q.Words == 0 {
		return rarest(x, q.Terms, wideTerms)
	}
	return rarest(x, q.Terms[:q.Words], wideTerms)
}

// Result is one turn that may help, and why.
type Result struct {
	Doc   lexical.Doc
	Score float64
	// Own is what the turn's words give, Around what its neighbours pass on, Session
	// what its session gives, and Factor what these are multiplied by for who speaks,
	// for when it was, and for what the turn can answer.
	Own, Around, Session, Factor float64
	// Protected says that a rare word of the question has kept the turn.
	Protected bool
}

const (
	// whole is how many turns of a scope are all scored. In a larger scope only the best
	// matches and their neighbours are.
	whole   = 2 << 10
	matches = 384
	around  = 4
	// BestKept and wideTerms are the limits in a scope too wide to examine turn by turn.
	BestKept  = 96
	wideTerms = 12
	// reread is how many of the best turns are examined for whether they can answer.
	reread = 64
	// leading is how many of the best turns may all be of one session.
	leading = 12
	// sessionGap is the silence between two sessions.
	sessionGap = 3 * time.Hour
)

// Recall returns the turns that help most to answer a question, the best first. Text
// returns the text of a document, "" if it is gone. It is called only for some of the
// best turns, never concurrently.
func Recall(x *lexical.Index, q Query, w Weights, text func(lexical.Doc) string) []Result {
	if q.Scope.Before.IsZero() && !q.Now.IsZero() {
		q.Scope.Before, q.Read = q.Now.Add(time.Millisecond), nil
	}
	if q.Read == nil {
		q.Read = Read(x, q, w)
	}
	r := &recall{x: x, q: q, question: q.Read.telling, w: w, text: text, place: map[lexical.Doc]int{},
		zone: q.Now.Location(), wide: !q.Read.narrow}
	r.look()
	r.own(r.match(r.question.Terms), r.question.Terms, r.question.Words, 1)
	if w.Concept > 0 {
		r.conceive()
	}
	r.settle()
	if w.Hop > 0 {
		r.again()
	}
	r.vary()
	return r.results()
}

// largeIndex is how many events make an index large.
const largeIndex = 50_000

// telling keeps the most telling terms of a long question.
func telling(x *lexical.Index, q Question) Question {
	all := x.Len()
	words := rarest(x, q.Terms[:q.Words], maxTerms)
	others := q.Terms[q.Words:]
	if q.Words > 0 {
		// In a large index, weak terms that are in every tenth event cost the most time
		// and say the least.
		others = slices.DeleteFunc(slices.Clone(others), func(t lexical.Weighted) bool {
			return all > largeIndex && x.Frequency(t.Key) > all/10
		})
	}
	q.Terms, q.Words = slices.Concat(words, rarest(x, others, maxOthers)), len(words)
	return q
}

// rarest keeps the rarest of more terms than most; unknown ones go first of all.
func rarest(x *lexical.Index, list []lexical.Weighted, most int) []lexical.Weighted {
	if len(list) <= most {
		return list
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b lexical.Weighted) int {
		fa, fb := x.Frequency(a.Key), x.Frequency(b.Key)
		return cmp.Or(cmp.Compare(min(1, fb), min(1, fa)), cmp.Compare(fa, fb))
	})
	return list[:most]
}

// recall is one question being answered.
type recall struct {
	x        *lexical.Index
	q        Query
	question Question
	w        Weights
	text     func(lexical.Doc) string
	zone     *time.Location

	docs  []lexical.Doc // the scope, if all of it is scored
	wide  bool          // the scope is too wide to look at each of its turns
	near  []lexical.Doc // what is scored of a wide scope, by number
	turns []turn        // by conversation and time
	place map[lexical.Doc]int
	order []int // of turns, the best first
}

// turn is a candidate.
type turn struct {
	doc     lexical.Doc
	entry   lexical.Entry
	follows bool // the turn before it in the list is the one before it in its session
	session int
	own     float64
	words   []uint8 // how often it has each of the question's words
	rare    bool
	read    bool
	said    string
	asks    bool         // it ends in a question
	only    bool         // and tells nothing besides
	holds   bool         // what the question asks for
	spans   []when.Found // the times that it names, if that matters
	life    when.Life    // and the stages of a life
	near    float64
	lift    float64
	factor  float64
	score   float64
}

// look collects the candidates.
func (r *recall) look() {
	switch {
	case r.wide:
		docs := make([]lexical.Doc, 0, BestKept)
		for _, h := range r.q.Read.Best {
			docs = append(docs, h.Doc)
		}
		r.near = r.beside(docs)
		r.enter(r.near)
	case len(r.q.Read.docs) <= whole:
		r.docs = r.q.Read.docs
		r.enter(r.docs)
	default:
		r.enter(r.found(r.match(r.question.Terms), r.question.Terms))
	}
}

// match looks terms up in the candidates.
func (r *recall) match(terms []lexical.Weighted) lexical.Match {
	switch {
	case r.wide:
		return r.x.Among(r.near, terms)
	case slices.Equal(terms, r.q.Read.telling.Terms):
		return r.q.Read.match
	}
	return r.x.Within(r.q.Read.docs, terms)
}

// found returns the best documents of a match, given its terms, with their neighbours.
func (r *recall) found(m lexical.Match, terms []lexical.Weighted) []lexical.Doc {
	docs := make([]lexical.Doc, 0, matches)
	for _, h := range r.x.Best(m, terms, matches) {
		docs = append(docs, h.Doc)
	}
	return r.beside(docs)
}

// beside returns documents with their neighbours, in the order of their numbers.
func (r *recall) beside(docs []lexical.Doc) (list []lexical.Doc) {
	for _, d := range docs {
		before, after := r.x.Around(d, around)
		list = append(list, d)
		for _, n := range slices.Concat(before, after) {
			if r.x.Sees(r.q.Scope, n) {
				list = append(list, n)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// enter adds documents to the list, ordered by conversation and time, and divides it into
// sessions.
func (r *recall) enter(docs []lexical.Doc) {
	for _, d := range docs {
		if _, known := r.place[d]; !known {
			r.place[d] = 0
			r.turns = append(r.turns, turn{doc: d, entry: r.x.Entry(d)})
		}
	}
	slices.SortFunc(r.turns, func(a, b turn) int {
		return cmp.Or(cmp.Compare(a.entry.Conversation, b.entry.Conversation), a.entry.At.Compare(b.entry.At),
			cmp.Compare(a.doc, b.doc))
	})
	session := 0
	for i := range r.turns {
		t := &r.turns[i]
		r.place[t.doc] = i
		t.follows = i > 0 && r.turns[i-1].entry.Conversation == t.entry.Conversation &&
			t.entry.At.Sub(r.turns[i-1].entry.At) <= sessionGap
		if i > 0 && !t.follows {
			session++
		}
		t.session = session
	}
}

// results returns the best turns. Turns with a very rare word of the question get the
// last seats if they would have none.
func (r *recall) results() []Result {
	const seats = 2
	k := min(r.q.K, len(r.order))
	chosen := slices.Clone(r.order[:k])
	protected := map[int]bool{}
	for _, i := range r.order[k:] {
		if r.turns[i].rare && len(protected) < min(seats, k/4) {
			chosen[k-1-len(protected)] = i
			protected[i] = true
		}
	}
	list := make([]Result, 0, k)
	for _, i := range chosen {
		t := &r.turns[i]
		list = append(list, Result{Doc: t.doc, Score: t.score, Own: t.own, Around: t.near, Session: t.lift,
			Factor: t.factor, Protected: protected[i]})
	}
	return list
}
