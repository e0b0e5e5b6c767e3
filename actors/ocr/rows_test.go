package ocr

import (
	"testing"

	"github.com/kehai-run/kehai/messages"
)

// TestSidesByName: in rows only a name says whose they are.
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
		sidesByName(rows, c.title, me)
		for i, b := range rows {
			if b.Side != c.want[i] || (b.Side == own) != (b.Sender == "" && c.senders[i] != "") {
				t.Errorf("%s: row %d of %q is of side %s with sender %q, want %s", c.name, i,
					string(c.senders[i]), b.Side, string(b.Sender), c.want[i])
			}
		}
	}
}
