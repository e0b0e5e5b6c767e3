package interview

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kehai-run/kehai/actors/text"
)

var began = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

func project(turns, deep int) Project {
	p := DefaultProject()
	p.Goal, p.Limits.MaxTurns, p.Limits.MaxDeep = "why mornings are hard", turns, deep
	return p
}

// asking is a project with as many questions that must be asked as it may put.
func asking(turns, deep int) Project {
	p := project(turns, deep)
	p.MustAsk = []string{"when?", "who?", "where?"}[:min(3, deep)]
	return p
}

// says are utterances of each input, in both languages.
var says = map[input][]string{
	start: {"[インタビュー開始]", "[interview start]"}, answer: {"電車が混む", "the trains are full", "少ない", "もったいない"},
	closing: {"特にない", "以上です。", "That's all!", "no"}, skip: {"[スキップ]", "[skip]", "pass"}, stop: {"やめます", "stop"},
}

func eventOf(in input, n int) Event {
	switch in {
	case failed:
		return Event{Kind: Failed}
	case recovered:
		return Event{Kind: Recovered}
	}
	if in == ending {
		return Event{Kind: Said, Texts: []string{says[answer][n%len(says[answer])], says[closing][0]}}
	}
	return Event{Kind: Said, Texts: []string{says[in][n%len(says[in])]}}
}

var inputs = []input{start, answer, ending, closing, skip, stop, failed, recovered}

// docTable reads the rows of the package comment.
func docTable(t *testing.T) (rows []string) {
	t.Helper()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	cells := regexp.MustCompile(`(?m)^//\t\| (.+?) +\| (.+?) +\| ([a-z_]*) *\| (\w+) +\|$`)
	for _, m := range cells.FindAllStringSubmatch(string(doc), -1) {
		if m[1] != "from" {
			rows = append(rows, fmt.Sprintf("%s | %s | %s | %s", m[1], m[2], m[3], m[4]))
		}
	}
	return rows
}

func (r row) String() string {
	list := func(n int, at func(i int) string) string {
		if n == 0 {
			return "any"
		}
		var out []string
		for i := range n {
			out = append(out, at(i))
		}
		return strings.Join(out, ", ")
	}
	return fmt.Sprintf("%s | %s | %s | %s", list(len(r.from), func(i int) string { return string(r.from[i]) }),
		list(len(r.on), func(i int) string { return string(r.on[i]) }), r.when, r.to)
}

// TestTableIsTheDocumentedOne compares the table of the code with the one that
// people read.
func TestTableIsTheDocumentedOne(t *testing.T) {
	var code []string
	for _, r := range table {
		code = append(code, r.String())
		if guards[r.when] == nil {
			t.Errorf("row %s has no guard %q", r, r.when)
		}
	}
	if doc := docTable(t); !slices.Equal(doc, code) {
		t.Errorf("doc.go has\n%s\nwant the rows of the code\n%s", strings.Join(doc, "\n"), strings.Join(code, "\n"))
	}
}

// TestTablePlays drives every row: each phase, each input, on both sides of each
// guard. A row that nothing reaches is an error, as is a move that its row does not
// have.
func TestTablePlays(t *testing.T) {
	phases := []Phase{Intro, Enumerate, Recommend, Choose, Deepening, SummaryCheck, Done, Fallback}
	reached := map[string]bool{}
	for _, m := range []Machine{{Project: project(12, 2)}, {Project: project(4, 0)}, {Project: asking(5, 1)},
		{Project: project(12, 2), Resume: true}} {
		for _, phase := range phases {
			for _, in := range inputs {
				for _, s := range []State{
					{Phase: phase, Left: Choose},
					{Phase: phase, Left: Choose, Items: []Item{{Text: "a"}, {Text: "b"}}},
					{Phase: phase, Left: Choose, Turns: m.Project.Limits.MaxTurns - 2},
					{Phase: phase, Turns: m.Project.Limits.MaxTurns - 1, Deep: m.Project.Limits.MaxDeep,
						Asked: FixedQuestions, Left: Choose, Items: []Item{{Text: "a"}, {Text: "b"}, {Text: "c"}}},
				} {
					items := s.Items
					if (in == answer || in == ending) && (phase == Intro || phase == Enumerate) {
						items = addItems(items, says[answer][0])
					}
					r := m.find(s, in, items)
					reached[r.String()] = true
					want := r.to
					switch want {
					case same:
						want = phase
					case left:
						want = Choose
					}
					if got, _ := m.Step(s, eventOf(in, 0), began); got.Phase != want {
						t.Errorf("%s on %s went to %s, want %s by row %s", phase, in, got.Phase, want, r)
					}
				}
			}
		}
	}
	for _, r := range table {
		if !reached[r.String()] {
			t.Errorf("nothing reaches row %s", r)
		}
	}
}

// model is an interview told in another way: as counts of what happened.
type model struct {
	m        Machine
	finished int
	answered int
	fallback bool
}

// TestModel plays random events. Whatever comes, no counter exceeds its limit, the
// interview ends once and stays as it ended, and every move is one of the table.
func TestModel(t *testing.T) {
	allowed := map[Phase][]Phase{
		Intro:     {Intro, Enumerate, Recommend, Deepening, Done, Fallback},
		Enumerate: {Enumerate, Recommend, Deepening, Done, Fallback},
		Recommend: {Recommend, Choose, Deepening, Done, Fallback},
		Choose:    {Choose, Deepening, SummaryCheck, Done, Fallback},
		Deepening: {Deepening, SummaryCheck, Done, Fallback}, SummaryCheck: {SummaryCheck, Done, Fallback},
		Fallback: {Fallback, Intro, Enumerate, Recommend, Choose, Deepening, SummaryCheck, Done}, Done: {Done},
	}
	rapid.Check(t, func(t *rapid.T) {
		turns := rapid.IntRange(1, 15).Draw(t, "max_turns")
		p := asking(turns, rapid.IntRange(0, max(turns-1, 0)).Draw(t, "max_deep"))
		mo := model{m: Machine{Project: p, Resume: rapid.Bool().Draw(t, "resume")}}
		s, asked := State{}, map[string]int{}
		for n := range rapid.IntRange(1, 60).Draw(t, "events") {
			in := rapid.SampledFrom(inputs).Draw(t, "event")
			if in == stop && rapid.IntRange(0, 4).Draw(t, "stop") > 0 {
				in = answer
			}
			from := s.Phase
			if from == "" {
				from = Intro
			}
			next, res := mo.m.Step(s, eventOf(in, rapid.IntRange(0, 3).Draw(t, "words")), began.Add(time.Duration(n)))
			if !slices.Contains(allowed[from], next.Phase) {
				t.Fatalf("%s on %s: %s", from, in, next.Phase)
			}
			if from != Done && (in == answer || in == ending || in == closing) {
				mo.answered++
			}
			mo.fallback = mo.fallback || next.Phase == Fallback
			if res.Finish != nil {
				mo.finished++
			}
			if res.Ask != "" && in != start {
				asked[res.Ask]++
			}
			if in == failed && from == Deepening && s.Deep > 0 && s.Deep <= len(p.MustAsk) {
				asked[p.MustAsk[s.Deep-1]]-- // it was not put
			}
			switch {
			case next.Turns != mo.answered || next.Turns > turns && !mo.fallback:
				t.Fatalf("turns = %d of %d, want %d", next.Turns, turns, mo.answered)
			case next.Deep > p.Limits.MaxDeep || next.Asked > FixedQuestions+len(p.MustAsk):
				t.Fatalf("asked %d deepening and %d fixed questions", next.Deep, next.Asked)
			case mo.finished > 1 || (mo.finished == 1) != (next.Phase == Done) ||
				(next.Phase == Done) == next.FinishedAt.IsZero():
				t.Fatalf("finished %d times in %s at %v", mo.finished, next.Phase, next.FinishedAt)
			case next.FallbackMode != mo.fallback:
				t.Fatalf("fallback_mode = %v, want %v", next.FallbackMode, mo.fallback)
			case from == Done && (fmt.Sprint(next) != fmt.Sprint(s) || res.Reply != ""):
				t.Fatalf("done changed by %s: %+v, %+v", in, next, res)
			case next.Phase == Fallback && res.Reply == Question && res.Text(next, text.English) == "":
				t.Fatal("a fixed question without a text")
			}
			s = next
		}
		for q, n := range asked {
			if n > 1 && !mo.m.Resume {
				t.Fatalf("asked %q %d times", q, n)
			}
		}
		if s.Phase == SummaryCheck && s.Deep == p.Limits.MaxDeep && !mo.fallback {
			for _, q := range p.MustAsk {
				if asked[q] != 1 {
					t.Fatalf("must_ask %q was asked %d times before the summary", q, asked[q])
				}
			}
		}
		wantAllPut(t, mo.m)
		// Answers alone end every interview.
		for range turns + FixedQuestions + 8 {
			s, _ = mo.m.Step(s, Event{Kind: Said, Texts: []string{"hm, well"}}, began)
		}
		if s.Phase != Done {
			t.Fatalf("after answers to everything the interview is in %s", s.Phase)
		}
	})
}

// wantAllPut answers whatever is asked until the interview is over. In a project that is usable
// each question that must be asked was put by then, and may still be answered.
func wantAllPut(t *rapid.T, m Machine) {
	if m.Project.Validate() != nil {
		return
	}
	var put []string
	s, words := State{}, []string{"電車が混む", "a, b, c", "the trains are full", "that's all"}
	for s.Phase != Done {
		var r Result
		s, r = m.Step(s, Event{Kind: Said, Texts: []string{rapid.SampledFrom(words).Draw(t, "answer")}}, began)
		if r.Ask != "" {
			put = append(put, r.Ask)
		}
	}
	if !slices.Equal(put, m.Project.MustAsk) {
		t.Fatalf("in %d turns %q were put, want %q", m.Project.Limits.MaxTurns, put, m.Project.MustAsk)
	}
}
