package x11

import (
	"strings"
	"testing"

	"github.com/jezek/xgb/xproto"
)

// A paste is written as its reads: letters are programs, | is the paste request.
func TestReaders(t *testing.T) {
	for _, c := range []struct {
		loans string   // of which the last one counts
		late  bool     // when it is to be pasted
		want  progress // in the end
	}{
		{"|", false, unread},
		{"|b", false, newRead},
		{"b|", false, unread},
		{"b|b", false, newRead},
		{"h|b", false, newRead},
		{"h|", false, unread},
		{"|b |b", false, allRead},
		{"|bb |b", false, halfRead},
		{"|bb |bb", false, allRead},
		{"|b |bb |b", false, halfRead},
		{"|bb | |bb", false, allRead},
		{"|bb |c", false, newRead},
		{"h|bb h|b", false, halfRead},
		{"h|bb h|bb", false, allRead},
		{"h|bb |h", true, unread}, // what it always reads comes late
		{"h|bb |hb", true, halfRead},
		{"h|bb |hbb", true, allRead},
		{"b|b b|b", false, allRead},
		{"b|b |b", true, unread},
		{"b|b |bb", true, allRead},
		{"b|bb |bb", true, halfRead}, // the first of these two may be what it always reads
		{"b|bb |bbb", true, allRead},
		{"b|b |bb b|b", false, allRead}, // that one is not counted later either
		{"b|b |b |b", false, allRead},   // it is not eager any more
		{"b|b |bb |b", true, unread},
	} {
		var r readers
		late := false
		for loan := range strings.FieldsSeq(c.loans) {
			r.end()
			r.read('x') // between loans nothing counts
			r.offer()
			for _, by := range loan {
				if by == '|' {
					late = r.late()
					r.paste()
				} else {
					r.read(xproto.Window(by))
				}
			}
		}
		if got := r.progress(); late != c.late || got != c.want {
			t.Errorf("after %q late, progress = %v, %v, want %v, %v", c.loans, late, got, c.late, c.want)
		}
	}
}
