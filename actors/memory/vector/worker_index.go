package vector

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// Index has one vector of each event. Any number of goroutines may read it while others
// write. Make it with [New].
type Index struct {
	writing sync.Mutex   // one writer at a time; mu is held only for the moment of a change
	mu      sync.RWMutex // guards what follows, and the fields of spaces and talks
	ids     map[string]place
	spaces  map[kind]*space
}

// kind is what vectors must have in common to be compared.
type kind struct {
	model  string
	length int
}

type place struct {
	kind kind
	slot uint32
}

// space is the vectors of one kind. Slots below n never change, but for dead.
type space struct {
	kind   kind
	blocks []*block
	n      int
	gone   int
	talks  map[string]*talk
}

// talk is the vectors of one conversation.
type talk struct {
	slots []uint32
	live  int
}

// blockSize is how many vectors are in a block.
const blockSize = 1024

type block struct {
	bits  []uint64
	codes []int8
	scale [blockSize]float32
	id    [blockSize]string
	talk  [blockSize]string
	dead  [blockSize]atomic.Bool
}

// New makes an empty index.
func New() *Index { return &Index{ids: map[string]place{}, spaces: map[kind]*space{}} }

// Put gives an event its vector of a model; it has no other one any more.
func (x *Index) Put(id, conversation, model string, v Vector) {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.remove(id)
	x.mu.Lock()
	defer x.mu.Unlock()
	k := kind{model, v.Len()}
	s := x.spaces[k]
	if s == nil {
		s = &space{kind: k, talks: map[string]*talk{}}
		x.spaces[k] = s
	}
	x.ids[id] = place{k, s.add(id, conversation, v)}
}

func (s *space) add(id, conversation string, v Vector) uint32 {
	w := words(s.kind.length)
	if s.n == len(s.blocks)*blockSize {
		s.blocks = append(s.blocks, &block{bits: make([]uint64, blockSize*w),
			codes: make([]int8, blockSize*s.kind.length)})
	}
	b, i := s.blocks[s.n/blockSize], s.n%blockSize
	copy(b.codes[i*s.kind.length:], v.codes)
	signs(b.bits[i*w:(i+1)*w], v.codes)
	b.scale[i], b.id[i], b.talk[i] = v.scale, id, conversation
	t := s.talks[conversation]
	if t == nil {
		t = &talk{}
		s.talks[conversation] = t
	}
	t.slots, t.live = append(t.slots, uint32(s.n)), t.live+1
	s.n++
	return uint32(s.n - 1)
}

// Remove takes an event out.
func (x *Index) Remove(id string) {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.remove(id)
}

// mostGone is how many removed vectors are left lying at least before they are cleared.
const mostGone = 4 * blockSize

// remove takes an event out while x.writing is held.
func (x *Index) remove(id string) {
	x.mu.Lock()
	at, ok := x.ids[id]
	if !ok {
		x.mu.Unlock()
		return
	}
	delete(x.ids, id)
	s := x.spaces[at.kind]
	b, i := s.blocks[at.slot/blockSize], at.slot%blockSize
	b.dead[i].Store(true)
	s.talks[b.talk[i]].live--
	s.gone++
	x.mu.Unlock()
	if s.gone == s.n || s.gone > mostGone && s.gone > s.n/2 {
		x.clear(s)
	}
}

// RemoveConversation takes all events of a conversation out, and clears their memory.
func (x *Index) RemoveConversation(name string) {
	x.writing.Lock()
	defer x.writing.Unlock()
	var held []*space
	for _, s := range x.spaces { // only writers change it
		if t := s.talks[name]; t != nil {
			held = append(held, s)
		}
	}
	for _, s := range held {
		x.mu.Lock()
		for _, slot := range s.talks[name].slots {
			b, i := s.blocks[slot/blockSize], slot%blockSize
			if !b.dead[i].Swap(true) {
				delete(x.ids, b.id[i])
				s.gone++
			}
		}
		delete(s.talks, name)
		x.mu.Unlock()
		x.clear(s)
	}
}

// clear replaces a space by one without what was removed, while x.writing is held.
func (x *Index) clear(s *space) {
	fresh := &space{kind: s.kind, talks: map[string]*talk{}}
	at := map[string]place{}
	for slot := range s.n {
		b, i := s.blocks[slot/blockSize], slot%blockSize
		if b.dead[i].Load() {
			continue
		}
		v := Vector{codes: b.codes[i*s.kind.length : (i+1)*s.kind.length], scale: b.scale[i]}
		at[b.id[i]] = place{s.kind, fresh.add(b.id[i], b.talk[i], v)}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.spaces[s.kind] = fresh; fresh.n == 0 {
		delete(x.spaces, s.kind)
	}
	for id, p := range at {
		x.ids[id] = p
	}
}

// Len is how many events have a vector.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.ids)
}

// Has reports whether an event has a vector.
func (x *Index) Has(id string) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	_, ok := x.ids[id]
	return ok
}

// Models returns the models whose vectors the events of conversations have, in order; nil
// means all conversations.
func (x *Index) Models(conversations []string) (list []string) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for k, s := range x.spaces {
		has := conversations == nil && s.gone < s.n
		for _, c := range conversations {
			has = has || s.talks[c] != nil && s.talks[c].live > 0
		}
		if has && !slices.Contains(list, k.model) {
			list = append(list, k.model)
		}
	}
	slices.Sort(list)
	return list
}

// Query asks for the events whose vectors are most like one of the same model.
type Query struct {
	Model         string
	Vector        Vector
	Conversations []string             // nil: all
	Sees          func(id string) bool // false: an event is not found; nil: all are
	K             int
}

// Hit is an event that was found.
type Hit struct {
	ID     string
	Cosine float64
}

// At least leastNearest vectors are compared exactly, and nearest for each one that is
// asked for; among many, one in share.
const (
	nearest      = 16
	leastNearest = 1000
	share        = 200
)

// Search returns the most similar events, the best first, of equal ones in order of ID.
func (x *Index) Search(q Query) []Hit {
	v, ok := x.view(kind{q.Model, q.Vector.Len()}, q.Conversations)
	if !ok || q.K <= 0 {
		return nil
	}
	away := v.distances(q.Vector)
	counts := make([]int, v.kind.length+1)
	for _, d := range away {
		if d != removed {
			counts[d]++
		}
	}
	var hits []Hit
	from, compared, want := 0, 0, max(leastNearest, nearest*q.K, v.n/share)
	for from < len(counts) && compared < want {
		to, n := from, 0 // the next nearest, as many as are still wanted
		for to < len(counts) && n < want-compared {
			n += counts[to]
			to++
		}
		hits, n = v.exact(hits, q, away, uint16(from), uint16(to))
		from, compared = to, compared+n
	}
	return hits
}

// best orders hits, the best first.
func best(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.ID, b.ID))
}

// view is what one search sees of a space.
type view struct {
	kind   kind
	blocks []*block
	n      int
	all    bool     // slots 0 to n
	slots  []uint32 // else
}

func (x *Index) view(k kind, conversations []string) (v view, ok bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := x.spaces[k]
	if s == nil {
		return v, false
	}
	v = view{kind: k, blocks: s.blocks, n: s.n, all: conversations == nil}
	for _, c := range conversations {
		if t := s.talks[c]; t != nil && v.slots == nil {
			v.slots = t.slots[:len(t.slots):len(t.slots)]
		} else if t != nil {
			v.slots = append(v.slots, t.slots...)
		}
	}
	if !v.all {
		v.n = len(v.slots)
	}
	return v, v.n > 0
}

func (v view) slot(n int) int {
	if v.all {
		return n
	}
	return int(v.slots[n])
}

// removed is the distance of what was removed.
const removed = ^uint16(0)

// distances are in how many signs each vector differs.
func (v view) distances(to Vector) []uint16 {
	w := words(v.kind.length)
	want := make([]uint64, w)
	signs(want, to.codes)
	away := make([]uint16, v.n)
	for n := range away {
		slot := v.slot(n)
		b, i := v.blocks[slot/blockSize], slot%blockSize
		if b.dead[i].Load() {
			away[n] = removed
			continue
		}
		d := 0
		for j, bit := range b.bits[i*w : (i+1)*w] {
			d += bits.OnesCount64(bit ^ want[j])
		}
		away[n] = uint16(d)
	}
	return away
}

// exact puts what differs in from to below to signs, and is seen, in its place among the
// best hits, and returns how many there were.
func (v view) exact(hits []Hit, q Query, away []uint16, from, to uint16) ([]Hit, int) {
	compared := 0
	for n, d := range away {
		if d < from || d >= to {
			continue
		}
		slot := v.slot(n)
		b, i := v.blocks[slot/blockSize], slot%blockSize
		if q.Sees != nil && !q.Sees(b.id[i]) {
			continue
		}
		compared++
		is := Vector{codes: b.codes[i*v.kind.length : (i+1)*v.kind.length], scale: b.scale[i]}
		h := Hit{b.id[i], is.Cosine(q.Vector)}
		if len(hits) == q.K && best(h, hits[q.K-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(hits, h, best)
		hits = slices.Insert(hits, at, h)
		hits = hits[:min(len(hits), q.K)]
	}
	return hits, compared
}
