package fusion

import (
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// TestNames: a text of the tree is passed on if it was there around the first of the readings
// of unknown conversations, and has proved to name chats.
func TestNames(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(1000+s), 0) }
	row := namer{text: "Hana see you", since: at(1), at: at(3), proven: true}
	chat := viewOf("", read("", "alpha bravo charlie").Bubbles)
	unknown := unknown{title: "hama", readings: 1, from: at(2), first: chat}
	for what, c := range map[string]struct {
		change func(n *namer)
		title  string
		view   View
		want   []messages.Text
	}{
		"around it":    {nil, "hama", chat, []messages.Text{"Hana see you"}},
		"unproven":     {func(n *namer) { n.proven = false }, "hama", chat, nil},
		"since then":   {func(n *namer) { n.since = at(2) }, "hama", chat, nil},
		"until then":   {func(n *namer) { n.at = at(2) }, "hama", chat, nil},
		"no row":       {func(n *namer) { n.text = "" }, "hama", chat, nil},
		"other title":  {nil, "ken", chat, nil},
		"other bubble": {nil, "hama", viewOf("", read("", "x y z").Bubbles), nil},
	} {
		n := row
		if c.change != nil {
			c.change(&n)
		}
		if got := names([]namer{n}, unknown, c.title, c.view); !slices.Equal(got, c.want) {
			t.Errorf("%s: names() = %q, want %q", what, got, c.want)
		}
	}
}

func TestNamerProves(t *testing.T) {
	for _, c := range []struct {
		what          string
		texts, titles []string
		want          bool
	}{
		{"a list of chats", []string{"Hana see you", "Ken 10:30"}, []string{"hana", "ken"}, true},
		{"the same chat", []string{"Hana see you", "Hana bye"}, []string{"hana", "hana"}, false},
		{"a folder", []string{"Friends", "Friends", "Work"}, []string{"hana", "friends", "ken"}, false},
		{"nothing is read", []string{"", " "}, []string{"", ""}, false},
	} {
		var n namer
		for i, s := range c.texts {
			n.polled(messages.Text(s), time.Unix(int64(i), 0))
			n.shown(c.titles[i])
		}
		if n.proven != c.want {
			t.Errorf("%s: proven = %v, want %v", c.what, n.proven, c.want)
		}
	}
}

// TestTheTreeNamesWhoIsHeld: after a crash the tree must prove itself anew.
func TestTheTreeNamesWhoIsHeld(t *testing.T) {
	h := actortest.Spawn(t, New(DefaultOptions()), actortest.Address("fusion/line@mac"))
	poll := func(row messages.Text) {
		h.Advance(time.Second)
		h.Send(messages.StructureSignal{Window: "line@mac", Names: []messages.Text{"LINE", row}, At: h.Now()})
	}
	asked := func(m messages.FrameRead) (list []messages.Text) {
		for _, s := range h.Sent() {
			if q, ok := s.Message.(messages.Identify); ok && q.Frame == m.Hash {
				list = q.Names
			}
		}
		return list
	}
	held := func(m messages.FrameRead) {
		h.Send(messages.Identified{Window: "line@mac", Frame: m.Hash, At: m.At, Why: "title_ambiguous"})
	}
	visit := func(row, title messages.Text) []messages.Text {
		poll(row)
		m := send(h, read(title, "alpha bravo charlie"))
		if got := asked(m); got != nil {
			t.Errorf("the first reading of %s comes with %q, want nothing", string(title), got)
		}
		held(m)
		poll(row)
		m = send(h, read(title, "alpha bravo charlie"))
		got := asked(m)
		held(m)
		return got
	}
	for range 2 {
		visit("Ken hello", "Ken")
		visit("Aya hello", "Aya")
		if got := visit("Hana see you", "Hama"); !slices.Equal(got, []messages.Text{"Hana see you"}) {
			t.Errorf("the second reading comes with %q, want the row", got)
		}
		h.Crash()
		if got := visit("Hana see you", "Hama"); got != nil {
			t.Errorf("after a crash a reading comes with %q, want nothing", got)
		}
	}
}
