// Package text compares what people wrote with what OCR read: normal forms, trigram
// similarity and two notions of "the same line". It knows no messages and keeps no state.
//
// Start with [Normalize] and [Compact]; [LineRules.Equal] is the rule for whole
// lines, [OCREqual] also judges very short ones. [Grams] is the trigram set
// behind both, for callers that compare one line with many.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Normalize returns the form in which texts are compared: NFKC, case folded, diacritics
// of Latin, Greek and Cyrillic letters removed, invisible characters removed, white space
// collapsed to single spaces and trimmed, invalid UTF-8 replaced. Kana keep their voicing
// marks: か and が are different letters. Normalize is idempotent and does not allocate for
// a text that is already normal.
func Normalize(s string) string {
	if isNormal(s) {
		return s
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	fold := cases.Fold()
	// Folding can reveal something to decompose, and decomposing something to fold (as in
	// Unicode's own NFKC_Casefold); two rounds are enough for every rune.
	for range 2 {
		s = fold.String(norm.NFKC.String(stripMarks(norm.NFKD.String(s))))
	}
	return collapse(norm.NFKC.String(s))
}

// Compact is Normalize without white space and punctuation. Symbols such as emoji stay;
// tildes (a drawn-out vowel) go.
func Compact(s string) string {
	s = Normalize(s)
	if strings.IndexFunc(s, isFiller) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if isFiller(r) {
			return -1
		}
		return r
	}, s)
}

func isFiller(r rune) bool {
	return r == '~' || unicode.IsSpace(r) || unicode.IsPunct(r)
}

// isNormal reports whether s certainly is its own normal form. It knows ASCII
// and the common Japanese letters and says false for anything else.
func isNormal(s string) bool {
	space := true // a leading space is not normal, nor is a second one
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' || c == 0x7F || c >= 'A' && c <= 'Z' || c == ' ' && space {
				return false
			}
			space = c == ' '
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r >= 0x3041 && r <= 0x3096, r >= 0x30A1 && r <= 0x30FE: // kana
		case r >= 0x4E00 && r <= 0x9FFF: // unified ideographs
		case r == 0x3001, r == 0x3002, r == 0x3005, r == 0x300C, r == 0x300D:
		default:
			return false
		}
		space = false
		i += n
	}
	return !space || s == ""
}

// stripMarks removes combining diacritics, variation selectors and invisible
// format characters from decomposed text. The joiner of emoji sequences stays.
func stripMarks(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x300:
			if r == 0xAD { // soft hyphen
				return -1
			}
		case r <= 0x36F, r >= 0x1AB0 && r <= 0x1AFF, r >= 0x1DC0 && r <= 0x1DFF,
			r >= 0x20D0 && r <= 0x20FF, r >= 0xFE00 && r <= 0xFE0F,
			r == 0x200B, r == 0x200E, r == 0x200F, r == 0x2060, r == 0xFEFF:
			return -1
		}
		return r
	}, s)
}

func collapse(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	gap := false
	for _, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(r)
	}
	return b.String()
}
