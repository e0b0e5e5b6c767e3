package ledger

import (
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

func TestJoinTexts(t *testing.T) {
	whole := "むかしむかしあるところにおじいさんとおばあさんが住んでいました。おじいさんは山へしばかりに、" +
		"おばあさんは川へせんたくに行きました。川で大きな桃がどんぶらこと流れてきました。"
	r := []rune(whole)
	cut := func(from, to int) messages.Text { return messages.Text(r[from:to]) }
	for _, c := range []struct {
		name          string
		first, second messages.Text
		want          messages.Text
	}{
		{"overlapping", cut(0, 60), cut(30, len(r)), cut(0, len(r))},
		{"a torn line at the edge", cut(0, 60), "ノー-" + cut(33, len(r)), cut(0, len(r))},
		{"the first goes on", cut(0, 50) + "ー、ノ", cut(20, len(r)), cut(0, len(r))},
		{"too little in common", cut(0, 40), cut(30, len(r)), ""},
		{"the wrong way round", cut(30, len(r)), cut(0, 60), ""},
		{"repeating itself", messages.Text(strings.Repeat("昔話です。", 20)),
			messages.Text(strings.Repeat("昔話です。", 15)), ""},
		{"nothing", "", "", ""},
	} {
		if got, ok := joinTexts(c.first, c.second); got != c.want || ok != (c.want != "") {
			t.Errorf("%s: joinTexts() = %q, %v, want %q", c.name, string(got), ok, string(c.want))
		}
	}
}
