package project_test

import (
	"testing"

	"github.com/kehai-run/kehai/actors/project"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// TestClosesWithTheLastInterview, each counted once, with a crash behind each step.
func TestClosesWithTheLastInterview(t *testing.T) {
	h := actortest.Spawn(t, project.New, actortest.Address("project/p-1"))
	plan := messages.InterviewPlan{Goal: "why mornings are hard", MaxTurns: 12, MaxConversations: 2}
	begin := func(c messages.ConversationID) { h.Send(messages.BeginInterview{Project: "p-1", Conversation: c}) }
	finish := func(c messages.ConversationID) {
		h.CrashBeforeCommit()
		h.Send(messages.InterviewFinished{Project: "p-1", Conversation: c, Reason: "completed", At: h.Now()})
		h.Crash()
	}
	begin("c-0") // nobody knows the project yet
	h.WantDropped(events.StageConversation, events.RuleFull, events.Detail{Conversation: "c-0"})
	h.Send(messages.DefineProject{Project: "p-1", Plan: plan})
	h.Crash()
	begin("c-1")
	h.WantSent(actortest.To("conversation/c-1",
		messages.InterviewBegins{Project: "p-1", Conversation: "c-1", Plan: plan}))
	finish("c-1")
	finish("c-1")
	h.WantPublished()
	begin("c-2")
	h.Sent()
	finish("c-2")
	h.WantPublished(messages.ProjectClosed{Project: "p-1", Finished: 2, At: h.Now()})
	begin("c-3")
	h.WantSent()
	h.WantDropped(events.StageConversation, events.RuleFull, events.Detail{Conversation: "c-3"})
	finish("c-4") // which began before the project was closed: it counts, and closes nothing again
	h.WantPublished()
	if r, _ := actortest.Stored(h, project.Registers, project.Key); len(r.Finished) != 3 {
		t.Errorf("finished = %v, want three", r.Finished)
	}
}
