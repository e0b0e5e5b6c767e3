package directory

import (
	"maps"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/messages"
)

// Resolve follows merges to the conversation that remains.
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

// alsoCalled reports whether a title belongs to a conversation merged into this one. Then
// it is not a reading of this one's title.
func alsoCalled(known map[messages.ConversationID]Known, into messages.ConversationID,
	title messages.Text, group bool) bool {
	return slices.ContainsFunc(Merged(known, into), func(id messages.ConversationID) bool {
		return known[id].is(title, group)
	})
}

// Merged lists the conversations merged into one, sorted.
func Merged(known map[messages.ConversationID]Known, into messages.ConversationID) (list []messages.ConversationID) {
	for id, k := range known {
		if k.Into != "" && Resolve(known, id) == into {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return list
}

// TitleOf is the title in a conversation's window, without a count of members. ok is
// false if the conversation is unknown.
func TitleOf(known map[messages.ConversationID]Known, id messages.ConversationID) (title messages.Text, ok bool) {
	k, ok := known[Resolve(known, id)]
	return k.Title, ok
}

// Unread stands for what is known of a conversation whose key is out of reach.
var Unread = Known{}

// Bound is the conversation that the owner's settings mean by "line:Hana", or by an id.
// People choose their own titles, and settings grant access. So the name must belong to
// one conversation of that application, the only one ever read with exactly this name.
// Once a second one was, ok is false until a person tells them apart by id, and no name is
// certain while one is [Unread].
func Bound(known map[messages.ConversationID]Known, name string) (id messages.ConversationID, ok bool) {
	if _, ok := known[messages.ConversationID(name)]; ok {
		return Resolve(known, messages.ConversationID(name)), true
	}
	app, title, _ := strings.Cut(name, ":")
	want := letters(messages.Text(title))
	for other, k := range known {
		if k.App == Unread.App {
			return "", false
		}
		if k.App != app || letters(k.Title) != want && letters(k.Named) != want &&
			!slices.ContainsFunc(k.Readings, func(r Reading) bool { return letters(r.Title) == want }) {
			continue
		}
		left := Resolve(known, other)
		if ok && left != id {
			return "", false
		}
		id, ok = left, true
	}
	return id, ok
}

// Unseen are the ids under which something may be stored from before these conversations
// were first seen: names that only they have, as an import wrote them.
func Unseen(known map[messages.ConversationID]Known, ids []messages.ConversationID) (list []messages.ConversationID) {
	for _, id := range ids {
		k := known[id]
		names := []messages.Text{k.Title, k.Named}
		for _, r := range k.Readings {
			names = append(names, r.Title)
		}
		for _, n := range names {
			name := messages.ConversationID(k.App + ":" + string(n))
			if _, seen := known[name]; n == "" || seen || slices.Contains(list, name) {
				continue
			}
			if of, ok := Bound(known, string(name)); ok && of == Resolve(known, id) {
				list = append(list, name)
			}
		}
	}
	return list
}

// index maps the plain forms of names to conversations, so that one is found quickly among very many.
type index map[string]map[messages.ConversationID]bool

// change takes in that a conversation is called otherwise; was is empty for a new one.
func (x index) change(id messages.ConversationID, was, is Known) {
	for _, n := range []messages.Text{was.Named, was.Title} {
		delete(x[Plain(string(n))], id)
	}
	for _, n := range []messages.Text{is.Named, is.Title} {
		if n == "" {
			continue
		}
		key := Plain(string(n))
		if x[key] == nil {
			x[key] = map[messages.ConversationID]bool{}
		}
		x[key][id] = true
	}
}

// near are the conversations that [Called] could find by a name, and those they were merged into.
func (x index) near(known map[messages.ConversationID]Known, name messages.Text) map[messages.ConversationID]Known {
	few := map[messages.ConversationID]Known{}
	take := func(id messages.ConversationID) {
		for _, seen := few[id]; !seen && id != ""; _, seen = few[id] {
			k, ok := known[id]
			if !ok {
				return
			}
			few[id], id = k, k.Into
		}
	}
	take(messages.ConversationID(name))
	_, behind, _ := strings.Cut(Plain(string(name)), ":") // an application
	for _, key := range []string{Plain(string(name)), behind} {
		for id := range x[key] {
			take(id)
		}
	}
	return few
}

// Called lists the conversations that a person may mean by a name, sorted: the one with
// this id; else those of this name, with or without the application before it; else those
// whose names differ only in case, width and spaces. app limits them to an application
// unless it is "".
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
