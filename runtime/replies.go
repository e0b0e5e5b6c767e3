package runtime

import (
	"context"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// Drafts lists the replies that wait for a person, with what each rests on. The durable
// event messages.ReplyChanged tells when one was made, changed or sent.
func (r *Runtime) Drafts(ctx context.Context) ([]control.Draft, error) { return r.admin.Drafts(ctx) }

// ApproveDraft has a draft sent, once. Like its siblings it fails with control.ErrNoDraft
// if the draft is gone or reads otherwise now; nil means that the command is stored, and
// counts if nothing changes the draft before.
func (r *Runtime) ApproveDraft(ctx context.Context, id control.DraftID) error {
	return r.admin.DraftDo(ctx, id, messages.DraftApprove, "")
}

// EditDraft puts another text in the place of a draft, which then waits as id.Edited():
// an approval of the old ID is refused. Cut and cleaned it must still be the whole text,
// else control.ErrDraftText.
func (r *Runtime) EditDraft(ctx context.Context, id control.DraftID, text string) error {
	return r.admin.DraftDo(ctx, id, messages.DraftEdit, text)
}

// RejectDraft gives a draft up.
func (r *Runtime) RejectDraft(ctx context.Context, id control.DraftID) error {
	return r.admin.DraftDo(ctx, id, messages.DraftReject, "")
}

// HoldDraft leaves a draft until it is approved, edited or rejected: nothing sends it
// by itself.
func (r *Runtime) HoldDraft(ctx context.Context, id control.DraftID) error {
	return r.admin.DraftDo(ctx, id, messages.DraftHold, "")
}

// Reminders lists what the other sides asked to be reminded of; each becomes a draft when
// it is time.
func (r *Runtime) Reminders(ctx context.Context) ([]control.Reminder, error) {
	return r.admin.Reminders(ctx)
}

// CancelReminder forgets a reminder that is not due yet. It fails with
// control.ErrNoReminder where there is none.
func (r *Runtime) CancelReminder(ctx context.Context, id control.ReminderID) error {
	return r.admin.CancelReminder(ctx, id)
}

// Judgements lists whether each conversation wanted an answer when it was judged last.
func (r *Runtime) Judgements(ctx context.Context) ([]control.Judgement, error) {
	return r.admin.Judgements(ctx)
}

// Talk is how conversations look from the channels web and host, which no window shows:
// Begin one, Say something in it, and wait for the News.
func (r *Runtime) Talk() control.TalkBackend { return r.admin }
