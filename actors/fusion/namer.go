package fusion

import (
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// namer is a text of the window's accessibility tree that may begin with the name of the
// chat. It counts once it has begun with two different titles while the window showed
// these: a text that stays the same, or names a folder of chats, names nobody. It dies with
// the activation.
type namer struct {
	text      messages.Text
	since, at time.Time // the polls that have found this text
	title     string    // with which it has begun, "" for none
	proven    bool
}

// polled takes what a poll has found.
func (n *namer) polled(found messages.Text, at time.Time) {
	if n.text != found {
		n.text, n.since = found, at
	}
	n.at = at
}

// shown takes the title that the window shows.
func (n *namer) shown(title string) {
	begins := func(o string) bool { return text.Normalize(o) == title }
	if title == "" || n.proven || !slices.ContainsFunc(text.Openings(string(n.text)), begins) {
		return
	}
	n.proven = n.title != "" && n.title != title
	n.title = title
}

// names are the texts that name what a reading shows: they were there before and after the
// first reading of this title that identified nobody, and this one goes on from that. The
// tree and the picture are not of the same moment, so nothing less tells whose they are.
func names(all []namer, u unknown, title string, view View) (list []messages.Text) {
	if u.title != title || u.readings == 0 || !u.first.goesOn(view, false) {
		return nil
	}
	for _, n := range all {
		if n.proven && n.text != "" && n.since.Before(u.from) && n.at.After(u.from) {
			list = append(list, n.text)
		}
	}
	return list
}
