package layout

import "testing"

func TestMarks(t *testing.T) {
	m := Line().Marks
	for _, c := range []struct {
		line                 string
		date, unread, unsent bool
	}{
		{"1月2日(金)", true, false, false},
		{"2026/01/02", true, false, false},
		{"Fri, Jan 2", true, false, false},
		{"今日", true, false, false},
		{"Yesterday", true, false, false},
		{"ここから未読メッセージ", false, true, false},
		{"ここから末読メッセージ", false, true, false}, // misread
		{"相手がメッセージの送信を取り消しました", false, false, true},
		{"Message unsent", false, false, true},
		{"Hana unsent a message", false, false, true},
		{"花子が参加しました", false, false, false},
		{"12:30", false, false, false},
		{"mayor 2", false, false, false},
		{"", false, false, false},
	} {
		if d, r, s := m.IsDate(c.line), m.IsUnread(c.line), m.IsUnsent(c.line); d != c.date ||
			r != c.unread || s != c.unsent {
			t.Errorf("%q is date %v, unread %v, unsent %v, want %v, %v, %v", c.line, d, r, s,
				c.date, c.unread, c.unsent)
		}
	}
	if (Marks{}).IsDate("1月2日") || (Marks{}).Known() {
		t.Error("a layout without words for marks knows one")
	}
}
