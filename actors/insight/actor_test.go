package insight_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/insight"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// project is an insight of one project, with what it asks of its workers.
type project struct {
	*actortest.Harness
	t *testing.T
}

func spawn(t *testing.T) project {
	t.Helper()
	return project{actortest.Spawn(t, insight.New(insight.Options{}), actortest.Address("insight/p-1")), t}
}

// analyse tells of an interview, with a crash before and behind the turn.
func (p project) analyse(c messages.ConversationID, lines ...messages.Text) {
	p.t.Helper()
	p.CrashBeforeCommit()
	p.Send(messages.Analyse{Project: "p-1", Conversation: c, Goal: "mornings", At: p.Now(), Lines: lines})
}

// asked returns the last call, and expects that it goes to a worker.
func (p project) asked(worker string) actortest.Call {
	p.t.Helper()
	calls := p.Calls()
	if len(calls) == 0 || calls[len(calls)-1].Worker != worker {
		p.t.Fatalf("calls %v, want one of %s", calls, worker)
	}
	return calls[len(calls)-1]
}

func (p project) found(c messages.ConversationID) {
	p.t.Helper()
	p.asked(messages.WorkerWords)
	p.Answer(messages.KeywordsFound{Conversation: c,
		Keywords: []messages.Keyword{{Text: "packed train", Score: 4, Count: 1, Quote: "The packed train is awful."}}})
}

func (p project) answers(text messages.Text) {
	p.t.Helper()
	ask := p.asked(messages.WorkerLLM).Request.(messages.AskLLM)
	if !ask.JSON || ask.Stream || ask.Purpose != "analyse" {
		p.t.Fatalf("asked %+v, want JSON for the purpose analyse", ask)
	}
	p.Answer(messages.LLMAnswer{Key: ask.Key, Text: text, Model: "m"})
}

func (p project) want(c messages.ConversationID, stage insight.Stage, themes, keywords int) {
	p.t.Helper()
	v, ok := actortest.Stored(p.Harness, insight.Analyses, string(c))
	if !ok || v.Stage != stage || len(v.Themes) != themes || len(v.Keywords) != keywords ||
		(stage == insight.Done) != (len(v.Lines) == 0) {
		p.t.Errorf("%s: %+v, want %s with %d themes and %d keywords", c, v, stage, themes, keywords)
	}
}

const proven = `{"themes":[{"theme":"Packed trains","severity":4,"evidence":["packed train"]}]}`

// TestAnInterviewIsAnalysed, with a crash behind each step: the timer asks again.
func TestAnInterviewIsAnalysed(t *testing.T) {
	p := spawn(t)
	p.analyse("c-1", said[0])
	p.asked(messages.WorkerWords)
	p.Crash()
	p.Advance(time.Minute)
	p.found("c-1")
	p.want("c-1", insight.Themes, 0, 1)
	p.WantPublished(messages.InterviewAnalysed{Project: "p-1", Conversation: "c-1", Keywords: 1, At: p.Now()})
	p.Crash()
	p.Advance(2 * time.Minute)
	p.CrashBeforeCommit()
	p.answers(proven)
	if v, _ := actortest.Stored(p.Harness, insight.Analyses, "c-1"); v.Stage != insight.Done {
		p.Advance(2 * time.Minute) // the answer was lost with the crash
		p.answers(proven)
	}
	p.want("c-1", insight.Done, 1, 1)
	p.Crash()
	p.Advance(24 * time.Hour)
	if calls := p.Calls(); len(calls) != 0 {
		t.Errorf("%v is asked behind the end, want nothing", calls)
	}
	p.Send(messages.TrimDue{Before: p.Now()})
	actortest.WantRows(p.Harness, insight.Analyses, nil)
}

// TestTrimmingWithoutAKey deletes what is old and in reach, and the rest once its key is back; after a crash with
// the next round.
func TestTrimmingWithoutAKey(t *testing.T) {
	keys := actortest.NewKeys()
	p := project{actortest.Spawn(t, insight.New(insight.Options{}), actortest.Address("insight/p-1"),
		actortest.SealedFor(keys, insight.SubjectOf)), t}
	for _, c := range []messages.ConversationID{"c-1", "c-2", "c-3"} {
		p.analyse(c)
		p.Advance(time.Hour)
	}
	keys.TakeAway("c-1")
	trim := messages.TrimDue{Before: p.Now().Add(-90 * time.Minute)}
	p.Send(trim)
	p.Crash()
	p.Send(trim)
	if _, there := actortest.Stored(p.Harness, insight.Analyses, "c-2"); there {
		t.Error("c-2 is still there, want it deleted without the key of c-1")
	}
	p.Advance(time.Hour)
	keys.GiveBack()
	p.Advance(time.Hour)
	for c, want := range map[string]bool{"c-1": false, "c-3": true} {
		if _, there := actortest.Stored(p.Harness, insight.Analyses, c); there != want {
			t.Errorf("%s is there: %v, want %v", c, there, want)
		}
	}
}

// TestWithoutAModel keywords are all there is, at once.
func TestWithoutAModel(t *testing.T) {
	p := spawn(t)
	p.analyse("c-1", said[0])
	p.found("c-1")
	p.asked(messages.WorkerLLM)
	p.FailCall(messages.FailureError, string(messages.LLMNoModel), "none")
	p.want("c-1", insight.Done, 0, 1)
	p.analyse("c-2")
	p.want("c-2", insight.Done, 0, 0)
}

// TestAModelThatFails is asked again for some hours; one that writes nonsense once.
func TestAModelThatFails(t *testing.T) {
	p := spawn(t)
	p.analyse("c-1", said[0])
	p.found("c-1")
	for i := range 8 {
		p.asked(messages.WorkerLLM)
		p.FailCall(messages.FailureError, string(messages.LLMUnavailable), "down")
		if i < 7 {
			p.want("c-1", insight.Themes, 0, 1)
			p.Crash()
			p.Advance(time.Minute << i)
		}
	}
	p.want("c-1", insight.Done, 0, 1)
	p.analyse("c-2", said[0])
	p.found("c-2")
	p.answers("<html>")
	p.want("c-2", insight.Themes, 0, 1)
	p.answers(`{"themes":[{"theme":"x","evidence":["made up"]}]}`) // readable, and nothing in it is proven
	p.want("c-2", insight.Done, 0, 1)
	p.analyse("c-2", said[0]) // told again
	p.found("c-2")
	p.answers("nonsense")
	p.answers("nonsense")
	p.want("c-2", insight.Done, 0, 1)
}

// TestWhatIsTakenBackIsNotQuoted from the moment it was taken back, while the rest is
// analysed anew, and also if no worker answers then.
func TestWhatIsTakenBackIsNotQuoted(t *testing.T) {
	p := spawn(t)
	p.analyse("c-1", "The packed train is awful.", "The cold is awful too.")
	p.found("c-1")
	p.answers(`{"themes":[{"theme":"Packed trains","summary":"s","evidence":["packed train"]},
		{"theme":"Mornings","summary":"s","evidence":["The cold","train is awful"]}]}`)
	p.want("c-1", insight.Done, 2, 1)

	p.analyse("c-1", "The packed train is awful.", "The cold is awful too.")
	late := p.asked(messages.WorkerWords)
	p.Send(messages.Analyse{Project: "p-1", Conversation: "c-1", At: p.Now(),
		Lines: []messages.Text{"The cold is awful too."}})
	p.want("c-1", insight.Words, 1, 0)
	v, _ := actortest.Stored(p.Harness, insight.Analyses, "c-1")
	if th := v.Themes[0]; len(th.Quotes) != 1 || th.Quotes[0] != "The cold" || th.Messages != 1 || th.Summary != "" {
		t.Errorf("left is %+v, want what is still said", th)
	}
	p.AnswerCall(late.ID, messages.KeywordsFound{Conversation: "c-1",
		Keywords: []messages.Keyword{{Text: "packed train", Score: 1, Count: 1, Quote: "The packed train is awful."}}})
	p.want("c-1", insight.Words, 1, 0)
	for range 2 { // the keywords, then the themes
		for i := range 7 {
			p.FailCall(messages.FailureError, string(messages.LLMUnavailable), "down")
			p.Crash()
			p.Advance(time.Minute << i)
		}
		p.FailCall(messages.FailureError, string(messages.LLMUnavailable), "down")
	}
	p.want("c-1", insight.Done, 1, 0)
	p.analyse("c-1")
	p.want("c-1", insight.Done, 0, 0)
}

// TestRowsBelongToTheirConversations, so that each is sealed and forgotten with its own.
func TestRowsBelongToTheirConversations(t *testing.T) {
	row := insight.Analyses.Row("c-1")
	if got := insight.SubjectOf(row, nil); got != "c-1" || !insight.About("c-1", row, nil) ||
		insight.About("c", row, nil) {
		t.Errorf("SubjectOf(%q) = %q, want its conversation", row, fmt.Sprint(got))
	}
}
