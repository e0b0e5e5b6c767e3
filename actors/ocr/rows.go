package ocr

import (
	"slices"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// sidesByName gives the rows of an application without bubbles their sides. In a
// conversation of two the window is called after the other one, and who is not them is
// oneself; in one of several a row is somebody else's if another one is one's own. What
// has no name, or none that says it, stays of neither side. me are the names under which
// the window shows one's own messages.
func sidesByName(rows []messages.Bubble, title string, me []string) {
	for i := range rows {
		if before, _, ok := text.CutClock(string(rows[i].Sender)); ok { // the time behind the name
			rows[i].Sender = messages.Text(before)
		}
	}
	mine := func(name string) bool {
		return slices.ContainsFunc(me, func(m string) bool { return text.OCREqual(m, name) })
	}
	theirs := func(name string) bool { return title != "" && text.OCREqual(title, name) }
	own, titled := false, false
	var others []string
	for _, b := range rows {
		switch name := string(b.Sender); {
		case name == "":
		case mine(name):
			own = true
		case theirs(name):
			titled = true
		case !slices.ContainsFunc(others, func(o string) bool { return text.OCREqual(o, name) }):
			others = append(others, name)
		}
	}
	for i := range rows {
		b := &rows[i]
		switch name := string(b.Sender); {
		case name == "":
			b.Side = messages.SideNeither
		case mine(name), !theirs(name) && titled && !own && len(others) == 1:
			b.Side, b.Sender, b.Named = messages.SideOwn, "", false
		case theirs(name), own:
			b.Side = messages.SideIncoming
		}
	}
}
