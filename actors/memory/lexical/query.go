package lexical

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"
)

// Doc is a document's number. Events are numbered in the order in which they are added;
// an edited event gets a new number. Numbers hold within one index; see [Index.Compact].
type Doc uint32

// Weighted is a key to look for, and its weight. A weight of zero matches but adds
// nothing to a score.
type Weighted struct {
	Key    Key
	Weight float64
}

// Scope says which events can be found.
type Scope struct {
	// Conversations are the names of those to look into; nil means all, and an
	// empty list none.
	Conversations []string
	// Before leaves out events at this moment and later; zero leaves out none.
	Before time.Time
	// Except are ids of events to leave out.
	Except []string
}

// Query is what to look for.
type Query struct {
	Terms []Weighted
	Scope Scope
	// K is the largest number of hits.
	K int
}

// Hit is a document that was found, with its BM25 score.
type Hit struct {
	Doc   Doc
	Score float64
}

// Parameters of BM25.
const (
	k1 = 1.2
	b  = 0.5
)

// Match says which documents of a scope have which of a query's terms.
type Match struct {
	// Docs are documents with at least one term, in the order of their numbers:
	// all of them in a scope of up to 32,768 documents, the best in a wider one.
	Docs []Doc
	// Counts has for each term how often it is in each of Docs, up to 255.
	Counts [][]uint8
	// Found is how many documents have each term.
	Found []int
	// N is the number of documents behind these figures, MeanLength their mean length.
	N          int
	MeanLength float64
}

// Of returns a match of some of its terms, by their places.
func (m Match) Of(places []int) Match {
	part := m
	part.Counts, part.Found = nil, nil
	for _, i := range places {
		part.Counts, part.Found = append(part.Counts, m.Counts[i]), append(part.Found, m.Found[i])
	}
	return part
}

// IDF is how much a term that n of all documents have tells: ln(1+(all-n+½)/(n+½)).
func IDF(n, all int) float64 {
	return math.Log1p((float64(max(all-n, 0)) + 0.5) / (float64(n) + 0.5))
}

// Saturation is the contribution of a term that occurs count times in a document of a
// length, as a share of its idf: below k1+1.
func Saturation(count uint8, length, mean float64) float64 {
	if mean <= 0 {
		mean = 1
	}
	c := float64(count)
	return c * (k1 + 1) / (c + k1*(1-b+b*length/mean))
}

// best keeps the k best hits: a heap whose first is the worst of them.
type best struct {
	k    int
	hits []Hit
}

// threshold is the score that a further hit must exceed.
func (t *best) threshold() float64 {
	if len(t.hits) < t.k {
		return math.Inf(-1)
	}
	return t.hits[0].Score
}

// worse orders hits: the lower score first, of equal ones the newer document. So a
// walk from old to new may leave out what only equals the threshold.
func worse(x, y Hit) bool { return x.Score < y.Score || x.Score == y.Score && x.Doc > y.Doc }

func (t *best) add(h Hit) {
	if len(t.hits) < t.k {
		t.hits = append(t.hits, h)
		for i := len(t.hits) - 1; i > 0 && worse(t.hits[i], t.hits[(i-1)/2]); i = (i - 1) / 2 {
			t.hits[i], t.hits[(i-1)/2] = t.hits[(i-1)/2], t.hits[i]
		}
		return
	}
	if !worse(t.hits[0], h) {
		return
	}
	t.hits[0] = h
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(t.hits); c++ {
			if worse(t.hits[c], t.hits[least]) {
				least = c
			}
		}
		if least == i {
			return
		}
		t.hits[i], t.hits[least] = t.hits[least], t.hits[i]
		i = least
	}
}

// sorted returns the hits, the best first, of equal ones the oldest.
func (t *best) sorted() []Hit {
	slices.SortFunc(t.hits, func(x, y Hit) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.Doc, y.Doc))
	})
	return t.hits
}

// merged adds up the weights of equal keys, in the order of their first appearance.
func merged(terms []Weighted) []Weighted {
	at := make(map[Key]int, len(terms))
	var list []Weighted
	for _, t := range terms {
		if i, ok := at[t.Key]; ok {
			list[i].Weight += t.Weight
			continue
		}
		at[t.Key] = len(list)
		list = append(list, t)
	}
	return list
}

// ascending orders cursors by their largest possible contribution, and returns the
// cumulative sums.
func ascending(cursors []*cursor) (sums []float64) {
	slices.SortStableFunc(cursors, func(x, y *cursor) int { return cmp.Compare(x.most, y.most) })
	sum := 0.0
	for _, c := range cursors {
		sum += c.most
		sums = append(sums, sum)
	}
	return sums
}

// rounding keeps a bound above the value it bounds, whatever the order of summing.
const rounding = 1 + 1e-9

// shares are the contributions of a term by length of the document, where the mean length is
// known: the divisions are done once.
type shares struct {
	mean float64
	once [256]float64 // of a term that occurs once
}

func saturations(mean float64) *shares {
	s := &shares{mean: mean}
	for length := range s.once {
		s.once[length] = Saturation(1, float64(length), mean)
	}
	return s
}

// of is [Saturation].
func (s *shares) of(count uint8, length uint16) float64 {
	if count == 1 && int(length) < len(s.once) {
		return s.once[length]
	}
	return Saturation(count, float64(length), s.mean)
}

// window is how many documents are scored side by side. Lengths come by windows too.
const window = 1 << 11

// maxScore finds the best documents in lists. Lists that cannot lift a document over the
// threshold together are only looked up; the others are walked, window by window.
type maxScore struct {
	cursors []*cursor // in the order of their largest possible contributions
	sums    []float64 // of these, up to each
	first   int       // of the lists that are walked
	bounds  [longest][]float64
	share   *shares
	limit   Doc // documents from here on are not seen
	top     *best

	sees          func(Doc) bool
	asked, unseen int

	from   Doc // of the window
	scores [window]float64
	has    [window / 64]uint64
}

// longest is up to which length bounds are known for each length.
const longest = 64

// run finds them. Whether a document is seen is asked last, as the rows of documents lie far
// apart in memory; but first where most are not.
func (m *maxScore) run(lengths func(from Doc) []uint16) {
	m.sums = ascending(m.cursors)
	for l := range m.bounds {
		sum := 0.0
		for _, c := range m.cursors {
			sum += c.weight * m.share.of(c.within.count, uint16(l)) * rounding
			m.bounds[l] = append(m.bounds[l], sum)
		}
	}
	for m.first < len(m.cursors) {
		next := end
		for _, c := range m.cursors[m.first:] {
			next = min(next, c.doc)
		}
		if next >= m.limit {
			return
		}
		m.from = next &^ (window - 1)
		l := lengths(m.from)
		for _, c := range m.cursors[m.first:] {
			m.walk(c, l)
		}
		m.judge(l)
		for m.first < len(m.cursors) && m.sums[m.first] <= m.top.threshold() {
			m.first++
		}
	}
}

// walk adds what a list contributes to the documents of the window, and leaves it.
func (m *maxScore) walk(c *cursor, lengths []uint16) {
	for stop := min(m.limit, m.from+window); c.doc < stop; c.next() {
		at := c.doc - m.from
		if at >= window {
			continue // a damaged list goes back
		}
		m.scores[at] += c.weight * m.share.of(c.count, lengths[at])
		m.has[at/64] |= 1 << (at % 64)
	}
}

// judge looks up what may be among the best of the window, from old to new.
func (m *maxScore) judge(lengths []uint16) {
	for i, set := range m.has {
		for ; set != 0; set &= set - 1 {
			at := i*64 + bits.TrailingZeros64(set)
			m.consider(m.from+Doc(at), m.scores[at], lengths[at])
			m.scores[at] = 0
		}
		m.has[i] = 0
	}
}

// consider adds a document to the best if it is one, given its score by the lists that are
// walked.
func (m *maxScore) consider(d Doc, score float64, length uint16) {
	threshold := m.top.threshold()
	if m.first > 0 && score+m.bounds[min(length, longest-1)][m.first-1] <= threshold {
		return
	}
	early := 2*m.unseen > m.asked
	if early && !m.seen(d) {
		return
	}
	score, ok := m.lookUp(d, score, length, threshold)
	if ok && score > threshold && (early || m.seen(d)) {
		m.top.add(Hit{d, score})
	}
}

func (m *maxScore) seen(d Doc) bool {
	ok := m.sees(d)
	if m.asked++; !ok {
		m.unseen++
	}
	return ok
}

// lookUp adds the other lists' contributions to a document's score. It returns false as
// soon as the document can no longer exceed the threshold.
func (m *maxScore) lookUp(d Doc, score float64, length uint16, threshold float64) (float64, bool) {
	bounds := m.bounds[min(length, longest-1)]
	for i := m.first - 1; i >= 0; i-- {
		if score+bounds[i] <= threshold {
			return score, false
		}
		c := m.cursors[i]
		if c.doc < d {
			most := c.weight * m.share.of(c.shallow(d).count, length) * rounding
			if i > 0 {
				most += bounds[i-1]
			}
			if score+most <= threshold {
				return score, false
			}
			c.seek(d)
		}
		if c.doc == d {
			score += c.weight * m.share.of(c.count, length)
		}
	}
	return score, true
}
