package names

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Known reads what the directories know, by conversation ID. A conversation whose key is
// lost or out of reach is left out: doctor names it, and all others can still be asked
// about and forgotten. Whoever looks for a name uses [InReach].
func Known(e *engine.Engine) (map[messages.ConversationID]directory.Known, error) {
	known, _, err := InReach(e)
	return known, err
}

// InReach is [Known] with the conversations whose keys are out of reach, each with why. One of them may have any
// name.
func InReach(e *engine.Engine) (known map[messages.ConversationID]directory.Known, away Away, err error) {
	known, away = map[messages.ConversationID]directory.Known{}, Away{}
	var failed error
	err = e.EachRow(directory.Kind, directory.Conversations.Name(), func(r engine.Row, bad error) bool {
		id := messages.ConversationID(r.Key)
		switch {
		case errors.Is(bad, engine.ErrKeyAway):
			away[id] = bad
		case errors.Is(bad, engine.ErrNoKey):
		case bad != nil:
			failed = fmt.Errorf("runtime: read what conversations are called: %w", bad)
		default:
			known[id], failed = directory.Conversations.Decode(r.Value)
		}
		return failed == nil
	})
	return known, away, cmp.Or(err, failed)
}

// Away are conversations whose keys are out of reach, each with the reason.
type Away map[messages.ConversationID]error

// Err says why nothing is certain about a name that no other conversation has; nil if all can be read.
func (a Away) Err() error {
	for _, id := range slices.Sorted(maps.Keys(a)) {
		return fmt.Errorf("runtime: the name may be that of a conversation whose key is out of reach: %w", a[id])
	}
	return nil
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

// unless is Err unless the name is the id of a conversation, such as a host's own, that no directory knows.
func (a Away) unless(e *engine.Engine, id messages.ConversationID) error {
	if _, of := a[id]; of || len(a) == 0 {
		return nil
	}
	for _, kind := range []string{messages.ActorDedup, messages.ActorConversation, messages.ActorRecall} {
		if has, err := e.HasRows(messages.To(kind, string(id))); has || err != nil {
			return err
		}
	}
	return a.Err()
}

// Means is [Which] among all conversations that are stored. The error wraps [engine.ErrKeyAway] where only those
// that cannot be read for now may have that name.
func Means(e *engine.Engine, name string) (messages.ConversationID, error) {
	known, away, err := InReach(e)
	if err != nil {
		return "", err
	}
	id := messages.ConversationID(name)
	if len(directory.Called(known, "", name)) == 0 {
		err = away.unless(e, id)
	}
	if err == nil {
		id, err = Which(known, name)
	}
	return id, err
}

// Surely is [Means] for what cannot be undone: while a conversation is out of reach, only ids count, because it may
// have the same name. A name that nobody has may be that of one whose key is lost or damaged.
func Surely(e *engine.Engine, name string) (messages.ConversationID, error) {
	id, err := Means(e, name)
	if err != nil {
		return id, err
	}
	known, away, err := InReach(e)
	switch {
	case err != nil:
		return id, err
	case string(id) != name:
		return id, away.Err()
	case len(directory.Called(known, "", name)) > 0:
		return id, nil
	}
	shut, err := lost(e)
	if unsure := shut.unless(e, id); err == nil && unsure != nil {
		err = fmt.Errorf("runtime: nobody who can be read is called %s, and the key of %s is lost or damaged: put the "+
			"keys back (kehai key restore FILE) and forget it then, or forget what no key opens: kehai forget %[2]s",
			name, slices.Min(slices.Collect(maps.Keys(shut))))
	}
	return id, err
}

// lost are the conversations that are stored and that no key opens, each with why.
func lost(e *engine.Engine) (Away, error) {
	list := Away{}
	err := e.EachRow(directory.Kind, directory.Conversations.Name(), func(r engine.Row, bad error) bool {
		if errors.Is(bad, engine.ErrNoKey) && !errors.Is(bad, engine.ErrKeyAway) {
			list[messages.ConversationID(r.Key)] = bad
		}
		return true
	})
	return list, err
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
	var away Away
	if err == nil && len(known) == 0 {
		known, away, err = InReach(e)
	}
	if err != nil {
		return "", directory.Known{}, err
	}
	id, err := Which(known, string(c))
	if err != nil {
		return "", directory.Known{}, err
	}
	k, ok := known[id]
	if why := away[id]; why != nil && !ok {
		return "", k, fmt.Errorf("runtime: find a conversation: %w", why)
	}
	if len(away) > 0 && (!ok || id != c) { // one that is out of reach may have the name
		return "", k, away.Err()
	}
	if !ok {
		return "", k, fmt.Errorf("%w: kehai conversations lists them", control.ErrNoConversation)
	}
	return id, k, nil
}
