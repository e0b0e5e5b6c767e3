package pii

import (
	"cmp"
	"slices"
)

// proposal is what a recogniser found, in indices of the folded text.
type proposal struct {
	kind   Kind
	rule   Rule
	i, j   int
	weight int8 // of its kind
}

// weight orders proposals that overlap: what is certain by its form wins over
// what is likely by its neighbours, and the whole over its parts.
func (k Kind) weight() int8 {
	switch k {
	case Secret:
		return 9
	case Email:
		return 8
	case Card, Bank, National, Corporate, Licence, Passport:
		return 7
	case IP, Birth:
		return 6
	case Address:
		return 5
	case Phone:
		return 4
	case Company, School:
		return 3
	case Account:
		return 2
	case Name:
		return 1
	}
	return 0
}

// evidence orders rules that found the same: a list of names is the weakest.
func (r Rule) evidence() int {
	if r == "gazetteer" {
		return 1
	}
	return 0
}

// search is a text and what was proposed so far.
type search struct {
	*folded
	cues   cues
	listed names        // of the gazetteer
	titles *startsTable // where they may end
	found  []proposal
	ranks  []rank
	owner  []int32 // which proposal has a rune, counted from 1
}

func newSearch(f *folded) *search {
	return &search{folded: f, listed: gazetteer(), titles: titleEnds(), found: make([]proposal, 0, len(f.r)/32+8)}
}

func (s *search) propose(k Kind, r Rule, i, j int) {
	for i < j && (s.class[i] == space || s.class[i] == newline) {
		i++
	}
	for i < j && (s.class[j-1] == space || s.class[j-1] == newline) {
		j--
	}
	if i < j {
		s.found = append(s.found, proposal{k, r, i, j, k.weight()})
	}
}

// read lets every recogniser read the text.
func (s *search) read() {
	s.found = s.found[:0]
	s.cues = findCues(s.folded, s.cues[:0])
	s.secrets()
	s.addresses()
	s.streets()
	s.numbers()
	s.lettered()
	s.mails()
	s.births()
	s.organisations()
	s.legalForms()
	s.accounts()
	s.names()
	s.englishNames()
	s.casualNames()
	s.listedNames()
}

// rank orders proposals: it compares weights, then lengths, then places, then evidence.
type rank struct {
	key uint64
	n   int32 // of the proposal
}

// rank sorts what was found, in ranks. A text folds to far fewer than 2^27 runes.
func (s *search) rank() {
	s.ranks = s.ranks[:0]
	for n, p := range s.found {
		key := uint64(9-p.weight)<<56 | uint64(1<<27-(p.j-p.i))<<28 | uint64(p.i)<<1 | uint64(p.rule.evidence())
		s.ranks = append(s.ranks, rank{key, int32(n)})
	}
	slices.SortFunc(s.ranks, func(a, b rank) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return int(a.n - b.n)
	})
}

// resolve chooses among overlapping proposals: the one with more weight, else the longer
// one, else the first. The rest of a losing proposal stays masked, as a separate span.
func (s *search) resolve() []Span {
	if len(s.found) == 0 {
		return nil
	}
	s.rank()
	if cap(s.owner) < len(s.r) {
		s.owner = make([]int32, len(s.r))
	}
	owner := s.owner[:len(s.r)]
	clear(owner)
	for _, k := range s.ranks {
		n := k.n
		p := &s.found[n]
		for i := p.i; i < p.j; i++ {
			if owner[i] == 0 {
				owner[i] = n + 1
			}
		}
	}
	spans := make([]Span, 0, len(s.found))
	for i := 0; i < len(owner); {
		n := owner[i]
		j := i + 1
		for j < len(owner) && owner[j] == n {
			j++
		}
		if n > 0 {
			if p := s.found[n-1]; i == p.i && j == p.j || p.kind != Email && s.tells(i, j) {
				spans = join(spans, Span{Kind: p.kind, Rule: p.rule, Start: int(s.from[i]), End: int(s.to[j-1])})
			}
		}
		i = j
	}
	return spans
}

// tells reports whether the rest of a proposal says something by itself.
func (f *folded) tells(i, j int) bool {
	for ; i < j; i++ {
		if c := f.class[i]; c == digit || c == kanji || c == katakana || c == upper || c == lower || c == letter {
			return true
		}
	}
	return false
}

// join adds a span. One rune of the text may fold to several, so two spans may claim the
// same bytes: the first one gets them.
func join(spans []Span, s Span) []Span {
	if len(spans) > 0 {
		s.Start = max(s.Start, spans[len(spans)-1].End)
	}
	if s.Start >= s.End {
		return spans
	}
	return append(spans, s)
}
