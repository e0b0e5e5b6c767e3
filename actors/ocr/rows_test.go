package ocr

import (
	"testing"

	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/messages"
)

// TestSidesByName: rows have no side but by their names.
func TestSidesByName(t *testing.T) {
	own, in, no := messages.SideOwn, messages.SideIncoming, messages.SideNeither
	me := []string{"Me", "自分"}
	for _, c := range []struct {
		name, title string
		senders     []messages.Text
		want        []messages.Side
	}{
		{"two, own name known", "Hana", []messages.Text{"Hana 19:02", "Me", "Hana"}, []messages.Side{in, own, in}},
		{"two, own name unknown", "Hana", []messages.Text{"Hana", "Taro"}, []messages.Side{in, own}},
		{"only theirs", "Hana", []messages.Text{"Hana", "Hana"}, []messages.Side{in, in}},
		{"only an unknown name", "Hana", []messages.Text{"Taro"}, []messages.Side{no}},
		{"several, own name known", "Family", []messages.Text{"Hana", "Ken", "自分"}, []messages.Side{in, in, own}},
		{"several, own name unknown", "Family", []messages.Text{"Hana", "Ken"}, []messages.Side{no, no}},
		{"several, called after one", "Hana", []messages.Text{"Hana", "Ken", "Taro"}, []messages.Side{in, no, no}},
		{"a name that scrolled away", "Hana", []messages.Text{"", "Hana"}, []messages.Side{no, in}},
		{"no title", "", []messages.Text{"Hana", "Taro"}, []messages.Side{no, no}},
	} {
		var rows []messages.Bubble
		for _, s := range c.senders {
			rows = append(rows, messages.Bubble{Side: no, Sender: s, Named: s != ""})
		}
		sidesByName(rows, c.title, me, learntSides{})
		for i, b := range rows {
			if b.Side != c.want[i] || (b.Side == own) != (b.Sender == "" && c.senders[i] != "") {
				t.Errorf("%s: row %d of %q is of side %s with sender %q, want %s", c.name, i,
					string(c.senders[i]), b.Side, string(b.Sender), c.want[i])
			}
		}
	}
}

// TestRowsUnderAScrolledName: the rows at the top are those of somebody whose name has scrolled
// away. Frames before say whose; pixels that both have written say nothing.
func TestRowsUnderAScrolledName(t *testing.T) {
	row := func(name, said string) messages.Bubble {
		return messages.Bubble{Kind: messages.KindText, Text: messages.Text(said), Sender: messages.Text(name),
			Named: name != "", Key: messages.PixelKey(len(said))}
	}
	sides := func(rows []messages.Bubble, known learntSides) (s string) {
		sidesByName(rows, "Hana", nil, known)
		for _, b := range rows {
			s += string(b.Side[:1])
		}
		return s
	}
	before := []messages.Bubble{row("Hana", "a"), row("Hana", "bb"), row("Me", "ccc"), row("Me", "bb"),
		row("Me", "dddd")}
	if got := sides(before, learntSides{}); got != "iiooo" {
		t.Fatalf("sides of named rows = %s, want iiooo", got)
	}
	learnt := learntRows(before, "Hana")
	for _, c := range []struct {
		what string
		rows []messages.Bubble
		same bool
		want string
	}{
		{"the friend's group goes on", []messages.Bubble{row("", "a"), row("", "new one")}, true, "ii"},
		{"one's own goes on", []messages.Bubble{row("", "ccc"), row("", "new one")}, true, "oo"},
		{"both have said it", []messages.Bubble{row("", "bb"), row("", "new one")}, true, "nn"},
		{"both are in it", []messages.Bubble{row("", "a"), row("", "ccc")}, true, "nn"},
		{"nothing is known", []messages.Bubble{row("", "new one")}, true, "n"},
		{"one row in another chat", []messages.Bubble{row("", "a"), row("", "new one")}, false, "nn"},
		{"two rows under another header", []messages.Bubble{row("", "ccc"), row("", "dddd")}, false, "oo"},
		{"who is not the friend is oneself", []messages.Bubble{row("", "a"), row("Me", "new one")}, true, "io"},
	} {
		if got := sides(c.rows, learntSides{rows: learnt, same: c.same}); got != c.want {
			t.Errorf("%s: sides = %s, want %s", c.what, got, c.want)
		}
	}
}

// TestRowsInAnotherTheme: beneath the same name in other colours, rows are known by their texts.
func TestRowsInAnotherTheme(t *testing.T) {
	row := func(key messages.PixelKey, text messages.Text) messages.Bubble {
		return messages.Bubble{Kind: messages.KindText, Key: key, Text: text}
	}
	known := []learntRow{{key: 1, text: "seeyousoon"}, {key: 2, text: "atthestation"}, {key: 3, text: "OK"},
		{key: 4, text: "finebyme", own: true}, {key: 5, text: "saidbyboth"},
		{key: 6, text: "saidbyboth", own: true}}
	for _, c := range []struct {
		what  string
		title messages.Text
		texts []messages.Text
		want  messages.Side
	}{
		{"two rows", "Hana", []messages.Text{"see you soon", "at the station", "new"}, messages.SideIncoming},
		{"another name", "Ken", []messages.Text{"see you soon", "at the station", "new"}, messages.SideNeither},
		{"no name", "", []messages.Text{"see you soon", "at the station", "new"}, messages.SideNeither},
		{"one row", "Hana", []messages.Text{"see you soon", "new"}, messages.SideNeither},
		{"a short one", "Hana", []messages.Text{"see you soon", "OK"}, messages.SideNeither},
		{"one that both have said", "Hana", []messages.Text{"see you soon", "said by both"}, messages.SideNeither},
		{"rows of both", "Hana", []messages.Text{"see you soon", "at the station", "fine by me"}, messages.SideNeither},
	} {
		var rows []messages.Bubble
		for i, s := range c.texts {
			rows = append(rows, row(messages.PixelKey(100+i), s))
		}
		sidesByName(rows, string(c.title), nil, learntSides{rows: known, title: "Hana"})
		for _, b := range rows {
			if b.Side != c.want {
				t.Errorf("%s: side of %q = %s, want %s", c.what, string(b.Text), b.Side, c.want)
			}
		}
	}
}

// TestRowsOfEachHeader: what is known of the rows beneath a header outlives a look at another chat.
func TestRowsOfEachHeader(t *testing.T) {
	c := NewCache(1)
	column := segment.RowColumn{RowColumn: messages.RowColumn{From: 40, Left: 50}}
	for header := range messages.PixelKey(maxHeaders + 1) {
		c.keepRows("w", learntSides{rows: []learntRow{{key: header}}, header: header, column: column})
	}
	for _, k := range []struct {
		header messages.PixelKey
		same   bool
		row    messages.PixelKey
	}{{maxHeaders, true, maxHeaders}, {1, true, 1}, {0, false, maxHeaders}} {
		if got := c.rowsOf("w", k.header); got.same != k.same || got.rows[0].key != k.row {
			t.Errorf("rowsOf(%d) = %+v, want row %d, same %v", k.header, got, k.row, k.same)
		}
	}
	known := messages.RowColumn{From: 1, Left: 2}
	if got := c.columnOf("w", known); got != column {
		t.Errorf("columnOf() = %v, want %v", got, column)
	}
	if got := c.columnOf("another", known); got.RowColumn != known {
		t.Errorf("columnOf() of a window without rows = %v, want %v, which is known otherwise", got, known)
	}
}
