package robot

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean checks a text before anything is typed: control characters would act
// instead of being written.
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
// system: on X11 what a keyboard has, because for any other character it gives
// one key a new meaning again and again, and a program that is late reads the
// meaning of a later character; elsewhere everything up to U+FFFF, which leaves
// out most emoji.
func hasKeys(goos, text string) bool {
	last := rune(0xffff)
	if goos == "linux" {
		last = '~'
	}
	return strings.IndexFunc(text, func(r rune) bool { return r > last }) < 0
}

// chunkRunes are typed between two looks at the active window.
const chunkRunes = 8

// chunks splits a text into pieces of at most chunkRunes; a line feed is a piece
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
