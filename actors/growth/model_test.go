package growth_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/growth"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// withModel is growth that asks a model.
func withModel(t *testing.T, mask bool, perHour int) *lane {
	t.Helper()
	o := growth.Options{Rules: growth.DefaultRules(), Asks: true, Mask: mask}
	o.Rules.PerHour = perHour
	return &lane{Harness: actortest.Spawn(t, growth.New(o), actortest.Address("growth/c-1"),
		actortest.Start(time.Date(2026, 1, 1, 0, 0, 0, 0, tokyo)))}
}

// question is what the model is asked, after a while.
func (l *lane) question(t *testing.T) messages.AskLLM {
	t.Helper()
	l.Calls()
	l.Advance(growth.DefaultRules().Pause)
	for _, c := range l.Calls() {
		if c.Worker == messages.WorkerLearner {
			return c.Request.(messages.AskLLM)
		}
	}
	t.Fatal("nothing is asked")
	return messages.AskLLM{}
}

func (l *lane) says(ask messages.AskLLM, text messages.Text) {
	l.Answer(messages.LLMAnswer{Key: ask.Key, Text: text, Model: "m"})
}

// TestSessionsWithAModelGolden plays the nineteen sessions with a model that finds what rules do
// not, and makes things up. It crashes where it may.
func TestSessionsWithAModelGolden(t *testing.T) {
	script, err := os.ReadFile("testdata/sessions.txt")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("testdata/model.json")
	if err != nil {
		t.Fatal(err)
	}
	var finds []map[string]any // quote says which message
	if err := json.Unmarshal(raw, &finds); err != nil {
		t.Fatal(err)
	}
	const file = "testdata/sessions_model.txt"
	want, _ := os.ReadFile(file)
	l := withModel(t, false, 1000)
	got := playSessions(t, l, string(script), func(l *lane, events []messages.GrownEvent) {
		l.CrashBeforeCommit()
		l.reads(events...)
		l.Crash()
		l.question(t)
		l.Crash() // the question is lost, and asked again
		l.Calls()
		l.Advance(2 * time.Minute)
		l.CrashBeforeCommit()
		calls := l.Calls()
		if len(calls) == 0 {
			t.Fatal("a lost question is not asked again")
		}
		ask := calls[len(calls)-1].Request.(messages.AskLLM)
		var found []map[string]any
		for line := range strings.Lines(string(ask.Prompt)) {
			var said struct {
				N          int
				Kind, Text string
			}
			if json.Unmarshal([]byte(line), &said) != nil || said.Kind != "message" {
				continue
			}
			for _, f := range finds {
				if said.Text == f["in"] {
					f["n"] = said.N
					found = append(found, f)
				}
			}
		}
		answer, err := json.Marshal(map[string]any{"learned": append([]map[string]any{}, found...)})
		if err != nil {
			t.Fatal(err)
		}
		l.says(ask, messages.Text(answer))
		if rows := actortest.Rows(l.Harness, growth.Jobs); len(rows) != 0 { // lost with the crash
			l.Advance(2 * time.Minute)
			calls := l.Calls()
			l.says(calls[len(calls)-1].Request.(messages.AskLLM), messages.Text(answer))
		}
	})
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != string(want) {
		t.Errorf("with a model the sessions and their states are\n%s\nwant as in %s", got, file)
	}
}

// TestOnlyWhatWasSaid counts of what a model has learned.
func TestOnlyWhatWasSaid(t *testing.T) {
	o := growth.Options{}
	list := []messages.Event{hana("1", 1, "弟は消防士をしています。 映画が好き").Event, hana("2", 2, "本当に？").Event}
	for name, x := range map[string]struct {
		answer string
		want   int
	}{
		"said":             {`{"n":3,"kind":"relation","topic":"弟","value":"消防士","op":"holds","quote":"弟は消防士をしています"}`, 1},
		"quotation marks":  {`{"n":3,"kind":"preference","topic":"x","value":"映画","op":"likes","quote":"「映画が好き」"}`, 1},
		"changed quote":    {`{"n":3,"kind":"relation","topic":"弟","value":"消防士","op":"holds","quote":"弟は消防士です"}`, 0},
		"changed value":    {`{"n":3,"kind":"relation","topic":"弟","value":"警官","op":"holds","quote":"弟は消防士をしています"}`, 0},
		"another message":  {`{"n":4,"kind":"relation","topic":"弟","value":"消防士","op":"holds","quote":"弟は消防士をしています"}`, 0},
		"no message":       {`{"n":5,"kind":"relation","topic":"弟","value":"消防士","op":"holds","quote":"弟は消防士をしています"}`, 0},
		"a note":           {`{"n":1,"kind":"relation","topic":"弟","value":"消防士","op":"holds","quote":"弟は消防士をしています"}`, 0},
		"no quote":         {`{"n":3,"kind":"relation","topic":"弟","value":"消防士","op":"holds"}`, 0},
		"no value":         {`{"n":3,"kind":"relation","topic":"弟","value":"","op":"holds","quote":"映画が好き"}`, 0},
		"no topic":         {`{"n":3,"kind":"fact","topic":"","value":"映画","op":"holds","quote":"映画が好き"}`, 0},
		"no such kind":     {`{"n":3,"kind":"mood","topic":"弟","value":"消防士","op":"holds","quote":"映画が好き"}`, 0},
		"no such op":       {`{"n":3,"kind":"preference","topic":"映画","value":"映画","op":"adores","quote":"映画が好き"}`, 0},
		"a summary":        {`{"n":3,"kind":"summary","topic":"talk","value":"Hana の弟は消防士だ","op":"holds","quote":"弟は消防士を"}`, 1},
		"of no words":      {`{"n":3,"kind":"summary","topic":"talk","value":"Hana の弟は消防士だ","op":"holds","quote":"弟は警官を"}`, 0},
		"an empty summary": {`{"n":3,"kind":"summary","topic":"talk","value":" ","op":"holds","quote":"弟は消防士を"}`, 0},
		"what was hidden":  {`{"n":3,"kind":"summary","topic":"talk","value":"[人物1] の弟","op":"holds","quote":"弟は消防士を"}`, 0},
		"no task was open": {`{"n":3,"kind":"task","topic":"本を返す","value":"","op":"done","quote":"映画が好き"}`, 0},
	} {
		learned, ok := o.Parse(`{"learned":[`+x.answer+`]}`, list, 3, nil)
		if !ok || len(learned) != x.want {
			t.Errorf("%s: learned %+v, %v, want %d", name, learned, ok, x.want)
		}
	}
	for _, bad := range []string{"", "nothing", `{"learned":7}`, `{"themes":[]}`} {
		if _, ok := o.Parse(bad, list, 3, nil); ok {
			t.Errorf("Parse(%q) is readable", bad)
		}
	}
	if learned, ok := o.Parse(`{"learned":[]}`, list, 3, nil); !ok || len(learned) != 0 {
		t.Errorf("nothing learned is %v, %v", learned, ok)
	}
}

// TestSummariesOfAModel stand in the place of the talk's own words, until a message of that talk is
// taken back: a sentence of a model may tell of any of them.
func TestSummariesOfAModel(t *testing.T) {
	l := withModel(t, false, 10)
	in := func(e messages.GrownEvent) messages.GrownEvent {
		e.Thread = "1"
		return e
	}
	l.reads(in(hana("1", 1, "昨日は美術館で青い絵を見ました")), in(hana("2", 1, "庭にトマトの苗を植えました")),
		in(hana("3", 1, "うん")))
	summary := func() memory.State {
		topic := memory.Topic{Kind: memory.Summary, Name: "1"}
		row, _ := actortest.Stored(l.Harness, growth.Topics, topic.Key())
		now, _ := row.Now()
		return now
	}
	l.says(l.question(t), `{"learned":[`+
		`{"n":1,"kind":"summary","value":"Hana は美術館に行った","op":"holds","quote":"美術館で青い絵を"},`+
		`{"n":3,"kind":"summary","value":"Hana はうなずいた","op":"holds","quote":"うん"}]}`)
	l.Crash()
	if s := summary(); s.Body != "Hana は美術館に行った" || len(s.Evidence) != 1 || s.Evidence[0] != "1" {
		t.Errorf("the summary is %+v, want the model's, of the message that it quotes", s)
	}
	l.CrashBeforeCommit()
	l.reads(gone("2"))
	if s := summary(); s.Body != "Hana: 昨日は美術館で青い絵を見ました" {
		t.Errorf("when another message is taken back the summary is %+v, want the talk's own words", s)
	}
}

// TestMasked: what a model elsewhere must not see it does not, and what was hidden is
// nothing to learn.
func TestMasked(t *testing.T) {
	l := withModel(t, true, 10)
	l.reads(hana("1", 1, "連絡先は hana@example.com です"))
	ask := l.question(t)
	if s := string(ask.Prompt); strings.Contains(s, "example.com") || strings.Contains(s, "Hana") {
		t.Errorf("asked %s, want no address and no name", s)
	}
	label := string(ask.Prompt)[strings.Index(string(ask.Prompt), "["):]
	label = label[:strings.Index(label, "]")+1]
	l.says(ask, messages.Text(`{"learned":[{"n":1,"kind":"fact","topic":"連絡先","value":"`+label+
		`","op":"holds","quote":"`+label+` です"}]}`))
	l.want(t, "")
}

// TestAModelThatFails is asked twice more, then the question is a dead letter, which
// begins it anew when it is sent again; what was said since is asked about meanwhile.
func TestAModelThatFails(t *testing.T) {
	l := withModel(t, false, 10)
	l.reads(hana("1", 1, "弟は消防士をしています"))
	for range 5 {
		l.WantFailure("retry this dead letter")
	}
	l.question(t)
	l.FailCall(messages.FailureError, string(messages.LLMUnavailable), "down")
	l.says(l.question(t), "this is no JSON")
	l.Advance(time.Minute) // the second pause is twice as long
	l.question(t)
	l.FailCall(messages.FailureTimeout, "", "")
	l.Advance(time.Hour)
	l.WantDeadLetters(1)
	l.reads(hana("2", 2, "映画が好き"))
	ask := l.question(t)
	if s := string(ask.Prompt); strings.Contains(s, "消防士") || !strings.Contains(s, "映画") {
		t.Errorf("asked %s, want the new message alone", s)
	}
	l.says(ask, `{"learned":[]}`)
	keys := []string{}
	for key, j := range actortest.Rows(l.Harness, growth.Jobs) {
		keys = append(keys, key+" "+string(j.Stage))
	}
	if len(keys) != 1 || !strings.HasSuffix(keys[0], " dead") {
		t.Fatalf("jobs are %v, want one that is dead", keys)
	}
	row, _, _ := strings.Cut(keys[0], " ")
	l.Send(messages.GrowthFailed{Conversation: "c-1", Job: row})
	l.says(l.question(t), `{"learned":[{"n":2,"kind":"relation","topic":"弟","value":"消防士","op":"holds",
		"quote":"弟は消防士をしています"}]}`)
	if s := l.states(t); !strings.Contains(s, "弟: 消防士") {
		t.Errorf("states are %s, want the brother", s)
	}
}

// TestAnAnswerThatNobodyReads is asked for again, and then left to the rules: no message can
// make work for the owner.
func TestAnAnswerThatNobodyReads(t *testing.T) {
	l := withModel(t, false, 10)
	l.reads(hana("1", 1, "大阪に住んでます"))
	l.says(l.question(t), "nonsense")
	ask := l.question(t)
	l.says(ask, messages.Text(ask.System)) // an echo
	l.Advance(time.Minute)
	l.question(t)
	l.FailCall(messages.FailureError, string(messages.LLMMalformed), "")
	l.Advance(time.Hour)
	l.WantDeadLetters(0)
	if rows := actortest.Rows(l.Harness, growth.Jobs); len(rows) != 0 {
		t.Errorf("%v is left, want nothing", rows)
	}
	l.want(t, "= fact Hana home: 大阪 | 01-01–")
}

// TestQuota: beyond it questions wait for the next hour, and are about more at once.
func TestQuota(t *testing.T) {
	l := withModel(t, false, 1)
	l.reads(hana("1", 1, "弟は消防士をしています"))
	l.says(l.question(t), `{"learned":[]}`)
	l.reads(hana("2", 2, "映画が好き"))
	l.Calls()
	l.Advance(10 * time.Minute)
	if calls := l.Calls(); len(calls) != 0 {
		t.Errorf("asked %v, want nothing", calls)
	}
	l.reads(hana("3", 3, "海も好き"))
	l.Calls()
	l.Crash()
	l.Advance(time.Hour)
	calls := l.Calls()
	if len(calls) != 1 || !strings.Contains(string(calls[0].Request.(messages.AskLLM).Prompt), "海も") {
		t.Errorf("asked %v, want one question about both", calls)
	}
}

// TestTakenBackBeforeItIsAsked is not asked about, and where it was just asked, the answer
// counts for nothing.
func TestTakenBackBeforeItIsAsked(t *testing.T) {
	l := withModel(t, false, 10)
	l.reads(hana("1", 1, "弟は消防士をしています"), hana("2", 2, "うん"))
	ask := l.question(t)
	l.reads(gone("1"))
	l.says(ask, `{"learned":[{"n":1,"kind":"relation","topic":"弟","value":"消防士","op":"holds",
		"quote":"弟は消防士をしています"}]}`)
	l.want(t, "")
	ask = l.question(t)
	if strings.Contains(string(ask.Prompt), "消防士") {
		t.Errorf("asked %s, want nothing of what was taken back", ask.Prompt)
	}
	if strings.Contains(l.stored(t), "消防士") {
		t.Error("what was taken back is stored")
	}
	l.FailCall(messages.FailureError, string(messages.LLMNoModel), "none")
	if rows := actortest.Rows(l.Harness, growth.Jobs); len(rows) != 0 {
		t.Errorf("%v waits for a model that there is not", rows)
	}
}
