package robot

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean checks a text before anything is typed: control characters would act
// instead of being typed.
func clean(text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", errors.New("robot: the text is not UTF-8")
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for _, r := range text {
		if r != '\n' && unicode.IsControl(r) {
			return "", fmt.Errorf("robot: the text has the control character %U, take it out", r)
		}
	}
	return text, nil
}

// hasKeys reports whether robotgo's keys type the text reliably on an operating
// system. On X11 that is what a keyboard has: for other characters robotgo remaps
// one key again and again, and a slow program reads the mapping of a later
// character. Elsewhere it is everything up to U+FFFF, which excludes most emoji.
func hasKeys(goos, text string) bool {
	last := rune(0xffff)
	if goos == "linux" {
		last = '~'
	}
	return strings.IndexFunc(text, func(r rune) bool { return r > last }) < 0
}

// chunkRunes are typed between two checks of the active window.
const chunkRunes = 8

// chunks splits a text into pieces of at most chunkRunes. A line feed is a piece
// of its own.
func chunks(text string) []string {
	var list []string
	from, n := 0, 0
	flush := func(to int) {
		if to > from {
			list = append(list, text[from:to])
		}
		from, n = to, 0
	}
	for i, r := range text {
		if r == '\n' {
			flush(i)
			flush(i + 1)
			continue
		}
		if n == chunkRunes {
			flush(i)
		}
		n++
	}
	flush(len(text))
	return list
}
