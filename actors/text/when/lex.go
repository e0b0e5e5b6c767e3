package when

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is the kind of a token.
type kind uint8

const (
	other  kind = iota // one rune of anything else
	number             // digits, or Chinese numerals
	word               // Latin letters, with apostrophes inside
	term               // of the Japanese dictionary
)

// token is a piece of a text without the white space between pieces.
type token struct {
	kind       kind
	text       string // folded: half width, lower case
	n          int    // of a number; -1 if it is too long
	digits     int    // Arabic digits of a number, 0 for Chinese numerals
	start, end int    // bytes of the text
	spaced     bool   // white space, or the beginning of the text, is before it
}

// letter is a folded rune and its place.
type letter struct {
	r          rune
	start, end int
}

// longest has, for each first rune, the length in runes of the longest Japanese term.
var longest = lengths(japanese, particles)

// lengths makes the table of the longest terms.
func lengths(items map[string]fields, others map[string]bool) map[rune]int {
	table := map[rune]int{}
	note := func(t string) {
		runes := []rune(t)
		table[runes[0]] = max(table[runes[0]], len(runes))
	}
	for t := range items {
		note(t)
	}
	for t := range others {
		note(t)
	}
	return table
}

// lex cuts a text into tokens.
func lex(text string) []token {
	letters := make([]letter, 0, len(text))
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		letters = append(letters, letter{fold(r), i, i + size})
	}
	var tokens []token
	spaced := true
	for i := 0; i < len(letters); {
		if unicode.IsSpace(letters[i].r) {
			spaced = true
			i++
			continue
		}
		t, size := next(text, letters[i:])
		t.start, t.end, t.spaced = letters[i].start, letters[i+size-1].end, spaced
		tokens = append(tokens, t)
		spaced = false
		i += size
	}
	return tokens
}

// fold returns the form in which a rune is compared.
func fold(r rune) rune {
	switch {
	case r >= '！' && r <= '～': // full width
		r -= '！' - '!'
	case r == '’':
		return '\''
	case r == '−', r == '–', r == '‐':
		return '-'
	case r == '〜':
		return '~'
	}
	if r < utf8.RuneSelf && r >= 'A' && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

// next reads the token at the beginning and returns how many runes it has.
func next(text string, s []letter) (t token, size int) {
	r := s[0].r
	switch {
	case isDigit(r):
		return digits(s)
	case isLetter(r):
		n := 1
		for n < len(s) && (isLetter(s[n].r) || s[n].r == '\'' && n+1 < len(s) && isLetter(s[n+1].r)) {
			n++
		}
		return token{kind: word, text: spell(s[:n])}, n
	case r < 0x3000:
		return token{text: string(r)}, 1
	}
	for n := min(longest[r], len(s)); n > 0; n-- {
		t := text[s[0].start:s[n-1].end]
		if _, timely := japanese[t]; timely || particles[t] {
			return token{kind: term, text: t}, n
		}
	}
	if numeral(r) >= 0 {
		return numerals(s)
	}
	return token{text: string(r)}, 1
}

func spell(s []letter) string {
	var b strings.Builder
	for _, l := range s {
		b.WriteRune(l.r)
	}
	return b.String()
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isLetter(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 0xC0 && r < 0x250 && unicode.IsLetter(r)
}

// digits reads Arabic digits.
func digits(s []letter) (token, int) {
	t, n := token{kind: number}, 0
	for ; n < len(s) && isDigit(s[n].r); n++ {
		if n < 8 {
			t.n = 10*t.n + int(s[n].r-'0')
		}
	}
	if n > 8 {
		t.n = -1
	}
	t.digits = n
	return t, n
}

// numeral is the value of a Chinese digit, or 10, 100, 1000; -1 for other runes.
func numeral(r rune) int {
	switch r {
	case '十':
		return 10
	case '百':
		return 100
	case '千':
		return 1000
	case '〇':
		return 0
	}
	if i := strings.IndexRune("一二三四五六七八九", r); i >= 0 {
		return i/len("一") + 1
	}
	return -1
}

// numerals reads Chinese numerals, as in 二十三 and in 二〇二六.
func numerals(s []letter) (token, int) {
	sum, row, n, run := 0, 0, 0, 0
	good := true
	for n < len(s) && numeral(s[n].r) >= 0 {
		v := numeral(s[n].r)
		if v >= 10 {
			good = good && run <= 1
			if run == 0 {
				row = 1
			}
			sum, row, run = sum+row*v, 0, 0
		} else {
			row, run = 10*row+v, run+1
		}
		good = good && run <= 5 && n < 8
		if !good {
			sum, row = 0, 0
		}
		n++
	}
	t := token{kind: number, n: sum + row}
	if !good {
		t.n = -1
	}
	return t, n
}
