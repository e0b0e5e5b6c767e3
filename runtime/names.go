package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
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
	introduced := false
	for {
		changed := r.admin.Book.Changed()
		id, err := called(e, app, name)
		if id != "" || err != nil {
			return id, err
		}
		if !introduced {
			introduced = true
			if err := e.Inject(ctx, messages.To(directory.Kind, app), introduction(name), ""); err != nil {
				return "", err
			}
			continue // somebody may have been quicker
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return "", fmt.Errorf("runtime: introduce a conversation to %s: %w", app, ctx.Err())
		}
	}
}

// unknown resolves a name to its id. It returns the application and the name of one
// that was never seen; an id that nobody knows is left as it is.
func (r *Runtime) unknown(e *engine.Engine, c *messages.ConversationID) (app, name string, err error) {
	known, err := admin.Known(e)
	if err != nil {
		return "", "", err
	}
	found := directory.Called(known, "", string(*c))
	app, name, ok := strings.Cut(string(*c), ":")
	switch {
	case len(found) > 1:
		return "", "", fmt.Errorf("%w: say which by its id", ErrNotClear)
	case len(found) == 1:
		*c = found[0]
	case ok && name != "" && slices.Contains(r.apps(), app):
		return app, name, nil
	}
	return "", "", nil
}

func introduction(name string) messages.Message { return messages.Introduce{Name: messages.Text(name)} }

// called finds the one conversation of a name; "" if there is none.
func called(e *engine.Engine, app, name string) (messages.ConversationID, error) {
	known, err := admin.Known(e)
	if err != nil {
		return "", err
	}
	if title, _ := directory.DefaultRules().Read(messages.Line{Text: messages.Text(name)}); title != "" {
		name = string(title)
	} else {
		return "", errors.New("runtime: want the name of a conversation")
	}
	switch found := directory.Called(known, app, name); len(found) {
	case 0:
		return "", nil
	case 1:
		return found[0], nil
	default:
		return "", fmt.Errorf("%w: %d of application %s", ErrNotClear, len(found), app)
	}
}

// Title is what the window of a conversation shows as its title, without a count of
// members; ok is false if nobody knows it.
func (r *Runtime) Title(c messages.ConversationID) (title messages.Text, ok bool, err error) {
	e, err := r.running()
	if err != nil {
		return "", false, err
	}
	known, err := admin.Known(e)
	if err != nil {
		return "", false, err
	}
	title, ok = directory.TitleOf(known, c)
	return title, ok, nil
}
