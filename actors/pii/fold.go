package pii

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/kehai-run/kehai/actors/text"
)

// folded is a text in the form that the recognisers read, with the way back to the
// original. An index counts folded runes.
type folded struct {
	text     string
	r        []rune
	class    []class
	starts   []starts // which words may begin at a rune
	words    *startsTable
	from, to []int32 // the bytes of text that a folded rune stands for
}

// class is what kind of letter a rune is.
type class uint8

const (
	other class = iota
	space
	newline
	digit
	upper // Latin
	lower // Latin
	kanji
	hiragana
	katakana // with the mark of a long vowel
	letter   // of any other script
)

// fold folds a valid text. Compatibility forms become plain ones (NFKC), accents leave
// Latin letters, digits of any script become ASCII, dashes become "-", quotes become "'"
// or a double quote, and invisible characters are dropped. Each span to hide becomes one
// rune that is not a letter.
func fold(text string, hide []Span) *folded {
	n := utf8.RuneCountInString(text)
	n += n/16 + 16 // some runes become several
	f := &folded{text: text, words: wordStarts(), r: make([]rune, 0, n), class: make([]class, 0, n),
		from: make([]int32, 0, n), to: make([]int32, 0, n)}
	for i := 0; i < len(text); {
		if len(hide) > 0 && i >= hide[0].Start {
			f.add(masked, hide[0].Start, hide[0].End)
			i, hide = hide[0].End, hide[1:]
			continue
		}
		c := text[i]
		if c < utf8.RuneSelf {
			if i+1 == len(text) || text[i+1] < utf8.RuneSelf {
				f.add(rune(c), i, i+1)
				i++
				continue
			}
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		next, _ := utf8.DecodeRuneInString(text[i+size:])
		if (plain(r) || fullWidth(r)) && (i+size == len(text) || plain(next) || fullWidth(next)) {
			if fullWidth(r) {
				r -= '！' - '!'
			}
			f.add(r, i, i+size)
			i += size
			continue
		}
		end := i + norm.NFKC.NextBoundaryInString(text[i:], true)
		if end <= i {
			end = i + size
		}
		if len(hide) > 0 {
			end = min(end, hide[0].Start)
		}
		f.segment(i, end)
		i = end
	}
	f.starts = make([]starts, len(f.r))
	for i := range f.starts {
		f.begin(i)
	}
	return f
}

// masked replaces, in a folded text, what is masked already.
const masked = '\uFFFC'

// plain reports whether a rune is folded already and never joins with the next one.
func plain(r rune) bool {
	return r < 0x80 || r >= 0x3041 && r <= 0x3096 || r >= 0x30A1 && r <= 0x30FA || r == 'ー' ||
		r >= 0x4E00 && r <= 0x9FFF || r >= 0x3001 && r <= 0x3003 || r >= 0x3005 && r <= 0x3012 || r == '・'
}

// fullWidth reports whether a rune is an ASCII letter, digit or sign in full width. It never joins with the next
// one either.
func fullWidth(r rune) bool { return r >= '！' && r <= '～' }

// segment folds a piece that is normalised as one. A piece may be as long as an
// attacker likes (a letter under thousands of accents), so marks are dropped
// before they are put in order.
func (f *folded) segment(from, end int) {
	const most = 64
	piece := f.text[from:end]
	if len(piece) > most {
		piece = text.First(piece, most/utf8.UTFMax)
	}
	for _, r := range norm.NFKC.String(piece) {
		f.add(bare(r), from, end)
	}
}

// bare removes the accent of a Latin letter and returns other runes in their plain form;
// 0 for invisible ones.
func bare(r rune) rune {
	switch {
	case r < 0x80:
		return r
	case unicode.Is(unicode.Latin, r):
		if d := norm.NFD.PropertiesString(string(r)).Decomposition(); len(d) > 0 && d[0] < utf8.RuneSelf {
			return rune(d[0])
		}
	case r >= 0x2010 && r <= 0x2015, r == 0x2212, r == 0x2043, r == 0x30A0:
		return '-'
	case r == '\u2018', r == '\u2019', r == '\u02BC':
		return '\''
	case r == '\u201C', r == '\u201D':
		return '"'
	case unicode.Is(unicode.Nd, r):
		return '0' + digitValue(r)
	case r == 'ヽ', r == 'ヾ', r == 'ゝ', r == 'ゞ':
		return r
	case hidden(r):
		return 0
	case unicode.IsSpace(r):
		if r == '\u0085' || r == '\u2028' || r == '\u2029' {
			return '\n'
		}
		return ' '
	}
	return r
}

// hidden reports whether a rune is a format mark or a filler.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Variation_Selector) ||
		r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0x2800
}

// digitValue counts from the start of a range: ranges of decimal digits begin with
// a zero.
func digitValue(r rune) rune {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	return 0
}

func (f *folded) add(r rune, from, to int) {
	if r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7F {
		return
	}
	f.r = append(f.r, r)
	f.class = append(f.class, classOf(r))
	f.from = append(f.from, int32(from))
	f.to = append(f.to, int32(to))
}

// begin sets which words may begin at an index: none inside of one in Latin letters.
func (f *folded) begin(i int) {
	if f.latin(i) && f.latin(i-1) {
		f.starts[i] = 0
		return
	}
	f.starts[i] = f.words.of(f.r[i], f.at(i+1))
}

// hide makes each span one rune that is not a letter, as fold does: spans begin and end between folded runes.
func (f *folded) hide(spans []Span) {
	n, i := 0, 0
	for _, s := range spans {
		j := i
		for j < len(f.r) && int(f.from[j]) < s.Start {
			j++
		}
		n = f.move(n, i, j)
		for i = j; i < len(f.r) && int(f.from[i]) < s.End; i++ {
		}
		if i > j {
			f.r[n], f.class[n], f.from[n], f.to[n] = masked, other, int32(s.Start), int32(s.End)
			n++
		}
	}
	n = f.move(n, i, len(f.r))
	f.r, f.class, f.starts, f.from, f.to = f.r[:n], f.class[:n], f.starts[:n], f.from[:n], f.to[:n]
	for i, r := range f.r {
		if r == masked { // the words around it end
			for k := max(0, i-1); k <= min(i+1, n-1); k++ {
				f.begin(k)
			}
		}
	}
}

// move puts the runes between two indices at another one, and returns the end of where they are.
func (f *folded) move(to, i, j int) int {
	copy(f.r[to:], f.r[i:j])
	copy(f.class[to:], f.class[i:j])
	copy(f.starts[to:], f.starts[i:j])
	copy(f.from[to:], f.from[i:j])
	copy(f.to[to:], f.to[i:j])
	return to + j - i
}

func classOf(r rune) class {
	switch {
	case r < 0x80:
		return asciiClasses[r]
	case r >= 0x3041 && r <= 0x3096 || r == 'ゝ' || r == 'ゞ':
		return hiragana
	case r >= 0x3400 && r <= 0x9FFF || r == '々' || r == '〆' || r == '〇' ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x20000 && r <= 0x3FFFF:
		return kanji
	case r >= 0x30A1 && r <= 0x30FA || r == 'ー' || r == 'ヽ' || r == 'ヾ':
		return katakana
	case r == masked, r >= 0x3001 && r <= 0x3003:
		return other
	case unicode.Is(unicode.Latin, r):
		if unicode.IsUpper(r) {
			return upper
		}
		return lower
	case unicode.IsLetter(r):
		return letter
	}
	return other
}

var asciiClasses = func() (table [0x80]class) {
	for r := range table {
		switch {
		case r >= 'a' && r <= 'z':
			table[r] = lower
		case r >= 'A' && r <= 'Z':
			table[r] = upper
		case r >= '0' && r <= '9':
			table[r] = digit
		case r == '\n' || r == '\r':
			table[r] = newline
		case r == ' ' || r == '\t':
			table[r] = space
		}
	}
	return table
}()

// at returns the rune at an index, 0 outside the text.
func (f *folded) at(i int) rune {
	if uint(i) >= uint(len(f.r)) {
		return 0
	}
	return f.r[i]
}

// is returns the class at an index. Outside the text that is newline, because both end
// what comes before.
func (f *folded) is(i int) class {
	if uint(i) >= uint(len(f.class)) {
		return newline
	}
	return f.class[i]
}

// latin reports whether a rune is a Latin letter.
func (f *folded) latin(i int) bool { return f.is(i)-upper <= lower-upper }

// word reports whether a rune is a Latin letter or a digit.
func (f *folded) word(i int) bool { return f.is(i)-digit <= lower-digit }

// japanese reports whether a rune is kanji or kana.
func (f *folded) japanese(i int) bool { c := f.is(i); return c >= kanji && c <= katakana }

// has reports whether a word begins at an index.
func (f *folded) has(i int, word string) bool {
	for _, r := range word {
		if f.at(i) != r || r == 0 {
			return false
		}
		i++
	}
	return true
}

// ends reports whether a word ends before an index.
func (f *folded) ends(i int, word string) bool {
	for len(word) > 0 {
		r, size := utf8.DecodeLastRuneInString(word)
		if i--; f.at(i) != r {
			return false
		}
		word = word[:len(word)-size]
	}
	return true
}

// run goes forward from an index while the class is in a set, at most most runes.
func (f *folded) run(i, most int, in classes) int {
	for end := min(i+most, len(f.r)); i < end && in.has(f.class[i]); i++ {
	}
	return i
}

// back goes back from an index while the class before it is in a set, at most most runes.
func (f *folded) back(i, most int, in classes) int {
	for start := max(i-most, 0); i > start && in.has(f.class[i-1]); i-- {
	}
	return i
}

// classes is a set of classes.
type classes uint16

// set makes a set, which is a constant if it has one class, as most have.
func set(first class, more ...class) classes {
	c := classes(1) << first
	for _, k := range more {
		c |= 1 << k
	}
	return c
}

func (c classes) has(k class) bool { return c&(1<<k) != 0 }

// string returns the folded text between two indices.
func (f *folded) string(i, j int) string { return string(f.r[i:j]) }

// lowered is a rune with ASCII letters in lower case.
func lowered(r rune) rune {
	if r >= 'A' && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}
