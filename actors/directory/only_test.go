package directory

import (
	"testing"
)

func TestOnly(t *testing.T) {
	for _, c := range []struct {
		only      Only
		app, name string
		want      bool
	}{
		{nil, "line", "Hana", true},
		{Only{"line:Hana"}, "line", "Hana", true},
		{Only{"Hana"}, "line", "Hana", true},
		{Only{"Ken", "line:Hana"}, "line", "Hana", true},
		{Only{"line:花 ちゃん"}, "line", "花　ちゃん", true},
		{Only{"line:ｈａｎａ"}, "line", "Hana", true},
		{Only{"line:Hana"}, "line", "Hanae", false},
		{Only{"line:Hana"}, "line", "Han", false},
		{Only{"line:Hana"}, "slack", "Hana", false},
		{Only{"Hana"}, "slack", "Hana", true},
		{Only{""}, "line", "Hana", false},
	} {
		if got := c.only.Allows(c.app, c.name); got != c.want {
			t.Errorf("Only(%q).Allows(%q, %q) = %v, want %v", c.only, c.app, c.name, got, c.want)
		}
	}
}
