package describe

import (
	"strings"
	"unicode"
)

// Steers reports whether a character controls what stands around it or hides in it: controls of
// both sets, format and direction marks, line separators, and letters and marks that are drawn as
// nothing. Variation selectors are not among them. What is shown to people has another sign instead.
func Steers(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

// Visible reports whether anything of a text is seen: not only blanks, marks that steer or
// hide, and variation selectors.
func Visible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsSpace(r) && !Steers(r) && !unicode.Is(unicode.Variation_Selector, r)
	})
}
