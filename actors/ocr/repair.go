package ocr

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Thresholds say which lines are accepted, by the engine's confidence from 0 to 1.
type Thresholds struct {
	// Confidence from which a line is believed, 0.01 to 1. Default 0.4.
	Accept float64 `yaml:"accept" min:"0.01" max:"1"`

	// Confidence from which a line is taken where no better reading of it exists,
	// 0.01 to 1, at most accept. Default 0.25.
	Fallback float64 `yaml:"fallback" min:"0.01" max:"1" atmost:"accept"`
}

// DefaultThresholds returns the thresholds of both profiles.
func DefaultThresholds() Thresholds { return Thresholds{Accept: 0.40, Fallback: 0.25} }

// sure is from which confidence on a line is read once only. Of 594 bubbles of real applications, 75 have a line below
// it; read again, 1.10 % of wrong letters over all become 0.44.
const sure = 0.85

// unsure reports whether lines are worth a second reading.
func unsure(lines []messages.Line) bool {
	return slices.ContainsFunc(lines, func(l messages.Line) bool { return l.Confidence < sure || l.Doubtful })
}

// surer reports whether another reading counts more than the one before it. What seems foreign at one size does so
// unless another one leaves no doubt.
func surer(again []messages.Line, still int, lines []messages.Line, doubtful int) bool {
	switch {
	case slices.ContainsFunc(lines, foreign):
		return len(again) > 0 && !unsure(again) && !slices.ContainsFunc(again, foreign)
	case slices.ContainsFunc(again, foreign):
		return false
	}
	if a, b := doubtfuls(again), doubtfuls(lines); a != b && len(again) > 0 && still <= doubtful {
		return a < b
	}
	return still < doubtful || still == doubtful && sureness(again) > sureness(lines)
}

// doubtfuls counts the lines whose figures are doubtful.
func doubtfuls(lines []messages.Line) (n int) {
	for _, l := range lines {
		if l.Doubtful {
			n++
		}
	}
	return n
}

// sureness is the mean confidence of the letters of lines.
func sureness(lines []messages.Line) float64 {
	sum, letters := 0.0, 0
	for _, l := range lines {
		n := utf8.RuneCountInString(string(l.Text))
		sum, letters = sum+float64(n)*l.Confidence, letters+n
	}
	return sum / float64(max(letters, 1))
}

// clean repairs the usual errors in a line read from a prepared picture: bars for
// the letter I, spaces between Japanese characters, narrow ! and ? after them,
// which are typed wide there, and some words (words.go). An ideographic space
// between Japanese letters is real and stays.
func clean(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) && r != wideSpace }), " ")
	r := []rune(s)
	out := make([]rune, 0, len(r))
	for i, c := range r {
		if c == ' ' || c == wideSpace {
			out = space(out, c, next(r, i))
			continue
		}
		if (c == '!' || c == '?') && len(out) > 0 && japanese(out[len(out)-1]) {
			c += '！' - '!'
		}
		out = append(out, c)
	}
	barsToI(out)
	return repairExact(repairWords(string(out)))
}

const wideSpace = '\u3000'

// next is the first rune after i that is not a space, 0 at the end.
func next(r []rune, i int) rune {
	for _, c := range r[i+1:] {
		if c != ' ' && c != wideSpace {
			return c
		}
	}
	return 0
}

// space appends the space c to out if one belongs before the rune after: a wide
// one stays wide between two Japanese letters, any other becomes a narrow one.
func space(out []rune, c, after rune) []rune {
	if len(out) == 0 || after == 0 {
		return out
	}
	last := out[len(out)-1]
	if last == ' ' || last == wideSpace { // several spaces are one
		return out
	}
	switch {
	case c == wideSpace && kanaOrHan(last) && kanaOrHan(after):
		return append(out, wideSpace)
	case glued(last, after):
		return out
	}
	return append(out, ' ')
}

// barsToI turns a bar into the letter I if its neighbours, spaces apart, are Latin
// letters, or if one is and the other side is an end or punctuation.
func barsToI(r []rune) {
	for i, c := range r {
		if c != '|' {
			continue
		}
		before, after := neighbour(r, i, -1), neighbour(r, i, 1)
		if latin(before) && !japanese(after) || latin(after) && !japanese(before) {
			r[i] = 'I'
		}
	}
}

// neighbour is the next rune that is not a space, an apostrophe or another
// bar, 0 at the end.
func neighbour(r []rune, i, step int) rune {
	for i += step; i >= 0 && i < len(r); i += step {
		if !strings.ContainsRune(" '’|", r[i]) {
			return r[i]
		}
	}
	return 0
}

// glued reports whether no space belongs between two characters: both are Japanese,
// or one is and the other is punctuation.
func glued(a, b rune) bool {
	return japanese(a) && (japanese(b) || unicode.IsPunct(b)) || japanese(b) && unicode.IsPunct(a)
}

// kanaOrHan reports a letter of Japanese.
func kanaOrHan(r rune) bool {
	return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) || r == 'ー'
}

// japanese reports kana, ideographs and full-width punctuation.
func japanese(r rune) bool {
	return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) ||
		r >= 0x3000 && r <= 0x303F || r == 'ー' || r >= 0xFF01 && r <= 0xFF65
}

func latin(r rune) bool { return unicode.Is(unicode.Latin, r) }

// mostlyLatin reports whether lines have more Latin letters than Japanese ones.
func mostlyLatin(lines []messages.Line) bool {
	balance := 0
	for _, l := range lines {
		balance += text.LatinBalance(string(l.Text))
	}
	return balance > 0
}

// accept repairs the lines and drops those below the fallback confidence. A line
// below the accepted confidence is replaced by an accepted one of the other
// reading of the same picture, if there is one; other may be nil. A foreign line stays, and is
// dropped by who asked. doubtful counts those below the fallback confidence that had a text.
func (b Thresholds) accept(lines, other []messages.Line,
	repair func(string) string) (out []messages.Line, doubtful int) {
	for _, l := range lines {
		if l.Confidence < b.Accept && !l.Foreign {
			if better, ok := b.acceptedAt(other, l.Box); ok {
				l = better
			}
		}
		text := repair(printable(string(l.Text)))
		if text == "" {
			continue
		}
		if l.Confidence < b.Fallback {
			if doubtful++; !l.Foreign {
				continue
			}
		}
		l.Text = messages.Text(text)
		out = append(out, l)
	}
	return out, doubtful
}

// believed drops the foreign lines below the fallback confidence. Outside of bubbles others are as good as
// any: a name that is always misread alike still tells whose it is.
func (b Thresholds) believed(lines []messages.Line) []messages.Line {
	return slices.DeleteFunc(lines, func(l messages.Line) bool { return l.Foreign && l.Confidence < b.Fallback })
}

// low reports whether a line is used only because there is no better reading, or has figures that were read in two
// ways.
func (b Thresholds) low(lines []messages.Line) bool {
	return slices.ContainsFunc(lines, func(l messages.Line) bool { return l.Confidence < b.Accept || l.Doubtful })
}

// printable turns any bytes into UTF-8 without control characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// acceptedAt finds an accepted line at about the same height.
func (b Thresholds) acceptedAt(lines []messages.Line, box messages.Rect) (messages.Line, bool) {
	for _, l := range lines {
		if l.Confidence >= b.Accept && sameHeight(l, box) {
			return l, true
		}
	}
	return messages.Line{}, false
}

func sameHeight(l messages.Line, box messages.Rect) bool {
	middle := l.Box.Y + l.Box.H/2
	return middle >= box.Y && middle < box.Y+box.H
}

// counting is a figure with what is counted, in Japanese.
var counting = regexp.MustCompile(`[0-9][年月日時分円人個回号本枚番階歳]`)

func counted(s string) bool { return counting.MatchString(strings.ReplaceAll(s, " ", "")) }

// lostCounters marks lines read with Latin letters in which figures stand where the reading as Japanese has a figure
// and what is counted: 月 is read as a figure then.
func lostCounters(lines, other []messages.Line) []messages.Line {
	for i, l := range lines {
		lines[i].Doubtful = l.Doubtful || slices.ContainsFunc(other, func(o messages.Line) bool {
			return sameHeight(o, l.Box) && counted(string(o.Text)) && !counted(string(l.Text))
		})
	}
	return lines
}

// join makes one text of a bubble's lines: the window broke them, not the writer.
// It puts no space beside a Japanese character.
func join(lines []messages.Line) string {
	var b strings.Builder
	last := rune(0)
	for _, l := range lines {
		r := []rune(string(l.Text))
		if len(r) == 0 {
			continue
		}
		if b.Len() > 0 && !japanese(last) && !japanese(r[0]) {
			b.WriteByte(' ')
		}
		b.WriteString(string(l.Text))
		last = r[len(r)-1]
	}
	return b.String()
}
