package ocr

import (
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// sidesByName gives the rows of an application without bubbles their sides. In a
// conversation of two the window has the other person's name, and everybody else is
// oneself. In a group, a row is somebody else's once another row is known to be one's
// own. A row without a name, or whose name does not decide, stays on neither side. me
// are the names under which the window shows one's own messages, known the rows of the
// frames before.
func sidesByName(rows []messages.Bubble, title string, me []string, known learntSides) {
	for i := range rows {
		if before, _, ok := text.CutClock(string(rows[i].Sender)); ok { // the time behind the name
			rows[i].Sender = messages.Text(before)
		}
	}
	mine := func(name string) bool {
		return slices.ContainsFunc(me, func(m string) bool { return text.OCREqual(m, name) })
	}
	theirs := func(name string) bool { return title != "" && text.OCREqual(title, name) }
	first := slices.IndexFunc(rows, func(b messages.Bubble) bool { return b.Named || b.Sender != "" })
	if first < 0 {
		first = len(rows)
	}
	above := sideOfGroup(rows[:first], title, known)
	own, titled := false, above == messages.SideIncoming
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
		case i < first:
			b.Side = above
		case name == "":
			b.Side = messages.SideNeither
		case mine(name), !theirs(name) && titled && !own && len(others) == 1:
			b.Side, b.Sender, b.Named = messages.SideOwn, "", false
		case theirs(name), own:
			b.Side = messages.SideIncoming
		}
	}
}

// learntRow is a row whose side is known, recognised by its pixels, or where other colours show it
// by its text.
type learntRow struct {
	key  messages.PixelKey
	text string // without spaces, which are read differently in other colours
	own  bool
}

func unspaced(b messages.Bubble) string { return strings.Join(strings.Fields(string(b.Text)), "") }

// learntSides are the rows of the frame that last told the sides of some beneath a header. same: this
// header is shown again.
type learntSides struct {
	rows   []learntRow
	column segment.RowColumn
	header messages.PixelKey
	title  messages.Text // what the header says
	same   bool
}

// find returns the side of a row, neither if it is not known. Texts count under a header of other pixels that says
// the same, as in another theme. Short ones, and those that both have said, say nothing.
func (k learntSides) find(b messages.Bubble, title string) messages.Side {
	const short = 5 // characters
	said := unspaced(b)
	retold := !k.same && title != "" && string(k.title) == title && len([]rune(said)) >= short
	own, theirs := false, false
	for _, r := range k.rows {
		if r.key == b.Key || retold && r.text == said {
			own, theirs = own || r.own, theirs || !r.own
		}
	}
	switch {
	case own == theirs:
		return messages.SideNeither
	case own:
		return messages.SideOwn
	}
	return messages.SideIncoming
}

// sideOfGroup is whose the rows above the first name are: all of them somebody's whose name has
// scrolled away, so one that was known before says it. Under another header, which may be
// another conversation, it takes half of them, and two at least.
func sideOfGroup(group []messages.Bubble, title string, known learntSides) messages.Side {
	own, theirs := 0, 0
	for _, b := range group {
		switch known.find(b, title) {
		case messages.SideOwn:
			own++
		case messages.SideIncoming:
			theirs++
		}
	}
	least := 1
	if !known.same {
		least = max(2, len(group)/2)
	}
	switch {
	case own >= least && theirs == 0:
		return messages.SideOwn
	case theirs >= least && own == 0:
		return messages.SideIncoming
	}
	return messages.SideNeither
}

// learntRows are the rows of a frame whose side later frames may ask for. Both sides may have
// said the same in the same pixels: that says nothing.
func learntRows(rows []messages.Bubble, title string) (list []learntRow) {
	seen := map[messages.PixelKey]bool{} // whether it is one's own
	both := map[messages.PixelKey]bool{}
	for _, b := range rows {
		theirs := b.Side == messages.SideIncoming && (b.Sender == "" || text.OCREqual(title, string(b.Sender)))
		if own := b.Side == messages.SideOwn; !b.Clipped && (own || theirs) {
			was, ok := seen[b.Key]
			both[b.Key] = both[b.Key] || ok && was != own
			seen[b.Key] = own
		}
	}
	for _, b := range rows {
		if own, ok := seen[b.Key]; ok && !both[b.Key] {
			list = append(list, learntRow{key: b.Key, text: unspaced(b), own: own})
			delete(seen, b.Key)
		}
	}
	return list
}
