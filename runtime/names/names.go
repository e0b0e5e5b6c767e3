package names

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Known reads what the directories know, by conversation ID. A conversation whose key is
// lost is left out: doctor names it, and all others can still be asked about and
// forgotten.
func Known(e *engine.Engine) (map[messages.ConversationID]directory.Known, error) {
	known := map[messages.ConversationID]directory.Known{}
	var bad error
	err := e.ReadRows(directory.Kind, func(r engine.Row) bool {
		if r.Table != directory.Conversations.Name() {
			return true
		}
		k, err := directory.Conversations.Decode(r.Value)
		known[messages.ConversationID(r.Key)], bad = k, err
		return err == nil
	})
	return known, cmp.Or(err, bad)
}

// ofID is [Known] of one conversation and of the ones it was merged into; empty if no
// conversation has this ID. It takes as long among many as among few.
func ofID(e *engine.Engine, id messages.ConversationID) (map[messages.ConversationID]directory.Known, error) {
	few := map[messages.ConversationID]directory.Known{}
	for id != "" {
		row, ok, err := e.FindRow(directory.Kind, directory.Conversations.Row(string(id)))
		if errors.Is(err, engine.ErrNoKey) {
			return nil, nil
		}
		if err != nil || !ok {
			return few, err
		}
		k, err := directory.Conversations.Decode(row.Value)
		if err != nil {
			return nil, err
		}
		if _, again := few[id]; again {
			break
		}
		few[id], id = k, k.Into
	}
	return few, nil
}

// Which finds the conversation that a person means by an ID or a name. An unknown name is
// taken for an ID.
func Which(known map[messages.ConversationID]directory.Known, name string) (messages.ConversationID, error) {
	switch found := directory.Called(known, "", name); len(found) {
	case 0:
		return messages.ConversationID(name), nil
	case 1:
		return found[0], nil
	default:
		var list []string
		for _, id := range found {
			list = append(list, fmt.Sprintf("%s of %s", id, known[id].App))
		}
		return "", fmt.Errorf("%w: say which by its id: %s; kehai conversations tells them apart",
			control.ErrNotClear, strings.Join(list, ", "))
	}
}

// Find returns the known conversation that a person names.
func Find(e *engine.Engine, c messages.ConversationID) (messages.ConversationID, directory.Known, error) {
	known, err := ofID(e, c)
	if err == nil && len(known) == 0 {
		known, err = Known(e)
	}
	if err != nil {
		return "", directory.Known{}, err
	}
	id, err := Which(known, string(c))
	if err != nil {
		return "", directory.Known{}, err
	}
	k, ok := known[id]
	if !ok {
		return "", k, fmt.Errorf("%w: kehai conversations lists them", control.ErrNoConversation)
	}
	return id, k, nil
}
