package lexical

import (
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/cespare/xxhash/v2"

	"github.com/kehai-run/kehai/actors/text"
)

// analysis counts the changes of the rules in this file. A snapshot of another one
// is not read.
const analysis = 1

// Key stands for a term: a hash for a word, the letters themselves for others.
type Key uint64

// Kind is what a key stands for.
type Kind uint8

// Kinds of terms.
const (
	Word   Kind = iota // a word of an alphabet, English ones by their stem
	Pair               // two neighbouring letters of Chinese, Japanese or Korean
	Letter             // one Chinese letter, lone kana, or a symbol such as an emoji
	Gram               // three letters of a Latin word, ^ for its beginning
)

const (
	wordBit    = 1 << 63
	runeBits   = 21
	runeMask   = 1<<runeBits - 1
	longWord   = 64 // bytes; a longer word is not split
	gramLetter = 4  // letters of the shortest word with grams
	start      = '^'
)

// Kind says what a key stands for.
func (k Key) Kind() Kind {
	switch {
	case k&wordBit != 0:
		return Word
	case k>>runeBits&runeMask == 0:
		return Letter
	case k&runeMask == 0:
		return Pair
	}
	return Gram
}

func spell(a, b, c rune) Key { return Key(a)<<(2*runeBits) | Key(b)<<runeBits | Key(c) }

// Term is one term of a text.
type Term struct {
	Key  Key
	Kind Kind
	// Surface is the word as it was written, normalised, also of a gram, or the letters.
	Surface string
	// Common is true for words and letters that say little by themselves: "the",
	// "what", pairs of hiragana, and grams of such words.
	Common bool
}

// Terms returns the terms of a text in order, with repetitions. Two spellings of a
// word by the rules of this package have the same keys.
func Terms(s string) []Term {
	var list []Term
	a := analyzer{stems: map[string]string{}}
	a.each(s, func(t token) {
		list = append(list, Term{Key: t.key, Kind: t.key.Kind(), Surface: t.text(), Common: t.common()})
	})
	return list
}

// token is a term while it is being read.
type token struct {
	key     Key
	surface []byte // the word it comes from; valid during the call only
	kana    bool   // a pair or letter of hiragana
}

// text is the word, or the letters that the key spells.
func (t token) text() string {
	if t.surface != nil {
		return string(t.surface)
	}
	s := string(rune(t.key >> (2 * runeBits)))
	if b := rune(t.key >> runeBits & runeMask); b != 0 {
		s += string(b)
	}
	return s
}

func (t token) common() bool {
	return t.kana || (t.key.Kind() == Word || t.key.Kind() == Gram) && stopWords[string(t.surface)]
}

// analyzer reads texts. It remembers stems, and is for one goroutine.
type analyzer struct {
	stems map[string]string
	word  []byte
	env   *snowballstem.Env
}

// maxStems bounds the memory of stems.
const maxStems = 1 << 16

// run is the stretch of Chinese, Japanese or Korean letters being read.
type run struct {
	before         rune // folded; 0 at its beginning
	kana           bool // before is hiragana
	letters, wrote int
}

// each calls emit for every term of a text.
func (a *analyzer) each(s string, emit func(token)) {
	if !isASCII(s) {
		s = text.Normalize(s)
	}
	var r run
	a.word = a.word[:0]
	for i := 0; i < len(s); {
		c, n := rune(s[i]), 1
		if c >= utf8.RuneSelf {
			c, n = utf8.DecodeRuneInString(s[i:])
		}
		i += n
		switch classify(c) {
		case inWord:
			r.end(emit)
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			a.word = utf8.AppendRune(a.word, c)
			continue
		case inRun:
			a.endWord(emit)
			r.letter(c, emit)
			continue
		case apostrophe:
			if len(a.word) > 0 && i < len(s) && isLatin(s[i]) {
				if s[i]|0x20 == 's' && (i+1 == len(s) || !isLatin(s[i+1])) {
					i++ // of a person or thing: Anna's
				}
				continue
			}
		case symbol:
			a.endWord(emit)
			r.end(emit)
			emit(token{key: spell(c, 0, 0)})
			continue
		}
		a.endWord(emit)
		r.end(emit)
	}
	a.endWord(emit)
	r.end(emit)
}

// endWord emits the word that was read, if there is one.
func (a *analyzer) endWord(emit func(token)) {
	if len(a.word) == 0 {
		return
	}
	w := a.word
	emit(token{key: wordKey(a.stem(w)), surface: w})
	if latin := isLatinWord(w); latin && len(w) >= gramLetter && len(w) <= longWord && !stopWords[string(w)] {
		p, q := rune(start), rune(w[0])
		for _, b := range w[1:] {
			emit(token{key: spell(p, q, rune(b)), surface: w})
			p, q = q, rune(b)
		}
	}
	a.word = a.word[:0]
}

func wordKey(s string) Key { return Key(xxhash.Sum64String(s)) | wordBit }

// stem returns the stem of an English word, and any other word unchanged.
func (a *analyzer) stem(w []byte) string {
	if s, ok := a.stems[string(w)]; ok {
		return s
	}
	word := string(w)
	s := word
	if isLatinWord(w) && len(w) <= longWord {
		if a.env == nil {
			a.env = snowballstem.NewEnv("")
		}
		a.env.SetCurrent(irregular(word))
		english.Stem(a.env)
		s = a.env.Current()
	}
	if len(a.stems) >= maxStems {
		clear(a.stems)
	}
	if len(w) <= longWord {
		a.stems[word] = s
	}
	return s
}

// letter adds one letter to a run.
func (r *run) letter(c rune, emit func(token)) {
	han := unicode.Is(unicode.Han, c)
	kana := c >= 0x3041 && c <= 0x309F
	if c >= 0x30A1 && c <= 0x30F6 {
		c -= 0x60 // katakana becomes hiragana
	}
	r.letters++
	if han {
		emit(token{key: spell(c, 0, 0)})
		r.wrote++
	}
	if r.before != 0 {
		emit(token{key: spell(r.before, c, 0), kana: r.kana && kana})
		r.wrote++
	}
	r.before, r.kana = c, kana
}

// end closes a run; a single letter becomes a term itself.
func (r *run) end(emit func(token)) {
	if r.letters > 0 && r.wrote == 0 {
		emit(token{key: spell(r.before, 0, 0), kana: r.kana})
	}
	*r = run{}
}

type class uint8

const (
	other class = iota
	inWord
	inRun
	apostrophe
	symbol
)

// classify returns the class of a normalised letter.
func classify(c rune) class {
	switch {
	case c < utf8.RuneSelf:
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
			return inWord
		case c == '\'':
			return apostrophe
		}
		return other
	case c >= 0x3041 && c <= 0x3096, c >= 0x30A1 && c <= 0x30FA, c == 'ー', c == '々', c >= 0x4E00 && c <= 0x9FFF:
		return inRun
	case c == '’':
		return apostrophe
	case unicode.In(c, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana):
		return inRun
	case unicode.IsLetter(c), unicode.IsNumber(c), unicode.IsMark(c):
		return inWord
	case unicode.IsSymbol(c):
		return symbol
	}
	return other
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isLatin(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

func isLatinWord(w []byte) bool {
	for _, b := range w {
		if !isLatin(b) {
			return false
		}
	}
	return true
}
