package pii

import (
	"slices"
	"strings"
)

// lexicon is a set of words to look up at a place of a text.
type lexicon struct {
	first index // by first rune
	last  index // by last rune
}

// index holds words by one of their runes, the longest first.
type index struct {
	words map[rune][]entry
	maybe [64]uint64 // a bit for the low bits of each rune: most runes begin no word
	dense [][]entry  // the same for Japanese, if there are many: a look-up without hashing
}

// The runes of a dense index.
const (
	firstDense = 0x3040
	lastDense  = 0x9FFF
	manyWords  = 200
)

func (x *index) of(r rune) []entry {
	if x.maybe[r>>6&63]&(1<<(r&63)) == 0 {
		return nil
	}
	if x.dense != nil && r >= firstDense && r <= lastDense {
		return x.dense[r-firstDense]
	}
	return x.words[r]
}

// condense speeds up a large index.
func (x *index) condense() {
	if len(x.words) < manyWords {
		return
	}
	x.dense = make([][]entry, lastDense-firstDense+1)
	for r, list := range x.words {
		if r >= firstDense && r <= lastDense {
			x.dense[r-firstDense] = list
		}
	}
}

type entry struct {
	word   []rune
	mark   uint32 // what the lexicon's owner says about the word
	second rune   // of the word, 0 if it has one: most words are ruled out by it
}

// misses reports whether a word has another second rune than the text.
func (e *entry) misses(next rune) bool { return e.second != next && e.second != 0 }

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

func newLexicon() *lexicon {
	return &lexicon{first: index{words: map[rune][]entry{}}, last: index{words: map[rune][]entry{}}}
}

func (l *lexicon) add(word string, mark uint32) {
	e := entry{word: []rune(strings.ToLower(word)), mark: mark}
	if len(e.word) > 1 {
		e.second = e.word[1]
	}
	l.first.insert(e.word[0], e)
	l.last.insert(e.word[len(e.word)-1], e)
}

// insert keeps longer words before shorter ones.
func (x *index) insert(key rune, e entry) {
	list := x.words[key]
	i := 0
	for i < len(list) && len(list[i].word) >= len(e.word) {
		i++
	}
	list = append(list, entry{})
	copy(list[i+1:], list[i:])
	list[i] = e
	x.words[key] = list
	x.maybe[key>>6&63] |= 1 << (key & 63)
}

// at returns the end of the longest word that begins at an index, and its mark; -1 if
// there is none. A word in Latin letters must be whole.
func (l *lexicon) at(f *folded, i int) (end int, mark uint32) {
	if f.latin(i) && f.latin(i-1) {
		return -1, 0
	}
	next := lowered(f.at(i + 1))
	for _, e := range l.first.of(lowered(f.at(i))) {
		if e.misses(next) {
			continue
		}
		if j := i + len(e.word); f.spells(i, e.word) && whole(f, i, j) {
			return j, e.mark
		}
	}
	return -1, 0
}

// before returns the start of the longest word that ends before an index; -1 if there is
// none.
func (l *lexicon) before(f *folded, i int) (start int, mark uint32) {
	for _, e := range l.last.of(lowered(f.at(i - 1))) {
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
	for _, e := range l.first.of(lowered(f.at(i))) {
		if len(e.word) == j-i && f.spells(i, e.word) {
			return e.mark, true
		}
	}
	return 0, false
}

// exact returns the mark of a word, 0 if the lexicon does not have it.
func (l *lexicon) exact(word []rune) uint32 {
	for _, e := range l.first.of(word[0]) {
		if slices.Equal(e.word, word) {
			return e.mark
		}
	}
	return 0
}

// has reports whether the lexicon holds a word.
func (l *lexicon) has(word string) bool {
	w := []rune(word)
	for _, e := range l.first.of(w[0]) {
		if slices.Equal(e.word, w) {
			return true
		}
	}
	return false
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
