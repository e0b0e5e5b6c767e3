package runtime

import (
	"context"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// Drafts lists the replies that wait for a person, with what each rests on, and those that
// are being judged or written, which RejectDraft stops. The durable event
// messages.ReplyChanged reports when one is made, changed, sent or stopped.
func (r *Runtime) Drafts(ctx context.Context) ([]control.Draft, error) { return r.admin.Drafts(ctx) }

// ApproveDraft sends a draft, once. Like its siblings it fails with control.ErrNoDraft if
// the draft is gone or has changed; nil means that the command is stored. It has no
// effect if the draft changes before it is carried out.
func (r *Runtime) ApproveDraft(ctx context.Context, id control.DraftID) error {
	return r.admin.DraftDo(ctx, id, messages.DraftApprove, "")
}

// EditDraft replaces the text of a draft, which then waits as id.Edited(): an approval of
// the old ID is refused. The text must be short and clean enough to be sent whole,
// otherwise the error is control.ErrDraftText.
func (r *Runtime) EditDraft(ctx context.Context, id control.DraftID, text string) error {
	return r.admin.DraftDo(ctx, id, messages.DraftEdit, text)
}

// RejectDraft gives a draft up, or stops the writing of one.
func (r *Runtime) RejectDraft(ctx context.Context, id control.DraftID) error {
	return r.admin.DraftDo(ctx, id, messages.DraftReject, "")
}

// HoldDraft keeps a draft until it is approved, edited or rejected: it is not sent
// automatically.
func (r *Runtime) HoldDraft(ctx context.Context, id control.DraftID) error {
	return r.admin.DraftDo(ctx, id, messages.DraftHold, "")
}

// Reminders lists what others asked to be reminded of. Each becomes a draft when it is due.
func (r *Runtime) Reminders(ctx context.Context) ([]control.Reminder, error) {
	return r.admin.Reminders(ctx)
}

// CancelReminder deletes a reminder that is not due yet; control.ErrNoReminder: there is none.
func (r *Runtime) CancelReminder(ctx context.Context, id control.ReminderID) error {
	return r.admin.CancelReminder(ctx, id)
}

// Judgements lists whether each conversation wanted an answer when it was last judged.
func (r *Runtime) Judgements(ctx context.Context) ([]control.Judgement, error) {
	return r.admin.Judgements(ctx)
}

// Talk is how conversations look from the channels web and host, which have no window:
// Begin one, Say something in it, and wait for the News.
func (r *Runtime) Talk() control.TalkBackend { return r.admin }
