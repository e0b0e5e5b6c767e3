package runtime

import (
	"context"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// Remember has events of a conversation remembered that are not, and returns how many
// are new or read otherwise. An ID that is known in the conversation is the same event
// as it reads now. Once it returns they are stored, and found by [Runtime.Recall].
// What windows show is remembered without it.
func (r *Runtime) Remember(ctx context.Context, c messages.ConversationID, list []messages.Event) (int, error) {
	n, err := r.admin.Import(ctx, c, list)
	if err == nil && n > 0 {
		err = r.admin.Settled(ctx)
	}
	return n, err
}

// Recall finds what helps to answer a question, the best first, in what a conversation
// sees: what was said there, and what `people` and `memory` of the configuration share
// with it. Without a conversation it looks into everything.
func (r *Runtime) Recall(ctx context.Context, q control.RecallQuery) (control.Recollection, error) {
	return r.admin.Recall(ctx, q)
}

// Recalled is an earlier recall by its ID, such as the one that a reply rests on
// (messages.ReplyBasis). It fails with control.ErrNoRun if it is not kept any more.
func (r *Runtime) Recalled(ctx context.Context, run string) (control.Recollection, error) {
	return r.admin.Run(ctx, run)
}
