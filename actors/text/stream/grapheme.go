package stream

import (
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// grapheme is the size in bytes of the first grapheme of a text that is not
// empty. Between two letters that never combine no table is needed.
func grapheme(text string) int {
	first, size := utf8.DecodeRuneInString(text)
	if size == len(text) {
		return size
	}
	next, _ := utf8.DecodeRuneInString(text[size:])
	if alone(first) && alone(next) {
		return size
	}
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(text, -1)
	return len(cluster)
}

// alone reports whether no rule of Unicode's text segmentation (UAX #29, version 15)
// mentions a character, so that a grapheme ends between two of them: printable ASCII,
// kana without voicing marks, ideographs, and the usual Japanese punctuation.
func alone(r rune) bool {
	switch {
	case r >= ' ' && r <= '~', r == '\n':
		return true
	case r >= 0x3041 && r <= 0x3096, r >= 0x309B && r <= 0x30FF, r >= 0x4E00 && r <= 0x9FFF:
		return true
	case r >= 0x3001 && r <= 0x3029, r >= 0xFF01 && r <= 0xFF9D:
		return true
	}
	return false
}

// lastStart is where the last grapheme of a text begins.
func lastStart(text string) int {
	at := 0
	for size := 0; at+size < len(text); {
		at += size
		size = grapheme(text[at:])
	}
	return at
}
