package lexical

import (
	"math"
	"slices"
	"time"
)

// view is what one reader sees of an index.
type view struct {
	*Index
	limit Doc // documents of this number and later are not seen
	talks []uint32
	all   bool
	until int64 // Unix milliseconds, excluded
	not   []Doc
}

func (x *Index) view(s Scope) view {
	v := view{Index: x, limit: Doc(x.n.Load()), all: s.Conversations == nil, until: math.MaxInt64}
	for _, name := range s.Conversations {
		if n, ok := x.talking.find(name); ok && !slices.Contains(v.talks, n) {
			v.talks = append(v.talks, n)
		}
	}
	if !s.Before.IsZero() {
		v.until = s.Before.UnixMilli()
	}
	for _, id := range s.Except {
		if d, ok := x.Find(id); ok {
			v.not = append(v.not, d)
		}
	}
	return v
}

// sees reports whether a document may be found.
func (v *view) sees(d Doc) bool {
	e := v.entries.at(d)
	return !e.dead.Load() && e.at < v.until && (v.all || slices.Contains(v.talks, e.talk)) && !slices.Contains(v.not, d)
}

// docs are the documents of a narrow scope, in the order of their numbers; false if
// the scope is wide.
func (v *view) docs() ([]Doc, bool) {
	var list []Doc
	if v.all {
		if int(v.limit) > v.narrow {
			return nil, false
		}
		for d := range v.limit {
			if v.sees(d) {
				list = append(list, d)
			}
		}
		return list, true
	}
	room := 0
	for _, t := range v.talks {
		room += len(v.Index.talks.at(Doc(t)).docs.all())
	}
	if room > v.narrow {
		return nil, false
	}
	list = make([]Doc, 0, room)
	for _, t := range v.talks {
		for _, d := range v.Index.talks.at(Doc(t)).docs.all() {
			if d < v.limit && v.sees(d) {
				list = append(list, d)
			}
		}
	}
	if len(v.talks) > 1 {
		slices.Sort(list)
	}
	return list, true
}

// Documents returns the events of a scope in the order in which they were added, or
// false if they are more than 32,768.
func (x *Index) Documents(s Scope) ([]Doc, bool) {
	v := x.view(s)
	return v.docs()
}

// Sees reports whether a document is in a scope.
func (x *Index) Sees(s Scope, d Doc) bool {
	v := x.view(s)
	return d < v.limit && v.sees(d)
}

// Search returns the best documents by BM25, the best first, of equal ones the
// oldest. A query without known terms finds nothing.
func (x *Index) Search(q Query) []Hit {
	if q.K <= 0 {
		return nil
	}
	v := x.view(q.Scope)
	terms := merged(q.Terms)
	if docs, ok := v.docs(); ok {
		return x.Best(v.scan(terms, docs), terms, q.K)
	}
	return v.walk(terms, q.K)
}

// Match returns which documents of a scope have which of the terms; of a wide scope
// the limit best ones by BM25, and figures of the whole index. Terms are as in the
// query; equal keys count once, at their first place.
func (x *Index) Match(q Query, limit int) Match {
	v := x.view(q.Scope)
	if docs, ok := v.docs(); ok {
		return v.scan(q.Terms, docs)
	}
	hits := v.walk(merged(q.Terms), limit)
	docs := make([]Doc, len(hits))
	for i, h := range hits {
		docs[i] = h.Doc
	}
	slices.Sort(docs)
	return v.among(q.Terms, docs)
}

// Within returns which of the documents of a scope, ordered by number, have which of the terms, with
// figures of these documents.
func (x *Index) Within(docs []Doc, terms []Weighted) Match {
	v := x.view(Scope{})
	return v.scan(terms, docs)
}

// Among returns which of the given documents, ordered by number, have which of the terms,
// with figures of the whole index.
func (x *Index) Among(docs []Doc, terms []Weighted) Match {
	v := x.view(Scope{})
	return v.among(terms, docs)
}

func (v *view) among(terms []Weighted, docs []Doc) Match {
	m := v.scan(terms, docs)
	m.N, m.MeanLength = int(v.limit), v.mean()
	for i, t := range terms {
		m.Found[i] = v.Frequency(t.Key)
	}
	return m
}

// mean is the mean length of all documents.
func (v *view) mean() float64 { return float64(v.lengths.Load()) / float64(max(v.limit, 1)) }

// scan looks up each term in each of the documents, which are in order.
func (v *view) scan(terms []Weighted, docs []Doc) Match {
	m := Match{N: len(docs), Counts: make([][]uint8, len(terms)), Found: make([]int, len(terms))}
	for _, d := range docs {
		m.MeanLength += float64(*v.length.at(d))
	}
	m.MeanLength /= float64(max(len(docs), 1))
	counts := make([]uint8, len(terms)*len(docs))
	has := make([]bool, len(docs))
	var c cursor
	for i, t := range terms {
		m.Counts[i] = counts[i*len(docs) : (i+1)*len(docs)]
		if l := v.lists.find(t.Key); l != nil {
			c.open(l.head.Load())
			m.Found[i] = c.common(docs, m.Counts[i], has)
		}
	}
	kept := 0
	for at, yes := range has {
		if !yes {
			continue
		}
		m.Docs = append(m.Docs, docs[at])
		for i := range terms {
			m.Counts[i][kept] = m.Counts[i][at]
		}
		kept++
	}
	for i := range terms {
		m.Counts[i] = m.Counts[i][:kept:kept]
	}
	return m
}

// common walks a list and a scope side by side, and says how many documents are in
// both.
func (c *cursor) common(docs []Doc, counts []uint8, has []bool) (found int) {
	for at := 0; at < len(docs) && c.doc != end; {
		switch d := docs[at]; {
		case c.doc == d:
			counts[at], has[at] = c.count, true
			found++
			at++
			c.next()
		case c.doc < d:
			c.seek(d)
		default:
			at += gallop(docs[at:], c.doc)
		}
	}
	return found
}

// gallop is the first position whose document is not below d. The first one is.
func gallop(docs []Doc, d Doc) int {
	const few = 4
	for i := 1; i < few; i++ {
		if i == len(docs) || docs[i] >= d {
			return i
		}
	}
	hi := few
	for hi < len(docs) && docs[hi] < d {
		hi *= 2
	}
	i, _ := slices.BinarySearch(docs[hi/2:min(hi+1, len(docs))], d)
	return hi/2 + i
}

// Best returns the best documents of a match by BM25, given the terms that were looked up: the
// best first, of equal ones the oldest.
func (x *Index) Best(m Match, terms []Weighted, k int) []Hit {
	top, share := best{k: k}, saturations(m.MeanLength)
	weights := make([]float64, len(terms))
	for i, t := range terms {
		weights[i] = t.Weight * IDF(m.Found[i], m.N)
	}
	for at, d := range m.Docs {
		length, score, hit := *x.length.at(d), 0.0, false
		for i, w := range weights {
			if c := m.Counts[i][at]; c > 0 {
				score += w * share.of(c, length)
				hit = true
			}
		}
		if hit {
			top.add(Hit{d, score})
		}
	}
	return top.sorted()
}

// walk finds the best documents of a wide scope.
func (v *view) walk(terms []Weighted, k int) []Hit {
	share := saturations(v.mean())
	cursors := make([]*cursor, 0, len(terms))
	for _, t := range terms {
		l := v.lists.find(t.Key)
		if l == nil || t.Weight < 0 {
			continue
		}
		h := l.head.Load()
		_, _, edge := h.tail()
		c := &cursor{weight: t.Weight * IDF(h.len(), int(v.limit)), within: h.full.with(edge.count, edge.length)}
		c.most = c.weight * share.of(c.within.count, c.within.length) * rounding
		c.open(h)
		cursors = append(cursors, c)
	}
	top := best{k: k}
	m := maxScore{cursors: cursors, limit: v.limit, share: share, top: &top, sees: v.sees}
	m.run(func(from Doc) []uint16 { return (*v.length.chunks.Load())[from/chunkSize][from%chunkSize:] })
	return top.sorted()
}

// Timeline returns the live events of a conversation from one moment to another, the
// second excluded, in the order of time, at most n of them; zero moments are no
// bounds.
func (x *Index) Timeline(conversation string, from, to time.Time, n int) []Doc {
	number, ok := x.talking.find(conversation)
	if !ok {
		return nil
	}
	line := x.talks.at(Doc(number)).line.Load()
	if line == nil {
		return nil
	}
	var parts [2][]Doc
	for i, docs := range [][]Doc{line.main.all(), line.late} {
		for k := x.since(docs, from); k < len(docs) && len(parts[i]) < n; k++ {
			e := x.entries.at(docs[k])
			if !to.IsZero() && e.at >= to.UnixMilli() {
				break
			}
			if !e.dead.Load() {
				parts[i] = append(parts[i], docs[k])
			}
		}
	}
	all := mergeBy(parts[0], parts[1], x.inTime)
	return all[:min(n, len(all))]
}

// Newest returns the last n live events of a conversation before a moment, the newest
// first; a zero moment is no bound.
func (x *Index) Newest(conversation string, before time.Time, n int) []Doc {
	number, ok := x.talking.find(conversation)
	if !ok {
		return nil
	}
	line := x.talks.at(Doc(number)).line.Load()
	if line == nil {
		return nil
	}
	var list []Doc
	for _, docs := range [][]Doc{line.main.all(), line.late} {
		last := len(docs)
		if !before.IsZero() {
			last = x.since(docs, before)
		}
		for k, found := last-1, 0; k >= 0 && found < n; k-- {
			if !x.entries.at(docs[k]).dead.Load() {
				list = append(list, docs[k])
				found++
			}
		}
	}
	slices.SortFunc(list, func(a, b Doc) int { return x.inTime(b, a) })
	return list[:min(n, len(list))]
}

// since is the first place at or behind a moment.
func (x *Index) since(docs []Doc, from time.Time) int {
	if from.IsZero() {
		return 0
	}
	i, _ := slices.BinarySearchFunc(docs, from.UnixMilli(), func(d Doc, at int64) int {
		if x.entries.at(d).at < at {
			return -1
		}
		return 1
	})
	return i
}

// Frequency is how many documents have a key, removed ones included.
func (x *Index) Frequency(k Key) int {
	if l := x.lists.find(k); l != nil {
		return l.head.Load().len()
	}
	return 0
}

// Speakers returns who speaks in conversations, in the order of their first words.
// It looks at the first 512 and the last 512 documents of each.
func (x *Index) Speakers(s Scope) []string {
	v := x.view(s)
	seen := map[uint32]bool{}
	var list []string
	const few = 512
	for _, t := range v.talks {
		docs := x.talks.at(Doc(t)).docs.all()
		if len(docs) > 2*few {
			docs = slices.Concat(docs[:few], docs[len(docs)-few:])
		}
		for _, d := range docs {
			if n := x.entries.at(d).speaker; !seen[n] {
				seen[n] = true
				list = append(list, x.people.at(n))
			}
		}
	}
	return list
}
