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

func TestDefaultRules(t *testing.T) {
	want := ledger.Rules{
		FirstSight: ledger.Unanswered, FirstAtMost: 5, Keep: 200, History: 2000, Timeout: 2 * time.Second, Tries: 3,
	}
	if got := ledger.DefaultRules(); got != want {
		t.Errorf("DefaultRules() = %+v, want %+v", got, want)
	}
}

// The rules of the options decide.
func TestRecentOfTheOptions(t *testing.T) {
	o := with(func(o *Options) { o.Recent = recent.SeedRules() })
	o.Recent.Fingerprint, o.Recent.Lines = 5*time.Second, 6*time.Second
	h := actortest.Spawn(t, New(o), actortest.Address("dedup/line:Hana"))
	say := func(text messages.Text) {
		h.Send(messages.Detection{Window: "line@mac", Conversation: "line:Hana", Title: "Hana", Text: text,
			SeenAt: h.Now()})
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
