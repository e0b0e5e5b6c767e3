package runtime

import (
	"context"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/names"
)

// Errors about who a conversation is.
var (
	ErrNoConversation = control.ErrNoConversation // nobody knows it
	ErrNotClear       = control.ErrNotClear       // several have the name
)

// Conversation is what is known of a conversation.
type Conversation = control.Conversation

// Conversations lists those that are known, by application and name.
func (r *Runtime) Conversations(ctx context.Context) ([]Conversation, error) {
	return r.admin.Conversations(ctx)
}

// Rename gives a conversation a name, which counts wherever one is asked for; ""
// takes it back. The conversation is given by its id, or by a name that is clear.
// What its window shows as its title stays as it is. The directory learns of it
// shortly after Rename returns; it is stored.
func (r *Runtime) Rename(ctx context.Context, conversation messages.ConversationID, name string) error {
	return r.admin.Rename(ctx, conversation, name)
}

// Merge makes two conversations one, by their ids or names: what is taken for the first
// is taken for the other from then on, under each of its names, and what is stored of it
// follows: ledger, messages, drafts, reminders, and what masks stand for. It is stored
// when Merge returns, and carried out shortly after, also by the next start. Both keys
// are kept, as what was published stays sealed under the first one's.
func (r *Runtime) Merge(ctx context.Context, conversation, into messages.ConversationID) error {
	return r.admin.Merge(ctx, conversation, into)
}

// Held are messages of which nobody knows whose they are.
type Held = control.Held

// ErrNoHeld marks an id of held messages that are not held (any more).
var ErrNoHeld = control.ErrNoHeld

// Held lists the messages that are held, because several conversations have the name
// that their window shows, or it was misread, and nothing tells which one it is.
func (r *Runtime) Held(ctx context.Context) ([]Held, error) { return r.admin.Held(ctx) }

// SettleHeld says whose they are; "" means somebody new, who gets an id. They are
// delivered then, with those of the same name that they go on from.
func (r *Runtime) SettleHeld(ctx context.Context, held string, conversation messages.ConversationID) error {
	return r.admin.SettleHeld(ctx, held, conversation)
}

// Called is what people call a conversation, as "line:Hana"; its id if it has no
// name.
func (r *Runtime) Called(c messages.ConversationID) string {
	if label := r.admin.Label(c); label != "" {
		return label
	}
	return string(c)
}

// Conversation returns the id of the conversation that an application calls by a
// name. One that was never seen gets its id now. The error wraps [ErrNotClear] if
// several have that name.
func (r *Runtime) Conversation(ctx context.Context, app, name string) (messages.ConversationID, error) {
	e, err := r.running()
	if err != nil {
		return "", err
	}
	return r.admin.Book.Introduce(ctx, e, app, name)
}

// Title is what the window of a conversation shows as its title, without a count of
// members; ok is false if nobody knows it.
func (r *Runtime) Title(c messages.ConversationID) (title messages.Text, ok bool, err error) {
	e, err := r.running()
	if err != nil {
		return "", false, err
	}
	return names.Title(e, c)
}
