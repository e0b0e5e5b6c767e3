package memory

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Candidate is an event that routes found.
type Candidate struct {
	messages.Memory
	Score  float64
	Rare   bool
	Routes []Hit
}

// Found is the result of one route, the best first.
type Found struct {
	Route Route
	Hits  []messages.MemoryHit
}

const (
	// sure is how many of the best lexical results keep their seats.
	sure = 12
	// second is what each further route adds to a score, and the most such a route gives
	// on its own.
	second = 0.01
	alone  = 0.05
	// meant is what the best result by meaning is worth, beside the best lexical one with 1.
	meant = 0.6
	// former is what an outdated event keeps of its score.
	former = 0.5
)

// Merge makes one list of the routes' results, the best first: one candidate for each
// event, with all its routes. Equal input gives equal order. A score near 1 fits the
// question, one near 0 is only the best of what does not.
func (p Pack) Merge(found []Found, mode Mode) []Candidate {
	list := past(join(found), found, mode)
	slices.SortStableFunc(list, byScore)
	list = apart(p.seat(list, mode))
	fit := fits(list)
	for i := range list {
		list[i].Score *= fit
	}
	return list
}

// Unfit is what the best result is worth that has no word of the question, and was not
// found by meaning either.
const Unfit = 0.1

// fits is how well the best result fits the question.
func fits(list []Candidate) float64 {
	fit := Unfit
	for _, c := range list {
		fit = max(fit, c.Covers)
		for _, h := range c.Routes {
			if h.Route == Vectors {
				fit = max(fit, min(h.Score, 1))
			}
		}
	}
	return fit
}

func byScore(a, b Candidate) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), b.At.Compare(a.At), cmp.Compare(a.Conversation, b.Conversation),
		cmp.Compare(a.ID, b.ID))
}

// key is an event of any conversation.
type key struct {
	c  messages.ConversationID
	id messages.MessageID
}

// past marks the events that are outdated. Where the question is not about what was, they
// lose.
func past(list []Candidate, found []Found, mode Mode) []Candidate {
	over := map[key]bool{}
	for _, f := range found {
		for _, h := range f.Hits {
			over[key{h.Conversation, h.ID}] = over[key{h.Conversation, h.ID}] || h.Former
		}
	}
	for i := range list {
		if c := &list[i]; over[key{c.Conversation, c.ID}] {
			if c.Former = true; mode != AboutTime {
				c.Score *= former
			}
		}
	}
	return list
}

func join(found []Found) (list []Candidate) {
	place := map[key]int{}
	for _, f := range found {
		best := 0.0
		for _, h := range f.Hits {
			best = max(best, h.Score)
		}
		for n, h := range f.Hits {
			if h.Former {
				continue // it is only marked
			}
			at, known := place[key{h.Conversation, h.ID}]
			if !known {
				at = len(list)
				place[key{h.Conversation, h.ID}] = at
				list = append(list, Candidate{Memory: h.Memory})
			}
			c := &list[at]
			c.Routes = append(c.Routes, Hit{f.Route, h.Score})
			c.Rare = c.Rare || h.Rare
			c.Covers = max(c.Covers, h.Covers)
			if h.State != "" {
				c.State = h.State
			}
			switch {
			case f.Route == Lexical && best > 0:
				c.Score += h.Score / best
			case f.Route == States:
				c.Score += h.Score
			case f.Route == Vectors:
				c.Score += meant * nearness(h.Score, best, f.Hits[len(f.Hits)-1].Score)
			case len(c.Routes) > 1:
				c.Score += second * (1 - float64(n)/float64(len(f.Hits)))
			default:
				c.Score += alone * (1 - float64(n)/float64(len(f.Hits)))
			}
		}
	}
	return list
}

// nearness is how far a cosine lies above the least one that was found, 0 to 1: models
// differ in how alike they take everything to be.
func nearness(cosine, best, least float64) float64 {
	if best <= least {
		return 1
	}
	return (cosine - least) / (best - least)
}

// group is a class of candidates with a share of the seats, see [Shares]. When its seats are taken, its
// other candidates wait for free ones.
type group uint8

const (
	several group = iota // routes
	timely               // the time route alone
	known                // the state route alone
	context              // recent, chain, threads or links alone
	words                // lexical alone
	meaning              // vectors alone
)

// by reports whether a route found it.
func (c Candidate) by(route Route) bool {
	return slices.ContainsFunc(c.Routes, func(h Hit) bool { return h.Route == route })
}

func (c Candidate) group() group {
	switch {
	case len(c.Routes) > 1:
		return several
	case c.Routes[0].Route == InTime:
		return timely
	case c.Routes[0].Route == States:
		return known
	case c.Routes[0].Route == Lexical:
		return words
	case c.Routes[0].Route == Vectors:
		return meaning
	}
	return context
}

// seat chooses the candidates that stay, in order. The list must be in order.
func (p Pack) seat(list []Candidate, mode Mode) []Candidate {
	if len(list) <= p.Candidates {
		return list
	}
	taken := make([]bool, len(list))
	left := p.Candidates
	used := map[group]int{}
	lexical := 0
	for i, c := range list {
		if c.by(Lexical) {
			lexical++
		}
		safe := c.Rare || c.by(Lexical) && lexical <= sure
		g := c.group()
		if left > 0 && (safe || float64(used[g]) < p.seats(g, mode)) {
			taken[i] = true
			used[g]++
			left--
		}
	}
	for i := range list {
		if !taken[i] && left > 0 {
			taken[i] = true
			left--
		}
	}
	var seated []Candidate
	for i, c := range list {
		if taken[i] {
			seated = append(seated, c)
		}
	}
	return seated
}

// apart moves an event to the end if a better one of the same side has the same words.
// Package rank has already lowered the scores of such events from the lexical route.
func apart(list []Candidate) []Candidate {
	seen := map[string]bool{}
	var first, again []Candidate
	for _, c := range list {
		key := string(c.Speaker) + "\x00" + strings.Join(strings.Fields(text.Normalize(string(c.Text))), " ")
		if seen[key] && !c.by(Lexical) {
			again = append(again, c)
			continue
		}
		seen[key] = true
		first = append(first, c)
	}
	for i := range again {
		again[i].Score = min(again[i].Score, first[len(first)-1].Score)
	}
	return append(first, again...)
}

// Pick takes the k best candidates that are not in the asker's context, and the best of
// all even if it is in it.
func Pick(list []Candidate, context []messages.MessageID, k int) (picked []Candidate) {
	for i, c := range list {
		if c.Context = slices.Contains(context, c.ID); c.Context && i > 0 || !c.Context && k == 0 {
			continue
		}
		if !c.Context {
			k--
		}
		picked = append(picked, c)
	}
	return picked
}

// Memories are the events of candidates.
func Memories(list []Candidate) (m []messages.Memory) {
	for _, c := range list {
		m = append(m, c.Memory)
	}
	return m
}
