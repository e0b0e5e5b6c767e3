package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// transcriptLine is what the list of one conversation has at a place of the transcript:
// a line that was delivered, or a gap behind it.
type transcriptLine struct {
	text  string
	place messages.Occurrence
	gap   bool
}

// maxGaps is how many gaps a lane of the crash test may have: more is no bad luck.
const maxGaps = 2

// readLines reads what kehai messages --json prints of one conversation.
func readLines(in io.Reader) (list []transcriptLine, err error) {
	ids := map[messages.MessageID]bool{}
	for dec := json.NewDecoder(in); ; {
		var e control.Entry
		switch err := dec.Decode(&e); {
		case err == io.EOF:
			return list, nil
		case err != nil:
			return nil, err
		case e.Gap != nil:
			list = append(list, transcriptLine{place: e.Gap.After, gap: true})
		case e.Message != nil && ids[e.Message.ID]:
			return nil, fmt.Errorf("message %s is listed twice", e.Message.ID)
		case e.Message != nil:
			ids[e.Message.ID] = true
			for _, p := range e.Message.Parts {
				list = append(list, transcriptLine{text: p.Text, place: p.Occurrence})
			}
		}
	}
}

// checkLines compares the delivered lines with the written ones: they must be the
// beginning of them, in order, nothing twice and nothing else. Lines may be missing
// only where a gap stands, at its place in the transcript. far is how many of the
// written lines are dealt with, at least: where equal lines leave a choice, the gap is
// the shortest one.
func checkLines(want []string, got []transcriptLine) (far int, err error) {
	var gaps []messages.Occurrence
	for _, l := range got {
		if l.gap {
			gaps = append(gaps, l.place)
		}
	}
	if len(gaps) > maxGaps {
		return 0, fmt.Errorf("%d gaps, want at most %d", len(gaps), maxGaps)
	}
	at := map[int]bool{0: true} // the places in want that what was read so far may have come to
	last := messages.Occurrence(0)
	for i, l := range got {
		if l.gap {
			continue
		}
		if l.place <= last {
			return far, fmt.Errorf("line %d, %q, is occurrence %d and comes after %d", i, l.text, l.place, last)
		}
		for _, g := range gaps {
			if last <= g && g < l.place {
				at = skipping(at, len(want))
			}
		}
		last = l.place
		next := map[int]bool{}
		for n := range at {
			if n < len(want) && want[n] == l.text {
				next[n+1] = true
			}
		}
		if len(next) == 0 {
			return far, fmt.Errorf("line %d is %q, want %q (%d gaps)", i, l.text, atMost(want, far), len(gaps))
		}
		at, far = next, least(next)
	}
	return far, nil
}

// skipping are the places from the first of these on.
func skipping(at map[int]bool, end int) map[int]bool {
	for n := least(at); n <= end; n++ {
		at[n] = true
	}
	return at
}

func least(at map[int]bool) int {
	first := -1
	for n := range at {
		if first < 0 || n < first {
			first = n
		}
	}
	return first
}

func atMost(list []string, n int) string {
	if n < len(list) {
		return list[n]
	}
	return "nothing more"
}

// The check of the crash test must be able to fail.
func TestCheckLines(t *testing.T) {
	want := strings.Fields("a OK b OK c OK d")
	for name, c := range map[string]struct {
		got string // lines with the places 1, 2 …; "|" is a gap, "-" a place that is skipped
		far int
		err string
	}{
		"all":                         {"a OK b OK c OK d", 7, ""},
		"a beginning":                 {"a OK b", 3, ""},
		"nothing":                     {"", 0, ""},
		"a line lost":                 {"a OK OK c", 2, `line 2 is "OK", want "b"`},
		"a line lost at the end":      {"a OK b OK c d", 5, `want "OK"`},
		"a line lost beside a place":  {"a OK - OK c", 2, `want "b"`},
		"a line twice":                {"a OK b b", 3, `want "OK"`},
		"a line too many":             {"a OK b OK c OK d e", 7, "nothing more"},
		"another line":                {"a OK x", 2, `is "x"`},
		"lost in a gap":               {"a OK | c OK d", 7, ""},
		"lost in two gaps":            {"a | b | d", 7, ""},
		"nothing lost in a gap":       {"a OK | b OK", 4, ""},
		"lost elsewhere than the gap": {"a b | OK c", 1, `want "OK"`},
		"a gap that nobody follows":   {"a OK |", 2, ""},
		"the order changed":           {"a OK | d c", 7, "nothing more"},
		"three gaps":                  {"a | b | c | d", 0, "3 gaps"},
		"the gap is listed late":      {"a OK c OK |2", 6, ""},
		"listed late, and lost":       {"a OK c d |2", 5, `want "OK"`},
		"the shortest gap":            {"a | OK", 2, ""},
	} {
		var got []transcriptLine
		place := messages.Occurrence(0)
		for _, word := range strings.Fields(c.got) {
			after, isGap := strings.CutPrefix(word, "|")
			switch {
			case isGap && after != "":
				got = append(got, transcriptLine{gap: true, place: messages.Occurrence(after[0] - '0')})
			case isGap:
				got = append(got, transcriptLine{gap: true, place: place})
			case word == "-":
				place++
			default:
				place++
				got = append(got, transcriptLine{text: word, place: place})
			}
		}
		far, err := checkLines(want, got)
		if far != c.far || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: checkLines(%s) = %d, %v, want %d, %q", name, c.got, far, err, c.far, c.err)
		}
	}
	twice := `{"conversation":"c","id":"m","parts":[]}` + "\n"
	if _, err := readLines(bytes.NewReader([]byte(twice + twice))); err == nil {
		t.Error("readLines() of a message that is listed twice = nil, want an error")
	}
}
