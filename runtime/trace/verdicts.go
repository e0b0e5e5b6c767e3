package trace

import (
	"context"

	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/describe"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/names"
)

// Verdicts yields the decisions that a query selects, oldest first, until yield fails.
func Verdicts(ctx context.Context, e *engine.Engine, q control.Query, yield func(events.Verdict) error) error {
	known, err := names.Known(e)
	if err != nil {
		return err
	}
	var failed error
	err = e.ReadVerdicts(func(v events.Verdict) bool {
		if failed = ctx.Err(); failed != nil {
			return false
		}
		left := directory.Resolve(known, ConversationOf(v))
		if q.Conversation != "" && left != q.Conversation || v.At.Before(q.Since) {
			return true
		}
		if !v.Passed() {
			v.Reason = describe.Verdict(v)
		}
		failed = yield(v)
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}

// ConversationOf returns the conversation a verdict is about, "" for none. Actors of
// windows name it in the detail; others have it as their key.
func ConversationOf(v events.Verdict) messages.ConversationID {
	switch {
	case v.Detail.Conversation != "":
		return v.Detail.Conversation
	case v.Actor.Kind() == messages.ActorPoller || v.Actor.Kind() == messages.ActorFusion,
		v.Actor.Kind() == messages.ActorDirectory:
		return ""
	}
	return messages.ConversationID(v.Actor.Key())
}
