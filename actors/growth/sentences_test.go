package growth_test

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/growth"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/messages"
)

//go:embed testdata/sentences.txt
var sentences string

// TestSentences measures how often the rules are right about single sentences of both
// languages, most of which only sound like a task, a fact or a preference.
func TestSentences(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, tokyo)
	type score struct{ said, right, wanted int }
	scores := map[memory.Kind]*score{memory.Task: {}, memory.Fact: {}, memory.Relation: {}, memory.Preference: {}}
	n := 0
	for line := range strings.Lines(sentences) {
		wanted, says, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if !ok {
			continue
		}
		n++
		var got []string
		e := messages.Event{ID: "m", Speaker: "Hana", At: at, Text: messages.Text(says)}
		for _, l := range growth.Learn(e, func() []memory.Topic { return nil }) {
			what := map[memory.Op]string{memory.Likes: "like", memory.Dislikes: "dislike",
				memory.Ends: "ends", memory.Holds: string(l.Claim.Body)}[l.Claim.Op]
			one := fmt.Sprint(l.Kind, " ", string(l.Name), " ", what)
			if l.Kind == memory.Task {
				one = string(l.Kind)
			}
			if got = append(got, one); scores[l.Kind] != nil {
				scores[l.Kind].said++
			}
		}
		if wanted != "-" {
			kind, _, _ := strings.Cut(wanted, " ")
			scores[memory.Kind(kind)].wanted++
			if slices.Contains(got, wanted) {
				scores[memory.Kind(kind)].right++
			}
		}
		if len(got) != 1 || got[0] != wanted {
			if wanted != "-" || len(got) > 0 {
				t.Logf("%s: learned %q, want %s", says, got, wanted)
			}
		}
	}
	if n < 200 {
		t.Errorf("there are %d sentences, want 200", n)
	}
	for kind, s := range scores {
		precision, found := float64(s.right)/float64(s.said), float64(s.right)/float64(s.wanted)
		t.Logf("%s: %d of %d right (%.2f), %.2f of %d found", kind, s.right, s.said, precision, found, s.wanted)
		if precision < 0.95 || found < 0.9 {
			t.Errorf("%s: precision %.2f, found %.2f, want .95 and .90", kind, precision, found)
		}
	}
}
