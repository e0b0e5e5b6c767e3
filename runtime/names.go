package runtime

import (
	"context"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/names"
)

// Errors about who a conversation is.
var (
	ErrNoConversation          = control.ErrNoConversation                  // nobody knows it
	ErrNotClear, ErrOneAlready = control.ErrNotClear, control.ErrOneAlready // several have it; both are of one
)

// Conversation is what is known of a conversation.
type Conversation = control.Conversation

// Conversations lists the known conversations, by application and name.
func (r *Runtime) Conversations(ctx context.Context) ([]Conversation, error) {
	return r.admin.Conversations(ctx)
}

// Rename gives a conversation a name, which can be used wherever one is asked for; ""
// removes it. The conversation is given by its id, or by a name that only it has. The
// title in its window does not change. The command is stored when Rename returns, and
// carried out shortly after.
func (r *Runtime) Rename(ctx context.Context, conversation messages.ConversationID, name string) error {
	return r.admin.Rename(ctx, conversation, name)
}

// Merge makes one conversation of two, given by their ids or names: from then on whatever
// is taken for the first counts as the second, under each of its names. Its stored data
// follows: ledger, messages, drafts, reminders, and the originals of masks. The command
// is stored when Merge returns, and carried out shortly after, or by the next start. Both
// keys are kept, because what was published stays sealed under the first one's.
func (r *Runtime) Merge(ctx context.Context, conversation, into messages.ConversationID) error {
	return r.admin.Merge(ctx, conversation, into)
}

// Split makes one conversation two: messages go to a new one, with what our side said after
// them and all that is theirs. It is stored when Split returns, and carried out soon after.
func (r *Runtime) Split(ctx context.Context, s control.Split) (messages.ConversationID, error) {
	return r.admin.Split(ctx, s)
}

// Held are messages that may belong to several conversations.
type Held = control.Held

// ErrNoHeld marks an id that no held messages have, or no longer have.
var ErrNoHeld = control.ErrNoHeld

// Held lists the messages that are held because several conversations have their window's
// title, or it was misread, and nothing shows which conversation it is.
func (r *Runtime) Held(ctx context.Context) ([]Held, error) { return r.admin.Held(ctx) }

// SettleHeld says to which conversation held messages belong; "" means a new one, which
// gets an id. They are delivered then, with those of the same name that they continue.
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

// Conversation returns the id of the conversation that an application calls by a name.
// One that was never seen gets an id. The error wraps [ErrNotClear] if several have that
// name.
func (r *Runtime) Conversation(ctx context.Context, app, name string) (messages.ConversationID, error) {
	e, err := r.core.Engine()
	if err != nil {
		return "", err
	}
	return r.admin.Book.Introduce(ctx, e, app, name)
}

// Title is the title in a conversation's window, without a count of members; ok is false
// if it is unknown.
func (r *Runtime) Title(c messages.ConversationID) (title messages.Text, ok bool, err error) {
	e, err := r.core.Engine()
	if err != nil {
		return "", false, err
	}
	return names.Title(e, c)
}
