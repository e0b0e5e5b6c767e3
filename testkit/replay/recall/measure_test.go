package recall_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/memory/rank"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/testkit/replay/recall"
)

// generated are histories in both languages.
func generated(t testing.TB, seed uint64, histories int) (events []recall.Event, questions []recall.Question) {
	t.Helper()
	for _, l := range []text.Language{text.English, text.Japanese} {
		e, q := recall.Generate(seed, l, histories)
		events, questions = append(events, e...), append(questions, q...)
	}
	return events, questions
}

// TestScores prints what `make bench-recall` shows, and fails where recall falls
// behind what it was by more than chance.
func TestScores(t *testing.T) {
	histories := 3
	if testing.Short() {
		histories = 1
	}
	events, questions := generated(t, 1, histories)
	l, err := recall.NewLibrary(events)
	if err != nil {
		t.Fatal(err)
	}
	full, err := l.Measure(questions, rank.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := full.Print(&b); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d turns\n%s", len(events), &b)
	if got := full.All.Recall[2]; got < 0.74 {
		t.Errorf("recall@12 = %.3f, want at least 0.74", got)
	}
	if got := full.All.Recall[4]; got < 0.91 {
		t.Errorf("recall@60 = %.3f, want at least 0.91", got)
	}
	words := rank.Weights{Kana: 0.15, Letter: 0.4}
	plain, err := l.Measure(questions, words)
	if err != nil {
		t.Fatal(err)
	}
	if gain := full.All.Recall[2] - plain.All.Recall[2]; gain < 0.12 {
		t.Errorf("recall@12 is %.3f above words alone, want at least 0.12", gain)
	}
}

// TestTalks is TestScores for talks, of which there are few: a question is half a hundredth.
func TestTalks(t *testing.T) {
	events, questions := recall.Talks()
	l, err := recall.NewLibrary(events)
	if err != nil {
		t.Fatal(err)
	}
	r, err := l.Measure(questions, rank.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.Print(&b); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d turns\n%s", len(events), &b)
	if got := r.All.Recall[2]; got < 0.80 {
		t.Errorf("recall@12 = %.3f, want at least 0.80", got)
	}
	if got := r.All.Recall[4]; got < 0.94 {
		t.Errorf("recall@60 = %.3f, want at least 0.94", got)
	}
	if held := r.Groups["talk (held out)"]; held.Questions < 45 || len(r.Groups) < 10 {
		t.Errorf("Talks() has %d questions held out and the groups %v, want 45 and 8 types", held.Questions, r.Groups)
	}
}

func TestGenerateIsSeeded(t *testing.T) {
	for _, l := range []text.Language{text.English, text.Japanese} {
		events, questions := recall.Generate(4, l, 3)
		again, same := recall.Generate(4, l, 3)
		if !slices.Equal(events, again) || len(questions) != len(same) {
			t.Errorf("Generate(4, %s, 3) made two different histories", l)
		}
		kinds, held := map[string]int{}, 0
		ids := map[string]bool{}
		for _, e := range events {
			if ids[e.ID] || strings.ContainsAny(e.Text, "{}") {
				t.Fatalf("event %+v repeats an id or has an empty slot", e)
			}
			ids[e.ID] = true
		}
		for _, q := range questions {
			kinds[q.Type]++
			if q.Held {
				held++
			}
			unknown := slices.ContainsFunc(q.Evidence, func(id string) bool { return !ids[id] })
			if strings.ContainsAny(q.Query, "{}") || unknown {
				t.Fatalf("question %+v has an empty slot, or evidence that is not there", q)
			}
		}
		if len(questions) < 200 || len(kinds) < 8 || held < len(questions)/3 {
			t.Errorf("Generate(4, %s, 3) = %d questions of %v, %d held out; want 200 of 8 kinds, a third held out", l,
				len(questions), kinds, held)
		}
	}
}

func TestReadLinesNamesTheLine(t *testing.T) {
	good := `{"id":"e1","conversation":"c","at":"2026-05-01T10:00:00Z","speaker":"Anna","text":"tea"}` + "\n"
	for _, c := range []struct{ file, want string }{
		{good + good[:40], "line 2: it is no JSON object"},
		{good + "\n" + `{"conversation":"c","at":"2026-05-01T10:00:00Z"}`, "line 3: it has no id"},
		{`{"id":"e","at":"2026-05-01T10:00:00Z"}`, "line 1: it has no conversation"},
		{`{"id":"e","conversation":"c"}`, "line 1: it has no time"},
		{`{"id":"e","conversation":"c","at":"yesterday"}`, "line 1: it is no JSON object"},
		{good + "\xff\n", "line 2: it is not UTF-8"},
		{strings.Repeat("x", 5<<20), "line 1: "},
	} {
		_, err := recall.ReadEvents(strings.NewReader(c.file))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("ReadEvents(%.60q) = %v, want %q", c.file, err, c.want)
		}
	}
	if _, err := recall.ReadQuestions(strings.NewReader(`{"query":"x"}`)); err == nil {
		t.Error("ReadQuestions took a question without evidence")
	}
	if list, err := recall.ReadEvents(strings.NewReader(good + "\n")); err != nil || len(list) != 1 {
		t.Errorf("ReadEvents() = %v, %v, want one event", list, err)
	}
}

func TestMeasureCounts(t *testing.T) {
	var events []recall.Event
	for n := range 30 {
		events = append(events, recall.Event{ID: fmt.Sprint("e", n), Conversation: "c", Speaker: "Anna",
			At: time.Unix(int64(n)*86400, 0), Text: "nothing of note on this day"})
	}
	events[3].Text, events[20].Text = "I bought a telescope", "the telescope broke"
	r, err := recall.Measure(events, []recall.Question{{ID: "q", Query: "telescope?", Conversation: "c",
		Evidence: []string{"e3", "e20"}, Type: "multi", Language: "en"}}, rank.Defaults())
	if err != nil || r.All.Recall[0] != 1 || r.Groups["en multi"].Questions != 1 {
		t.Errorf("Measure() = %+v, %v, want all evidence among the first five", r, err)
	}
	before := recall.Question{ID: "q", Query: "telescope?", Conversation: "c", At: time.Unix(10*86400, 0),
		Evidence: []string{"e3", "e20"}}
	r, err = recall.Measure(events, []recall.Question{before}, rank.Defaults())
	if err != nil || r.All.Recall[4] != 0.5 {
		t.Errorf("Measure(asked before the second) = %+v, %v, want half of the evidence", r, err)
	}
	before.Evidence = []string{"unknown"}
	_, err = recall.Measure(events, []recall.Question{before}, rank.Defaults())
	if !errors.Is(err, recall.ErrEvidence) {
		t.Errorf("Measure(unknown evidence) = %v, want ErrEvidence", err)
	}
}

func FuzzReadEvents(f *testing.F) {
	f.Add([]byte(`{"id":"e1","conversation":"c","at":"2026-05-01T10:00:00Z","speaker":"Anna","text":"tea"}`))
	f.Add([]byte("\n{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		events, err := recall.ReadEvents(bytes.NewReader(data))
		if err != nil {
			return
		}
		if _, err := recall.NewLibrary(events); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkRecall(b *testing.B) {
	events, questions := generated(b, 1, 2)
	l, err := recall.NewLibrary(events)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		l.Recall(questions[i%len(questions)], rank.Defaults(), 12)
	}
}
