package judge_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/judge"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// options are those of profile default.
func options() judge.Options {
	return judge.Options{Rules: judge.DefaultRules(), Deadline: time.Minute, PerHour: 120}
}

func spawn(t *testing.T) *actortest.Harness {
	t.Helper()
	o := options()
	o.Persona = func(messages.ConversationID) string { return "Mio" }
	return actortest.Spawn(t, judge.New(o), actortest.Address("judge/c-1"))
}

func question(h *actortest.Harness, epoch int, latest messages.MessageID) messages.JudgeReply {
	return messages.JudgeReply{Conversation: "c-1", Turn: 1, Epoch: epoch, Latest: latest, Written: h.Now(),
		Lines: []messages.Said{{Name: "Hana", At: h.Now(), Text: "Are you there?"}}}
}

// asked is the only question to the model, or fails.
func asked(t *testing.T, h *actortest.Harness) messages.AskLLM {
	t.Helper()
	calls := h.Calls()
	if len(calls) != 1 {
		t.Fatalf("the model was asked %d times, want once", len(calls))
	}
	return calls[0].Request.(messages.AskLLM)
}

func says(h *actortest.Harness, ask messages.AskLLM, text messages.Text) {
	h.Answer(messages.LLMAnswer{Key: ask.Key, Text: text})
}

// verdicts are the answers that went to the conversation.
func verdicts(h *actortest.Harness) (list []messages.ReplyJudged) {
	for _, s := range h.Sent() {
		if m, ok := s.Message.(messages.ReplyJudged); ok {
			list = append(list, m)
		}
	}
	return list
}

func wantAnswer(t *testing.T, h *actortest.Harness, epoch int, respond bool, source messages.JudgeSource) {
	t.Helper()
	list := verdicts(h)
	if len(list) != 1 || list[0].Turn != 1 || list[0].Epoch != epoch || list[0].Respond != respond ||
		list[0].Source != source {
		t.Fatalf("answered %+v, want one verdict for epoch %d: %v by %s", list, epoch, respond, source)
	}
}

const (
	yes = `{"should_respond": true, "confidence": 0.8, "reason": "asked"}`
	no  = `{"should_respond": false, "confidence": 0.8, "reason": "talks to others"}`
)

func TestJudgesOnceAndRemembers(t *testing.T) {
	h := spawn(t)
	q := question(h, 1, "m1")
	h.CrashBeforeCommit()
	h.Send(q)
	ask := asked(t, h)
	if ask.Purpose != "judge" || !ask.JSON || !strings.Contains(ask.System, "Mio") {
		t.Errorf("asked %+v, want a judgement for Mio", ask)
	}
	h.Crash()
	h.Start()
	ask = asked(t, h) // what the crash lost
	h.Send(q)         // as the conversation does too
	h.WantCalls()
	says(h, ask, no)
	wantAnswer(t, h, 1, false, "model")
	made := h.Published()
	if len(made) != 1 || made[0].(messages.JudgementMade).Message != "m1" {
		t.Errorf("published %v, want one judgement", made)
	}
	h.Crash()
	h.Send(question(h, 2, "m1")) // nothing changed
	h.WantCalls()
	wantAnswer(t, h, 2, false, "model")
	h.WantPublished()
	h.Send(question(h, 3, "m2"))
	says(h, asked(t, h), yes)
	wantAnswer(t, h, 3, true, "model")
}

// TestYesThatIsLost is answered again without the model: its reply is on its way.
func TestYesThatIsLost(t *testing.T) {
	h := spawn(t)
	h.Send(question(h, 1, "m1"))
	says(h, asked(t, h), yes)
	wantAnswer(t, h, 1, true, "model")
	h.Crash()
	h.Send(question(h, 1, "m1"))
	h.WantCalls()
	wantAnswer(t, h, 1, true, "model")
	row, _ := actortest.Stored(h, judge.Rows, judge.RowKey)
	if row.Cache != nil || row.Pending == nil {
		t.Errorf("stored %+v, want a yes that is not cached before its delivery", row)
	}
	h.Send(messages.ReplyFate{Conversation: "c-1", Fate: messages.FateDelivered})
	h.Crash()
	if row, _ := actortest.Stored(h, judge.Rows, judge.RowKey); row.Cache == nil || !row.Cache.ShouldRespond {
		t.Errorf("stored %+v, want the yes after its delivery", row)
	}
}

// TestAsksTwice where the answer cannot be read, and not more.
func TestAsksTwice(t *testing.T) {
	h := spawn(t)
	h.Send(question(h, 1, "m1"))
	first := asked(t, h)
	says(h, first, "maybe")
	second := asked(t, h)
	if first.Key == second.Key {
		t.Error("the second question has the key of the first, want another")
	}
	h.Crash()
	h.Start()
	says(h, asked(t, h), "perhaps")
	h.WantCalls()
	wantAnswer(t, h, 1, false, "failure")
}

func TestNobodyIsThereToJudge(t *testing.T) {
	for _, group := range []bool{false, true} {
		h := spawn(t)
		q := question(h, 1, "m1")
		q.Group, q.Written = group, q.Written.Add(-10*time.Minute)
		h.Send(q)
		h.FailCall(messages.FailureError, "no_model", "none")
		wantAnswer(t, h, 1, !group, "default")
		h.Crash()
		h.Advance(24 * time.Hour)
		h.WantSent() // nobody will judge it
	}
}

// TestModelFails: no for ten minutes, then the conversation has to ask again.
func TestModelFails(t *testing.T) {
	h := spawn(t)
	h.Send(question(h, 1, "m1"))
	h.FailCall(messages.FailureError, "unavailable", "refused")
	wantAnswer(t, h, 1, false, "failure")
	h.Crash()
	h.Advance(10*time.Minute - time.Second)
	h.WantSent()
	h.Advance(time.Second)
	h.WantSent(actortest.To("conversation/c-1", messages.JudgeAgain{Conversation: "c-1", Turn: 1, Epoch: 1}))
}

// TestAgainIsOfTheNewestQuestion: what the cache answered stores nothing, and is judged again by its own name.
func TestAgainIsOfTheNewestQuestion(t *testing.T) {
	h := spawn(t)
	h.Send(question(h, 1, "m1"))
	says(h, asked(t, h), no)
	before, _ := actortest.Stored(h, judge.Rows, judge.RowKey)
	h.CrashBeforeCommit()
	h.Send(question(h, 2, "m1"))
	after, _ := actortest.Stored(h, judge.Rows, judge.RowKey)
	if !reflect.DeepEqual(before, after) || before.Asked != nil {
		t.Errorf("stored %+v, want as before: %+v", after, before)
	}
	h.Sent()
	h.Crash()
	h.Advance(before.Cache.NextCheckAt.Sub(h.Now()))
	h.WantSent(actortest.To("conversation/c-1", messages.JudgeAgain{Conversation: "c-1", Turn: 1, Epoch: 2}))
}

// TestTimerOfAnOlderVersion names no question: the row did.
func TestTimerOfAnOlderVersion(t *testing.T) {
	was := judge.Row{Turn: 3, Epoch: 2, State: judge.State{Cache: &judge.Cache{}}}
	h := actortest.Spawn(t, func(a messages.Address) actors.Actor {
		now := judge.New(options())(a)
		return actors.Func(func(turn *actors.Turn, m messages.Message) error {
			if _, ok := m.(messages.JudgementDue); ok {
				judge.Rows.Put(turn, judge.RowKey, was)
			}
			return now.Receive(turn, m)
		})
	}, actortest.Address("judge/c-1"))
	h.Send(messages.JudgementDue{})
	h.WantSent(actortest.To("conversation/c-1", messages.JudgeAgain{Conversation: "c-1", Turn: 3, Epoch: 2}))
}

// TestGroupsWait until their newest message is five minutes old.
func TestGroupsWait(t *testing.T) {
	h := spawn(t)
	q := question(h, 1, "m1")
	q.Group = true
	h.Send(q)
	h.WantCalls()
	h.Advance(4 * time.Minute)
	h.Crash()
	q = question(h, 2, "m2")
	q.Group = true
	h.Send(q) // is judged instead
	h.Advance(4 * time.Minute)
	h.WantCalls()
	h.Crash()
	h.Advance(time.Minute)
	ask := asked(t, h)
	says(h, ask, yes)
	wantAnswer(t, h, 2, true, "model")
	old := question(h, 3, "m3")
	old.Group, old.Written = true, h.Now().Add(-12*time.Hour)
	h.Send(old)
	h.WantCalls()
	wantAnswer(t, h, 3, false, "default")
}

// TestOvertakenQuestion is given up, and the model is asked about the newest one only,
// after a pause.
func TestOvertakenQuestion(t *testing.T) {
	h := spawn(t)
	h.Send(question(h, 1, "m1"))
	first := h.Calls()
	for i := 2; i <= 300; i++ {
		h.Send(question(h, i, messages.MessageID(fmt.Sprint("m", i))))
	}
	h.WantCancelled(first...)
	h.WantCalls()
	h.Advance(2 * time.Second)
	second := asked(t, h)
	h.Send(question(h, 301, "m301"))
	h.Crash()
	h.Start()
	third := asked(t, h)
	if first[0].Request.(messages.AskLLM).Key == second.Key || second.Key == third.Key {
		t.Error("two questions have the same key, want another each")
	}
	says(h, third, no)
	wantAnswer(t, h, 301, false, "model")
	h.Advance(time.Minute)
	h.WantCalls()
}

// TestTooManyQuestions are answered as without a model, until the hour is over.
func TestTooManyQuestions(t *testing.T) {
	o := options()
	o.PerHour = 2
	h := actortest.Spawn(t, judge.New(o), actortest.Address("judge/c-1"))
	for n := 1; n <= 2; n++ {
		h.Send(question(h, n, messages.MessageID(fmt.Sprint("m", n))))
		says(h, asked(t, h), no)
		wantAnswer(t, h, n, false, "model")
	}
	h.Crash()
	q := question(h, 3, "m3")
	h.Send(q)
	h.WantCalls()
	list, want := verdicts(h), judge.Overasked(q)
	if len(list) != 1 || !list[0].Respond || list[0].Source != "default" || list[0].Reason != want.Reason {
		t.Errorf("answered %+v, want what is answered without a model: %+v", list, want)
	}
	h.Advance(time.Hour)
	h.Calls()
	h.Send(question(h, 4, "m4"))
	asked(t, h)
}

// TestForgets what an answer of the owner made void, and what has not held for a day.
func TestForgets(t *testing.T) {
	h := spawn(t)
	h.Send(question(h, 1, "m1"))
	says(h, asked(t, h), no)
	h.Sent()
	h.Send(messages.ReplyFate{Conversation: "c-1", Fate: messages.FateForget})
	h.Crash()
	h.Advance(12 * time.Hour)
	h.WantSent() // the owner answered
	h.Advance(24 * time.Hour)
	if row, ok := actortest.Stored(h, judge.Rows, judge.RowKey); ok {
		t.Errorf("stored %+v, want nothing after a day", row)
	}
}

// TestOnlyWhatExpiredGoes: an expired judgement stays for a day and then goes, one that holds stays, also
// where the timer of an earlier one comes late.
func TestOnlyWhatExpiredGoes(t *testing.T) {
	h := spawn(t)
	h.Send(question(h, 1, "m1"))
	says(h, asked(t, h), no)
	stored := func() (judge.Row, bool) { return actortest.Stored(h, judge.Rows, judge.RowKey) }
	row, _ := stored()
	if row.Cache == nil {
		t.Fatalf("stored %+v, want a judgement", row)
	}
	h.Send(messages.JudgementOld{})
	h.Crash()
	h.Start()
	if now, ok := stored(); !ok || now.Cache == nil {
		t.Errorf("a judgement that holds went: %+v", now)
	}
	h.Advance(row.Cache.NextCheckAt.Add(24*time.Hour - time.Minute).Sub(h.Now()))
	if now, ok := stored(); !ok || now.Cache == nil {
		t.Errorf("before a day is over it went: %+v", now)
	}
	h.CrashBeforeCommit()
	h.Advance(2 * time.Minute)
	h.Start()
	h.Advance(2 * time.Minute)
	if now, ok := stored(); ok {
		t.Errorf("stored %+v, want nothing a day after it expired", now)
	}
}

// BenchmarkCacheHit is a question about messages that were judged already. µs/hit is what the judge
// does: it reads its row, finds that it holds, and answers; the aim is 20 µs. The
// time of an operation is all that a question costs: to encode and store it, to commit the turn to a
// store in memory, and what the harness checks.
func BenchmarkCacheHit(b *testing.B) {
	const aim = 20
	var inside time.Duration
	timed := func(a messages.Address) actors.Actor {
		hit := judge.New(options())(a)
		return actors.Func(func(t *actors.Turn, m messages.Message) error {
			began := time.Now()
			defer func() { inside += time.Since(began) }()
			return hit.Receive(t, m)
		})
	}
	h := actortest.Spawn(b, timed, actortest.Address("judge/c-1"))
	q := question(h, 1, "m1")
	for i := range 20 { // as many as a conversation's judge reads
		q.Lines = append(q.Lines, messages.Said{Name: "Hana", At: h.Now(), Text: messages.Text(fmt.Sprint("line ", i))})
	}
	h.Send(q)
	h.Answer(messages.LLMAnswer{Key: h.Calls()[0].Request.(messages.AskLLM).Key, Text: no})
	h.Crash() // what is known now is what is stored
	h.Start()
	h.Sent()
	inside = 0
	for b.Loop() {
		q.Epoch++
		h.Send(q)
	}
	b.ReportMetric(float64(inside.Microseconds())/float64(b.N), "µs/hit")
	got := verdicts(h)
	if len(got) != b.N || len(h.Calls()) != 0 {
		b.Fatalf("%d answers to %d questions, want each, without the model", len(got), b.N)
	}
	for _, v := range got {
		if v.Respond {
			b.Fatalf("answered %+v, want what was judged", v)
		}
	}
	b.ReportMetric(aim, "µs-aim")
}
