// Package project keeps a project of interviews: its plan, and which of its interviews
// are finished. [New] makes the actor project/PROJECT. A conversation that becomes an
// interview gets the plan from it. Once limits.max_conversations are finished, the
// project is closed and no more begin. The rules are those of package actors/interview.
//
// Tables, each with the row [Key]: "plan", and "register", an [interview.Register]. A crash
// loses nothing: an interview that is reported finished twice counts once.
package project

import (
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/interview"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Kind is the actor's kind; the key is the project.
const Kind = messages.ActorProject

// Tables of a project; a reader of the store decodes rows with them.
var (
	Plans     = actors.NewTable[messages.InterviewPlan]("plan")
	Registers = actors.NewTable[interview.Register]("register")
)

// Key is the key of the only row of each table.
const Key = "only"

// New makes the value of an actor.
func New(self messages.Address) actors.Actor { return &actor{messages.ProjectID(self.Key())} }

type actor struct{ id messages.ProjectID }

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
	case messages.DefineProject:
		a.define(turn, m.Plan)
	case messages.BeginInterview:
		a.begin(turn, m)
	case messages.InterviewFinished:
		a.finished(turn, m)
	default:
		return fmt.Errorf("project: unexpected %s", msg.MessageType())
	}
	return nil
}

// define takes over a plan. One that allows more interviews reopens a closed project.
func (a *actor) define(turn *actors.Turn, plan messages.InterviewPlan) {
	Plans.Put(turn, Key, plan)
	register, _ := Registers.Get(turn, Key)
	if n := plan.MaxConversations; !register.ClosedAt.IsZero() && (n == 0 || n > len(register.Finished)) {
		register.ClosedAt = time.Time{}
		Registers.Put(turn, Key, register)
	}
}

// begin gives the plan to a conversation, unless the project has all its interviews.
func (a *actor) begin(turn *actors.Turn, m messages.BeginInterview) {
	plan, known := Plans.Get(turn, Key)
	register, _ := Registers.Get(turn, Key)
	if !known || register.Open() != nil {
		turn.Drop(events.StageConversation, events.RuleFull, events.Detail{Conversation: m.Conversation})
		return
	}
	turn.Send(messages.To(messages.ActorConversation, string(m.Conversation)),
		messages.InterviewBegins{Project: a.id, Conversation: m.Conversation, Plan: plan})
}

// finished counts an interview, and closes the project with the last one.
func (a *actor) finished(turn *actors.Turn, m messages.InterviewFinished) {
	plan, _ := Plans.Get(turn, Key)
	register, _ := Registers.Get(turn, Key)
	next, closes := register.Finish(string(m.Conversation), interview.Limits{MaxConversations: plan.MaxConversations},
		turn.Now())
	Registers.Put(turn, Key, next)
	if closes {
		turn.Publish(messages.ProjectClosed{Project: a.id, Finished: len(next.Finished), At: next.ClosedAt})
	}
}
