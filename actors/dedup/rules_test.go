package dedup

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/actors/dedup/recent"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

func TestRulesOfTheProfiles(t *testing.T) {
	rules := ledger.Rules{
		FirstSight: ledger.Unanswered, FirstAtMost: 5, Keep: 200, History: 2000, Timeout: 2 * time.Second, Tries: 3,
	}
	if got := (Options{}).rules(); got != rules {
		t.Errorf("rules of a ledger = %+v, want %+v", got, rules)
	}
	rules = ledger.Rules{FirstSight: ledger.All, FirstAtMost: 1, Keep: 2, History: 3, Timeout: 4, Tries: 5}
	o := Options{FirstSight: ledger.All, FirstAtMost: 1, Keep: 2, History: 3, Patience: 4, Tries: 5}
	if got := o.rules(); got != rules {
		t.Errorf("rules of a ledger with other numbers = %+v, want %+v", got, rules)
	}
}

// The rules of the options decide.
func TestRecentOfTheOptions(t *testing.T) {
	h := actortest.Spawn(t, New(Options{
		Recent: recent.Rules{Fingerprint: 5 * time.Second, Lines: 6 * time.Second}.Or(recent.SeedRules()),
	}), actortest.Address("dedup/line:Hana"))
	say := func(text messages.Text) {
		h.Send(messages.Detection{Window: "line@mac", Conversation: "line:Hana", Title: "Hana", Text: text, SeenAt: h.Now()})
	}
	say("おはよう")
	h.Advance(5 * time.Second)
	say("おはよう")
	h.WantDropped(events.StageDedup, events.RuleLineMemory, events.Detail{Count: 1, Age: 5 * time.Second})
	h.Sent()
	h.Advance(time.Second)
	say("おはよう")
	h.WantNothingDropped()
	if got := len(h.Sent()); got != 1 {
		t.Errorf("%d messages 6 s after the first, want 1", got)
	}
	say("おは")
	h.WantDropped(events.StageDedup, events.RuleLineMemory)
}
