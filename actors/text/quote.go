package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Unquote removes white space and quotation marks around a text.
func Unquote(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("「」『』“”‘’\"'«»", r)
	})
}

// Within finds a quote in what was said, and returns it as it stands there. Only white
// space does not count. An empty quote stands nowhere.
func Within(quote, said string) (string, bool) {
	bare, _ := placed(quote)
	whole, at := placed(said)
	n := strings.Index(whole, bare)
	if n < 0 || bare == "" {
		return "", false
	}
	return said[at[n] : at[n+len(bare)-1]+1], true
}

// placed returns a text without white space, and for each byte where it stands.
func placed(s string) (string, []int) {
	out, at := make([]byte, 0, len(s)), make([]int, 0, len(s))
	for i, r := range s {
		if unicode.IsSpace(r) {
			continue
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		for k := range n {
			out, at = append(out, s[i+k]), append(at, i+k)
		}
	}
	return string(out), at
}
