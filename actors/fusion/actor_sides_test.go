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
