package judge

import (
	"errors"
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/prompt"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Kind is the actor's kind; the key is the conversation.
const Kind = messages.ActorJudge

// Row is what a judge knows of its scope.
type Row struct {
	State
	// Asked is the question that is not answered yet; Asks counts how often the model was
	// asked.
	Asked *messages.JudgeReply `json:"asked,omitempty"`
	Asks  int                  `json:"asks,omitempty"`
	// Turn and Epoch are of the question that was answered, where an older version set the timer.
	Turn  int64 `json:"turn,omitempty"`
	Epoch int   `json:"epoch,omitempty"`
	// Quota counts how often the model was asked.
	Quota prompt.Quota `json:"quota,omitzero"`
}

// Rows holds one row, [RowKey]. Readers of the store decode it with this.
var Rows = actors.NewTable[Row]("scope")

// RowKey is the key of the only row in [Rows].
const RowKey = "scope"

// New makes the constructor of judges.
func New(o Options) func(messages.Address) actors.Actor {
	o = o.withDefaults()
	return func(messages.Address) actors.Actor { return &actor{o: o} }
}

type actor struct {
	o     Options
	asked string    // key of the question that the model is answering
	call  string    // by which it was asked
	pause time.Time // until then the model is not asked
	row   actors.Memo[Row]
}

// pause is how long the model is not asked after a newer message has overtaken a
// question: of several messages in a row, the last one is judged.
const pause = 2 * time.Second

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
		a.ask(turn)
	case messages.JudgeReply:
		a.take(turn, m)
	case messages.LLMAnswer:
		a.answered(turn, m)
	case messages.CallFailed:
		a.failed(turn, m)
	case messages.ReplyFate:
		a.fate(turn, m)
	case messages.JudgementDue:
		a.due(turn, m)
	case messages.JudgementOld:
		a.old(turn)
	default:
		return fmt.Errorf("judge: unexpected %s", msg.MessageType())
	}
	return nil
}

// take handles a question. An earlier judgement answers it, if it still holds.
func (a *actor) take(turn *actors.Turn, m messages.JudgeReply) {
	row, _ := Rows.GetMemo(turn, RowKey, &a.row)
	if row.Asked != nil && row.Asked.Turn == m.Turn && row.Asked.Epoch == m.Epoch {
		a.ask(turn) // after a restart; otherwise the model is being asked
		return
	}
	waited := row.Asked != nil
	row.Asked, row.Asks = &m, 0
	if a.call != "" {
		turn.CancelCall(a.call)
		a.asked, a.call, a.pause = "", "", turn.Now().Add(pause)
	}
	if known, _ := a.o.Rules.known(row.State, m, turn.Now()); known != nil { // nothing need be stored
		if waited {
			Rows.Put(turn, RowKey, row.answered())
		}
		a.tell(turn, row, verdictOf(known))
		return
	}
	Rows.Put(turn, RowKey, row)
	a.ask(turn)
}

// ask answers the question from the cache, waits, or asks the model.
func (a *actor) ask(turn *actors.Turn) {
	row, _ := Rows.GetMemo(turn, RowKey, &a.row)
	m := row.Asked
	if m == nil {
		return
	}
	known, wait := a.o.Rules.known(row.State, *m, turn.Now())
	switch {
	case known != nil:
		a.answer(turn, row, verdictOf(known))
	case wait > 0:
		turn.After("due", wait, messages.JudgementDue{})
	case turn.Now().Before(a.pause):
		turn.After("due", a.pause.Sub(turn.Now()), messages.JudgementDue{})
	default:
		a.askModel(turn, row)
	}
}

// askModel asks the model, once for each time an answer is needed.
func (a *actor) askModel(turn *actors.Turn, row Row) {
	key := row.key()
	if a.asked == key {
		return
	}
	quota, ok := row.Quota.Take(a.o.PerHour, turn.Now())
	if !ok {
		a.decide(turn, row, Overasked(*row.Asked), "")
		return
	}
	p, err := a.o.question(*row.Asked, turn.Now())
	if err != nil {
		turn.Fail(err)
		return
	}
	row.Quota = quota
	Rows.Put(turn, RowKey, row)
	a.call = turn.Call(messages.WorkerLLM, p.Ask(key), actors.CallOptions{Deadline: a.o.Deadline, Tag: key})
	a.asked = key
}

// key tells apart the answers to different questions.
func (r Row) key() string { return fmt.Sprintf("judge:%d:%d:%d", r.Asked.Turn, r.Asked.Epoch, r.Asks) }

// asking is the row that waits for an answer to a key, false if none does.
func (a *actor) asking(turn *actors.Turn, key string) (Row, bool) {
	row, _ := Rows.GetMemo(turn, RowKey, &a.row)
	if row.Asked == nil || row.key() != key {
		turn.Drop(events.StageJudge, events.RuleLate, events.Detail{})
		return row, false
	}
	a.asked, a.call = "", ""
	return row, true
}

// answered handles the model's answer.
func (a *actor) answered(turn *actors.Turn, m messages.LLMAnswer) {
	row, ok := a.asking(turn, m.Key)
	if !ok {
		return
	}
	p, err := a.o.question(*row.Asked, turn.Now())
	if err != nil {
		turn.Fail(err)
		return
	}
	v, again := Take(m.Text, p, row.Asks+1)
	if again {
		row.Asks++
		Rows.Put(turn, RowKey, row)
		a.askModel(turn, row)
		return
	}
	a.decide(turn, row, v, p.Version)
}

// failed handles a model that did not answer, or is not there.
func (a *actor) failed(turn *actors.Turn, m messages.CallFailed) {
	row, ok := a.asking(turn, m.Tag)
	if !ok {
		return
	}
	v := Unjudged(errors.New(m.Reason()))
	if m.Code == string(messages.LLMNoModel) || m.Kind == messages.FailureUnknown {
		v = WithoutModel(*row.Asked)
	}
	a.decide(turn, row, v, "")
}

// decide records a judgement and answers with it.
func (a *actor) decide(turn *actors.Turn, row Row, v Verdict, version string) {
	m := *row.Asked
	latest := MessageID(m.Latest, m.Revision)
	row.State, _ = a.o.Rules.Judged(row.State, Judgement{
		Verdict: v, Channel: m.Conversation, Latest: latest, Written: m.Written,
	}, turn.Now())
	made := row.Cache
	if row.Pending != nil {
		made = row.Pending
	}
	turn.Publish(messages.JudgementMade{
		Conversation: m.Conversation, Message: m.Latest, Respond: v.Respond, Confidence: v.Confidence, Reason: v.Reason,
		Source: messages.JudgeSource(v.Source), Prompt: version, NextCheck: made.NextCheckAt, At: turn.Now(),
	})
	turn.After("old", made.NextCheckAt.Sub(turn.Now())+keepExpired, messages.JudgementOld{})
	a.answer(turn, row, v)
}

// answer stores that no question waits, and answers it.
func (a *actor) answer(turn *actors.Turn, row Row, v Verdict) {
	Rows.Put(turn, RowKey, row.answered())
	a.tell(turn, row, v)
}

// answered is the row once nothing waits.
func (r Row) answered() Row {
	r.Asked, r.Asks, r.Turn, r.Epoch = nil, 0, 0, 0
	return r
}

// tell tells the conversation, and sets the timer to reconsider a "no".
func (a *actor) tell(turn *actors.Turn, row Row, v Verdict) {
	m := row.Asked
	turn.Send(messages.To(messages.ActorConversation, turn.Self().Key()), messages.ReplyJudged{
		Conversation: m.Conversation, Turn: m.Turn, Epoch: m.Epoch, Respond: v.Respond, Confidence: v.Confidence,
		Reason: v.Reason, Source: messages.JudgeSource(v.Source),
	})
	if at, ok := a.o.Rules.again(row.State, m.Written, v); ok {
		turn.After("due", max(time.Second, at.Sub(turn.Now())), messages.JudgementDue{Turn: m.Turn, Epoch: m.Epoch})
	} else {
		turn.Cancel("due")
	}
}

// due asks the model a question that has waited long enough, or makes the conversation
// ask again.
func (a *actor) due(turn *actors.Turn, m messages.JudgementDue) {
	row, ok := Rows.GetMemo(turn, RowKey, &a.row)
	if m.Turn == 0 {
		m.Turn, m.Epoch = row.Turn, row.Epoch
	}
	switch {
	case !ok:
	case row.Asked != nil:
		a.ask(turn)
	case m.Turn != 0:
		turn.Send(messages.To(messages.ActorConversation, turn.Self().Key()), messages.JudgeAgain{
			Conversation: messages.ConversationID(turn.Self().Key()), Turn: m.Turn, Epoch: m.Epoch,
		})
	}
}

// fate records what became of the answer that was wanted.
func (a *actor) fate(turn *actors.Turn, m messages.ReplyFate) {
	row, ok := Rows.GetMemo(turn, RowKey, &a.row)
	if !ok {
		return
	}
	switch m.Fate {
	case messages.FateDelivered:
		row.State = a.o.Rules.Delivered(row.State, turn.Now())
	case messages.FateFailed:
		row.State = a.o.Rules.NotDelivered(row.State, turn.Now())
	case messages.FateForget:
		row.State = row.State.Forget()
		if row.Asked == nil {
			turn.Cancel("due")
		}
	}
	Rows.Put(turn, RowKey, row)
}

// old deletes a judgement that expired a day ago.
func (a *actor) old(turn *actors.Turn) {
	row, ok := Rows.GetMemo(turn, RowKey, &a.row)
	if !ok || row.Asked != nil || row.Pending != nil {
		return
	}
	if row.Cache == nil || row.Cache.Expired(turn.Now().Add(-keepExpired+time.Second)) {
		Rows.Delete(turn, RowKey)
	}
}

// keepExpired is how long an expired judgement is kept.
const keepExpired = 24 * time.Hour
