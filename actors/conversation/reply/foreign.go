package reply

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/kehai-run/kehai/messages"
)

// scripts are those in which a reply may be written by mistake, and how many letters of one
// are more than a name or a word of another language.
var scripts = []struct {
	in    []*unicode.RangeTable
	least int
}{
	{[]*unicode.RangeTable{unicode.Latin}, 20},
	{[]*unicode.RangeTable{unicode.Hiragana, unicode.Katakana}, 8},
	{[]*unicode.RangeTable{unicode.Hangul}, 4},
	{[]*unicode.RangeTable{unicode.Cyrillic, unicode.Greek}, 4},
	{[]*unicode.RangeTable{unicode.Arabic, unicode.Hebrew}, 4},
	{[]*unicode.RangeTable{unicode.Thai, unicode.Devanagari}, 4},
}

// chinese are characters that every Chinese text of a few words has, and no Japanese one.
const chinese = "们們你您吗嗎呢這这哪谁吧么麼"

// link is an address of the web, whose letters belong to no language.
var link = regexp.MustCompile(`https?://[!-~]+`)

// Foreign reports whether a reply is in another script than its conversation: models fall
// into the language of their training now and then. It is no more than that: a person may
// have asked for a translation.
func Foreign(written messages.Text, said []messages.Said) bool {
	written = messages.Text(link.ReplaceAllString(string(written), ""))
	var all strings.Builder
	for _, s := range said {
		all.WriteString(link.ReplaceAllString(string(s.Text), ""))
	}
	letters := func(s string, in []*unicode.RangeTable) (n int) {
		for _, r := range s {
			if unicode.IsOneOf(in, r) {
				n++
			}
		}
		return n
	}
	theirs := 0 // letters of the conversation
	for _, r := range all.String() {
		if unicode.IsLetter(r) {
			theirs++
		}
	}
	if theirs < 4 { // OK is said everywhere
		return false
	}
	for _, s := range scripts {
		n, known := letters(string(written), s.in), letters(all.String(), s.in)
		if n >= s.least && 2*n > letters(string(written), letter) && known < s.least/2 && 2*known < theirs {
			return true
		}
	}
	kana := scripts[1].in
	return strings.ContainsAny(string(written), chinese) && letters(string(written), kana) == 0 &&
		letters(all.String(), kana) > 0
}

var letter = []*unicode.RangeTable{unicode.Letter}
