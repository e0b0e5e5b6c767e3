package stream

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Rule says how long a reply may be. Lengths count graphemes: what a reader
// takes for one character, such as が written with a combining mark, or a family
// of emoji.
type Rule struct {
	Max int // longest reply; below 1 nothing is cut
	Min int // a cut at the end of a sentence keeps at least as much
}

// DefaultRule keeps 400 graphemes, and at least 20 up to the end of a sentence.
func DefaultRule() Rule { return Rule{Max: 400, Min: 20} }

// Final is a finished reply as it is stored and sent: without white space around
// it, without control characters and marks of format that nobody sees,
// and cut to Max: behind the last sentence that ends between Min and Max, or
// else behind Max graphemes. Final of a final text is the text itself.
func (r Rule) Final(text string) string {
	text = strings.TrimRightFunc(clean(text), unicode.IsSpace)
	at := r.measure(text)
	if !at.over {
		return text
	}
	return strings.TrimRightFunc(text[:at.cut()], unicode.IsSpace)
}

// Shown is what may be shown of a reply of which soFar has been written. However
// it goes on, Final of the whole begins with it: sentences are shown once they
// have ended, and before the first one the first Min graphemes. Bytes of a
// character that has not arrived whole wait.
func (r Rule) Shown(soFar string) string {
	text := strings.TrimRightFunc(clean(soFar), unicode.IsSpace)
	if r.Max < 1 { // nothing will be cut, but the last grapheme may still grow
		return strings.TrimRightFunc(text[:lastStart(text)], unicode.IsSpace)
	}
	at := r.measure(text)
	end := at.cut()
	if !at.over {
		end = max(at.sentence, at.least)
	}
	return strings.TrimRightFunc(text[:end], unicode.IsSpace)
}

// Full reports whether no more of the text can change [Rule.Final]: who writes it
// may stop.
func (r Rule) Full(soFar string) bool {
	return r.measure(strings.TrimRightFunc(clean(soFar), unicode.IsSpace)).over
}

// marks are places in a text, in bytes.
type marks struct {
	sentence int // behind the last sentence that ends between Min and Max; 0 for none
	least    int // behind the first Min graphemes, less if one more may still grow
	most     int // behind Max graphemes
	over     bool
}

// cut is where a text that is too long ends.
func (m marks) cut() int {
	if m.sentence > 0 {
		return m.sentence
	}
	return m.most
}

// measure walks over the graphemes of a text, at most Max and one more. The last
// one may still grow and the end of a sentence may still be none, so neither is
// counted until something follows.
func (r Rule) measure(text string) (m marks) {
	if r.Max < 1 {
		return m
	}
	ending := false // the graphemes before are the end of a sentence
	for at, count := 0, 0; at < len(text); count++ {
		size := grapheme(text[at:])
		first, _ := utf8.DecodeRuneInString(text[at:])
		goesOn := ending && (closes(first) || terminates(first))
		if ending && !goesOn && count >= r.Min && ends(text, at, first) {
			m.sentence = at
		}
		switch {
		case count == r.Max:
			if ending && goesOn && r.Max >= r.Min { // the end of the sentence reaches over the limit
				m.sentence = at
			}
			m.most, m.over = at, true
			return m
		case count <= r.Min:
			m.least = at
		}
		ending = terminates(first) || goesOn
		at += size
	}
	return m
}

// terminates reports a character that may end a sentence.
func terminates(r rune) bool { return strings.ContainsRune("。｡．.？?！!", r) }

// closes reports a character that belongs to the sentence before it.
func closes(r rune) bool { return strings.ContainsRune("」』）)】〉》］]”’\"'", r) }

// ends says whether the text before at, whose last characters may end a sentence,
// does so before next. Latin marks also stand inside numbers, addresses and
// abbreviations.
func ends(text string, at int, next rune) bool {
	before := strings.TrimRightFunc(text[:at], closes)
	mark, size := utf8.DecodeLastRuneInString(before)
	switch mark {
	case '?', '!':
		return next > unicode.MaxASCII || !unicode.IsLetter(next) && !unicode.IsDigit(next) &&
			!strings.ContainsRune("=&/_", next)
	case '.':
		if next <= unicode.MaxASCII && !unicode.IsSpace(next) {
			return false
		}
		return !abbreviates(before[:len(before)-size])
	}
	return true
}

// abbreviates reports whether a point behind the text does not end a sentence: behind
// one letter, behind the number of a list's item, and behind usual abbreviations.
func abbreviates(text string) bool {
	start := strings.LastIndexFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("(（「\"'", r)
	}) + 1
	if start > 0 {
		_, size := utf8.DecodeRuneInString(text[start-1:])
		start += size - 1
	}
	word := text[start:]
	switch strings.ToLower(word) {
	case "mr", "mrs", "ms", "dr", "prof", "st", "vs", "no", "e.g", "i.e", "approx", "co", "inc", "ltd":
		return true
	case "":
		return false
	}
	if utf8.RuneCountInString(word) == 1 && word[0] < utf8.RuneSelf && unicode.IsLetter(rune(word[0])) && word != "I" {
		return true
	}
	number := strings.Trim(word, "0123456789") == ""
	line := strings.TrimRight(text[:start], " \t")
	return number && (line == "" || strings.HasSuffix(line, "\n"))
}

// clean drops what no reply needs: what is not UTF-8, control characters but line
// breaks and tabs, and marks that turn the direction of writing. A break of any
// form becomes \n, and white space at the beginning goes.
func clean(text string) string {
	if plain(text) {
		return strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size <= 1: // what is broken, or has not arrived whole
		case r == '\r':
			if i+1 < len(text) && text[i+1] == '\n' {
				size = 2
			}
			b.WriteByte('\n')
		case dropped(r):
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return strings.TrimLeftFunc(b.String(), unicode.IsSpace)
}

// plain reports a text that clean leaves as it is, but for its beginning.
func plain(text string) bool {
	return utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return r == '\r' || dropped(r) }) < 0
}

func dropped(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r >= 0x200C && r <= 0x200F, r >= 0xE0020 && r <= 0xE007F: // letters, emoji and flags need these
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}
