package pii

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
)

// lexicon is a set of words to look up at a place of a text.
type lexicon struct {
	first index // by first rune
	last  index // by last rune
}

// index holds words by the rune at one of their ends and the one beside it, the longest first: most words of a
// text are ruled out by the two, without looking at any word. It is a hash table of its own because it is asked
// several times for each rune of a text.
type index struct {
	maybe [64]uint64 // a bit for the low bits of each rune at an end, in both cases: most runes are at none
	lone  [64]uint64 // the same for those of words of one rune
	both  []uint64   // a bit for a part of the hash of each pair: most pairs are in no word
	slots []slot     // a power of two
	shift uint8      // of a hash, so that it is a place in slots
	used  int
	pairs map[rune][]rune // which runes stand beside one at an end: only for additions
}

// slot holds the words with a pair of runes, and behind them those of the first rune alone.
type slot struct {
	pair pair
	list []entry
}

// pair is a rune at the end of a word and the one beside it, which is 0 where there is none.
type pair uint64

func (p pair) end() rune    { return rune(p >> 32) }
func (p pair) beside() rune { return rune(uint32(p)) }

func pairOf(end, beside rune) pair { return pair(uint32(end))<<32 | pair(uint32(beside)) }

// may reports whether a word may have a rune at its end.
func (x *index) may(r rune) bool { return x.maybe[r>>6&63]&(1<<(r&63)) != 0 }

// of returns the words with a rune at an end and another beside it, the longest first, and then the words of
// that rune alone.
func (x *index) of(end, beside rune) []entry {
	if !x.may(end) {
		return nil
	}
	p := pairOf(end, beside)
	if h := x.bit(p); x.both[h>>6]&(1<<(h&63)) != 0 {
		if list := x.find(p); list != nil {
			return list
		}
	}
	if x.lone[end>>6&63]&(1<<(end&63)) == 0 {
		return nil
	}
	return x.find(pairOf(end, 0))
}

// bit is the bit of a pair in both, which has eight for each slot.
func (x *index) bit(p pair) int { return int(uint64(p) * 0x9E3779B97F4A7C15 >> (x.shift - 3)) }

// place is where the search for a pair begins: the upper bits of a product with 2^64 divided by the golden ratio
// (Knuth, The Art of Computer Programming, volume 3, 6.4).
func (x *index) place(p pair) int { return int(uint64(p) * 0x9E3779B97F4A7C15 >> x.shift) }

func (x *index) find(p pair) []entry {
	for i := x.place(p); ; i = (i + 1) & (len(x.slots) - 1) {
		if s := &x.slots[i]; s.pair == p || s.list == nil {
			return s.list
		}
	}
}

// slot is where a pair is or will be.
func (x *index) slot(p pair) *slot {
	for i := x.place(p); ; i = (i + 1) & (len(x.slots) - 1) {
		if s := &x.slots[i]; s.pair == p || s.list == nil {
			return s
		}
	}
}

// put sets the words of a pair.
func (x *index) put(p pair, list []entry) {
	if 2*x.used >= len(x.slots) {
		old := x.slots
		size := max(8, 2*len(old))
		x.slots, x.shift = make([]slot, size), uint8(64-bits.TrailingZeros(uint(size)))
		x.both = make([]uint64, size/8)
		for _, s := range old {
			if s.list != nil {
				*x.slot(s.pair) = s
				x.know(s.pair)
			}
		}
	}
	x.know(p)
	s := x.slot(p)
	if s.list == nil {
		x.used++
	}
	*s = slot{p, list}
}

func (x *index) know(p pair) {
	h := x.bit(p)
	x.both[h>>6] |= 1 << (h & 63)
}

type entry struct {
	word []rune
	mark uint32 // what the lexicon's owner says about the word
}

// words makes a lexicon of words separated by spaces; _ is a space within a word. A word
// in Latin letters matches in any case.
func words(list string) *lexicon { return newLexicon().also(0, list) }

// also adds words with a mark.
func (l *lexicon) also(mark uint32, list string) *lexicon {
	for _, w := range strings.Fields(list) {
		l.add(strings.ReplaceAll(w, "_", " "), mark)
	}
	return l
}

func newLexicon() *lexicon { return &lexicon{first: newIndex(), last: newIndex()} }

func newIndex() index {
	return index{slots: make([]slot, 8), both: make([]uint64, 1), shift: 61, pairs: map[rune][]rune{}}
}

func (l *lexicon) add(word string, mark uint32) {
	e := entry{word: []rune(strings.ToLower(word)), mark: mark}
	n := len(e.word)
	if n == 1 {
		l.first.insertLone(e)
		l.last.insertLone(e)
		return
	}
	l.first.insert(e.word[0], e.word[1], e)
	l.last.insert(e.word[n-1], e.word[n-2], e)
}

// insert keeps longer words before shorter ones.
func (x *index) insert(end, beside rune, e entry) {
	p := pairOf(end, beside)
	list := x.find(p)
	if list == nil {
		list = slices.Clone(x.find(pairOf(end, 0)))
		x.pairs[end] = append(x.pairs[end], beside)
	}
	i := 0
	for i < len(list) && len(list[i].word) >= len(e.word) {
		i++
	}
	x.put(p, slices.Insert(list, i, e))
	mark(&x.maybe, end)
}

// insertLone adds a word of one rune, which comes last whatever stands beside it.
func (x *index) insertLone(e entry) {
	end := e.word[0]
	for _, beside := range append([]rune{0}, x.pairs[end]...) {
		p := pairOf(end, beside)
		x.put(p, append(slices.Clip(x.find(p)), e))
	}
	mark(&x.maybe, end)
	mark(&x.lone, end)
}

func mark(bits *[64]uint64, r rune) {
	for _, r := range [...]rune{r, unicode.ToUpper(r)} {
		bits[r>>6&63] |= 1 << (r & 63)
	}
}

// at returns the end of the longest word that begins at an index, and its mark; -1 if
// there is none. A word in Latin letters must be whole.
func (l *lexicon) at(f *folded, i int) (end int, mark uint32) {
	if uint(i) >= uint(len(f.r)) || !l.first.may(f.r[i]) {
		return -1, 0
	}
	return l.longest(f, i)
}

func (l *lexicon) longest(f *folded, i int) (end int, mark uint32) {
	if f.latin(i) && f.latin(i-1) {
		return -1, 0
	}
	for _, e := range l.first.of(lowered(f.r[i]), lowered(f.at(i+1))) {
		if j := i + len(e.word); f.spells(i, e.word) && whole(f, i, j) {
			return j, e.mark
		}
	}
	return -1, 0
}

// before returns the start of the longest word that ends before an index; -1 if there is
// none.
func (l *lexicon) before(f *folded, i int) (start int, mark uint32) {
	if uint(i-1) >= uint(len(f.r)) || !l.last.may(f.r[i-1]) {
		return -1, 0
	}
	for _, e := range l.last.of(lowered(f.r[i-1]), lowered(f.at(i-2))) {
		if s := i - len(e.word); f.spells(s, e.word) && whole(f, s, i) {
			return s, e.mark
		}
	}
	return -1, 0
}

// inside reports whether a word of the lexicon is anywhere between two indices.
func (l *lexicon) inside(f *folded, i, j int) bool {
	for ; i < j; i++ {
		if end, _ := l.at(f, i); end >= 0 && end <= j {
			return true
		}
	}
	return false
}

// exactly reports whether the text between two indices is a word of the lexicon.
func (l *lexicon) exactly(f *folded, i, j int) bool {
	_, ok := l.marked(f, i, j)
	return ok
}

func (l *lexicon) marked(f *folded, i, j int) (mark uint32, ok bool) {
	for _, e := range l.first.of(lowered(f.at(i)), lowered(f.at(i+1))) {
		if len(e.word) == j-i && f.spells(i, e.word) {
			return e.mark, true
		}
	}
	return 0, false
}

// of returns the words that begin as a text does at an index, in lower case, the longest first.
func (l *lexicon) of(f *folded, i int) []entry { return l.first.of(f.at(i), f.at(i+1)) }

// exact returns the mark of a word, 0 if the lexicon does not have it.
func (l *lexicon) exact(word []rune) uint32 {
	for _, e := range l.first.of(word[0], second(word)) {
		if slices.Equal(e.word, word) {
			return e.mark
		}
	}
	return 0
}

// has reports whether the lexicon holds a word.
func (l *lexicon) has(word string) bool { return l.holds([]rune(word)) }

func (l *lexicon) holds(w []rune) bool {
	for _, e := range l.first.of(w[0], second(w)) {
		if slices.Equal(e.word, w) {
			return true
		}
	}
	return false
}

func second(word []rune) rune {
	if len(word) == 1 {
		return 0
	}
	return word[1]
}

func (f *folded) spells(i int, word []rune) bool {
	if i < 0 || i+len(word) > len(f.r) {
		return false
	}
	for k, r := range word {
		if lowered(f.r[i+k]) != r {
			return false
		}
	}
	return true
}

// whole reports whether no Latin word is cut off at either end.
func whole(f *folded, i, j int) bool {
	return !(f.latin(i-1) && f.latin(i)) && !(f.latin(j-1) && f.latin(j))
}
