package recall

import (
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/pii"
	"github.com/kehai-run/kehai/actors/prompt"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Selector lets a model choose among what the routes found, where that is more than can
// be recalled. Without an answer in time the order by score counts.
type Selector struct {
	Prompts *prompt.Catalogue // nil is the built-in texts
	Persona func(messages.ConversationID) string
	PerHour int  // questions that a conversation may cause
	Mask    bool // the model sees masked texts only
}

// LongestSelected is the most time a recall takes if a model chooses, maxSelecting what
// the model gets of it.
const (
	LongestSelected = 2500 * time.Millisecond
	maxSelecting    = 1500 * time.Millisecond
)

// selecting is a question to a model.
type selecting struct {
	call    string
	prompt  prompt.Prompt
	offered []memory.Candidate
	run     memory.Run
	list    []memory.Candidate
}

var quotas = actors.NewTable[prompt.Quota]("quota")

// choose asks a model, and reports whether it did.
func (a *actor) choose(turn *actors.Turn, q *question, run memory.Run, list []memory.Candidate) bool {
	offered := memory.Offer(list, q.Context)
	left := min(LongestSelected-turn.Now().Sub(q.at), maxSelecting)
	if a.o.Select == nil || len(offered) <= a.o.Pack.Pick || left <= 0 {
		return false
	}
	quota, _ := quotas.Get(turn, runsRow)
	quota, ok := quota.Take(a.o.Select.PerHour, turn.Now())
	if !ok {
		return false
	}
	quotas.Put(turn, runsRow, quota)
	slices.Reverse(offered) // if there is too much, the first are left out
	p, err := a.o.Select.question(a.id, q.Recall, offered, turn.Now())
	if err != nil {
		turn.Fail(err)
		return true
	}
	call := turn.Call(messages.WorkerLLM, p.Ask(q.Key), actors.CallOptions{Deadline: left, Tag: q.Key})
	run.Selection = &memory.Selection{Prompt: p.Version, Offered: len(offered)}
	q.selecting = &selecting{call: call, prompt: p, offered: offered, run: run, list: list}
	turn.After("recall "+q.Key, left, messages.RecallDue{Key: q.Key})
	return true
}

// preview is how much of an event a model sees, in characters.
const preview = 200

func (s *Selector) question(c messages.ConversationID, m messages.Recall, offered []memory.Candidate,
	now time.Time) (prompt.Prompt, error) {
	in := prompt.Input{Task: prompt.Select, Language: text.LanguageOf(string(m.Text), ""), Now: now}
	if s.Persona != nil {
		in.Persona = s.Persona(c)
	}
	seen := func(t messages.Text) messages.Text {
		if s.Mask {
			t = messages.Text(pii.Mask(string(t), pii.Japanese).Text)
		}
		return text.Shorten(t, preview)
	}
	for _, e := range offered {
		l := prompt.Line{Note: true, Own: e.Own, At: e.At, Text: seen(e.Text)}
		if !s.Mask {
			l.Name = e.Speaker
		}
		in.Lines = append(in.Lines, l)
	}
	in.Lines = append(in.Lines, prompt.Line{At: now, Text: seen(m.Text)})
	catalogue := s.Prompts
	if catalogue == nil {
		catalogue = prompt.Default()
	}
	return catalogue.Compose(in)
}

// chosen takes a model's choice.
func (a *actor) chosen(turn *actors.Turn, m messages.LLMAnswer) {
	q := a.asked[m.Key]
	if q == nil || q.selecting == nil || q.selecting.call != turn.Cause().Call {
		return
	}
	s := q.selecting
	s.run.Selection.Model = m.Model
	chosen, ok := memory.ParseSelection(string(m.Text), len(s.offered))
	if !ok || s.prompt.Echoes(string(m.Text)) {
		a.unchosen(turn, q, string(messages.LLMMalformed))
		return
	}
	picked := memory.Choose(s.offered, chosen, a.o.Pack.Pick)
	a.conclude(turn, q, s.run, append(memory.Pick(s.list, q.Context, 0), picked...))
}

// unchosen goes on without a model.
func (a *actor) unchosen(turn *actors.Turn, q *question, why string) {
	s := q.selecting
	s.run.Selection.Failed = why
	a.conclude(turn, q, s.run, memory.Pick(s.list, q.Context, a.o.Pack.Pick))
}
