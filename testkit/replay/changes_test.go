package replay

import (
	"strings"
	"testing"
)

// alterations makes changes of words: "B:text" in conversation B, else in A; "-"
// is one that was taken back, "~text" one of a message that is history.
func alterations(words string) (out []altered) {
	for _, w := range strings.Fields(words) {
		c := altered{conversation: "A"}
		if rest, ok := strings.CutPrefix(w, "B:"); ok {
			c.conversation, w = "B", rest
		}
		w, c.free = strings.CutPrefix(w, "~")
		if c.text = w; w == "-" {
			c.text = ""
		}
		out = append(out, c)
	}
	return out
}

func TestScoreChanges(t *testing.T) {
	for _, c := range []struct {
		shown, published string
		want             Counts
	}{
		{"", "", Counts{}},
		{"one -", "one -", Counts{Changes: 2}},
		{"one -", "-", Counts{Changes: 2, ChangesMissed: 1}},
		{"one", "one one", Counts{Changes: 1, ChangesDoubled: 1}},
		{"", "one -", Counts{ChangesDoubled: 2}},
		{"one", "B:one", Counts{Changes: 1, ChangesMissed: 1, ChangesDoubled: 1}},
		{"~one two", "two", Counts{Changes: 1}},
		{"~one two", "one two", Counts{Changes: 1}},
		{"somewhere", "somevvhere", Counts{Changes: 1}},                       // misread
		{"OK", "0K", Counts{Changes: 1}},                                      // one letter of two
		{"OK", "no", Counts{Changes: 1, ChangesMissed: 1, ChangesDoubled: 1}}, // both
		{"sorry 本当sorry", "回sory 本当sorry", Counts{Changes: 2}},                // the clear one first
		{"one two", "two one", Counts{Changes: 2}},                            // in any order
		{"one", "-", Counts{Changes: 1, ChangesMissed: 1, ChangesDoubled: 1}}, // edited, not taken back
		{"B:- -", "-", Counts{Changes: 2, ChangesMissed: 1}},                  // of which conversation
		{"one one", "one", Counts{Changes: 2, ChangesMissed: 1}},              // each for itself
		{"longer", "something", Counts{Changes: 1, ChangesMissed: 1, ChangesDoubled: 1}},
	} {
		var got Counts
		problems := scoreChanges(alterations(c.shown), alterations(c.published), &got)
		if got != c.want || len(problems) != got.Errors() {
			t.Errorf("scoreChanges(%q, %q) = %+v with %d problems, want %+v with one each", c.shown, c.published, got,
				len(problems), c.want)
		}
	}
}
