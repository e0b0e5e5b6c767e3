//go:build recall

package recall_test

import (
	"fmt"
	"os"
	"testing"
	"text/tabwriter"

	"github.com/kehai-run/kehai/actors/memory/rank"
	"github.com/kehai-run/kehai/testkit/replay/recall"
)

// TestSignals prints recall by type and language, and what each signal is worth: how
// recall@12 and recall@60 change without it.
func TestSignals(t *testing.T) {
	events, questions := generated(t, 1, 4)
	talks, about := recall.Talks()
	events, questions = append(events, talks...), append(questions, about...)
	l, err := recall.NewLibrary(events)
	if err != nil {
		t.Fatal(err)
	}
	full, err := l.Measure(questions, rank.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%d turns, %d questions, %v in the middle\n\n", len(events), len(questions), full.Took[len(full.Took)/2])
	if err := full.Print(os.Stdout); err != nil {
		t.Fatal(err)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	halves := []string{"en (tuned on)", "en (held out)", "ja (tuned on)", "ja (held out)", "talk (tuned on)",
		"talk (held out)"}
	fmt.Fprint(w, "\nwithout\tall @12\tall @60")
	for _, h := range halves {
		fmt.Fprintf(w, "\t%s @12\t@60", h)
	}
	fmt.Fprintln(w)
	for _, s := range rank.Signals() {
		r, err := l.Measure(questions, rank.Without(rank.Defaults(), s))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(w, "%s\t%+.3f\t%+.3f", s, r.All.Recall[2]-full.All.Recall[2], r.All.Recall[4]-full.All.Recall[4])
		for _, h := range halves {
			a, b := r.Groups[h].Recall, full.Groups[h].Recall
			fmt.Fprintf(w, "\t%+.3f\t%+.3f", a[2]-b[2], a[4]-b[4])
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}
