package text

import (
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"
)

var (
	clockOf = regexp.MustCompile(`(?i)^(?:(午前|午後|am|pm|a\.m\.|p\.m\.)\s*)?` +
		`([0-2]?\d)\s*[:.]\s*([0-5]\d)(?:\s*[:.]\s*([0-5]\d))?(?:\s*(am|pm|a\.m\.|p\.m\.))?$`)
	kanjiOf = regexp.MustCompile(`^(?:(午前|午後)\s*)?([0-2]?\d)\s*時\s*(?:([0-5]?\d)\s*分)?$`)
)

// ClockTime returns a line that is only a clock time in normal form, such as "午後 3:05",
// "9:05 PM" or "23:59:59"; "" for any other line.
func ClockTime(line string) string {
	line = strings.TrimSpace(norm.NFKC.String(line))
	var before, hour, minute, second, after string
	if m := clockOf.FindStringSubmatch(line); m != nil {
		before, hour, minute, second, after = m[1], m[2], m[3], m[4], m[5]
	} else if m := kanjiOf.FindStringSubmatch(line); m != nil {
		before, hour, minute = m[1], m[2], fmt.Sprintf("%02s", m[3])
	} else {
		return ""
	}
	out := hour + ":" + minute
	if second != "" {
		out += ":" + second
	}
	half := func(s string) string { return strings.ReplaceAll(s, ".", "") }
	return strings.TrimSpace(half(before) + " " + out + " " + half(after))
}

// clockEnd is a clock time at the end of a line, perhaps with a date or a word for edited or
// read before it and with ticks behind it, which an engine reads as letters.
var clockEnd = regexp.MustCompile(`(?i)(?:^|[\s\p{Han}\p{Hiragana}\p{Katakana}。、！？!?…)）])` +
	`((?:(?:\(?edited\)?|編集済み?|既読|read)\s*)?` +
	`(?:[0-9]{1,2}[. ]{0,2}\p{L}{3,9}\.?,? ?(?:[0-9]{4})?,?\s*)?` +
	`((?:午前|午後)?\s?[0-2]?[0-9]\s?[:.]\s?[0-5][0-9](?:\s?[ap]\.?m\.?)?))` +
	`\s?[^\p{L}\p{N}\s。！？!?]{0,3}(?:\s[vwy/]{1,3})?$`)

// CutClock splits a line at the clock time that it ends in; ok is false if it does not. Signs
// that an application writes beside the time, such as ticks or a date, are in neither part.
func CutClock(line string) (before, clock string, ok bool) {
	at := clockEnd.FindStringSubmatchIndex(line)
	if at == nil {
		return line, "", false
	}
	return strings.TrimSpace(line[:at[2]]), ClockTime(line[at[4]:at[5]]), true
}

// faintEnd is a clock time at the end of a line, of which the colon was not read.
var faintEnd = regexp.MustCompile(`(?:^|[\s\p{Han}\p{Hiragana}\p{Katakana}。、！？!?…)）])` +
	`((?:[01]?[0-9]|2[0-3])[0-5][0-9])$`)

// CutFaintClock splits a line at the digits that it ends in if they may be a clock time of which the colon was
// not read; ok is false if they may not. Only what else is known of the line can tell whether they are.
func CutFaintClock(line string) (before string, ok bool) {
	at := faintEnd.FindStringSubmatchIndex(line)
	if at == nil {
		return line, false
	}
	return strings.TrimSpace(line[:at[2]]), true
}
