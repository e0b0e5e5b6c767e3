package pii

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/actors/text/lenient"
)

// Numbered is a claim about one of several texts, counted from 1.
type Numbered struct {
	N int
	Claim
}

// Bounds of what a model answers.
const (
	mostAnswer = 64 << 10 // bytes
	mostClaims = 200
	mostQuoted = 120 // runes
)

// ParseClaims reads a language model's answer {"private": [{"n", "kind", "quote"}]}
// about numbered texts; ok is false if it is not readable. Anything but a claim of a
// known kind is left out, as are quotes that say nothing or nearly everything.
func ParseClaims(answer string) (list []Numbered, ok bool) {
	fields := lenient.LastWithin(answer, "private", mostAnswer)
	var all []map[string]json.RawMessage
	if fields == nil || json.Unmarshal(fields["private"], &all) != nil || all == nil {
		return nil, false
	}
	for _, raw := range all[:min(len(all), mostClaims)] {
		c := Numbered{Claim: Claim{Start: -1}}
		var quote string
		if json.Unmarshal(raw["n"], &c.N) != nil || json.Unmarshal(raw["kind"], &c.Kind) != nil ||
			json.Unmarshal(raw["quote"], &quote) != nil {
			continue
		}
		c.Quote = strings.TrimSpace(text.Unquote(quote))
		if c.N > 0 && slices.Contains(Kinds(), c.Kind) && telling(c.Quote) {
			list = append(list, c)
		}
	}
	return list, true
}

// telling reports whether a quote can be private data: two letters or digits at least, or
// one that is a word.
func telling(quote string) bool {
	letters := 0
	for _, r := range quote {
		switch {
		case unicode.Is(unicode.Han, r):
			letters += 2
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			letters++
		}
	}
	return letters > 1 && utf8.RuneCountInString(quote) <= mostQuoted
}

// Further masks in a text that is masked already what claims add, wherever they quote it: a
// quote in letters with a case only as whole words. It never removes a mask, and labels
// stay as they are.
func Further(text string, claims []Claim, labels Labels) Masked {
	switch {
	case len(text) > MaxBytes:
		return withheld(text, labels, ErrTooLong)
	case !utf8.ValidString(text):
		return withheld(text, labels, ErrNotText)
	}
	var placed []Claim
	for _, c := range claims {
		for _, at := range claimsOf(text, c.Quote, false) {
			at.Kind = c.Kind
			placed = append(placed, at)
		}
	}
	if len(placed) == 0 {
		return Masked{Text: text}
	}
	before := labelsIn(text)
	spans, err := Add(text, before, placed)
	if err != nil {
		return withheld(text, labels, errUneven)
	}
	spans = slices.DeleteFunc(spans, func(s Span) bool {
		return s.Kind == "" || strings.TrimFunc(text[s.Start:s.End], silent) == "" // a label, or what stands beside one
	})
	return Replace(text, spans, labels)
}

func silent(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
