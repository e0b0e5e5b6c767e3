package drawn

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/math/fixed"
)

// wrap breaks text into lines of at most width; only a single cluster may be
// wider. It breaks at line feeds, after spaces and between Japanese characters. It
// breaks a word only if the word alone does not fit. No line starts with closing
// punctuation. Spaces at a break are dropped.
func wrap(text string, width fixed.Int26_6, measure func(string) fixed.Int26_6) []string {
	var lines []string
	for part := range strings.SplitSeq(text, "\n") {
		lines = append(lines, wrapPart(part, width, measure)...)
	}
	return lines
}

func wrapPart(part string, width fixed.Int26_6, measure func(string) fixed.Int26_6) []string {
	cs := clusters(part)
	var lines []string
	start, good := 0, -1 // of the line; the last place to break
	var w, toGood fixed.Int26_6
	for i, c := range cs {
		if i > start && mayBreak(cs[i-1], c) {
			good, toGood = i, w
		}
		cw := measure(c)
		for w+cw > width && i > start && !isSpace(c) {
			at, rest := i, fixed.Int26_6(0)
			if good > start {
				at, rest = good, w-toGood
			}
			lines = append(lines, strings.TrimRightFunc(strings.Join(cs[start:at], ""), unicode.IsSpace))
			start, good, w = at, -1, rest
		}
		w += cw
	}
	last := strings.Join(cs[start:], "")
	if len(lines) > 0 {
		last = strings.TrimRightFunc(last, unicode.IsSpace)
	}
	return append(lines, last)
}

// clusters splits text into what a reader sees as single characters: a rune with
// its marks, modifiers and joined runes.
func clusters(text string) []string {
	var out []string
	var prev rune
	flags := 0 // regional indicators in a row
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		flag := r >= 0x1F1E6 && r <= 0x1F1FF
		join := len(out) > 0 && (extends(r) || prev == 0x200D || flag && flags%2 == 1)
		if join {
			out[len(out)-1] += text[i : i+n]
		} else {
			out = append(out, text[i:i+n])
		}
		if flag {
			flags++
		} else {
			flags = 0
		}
		prev, i = r, i+n
	}
	return out
}

func extends(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc) || r == 0x200D ||
		r >= 0xFE00 && r <= 0xFE0F || r >= 0x1F3FB && r <= 0x1F3FF || r >= 0xE0020 && r <= 0xE007F
}

// ignored runes take no room and leave no ink.
func ignored(r rune) bool {
	return r >= 0xFE00 && r <= 0xFE0F || r == 0x200B || r == 0x200C || r == 0x200D || r == 0xFEFF ||
		r >= 0xE0020 && r <= 0xE007F || unicode.IsControl(r)
}

const (
	noStart = "、。，．・：；！？）」』】〕〉》”’ー〜～々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ…‥,.!?:;)]}%"
	noEnd   = "（「『【〔〈《“‘([{"
)

func mayBreak(prev, next string) bool {
	p, _ := utf8.DecodeLastRuneInString(prev)
	n, _ := utf8.DecodeRuneInString(next)
	switch {
	case isSpace(next):
		return false
	case isSpace(prev):
		return true
	case strings.ContainsRune(noStart, n) || strings.ContainsRune(noEnd, p):
		return false
	}
	return p == '-' || wide(p) || wide(n)
}

// wide runes stand alone: a line may end before and after each.
func wide(r rune) bool {
	return r >= 0x2E80 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3 || r >= 0xF900 && r <= 0xFAFF ||
		r >= 0xFF00 && r <= 0xFFEF || r >= 0x1F000 && r <= 0x3FFFF
}

func isSpace(c string) bool { return strings.TrimSpace(c) == "" }
