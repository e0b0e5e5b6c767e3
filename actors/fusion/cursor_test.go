package fusion

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

func TestCursorOf(t *testing.T) {
	for _, c := range []struct{ lines, want []string }{
		{nil, nil},
		{[]string{"", "  "}, nil},
		{[]string{"a", "", "b"}, []string{"a", "b"}},
		{[]string{"a", "b", "c", "", "d", "e", " "}, []string{"b", "c", "d", "e"}},
	} {
		got := standard.CursorOf("line:Hana", c.lines)
		if got.Conversation != "line:Hana" || !slices.Equal(plainLines(got.Lines), c.want) {
			t.Errorf("CursorOf(%q) = %q of %s, want %q", c.lines, plainLines(got.Lines), got.Conversation, c.want)
		}
	}
}

func plainLines(list []messages.Text) []string {
	var out []string
	for _, l := range list {
		out = append(out, string(l))
	}
	return out
}

// TestCut: cursor and text are words, one a line. The six edge cases come first.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		name, cursor, text string
		other              bool // the cursor is of another conversation
		def, seed          string
		use                CursorUse
	}{
		{name: "no cursor yet", text: "a b", def: "a b", seed: "a b"},
		{name: "another conversation", cursor: "a b", text: "a b c", other: true, def: "a b c",
			seed: "a b c", use: CursorOther},
		{name: "scrolled away", cursor: "a b c d", text: "x y z", def: "x y z", seed: "x y z", use: CursorNotFound},
		{name: "nothing after it", cursor: "a b c d", text: "z a b c d", use: CursorFound},
		{name: "old text painted again after a reset", cursor: "c d e f", text: "a b c d e f", use: CursorFound},
		{name: "own reply found again much later", cursor: "q r s reply", text: "p q r s reply new", def: "new",
			seed: "new", use: CursorFound},

		{name: "news", cursor: "a b c d", text: "a b c d e f", def: "e f", seed: "e f", use: CursorFound},
		{name: "upper lines scrolled away", cursor: "a b c d", text: "c d e", def: "e", seed: "e", use: CursorFound},
		{name: "only the last one left, at the top", cursor: "a b c d", text: "d e", def: "e",
			seed: "e", use: CursorFound},
		{name: "new line equal to one of it", cursor: "a b c d", text: "a b c d e b", def: "e b", use: CursorFound},
		{name: "new line equal to its last", cursor: "a b c d", text: "a b c d e d f", def: "e d f",
			seed: "f", use: CursorFound},
		{name: "a line is not read", cursor: "a b c d", text: "a c d e", def: "e", seed: "e", use: CursorFound},
		{name: "its last is not read", cursor: "a b c d", text: "a b c e", def: "e", seed: "e", use: CursorFound},
		{name: "a line is broken in two", cursor: "a b c d", text: "a b1 b2 c d e", def: "e",
			seed: "e", use: CursorFound},
		{name: "repeated words", cursor: "ok ok ok ok", text: "x ok ok ok ok", use: CursorFound},
		{name: "short cursor", cursor: "a", text: "z a b", def: "b", seed: "b", use: CursorFound},
		{name: "twice there", cursor: "a b c d", text: "a b c d a b c d e", def: "e", seed: "e", use: CursorFound},
		{name: "empty text", cursor: "a b c d", use: CursorNotFound},
	} {
		cursor := standard.CursorOf("line:Hana", strings.Fields(c.cursor))
		if c.other {
			cursor.Conversation = "line:Ken"
		}
		lines := strings.Fields(c.text)
		for profile, want := range map[string]string{"default": c.def, "seed": c.seed} {
			got := standard.Cut(cursor, "line:Hana", lines, endsOf(profile == "seed"))
			if strings.Join(got.Kept, " ") != want || got.Discarded+len(got.Kept) != len(lines) || got.Use != c.use {
				t.Errorf("%s, %s: Cut(%q after %q) = %q, %d discarded, use %d, want %q, use %d",
					c.name, profile, c.text, c.cursor, got.Kept, got.Discarded, got.Use, want, c.use)
			}
		}
	}
}

// Words in another order are no sequence, but profile seed accepts them.
func TestCutWantsTheOrder(t *testing.T) {
	cursor := standard.CursorOf("c", []string{"a", "b", "c", "d"})
	lines := []string{"x", "b", "y", "z", "a"}
	if got := standard.Cut(cursor, "c", lines, endsOf(false)); got.Use != CursorNotFound || len(got.Kept) != 5 {
		t.Errorf("Cut = %q, use %d, want all, use %d", got.Kept, got.Use, CursorNotFound)
	}
	if got := standard.Cut(cursor, "c", lines, endsOf(true)); len(got.Kept) != 0 {
		t.Errorf("Cut in profile seed = %q, want nothing: its last word matches", got.Kept)
	}
}

func TestCutIsFuzzy(t *testing.T) {
	long := strings.Repeat("明日の会議は十時から", 3)
	cursor := standard.CursorOf("c", []string{long + "始まる"})
	for _, seed := range []bool{false, true} {
		got := standard.Cut(cursor, "c", []string{long + "始まろ", "はい"}, endsOf(seed))
		if !slices.Equal(got.Kept, []string{"はい"}) {
			t.Errorf("Cut of a misread line, seed %v = %q, want はい", seed, got.Kept)
		}
	}
}

func FuzzCursor(f *testing.F) {
	f.Add("a\nb\nc\nd", "b\nc\nd\ne", true)
	f.Add("OK\nOK", "OK\nOK\nOK", false)
	f.Add("\x00\xff\n 　", "明日\r\n\n明日", false)
	f.Fuzz(func(t *testing.T, before, now string, seed bool) {
		if len(before)+len(now) > 2000 {
			return
		}
		old, lines := strings.Split(before, "\n"), strings.Split(now, "\n")
		cursor := standard.CursorOf("c", old)
		got := standard.Cut(cursor, "c", lines, endsOf(seed))
		if got.Discarded+len(got.Kept) != len(lines) || !slices.Equal(got.Kept, lines[got.Discarded:]) {
			t.Errorf("Cut(%q after %q) = %q, %d discarded: want a tail of the lines", lines, old,
				got.Kept, got.Discarded)
		}
		if (got.Use == CursorFound) != (got.Discarded > 0) {
			t.Errorf("Cut(%q after %q) discards %d with use %d", lines, old, got.Discarded, got.Use)
		}
		again := standard.CursorOf("c", lines)
		for _, line := range standard.Cut(again, "c", lines, endsOf(seed)).Kept {
			if len(again.Lines) > 0 && readable(again) && strings.TrimSpace(line) != "" {
				t.Errorf("Cut(%q after itself) keeps %q, want nothing", lines, line)
			}
		}
		raw, err := json.Marshal(cursor)
		var back Cursor
		if err != nil || json.Unmarshal(raw, &back) != nil || len(back.Lines) != len(cursor.Lines) {
			t.Errorf("%d lines stored = %d lines, %v", len(cursor.Lines), len(back.Lines), err)
		}
	})
}

// readable reports that every line of a cursor can be compared.
func readable(c Cursor) bool {
	return !slices.ContainsFunc(c.matches(standard.Lines, plainLines(c.Lines)),
		func(row []bool) bool { return !slices.Contains(row, true) })
}

// endsOf is how a profile finds the end of a cursor.
func endsOf(seed bool) func(same [][]bool, lines int) int {
	if seed {
		return ByText{}.ends
	}
	return ByViews{}.ends
}
