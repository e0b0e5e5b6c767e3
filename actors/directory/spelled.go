package directory

import (
	"slices"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Spelled is a title as it is spelled by what else names the conversation. These are
// texts that are not read from pixels, such as the selected row of the window's list: they
// begin with the name, and other words may follow. One counts if exactly one of its
// openings may be what was read; a name that is the application's own counts for nothing,
// and where two spell the title differently, it stays as it was read.
func (r Rules) Spelled(app string, title messages.Line, names []messages.Text) messages.Line {
	read, _ := r.Read(title)
	if read == "" {
		return title
	}
	spelled := messages.Text("")
	for _, n := range names {
		s, ok := r.opening(app, read, string(n))
		if !ok || spelled != "" && letters(spelled) != letters(s) {
			return title
		}
		if s != "" {
			spelled = s
		}
	}
	if spelled == "" {
		return title
	}
	title.Confidence = 0
	title.Text = spelled + messages.Text(members.FindString(string(title.Text)))
	return title
}

// opening is the only opening of a name that a title may be a reading of, "" if none is.
// ok is false if several are.
func (r Rules) opening(app string, read messages.Text, name string) (only messages.Text, ok bool) {
	var found []messages.Text
	for _, o := range text.Openings(name) {
		s, _ := r.Read(messages.Line{Text: messages.Text(o)})
		if s != "" && Alike(string(s), string(read)) && Plain(string(s)) != Plain(app) && !slices.Contains(found, s) {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 0:
		return "", true
	case 1:
		return found[0], true
	}
	return "", false
}
