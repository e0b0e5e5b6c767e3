package directory

import (
	"testing"

	"github.com/kehai-run/kehai/messages"
)

// TestHeaders: the pixels of a header say whose name it is, however it is read, and that a
// name of other pixels is another one until the bubbles prove it.
func TestHeaders(t *testing.T) {
	known := among("Hana", "Hama", "Ken")
	for _, c := range []struct {
		what   string
		q      messages.Identify
		shared []messages.Overlap
		want   string
	}{
		{"one reading of two alike", messages.Identify{Title: line("Hana", 0.9)},
			[]messages.Overlap{gap, gap}, "title_ambiguous"},
		{"its header", messages.Identify{Title: line("Hana", 0.9), Look: "c-1", Unlike: ids("c-2")},
			[]messages.Overlap{gap, gap}, "c-1"},
		{"its header, read as another's", messages.Identify{Title: line("Hama", 0.9), Look: "c-1", Unlike: ids("c-2")},
			[]messages.Overlap{gap, gap}, "c-1"},
		{"its header, unreadable", messages.Identify{Look: "c-1", Unlike: ids("c-2")},
			[]messages.Overlap{gap, gap}, "c-1"},
		{"its header over another's bubbles", messages.Identify{Title: line("Hana", 0.9), Look: "c-1"},
			[]messages.Overlap{gap, same}, "c-2"},
		{"its header over a stranger's", messages.Identify{Title: line("Hana", 0.9), Look: "c-1"},
			[]messages.Overlap{other, other}, "title_unsure"},
		{"what the tree says counts more", messages.Identify{Title: line("Ken", 0), Look: "c-1"},
			[]messages.Overlap{gap, gap, gap}, "c-3"},
		{"another header", messages.Identify{Title: line("Ken", 0.9), Unlike: ids("c-3")},
			[]messages.Overlap{none, none, gap}, "title_namesake"},
		{"another header, read again and again", messages.Identify{Title: line("Ken", 0.9), Unlike: ids("c-3"),
			Readings: consensus}, []messages.Overlap{none, none, weak}, "title_namesake"},
		{"another header over its bubbles", messages.Identify{Title: line("Ken", 0.9), Unlike: ids("c-3")},
			[]messages.Overlap{none, none, same}, "c-3"},
		{"another header, and one of a like name has shown it", messages.Identify{Title: line("Hana", 0.9),
			Unlike: ids("c-2")}, []messages.Overlap{weak, weak}, "title_ambiguous"},
		{"the header of a moment ago", messages.Identify{Title: line("Hama", 0.9), Shows: "c-1", Still: true}, nil,
			"c-1"},
		{"the header of a moment ago, unreadable", messages.Identify{Shows: "c-1", Still: true}, nil, "c-1"},
	} {
		if got := outcomeOf(known, c.q, c.shared...); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

func ids(list ...messages.ConversationID) []messages.ConversationID { return list }
