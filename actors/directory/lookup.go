package directory

import (
	"maps"
	"slices"

	"github.com/kehai-run/kehai/messages"
)

// Resolve follows what was merged, to the conversation that is left.
func Resolve(known map[messages.ConversationID]Known, id messages.ConversationID) messages.ConversationID {
	for range len(known) {
		into := known[id].Into
		if into == "" {
			break
		}
		id = into
	}
	return id
}

// alsoCalled reports that a title is that of a conversation that went into this one: it
// is no other reading of this one's.
func alsoCalled(known map[messages.ConversationID]Known, into messages.ConversationID,
	title messages.Text, group bool) bool {
	return slices.ContainsFunc(Merged(known, into), func(id messages.ConversationID) bool {
		return known[id].is(title, group)
	})
}

// Merged lists what went into a conversation, sorted.
func Merged(known map[messages.ConversationID]Known, into messages.ConversationID) (list []messages.ConversationID) {
	for _, id := range slices.Sorted(maps.Keys(known)) {
		if id != into && Resolve(known, id) == into {
			list = append(list, id)
		}
	}
	return list
}

// TitleOf is what the window of a conversation shows as its title, without a count
// of members. ok is false if the conversation is unknown.
func TitleOf(known map[messages.ConversationID]Known, id messages.ConversationID) (title messages.Text, ok bool) {
	k, ok := known[Resolve(known, id)]
	return k.Title, ok
}

// Called lists the conversations that a person may mean by a name, sorted: the one
// with this id; else those of this name, with or without the application before
// it; else those whose names differ from it in case, width and spaces only. app
// limits them to an application; "" does not.
func Called(known map[messages.ConversationID]Known, app, name string) []messages.ConversationID {
	if k, ok := known[messages.ConversationID(name)]; ok && (app == "" || k.App == app) {
		return []messages.ConversationID{Resolve(known, messages.ConversationID(name))}
	}
	for _, form := range []func(string) string{
		func(s string) string { return letters(messages.Text(s)) }, Plain,
	} {
		var found []messages.ConversationID
		want := form(name)
		for _, id := range slices.Sorted(maps.Keys(known)) {
			k := known[id]
			if app != "" && k.App != app {
				continue
			}
			left := Resolve(known, id)
			for _, n := range []messages.Text{k.Named, k.Title} {
				if n != "" && (form(string(n)) == want || form(k.App+":"+string(n)) == want) {
					if !slices.Contains(found, left) {
						found = append(found, left)
					}
					break
				}
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}
