package rank

import (
	"maps"
	"slices"
)

// Weights say how much each signal counts. Zero leaves a signal out.
type Weights struct {
	Letter float64 // of one Chinese letter, beside a word or pair with 1
	Kana   float64 // of a pair of hiragana
	Gram   float64 // of all grams of a word together
	// Concept is the weight of other words of the same everyday field, such as
	// "puppy" for "pet", together.
	Concept float64

	Coordination float64 // what a turn gains that has all terms, in shares of its score
	Near         float64 // what the turns beside it pass on
	Far          float64 // what those two away pass on
	Answer       float64 // what a question passes on to the turn that follows, on top of Near
	Session      float64 // of a session's score
	Brief        float64 // from 0 to 1: how little a turn of a few words may receive

	Speaker float64 // what a turn of the person in question gains, in shares of its score
	Date    float64 // what a turn from the time in question gains, likewise
	Cue     float64 // what a turn gains that can answer "when", "where", "who" or "how many"
	Asking  float64 // from 0 to 1: what a turn loses that only asks itself

	Hop float64 // of the names in the best turns, beside the question's own words

	Repeat  float64 // from 0 to 1: what a turn loses that says again what a better one says
	Breadth float64 // what a turn loses, behind the leading ones, for each of its session before it
}

// Defaults are the weights that did best on generated histories; see package
// testkit/replay/recall for how they were found.
func Defaults() Weights {
	return Weights{
		Letter: 0.4, Kana: 0.15, Gram: 0.5, Concept: 0.75,
		Coordination: 0.3, Near: 0.4, Far: 0.2, Answer: 0.15, Session: 1.2, Brief: 0.95,
		Speaker: 0.5, Date: 0.7, Cue: 0.25, Asking: 0.8,
		Hop:    0.1,
		Repeat: 0.5, Breadth: 0.1,
	}
}

// signals are the weights by name.
func (w *Weights) signals() map[string][]*float64 {
	return map[string][]*float64{
		"letter": {&w.Letter}, "kana": {&w.Kana}, "gram": {&w.Gram}, "coordination": {&w.Coordination},
		"concept": {&w.Concept}, "neighbours": {&w.Near, &w.Far, &w.Answer}, "answer": {&w.Answer},
		"session": {&w.Session}, "brief": {&w.Brief}, "speaker": {&w.Speaker}, "date": {&w.Date}, "cue": {&w.Cue},
		"asking": {&w.Asking}, "hop": {&w.Hop},
		"repeat": {&w.Repeat}, "breadth": {&w.Breadth},
	}
}

// Signals are the names that [Without] knows, in order.
func Signals() []string { return slices.Sorted(maps.Keys(new(Weights).signals())) }

// Without is the weights with one signal left out; an unknown name leaves out none.
func Without(w Weights, signal string) Weights {
	for _, v := range w.signals()[signal] {
		*v = 0
	}
	return w
}
