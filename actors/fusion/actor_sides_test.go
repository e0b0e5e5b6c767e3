package fusion

import (
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// TestSidesUnknown: fusion reports once that no bubble shows who wrote it, again
// after a crash, and when it is over.
func TestSidesUnknown(t *testing.T) {
	h := spawn(t)
	states := func(want ...bool) {
		t.Helper()
		var got []bool
		for _, m := range h.Published() {
			s, ok := m.(events.SidesState)
			if !ok {
				continue
			}
			if s.Window != "line@mac" || s.Bubbles == 0 || !s.At.Equal(h.Now()) {
				t.Errorf("published %+v, want the window, its bubbles and the time", s)
			}
			got = append(got, s.Unknown)
		}
		if len(got) != len(want) || len(got) > 0 && got[0] != want[0] {
			t.Errorf("published sides unknown %v, want %v", got, want)
		}
	}
	show := func(words string, side messages.Side) {
		m := read("Hana", words)
		for i := range m.Bubbles {
			m.Bubbles[i].Side = side
		}
		send(h, m)
	}
	show("a b", messages.SideIncoming)
	states()
	show("a b c", messages.SideNeither)
	states(true)
	show("b c d", messages.SideNeither)
	states()
	h.Crash()
	show("c d e", messages.SideNeither)
	states(true)
	show("d e f", messages.SideIncoming)
	states(false)
	show("x", messages.SideNeither) // one alone may be an odd one
	states()
}

// TestSidesOfRows: rows that only lack the person's own name are distinguished from bubbles.
func TestSidesOfRows(t *testing.T) {
	h := spawn(t)
	m := read("# general", "a b c")
	for i := range m.Bubbles {
		m.Bubbles[i].Side, m.Bubbles[i].Sender = messages.SideNeither, "Hana"
	}
	send(h, m)
	for _, e := range h.Published() {
		if s, ok := e.(events.SidesState); ok && s.Unknown && s.Rows == 3 && s.Bubbles == 3 {
			return
		}
	}
	t.Error("nothing says that 3 rows have names and none is known as one's own")
}

// TestSidesOfOthers: a conversation that is not read reports nothing.
func TestSidesOfOthers(t *testing.T) {
	h := spawn(t)
	m := read("Not listed", "a b c")
	for i := range m.Bubbles {
		m.Bubbles[i].Side = messages.SideNeither
	}
	send(h, m)
	for _, m := range h.Published() {
		t.Errorf("published %v, want nothing", m)
	}
}

// TestRowsKeepTheirSide: rows whose names have scrolled away are whose the window showed them to be, under
// another theme, after a crash and after a look at another chat; not what nobody has shown, and no bubbles.
func TestRowsKeepTheirSide(t *testing.T) {
	h := spawn(t)
	rows := func(title messages.Text, words string, side messages.Side, key messages.PixelKey) messages.FrameRead {
		m := read(title, words)
		m.Rows, m.Name = true, key
		for i := range m.Bubbles {
			m.Bubbles[i].Side, m.Bubbles[i].Key = side, m.Bubbles[i].Key^key
		}
		return m
	}
	show := func(m messages.FrameRead, want string) {
		t.Helper()
		sides := ""
		for range 3 {
			send(h, m)
			for _, s := range h.Sent() {
				if d, ok := s.Message.(messages.Detection); ok {
					sides = ""
					for _, b := range d.Bubbles {
						sides += string(b.Side[:1])
					}
				}
			}
		}
		if sides != want {
			t.Errorf("%s: sides %s, want %s", string(m.Title.Text), sides, want)
		}
	}
	show(rows("Hana", "good morning everyone here", messages.SideIncoming, 1), "iiii")
	show(rows("Hana", "morning everyone here today", messages.SideNeither, 2), "iiii") // another theme
	h.Crash()
	show(rows("Hana", "everyone here today again", messages.SideNeither, 2), "iiii")
	show(rows("Ken", "quite another person writes", messages.SideNeither, 3), "nnnn")
	h.Crash()
	show(rows("Hana", "everyone here today again finally", messages.SideNeither, 2), "iiiii")
	own := rows("Hana", "here today again finally mine", messages.SideNeither, 2)
	own.Bubbles[4].Side = messages.SideOwn // named
	show(own, "iiiio")
	bubbles := rows("Hana", "today again finally mine next", messages.SideNeither, 2)
	bubbles.Rows = false
	show(bubbles, "nnnnn")
}
