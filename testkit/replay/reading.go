package replay

import (
	"strings"
	"unicode"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// nearEnough is the largest share of wrong letters, one in so many, of a text that is near.
const nearEnough = 5

// read counts how the text of a message came out. The most similar of its versions counts.
func (s *scorer) read(m said, h delivered) {
	if m.kind != messages.KindText {
		return
	}
	wrong, letters := -1, 0
	for _, t := range m.texts {
		a, b := plain(t), plain(h.text)
		if h.kind != messages.KindText {
			b = nil
		}
		if n := text.EditDistance(a, b); wrong < 0 || n < wrong {
			wrong, letters = n, len(a)
		}
	}
	switch {
	case wrong == 0:
		s.t.Exact++
	case m.partial && h.partial:
		s.t.Partial++
		return
	case nearEnough*wrong <= letters:
		s.t.Near++
	default:
		s.report(&s.t.Garbled, "garbled", m.conversation, h.text)
	}
	s.t.Letters += letters
	s.t.Wrong += min(wrong, letters)
}

// plain are the letters of a text without white space: windows break lines.
func plain(s string) []rune {
	return []rune(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s))
}

// isPart reports whether the letters of part stand in whole, in a row, but for one in five.
func isPart(whole, part string) bool {
	a, b := []rune(text.Compact(whole)), []rune(text.Compact(part))
	if len(b) == 0 || len(b) > len(a)+len(a)/nearEnough {
		return false
	}
	row := make([]int, len(b)+1) // of the letters of whole so far, which cost nothing before and after
	for j := range row {
		row[j] = j
	}
	best := row[len(b)]
	for _, r := range a {
		diagonal := row[0]
		for j, p := range b {
			cost := diagonal
			if r != p {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
		best = min(best, row[len(b)])
	}
	return nearEnough*best <= len(b)
}
