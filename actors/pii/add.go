package pii

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Claim is a piece of the text, quoted exactly, that somebody else, such as a language
// model, calls private.
type Claim struct {
	Kind  Kind
	Quote string
	// Start is where the quote begins, in bytes. Below zero it means every place where it
	// occurs.
	Start int
}

// Reasons to reject a claim.
var (
	ErrNoKind   = errors.New("pii: the claim's kind is none that Kinds lists")
	ErrNoQuote  = errors.New("pii: the claim quotes nothing")
	ErrNotThere = errors.New("pii: the text does not hold the claim's quote at its place")
)

// Add joins claims with the spans that [Find] found. It only ever adds: if a claim
// overlaps a span, the rest of it is kept. A claim that does not quote the text exactly
// is left out, and the error names its index and the reason, but not the quote. The spans
// are valid even with an error.
func Add(text string, spans []Span, claims []Claim) ([]Span, error) {
	if !apart(text, spans) {
		return spans, errUneven
	}
	spans = slices.Clone(spans)
	var errs []error
	for n, c := range claims {
		places, err := c.places(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("claim %d: %w", n, err))
			continue
		}
		spans = add(spans, c.Kind, places, len(c.Quote))
	}
	return count(text, spans), errors.Join(errs...)
}

// places returns the positions where a claim's quote begins.
func (c Claim) places(text string) (list []int, err error) {
	switch {
	case !slices.Contains(Kinds(), c.Kind):
		return nil, ErrNoKind
	case strings.TrimSpace(c.Quote) == "" || !utf8.ValidString(c.Quote):
		return nil, ErrNoQuote
	case c.Start >= 0:
		if c.Start > len(text) || !between(text, c.Start) || !strings.HasPrefix(text[c.Start:], c.Quote) {
			return nil, ErrNotThere
		}
		return []int{c.Start}, nil
	}
	for at := 0; ; {
		i := strings.Index(text[at:], c.Quote)
		if i < 0 {
			break
		}
		list = append(list, at+i)
		at += i + len(c.Quote)
	}
	if list == nil {
		return nil, ErrNotThere
	}
	return list, nil
}

// add inserts new spans of one length between the existing ones.
func add(spans []Span, k Kind, starts []int, length int) []Span {
	out := make([]Span, 0, len(spans)+len(starts))
	n := 0
	for _, start := range starts {
		end := start + length
		for n < len(spans) && spans[n].End <= start {
			out = append(out, spans[n])
			n++
		}
		at := start
		for n < len(spans) && spans[n].Start < end {
			s := spans[n]
			if at < s.Start {
				out = append(out, Span{Kind: k, Rule: "claim", Start: at, End: s.Start})
			}
			at = s.End
			if s.End > end {
				break // it reaches beyond this quote
			}
			out = append(out, s)
			n++
		}
		if at < end {
			out = append(out, Span{Kind: k, Rule: "claim", Start: at, End: end})
		}
	}
	return append(out, spans[n:]...)
}
