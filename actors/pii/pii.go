package pii

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Kind is what a span is. Kinds are stored and sent as these words.
type Kind string

// The kinds.
const (
	Name      Kind = "name"
	Phone     Kind = "phone" // with its extension
	Email     Kind = "email"
	Address   Kind = "address" // a postal code, an address, or both
	School    Kind = "school"
	Company   Kind = "company"          // any organisation with a legal form
	National  Kind = "national_id"      // My Number, or a social security number of the USA
	Corporate Kind = "corporate_number" // Japanese, with or without T
	Card      Kind = "card"
	Bank      Kind = "bank_account" // also IBAN
	Licence   Kind = "licence"
	Passport  Kind = "passport"
	Birth     Kind = "birth_date"
	Account   Kind = "account" // a person's name on LINE and the like
	IP        Kind = "ip"
	Secret    Kind = "secret"  // keys, tokens, passwords, codes
	Literal   Kind = "literal" // what only looks like a placeholder of a vault
	Whole     Kind = "whole"   // a text that could not be read
)

// Kinds are the kinds that [Find] finds, in the order of tables.
func Kinds() []Kind {
	return []Kind{Name, Phone, Email, Address, School, Company, National, Corporate, Card, Bank, Licence, Passport,
		Birth, Account, IP, Secret}
}

// Rule names the rule that found a span, for people and tests.
type Rule string

// Span is one finding. Start and End count bytes of the text, FirstRune and
// EndRune its runes; both ends are half open. A span begins and ends between
// runes, holds at least one, and spans of a text never overlap.
type Span struct {
	Kind      Kind
	Rule      Rule
	Start     int
	End       int
	FirstRune int
	EndRune   int
}

// MaxBytes is the longest text that is searched: four mebibytes.
const MaxBytes = 4 << 20

// Errors of a text that cannot be searched. Show nothing of such a text.
var (
	ErrNotText = errors.New("pii: the text is not valid UTF-8: send text")
	ErrTooLong = fmt.Errorf("pii: the text is longer than %d bytes: send it in parts", MaxBytes)
	errUneven  = errors.New("pii: the masked text is not the original without its spans: report this as a bug")
)

// Find says where a text holds private data, from first to last. The error is
// [ErrNotText] or [ErrTooLong]. Like all of this package, it is safe for concurrent use.
func Find(text string) ([]Span, error) {
	switch {
	case len(text) > MaxBytes:
		return nil, ErrTooLong
	case !utf8.ValidString(text):
		return nil, ErrNotText
	}
	return count(text, find(text)), nil
}

// rounds is the most searches of a text. Findings are hidden, so the text on both sides
// of them may come within reach of each other; the next search finds that too. That is
// why masking a masked text changes nothing.
const rounds = 4

func find(text string) []Span {
	f := fold(text, labelsIn(text))
	var all []Span
	s := newSearch(f)
	for range rounds {
		s.read()
		spans := s.resolve()
		if len(spans) == 0 {
			break
		}
		all = union(all, spans)
		f.hide(spans)
	}
	return all
}

// union merges two lists of spans, each in order and without overlap. A span of the second one takes the place of those
// of the first that it covers, as what is hidden may stand within quotes that are found later.
func union(a, b []Span) []Span {
	if len(a) == 0 {
		return b
	}
	all := make([]Span, 0, len(a)+len(b))
	for _, s := range b {
		for len(a) > 0 && a[0].Start < s.Start {
			all, a = append(all, a[0]), a[1:]
		}
		all = append(all, s)
		for len(a) > 0 && a[0].Start < s.End {
			a = a[1:]
		}
	}
	return append(all, a...)
}

// Masked is a text without its private data.
type Masked struct {
	Text  string
	Spans []Span // of the original
	// Err says why the whole text is masked, nil if it is not.
	Err error
}

// String says how much was masked, but nothing of the text: masked texts do not belong in
// logs either.
func (m Masked) String() string { return fmt.Sprintf("%d spans masked", len(m.Spans)) }

// Mask replaces what [Find] finds by labels. Masking a masked text changes nothing. A
// text that cannot be searched is replaced as a whole.
func Mask(text string, labels Labels) Masked {
	spans, err := Find(text)
	if err != nil {
		return withheld(text, labels, err)
	}
	return Replace(text, spans, labels)
}

// Replace masks the given spans, which must be in order and not overlap, like those of
// [Find] and [Add]. If they are not, the whole text is masked.
func Replace(text string, spans []Span, labels Labels) Masked {
	return replace(text, spans, labels, func(s Span) string { return labels.Label(s.Kind) })
}

// replace masks the spans and checks the result.
func replace(text string, spans []Span, labels Labels, with func(Span) string) Masked {
	if !apart(text, spans) {
		return withheld(text, labels, errUneven)
	}
	var b strings.Builder
	b.Grow(len(text))
	put := make([]string, len(spans))
	end := 0
	for i, s := range spans {
		put[i] = with(s)
		b.WriteString(text[end:s.Start])
		b.WriteString(put[i])
		end = s.End
	}
	b.WriteString(text[end:])
	if !even(text, b.String(), spans, put) {
		return withheld(text, labels, errUneven)
	}
	return Masked{Text: b.String(), Spans: spans}
}

// withheld returns a text that is masked as a whole.
func withheld(text string, labels Labels, why error) Masked {
	all := Span{Kind: Whole, Rule: "unreadable", End: len(text), EndRune: utf8.RuneCountInString(text)}
	return Masked{Text: labels.Label(Whole), Spans: []Span{all}, Err: why}
}

// apart reports whether spans are in order, do not overlap, are not empty, and begin and
// end between runes.
func apart(text string, spans []Span) bool {
	end := 0
	for _, s := range spans {
		if s.Start < end || s.End <= s.Start || s.End > len(text) || !between(text, s.Start) || !between(text, s.End) {
			return false
		}
		end = s.End
	}
	return true
}

func between(text string, i int) bool { return i == len(text) || utf8.RuneStart(text[i]) }

// even reports whether a masked text is the original with each span replaced as recorded.
// It reads the masked text from its end, opposite to how it was written.
func even(text, out string, spans []Span, put []string) bool {
	end := len(text)
	for i, s := range slices.Backward(spans) {
		rest, ok := strings.CutSuffix(out, text[s.End:end])
		if !ok {
			return false
		}
		if out, ok = strings.CutSuffix(rest, put[i]); !ok {
			return false
		}
		end = s.Start
	}
	return out == text[:end]
}

// count adds positions in runes.
func count(text string, spans []Span) []Span {
	at, runes := 0, 0
	for i := range spans {
		s := &spans[i]
		runes += utf8.RuneCountInString(text[at:s.Start])
		s.FirstRune = runes
		runes += utf8.RuneCountInString(text[s.Start:s.End])
		s.EndRune, at = runes, s.End
	}
	return spans
}
