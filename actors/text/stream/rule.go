package stream

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Rule says how long a reply may be. Lengths count graphemes: what a reader sees as one
// character, such as が written with a combining mark, or a family emoji.
type Rule struct {
	Max int // longest reply; below 1 nothing is cut
	Min int // a cut at the end of a sentence keeps at least as much
}

// DefaultRule keeps at most 400 graphemes, and at least 20 when it cuts after a sentence.
func DefaultRule() Rule { return Rule{Max: 400, Min: 20} }

// Final returns a finished reply as it is stored and sent: without white space around it,
// control characters and invisible format marks, and cut to Max. The cut is after the
// last sentence that ends between Min and Max, or else after Max graphemes. Final is
// idempotent.
func (r Rule) Final(text string) string {
	text = strings.TrimRightFunc(clean(text), unicode.IsSpace)
	at := r.measure(text)
	if !at.over {
		return text
	}
	return strings.TrimRightFunc(text[:at.cut()], unicode.IsSpace)
}

// Shown returns what may be shown of a reply that is written as far as soFar. However the
// reply continues, Final of the whole begins with it. Sentences are shown once they have
// ended; until the first ends, the first Min graphemes are. Bytes of an incomplete
// character wait.
func (r Rule) Shown(soFar string) string {
	text := strings.TrimRightFunc(clean(soFar), unicode.IsSpace)
	if r.Max < 1 { // nothing is cut, but the last grapheme may still grow
		return strings.TrimRightFunc(text[:lastStart(text)], unicode.IsSpace)
	}
	at := r.measure(text)
	end := at.cut()
	if !at.over {
		end = max(at.sentence, at.least)
	}
	return strings.TrimRightFunc(text[:end], unicode.IsSpace)
}

// Full reports whether no further text can change [Rule.Final], so that its writer may
// stop.
func (r Rule) Full(soFar string) bool {
	return r.measure(strings.TrimRightFunc(clean(soFar), unicode.IsSpace)).over
}

// marks are places in a text, in bytes.
type marks struct {
	sentence int // after the last sentence that ends between Min and Max; 0 for none
	least    int // after the first Min graphemes, fewer if one may still grow
	most     int // after Max graphemes
	over     bool
}

// cut returns where a text that is too long ends.
func (m marks) cut() int {
	if m.sentence > 0 {
		return m.sentence
	}
	return m.most
}

// measure walks over the graphemes of a text, at most Max and one more. The last grapheme
// may still grow, and a sentence may still go on, so neither counts until something
// follows.
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

// terminates reports whether a character may end a sentence.
func terminates(r rune) bool { return strings.ContainsRune("。｡．.？?！!", r) }

// closes reports whether a character belongs to the sentence before it.
func closes(r rune) bool { return strings.ContainsRune("」』）)】〉》］]”’\"'", r) }

// ends reports whether a sentence ends at at, before next. The text before at ends with
// marks that may end one, but Latin marks also occur in numbers, addresses and
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

// abbreviates reports whether a point after the text does not end a sentence: after a
// single letter, the number of a list item, or a usual abbreviation.
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

// clean drops what no reply needs: invalid UTF-8, control characters except line breaks
// and tabs, marks that change the writing direction, and leading white space. Line breaks
// of any form become \n.
func clean(text string) string {
	if plain(text) {
		return strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size <= 1: // invalid, or not complete yet
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

// plain reports whether clean leaves a text unchanged, except at its beginning.
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
