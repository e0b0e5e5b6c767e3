package recall

import (
	_ "embed" // the talks
	"fmt"
	"strings"
	"time"
)

//go:embed talks.en.txt
var talksEnglish string

// Talks returns conversations that were written by hand, with questions about them. They are what
// [Generate] does not make: turns of several sentences about several things, answers in other words
// than the question's, names that only speakers and questions have, pictures as captions, days that
// only the times of the sessions tell. What helps generated histories alone does not help here.
// The last one was written after the fields of package rank (concepts.txt): it chose none of them.
func Talks() (events []Event, questions []Question) {
	t := talk{}
	for row := range strings.Lines(talksEnglish) {
		t.read(strings.TrimSpace(row))
	}
	return t.events, t.questions
}

// talk is the conversation that is being read.
type talk struct {
	name      string
	held      bool
	ids       map[string]string // of events by their marks
	at        time.Time
	events    []Event
	questions []Question
}

// read takes one line: "# NAME [held]" begins a conversation, "= TIME" a session, "? KIND MARKS | TEXT" is
// a question, and "SPEAKER[MARK]: TEXT" a turn. The file is ours: what cannot be read is a bug.
func (t *talk) read(row string) {
	head, rest, _ := strings.Cut(row, " ")
	switch head {
	case "#":
		name, held, _ := strings.Cut(rest, " ")
		t.name, t.held, t.ids = name, held == "held", map[string]string{}
	case "=":
		at, err := time.Parse("2006-01-02T15:04", rest)
		if err != nil {
			panic(fmt.Sprintf("recall: a talk has the time %q", rest))
		}
		t.at = at
	case "?":
		t.ask(rest)
	default:
		t.say(row)
	}
}

func (t *talk) say(row string) {
	who, said, ok := strings.Cut(row, ": ")
	who, mark, _ := strings.Cut(strings.TrimSuffix(who, "]"), "[")
	if !ok || t.name == "" || mark != "" && t.ids[mark] != "" {
		panic(fmt.Sprintf("recall: a talk has the line %q", row))
	}
	e := Event{ID: fmt.Sprintf("%s-%d", t.name, len(t.events)), Conversation: t.name, At: t.at, Speaker: who,
		Text: said}
	if mark != "" {
		t.ids[mark] = e.ID
	}
	t.events = append(t.events, e)
	t.at = t.at.Add(time.Minute)
}

func (t *talk) ask(row string) {
	head, query, _ := strings.Cut(row, " | ")
	kind, marks, _ := strings.Cut(head, " ")
	q := Question{ID: fmt.Sprintf("%s-q%d", t.name, len(t.questions)), Query: query, Conversation: t.name, Type: kind,
		Language: "talk", Held: t.held}
	for mark := range strings.SplitSeq(marks, ",") {
		if t.ids[mark] == "" {
			panic(fmt.Sprintf("recall: the question %q has no event %q", query, mark))
		}
		q.Evidence = append(q.Evidence, t.ids[mark])
	}
	t.questions = append(t.questions, q)
}
