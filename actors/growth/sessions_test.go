package growth_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/growth"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

var update = flag.Bool("update", false, "rewrite what is expected after each session")

// tokyo is where the sessions are.
var tokyo = time.FixedZone("JST", 9*60*60)

// lane is growth of one conversation, with a worker that reads what it is given.
type lane struct {
	*actortest.Harness
	n int
}

func spawn(t *testing.T, more ...actortest.Option) *lane {
	t.Helper()
	return spawnWith(t, nil, more...)
}

// spawnWith hides the names of rows under a key.
func spawnWith(t *testing.T, key []byte, more ...actortest.Option) *lane {
	t.Helper()
	more = append(more, actortest.Address("growth/c-1"))
	return &lane{Harness: actortest.Spawn(t, growth.New(growth.Options{Rules: growth.DefaultRules(),
		RowKey: func(messages.ConversationID) ([]byte, error) { return key, nil }}), more...)}
}

// reads has the worker answer with events.
func (l *lane) reads(list ...messages.GrownEvent) {
	l.n++
	l.Send(messages.Grow{Conversation: "c-1"})
	for _, c := range l.Calls() {
		if _, ok := c.Request.(messages.ReadEvents); ok {
			l.AnswerCall(c.ID, messages.EventsRead{Conversation: "c-1", Events: list,
				Reached: messages.Reached{Changes: uint64(l.n), Print: 1}})
		}
	}
	l.Sent()
}

// topics are the stored ones, in the order of kind, subject and name.
func (l *lane) topics(t *testing.T) (list []memory.Topic) {
	t.Helper()
	for _, v := range actortest.Rows(l.Harness, growth.Topics) {
		list = append(list, v)
	}
	slices.SortFunc(list, func(x, y memory.Topic) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Subject, y.Subject), cmp.Compare(x.Name, y.Name))
	})
	return list
}

// states are one line for each state.
func (l *lane) states(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, v := range l.topics(t) {
		for _, s := range v.States {
			sign, day := "=", func(at time.Time) string { return at.In(tokyo).Format("01-02") }
			until := ""
			if !s.Until.IsZero() {
				sign, until = "-", day(s.Until)+" "+string(s.End)
			}
			whose, what := cmp.Or(string(v.Subject), "you"), string(v.Name)+": "+string(s.Body)
			if v.Kind == memory.Task || v.Kind == memory.Preference {
				what = string(s.Body)
			}
			if v.Kind == memory.Preference {
				what += map[bool]string{true: " likes ", false: " dislikes "}[s.Like] + string(s.Status)
			}
			fmt.Fprintf(&b, "%s %s %s %s | %s–%s\n", sign, v.Kind, whose, what, day(s.From), until)
		}
	}
	return b.String()
}

// TestSessionsGolden plays nineteen sessions and expects the states after each of them, also
// where the process dies before each commit, and where everything is read twice.
func TestSessionsGolden(t *testing.T) {
	const file = "testdata/sessions.txt"
	for name, after := range map[string]func(*lane, []messages.GrownEvent){
		"plain":   func(l *lane, events []messages.GrownEvent) { l.reads(events...) },
		"crashes": func(l *lane, events []messages.GrownEvent) { l.CrashBeforeCommit(); l.reads(events...); l.Crash() },
		"twice":   func(l *lane, events []messages.GrownEvent) { l.reads(events...); l.reads(events...) },
		"one by one": func(l *lane, events []messages.GrownEvent) {
			for _, e := range events {
				l.CrashBeforeCommit()
				l.reads(e)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			l := spawn(t, actortest.Start(time.Date(2026, 1, 1, 0, 0, 0, 0, tokyo)))
			got := playSessions(t, l, string(raw), after)
			if *update && name == "plain" {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if !bytes.Equal(raw, []byte(got)) {
				t.Errorf("the sessions and their states are\n%s\nwant as in %s", got, file)
			}
		})
	}
}

// playSessions returns a script with the states after each session.
func playSessions(t *testing.T, l *lane, script string, learn func(*lane, []messages.GrownEvent)) string {
	t.Helper()
	var b strings.Builder
	var events []messages.GrownEvent
	at := time.Time{}
	settle := func() {
		if events != nil {
			learn(l, events)
			b.WriteString(l.states(t))
			events = nil
		}
	}
	for line := range strings.Lines(script) {
		line = strings.TrimRight(line, "\n")
		name, text, said := strings.Cut(line, ": ")
		switch {
		case strings.HasPrefix(line, "= "), strings.HasPrefix(line, "- "):
			continue
		case line == "":
			settle()
		case strings.HasPrefix(line, "session "):
			var n int
			var day, clock string
			if _, err := fmt.Sscanf(line, "session %d %s %s", &n, &day, &clock); err != nil {
				t.Fatal(line, err)
			}
			at, _ = time.ParseInLocation("2006-01-02 15:04", day+" "+clock, tokyo)
		case strings.HasPrefix(line, "> "), said && !strings.HasPrefix(line, "#"):
			e := messages.Event{ID: messages.MessageID(fmt.Sprint("m", at.Unix())), At: at,
				Speaker: messages.Text(name), Text: messages.Text(text)}
			if own, ok := strings.CutPrefix(line, "> "); ok {
				e.Own, e.Speaker, e.Text = true, "", messages.Text(own)
			}
			events = append(events, messages.GrownEvent{Event: e})
			at = at.Add(time.Minute)
		}
		b.WriteString(line + "\n")
	}
	settle()
	return b.String()
}
