package runtime

import (
	"context"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// Remember stores events of a conversation in the memory, and returns how many are new or
// have changed. A known ID is the same event in its present wording. Once Remember
// returns they are stored, and [Runtime.Recall] finds them. Messages in windows are
// remembered without it.
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

// Recalled returns an earlier recall by its ID, such as the one behind a reply
// (messages.ReplyBasis). It fails with control.ErrNoRun if that is no longer kept.
func (r *Runtime) Recalled(ctx context.Context, run string) (control.Recollection, error) {
	return r.admin.Run(ctx, run)
}

// Memory is the rest of what can be asked of the memory, and done with it: a single event with
// its links and history, what was learned of whom, figures, whether everything stored is found,
// and what has nothing to do with a question. The verbs of kehai memory do the same.
func (r *Runtime) Memory() control.MemoryBackend { return r.admin }
