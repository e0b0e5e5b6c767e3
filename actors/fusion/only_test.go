package fusion

import (
	"testing"

	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
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

func TestNothingIsKeptOfWhatIsNotListed(t *testing.T) {
	h := actortest.Spawn(t, New(Options{Only: Only{"line:Ken"}}), actortest.Address("fusion/line@mac"))
	m := send(h, read("Hana", "a b"))
	h.WantSent(settled(m))
	h.WantDropped(events.StageFusion, events.RuleUnlisted)
	m = send(h, read("Hana", "a b c"))
	h.WantSent(settled(m))
	h.WantNothingDropped() // reported once
	send(h, read("Ken", "a b c"))
	h.WantSent(readAgain) // inconsistent: the header came first
	h.WantDropped(events.StageFusion, events.RuleTorn)
	h.WantCommits(0)
	send(h, read("Ken", "x y"))
	h.WantSent(readAgain)
	m = send(h, read("Ken", "x y"))
	h.WantSent(detection(m, "Ken"), settled(m))
	m = send(h, read("Hana", "a b c d"))
	h.WantSent(settled(m))
	h.WantDropped(events.StageFusion, events.RuleUnlisted)
	if _, ok := actortest.Stored(h, lastViews, "Hana"); ok {
		t.Error("a row of Hana is stored, want none")
	}
}
