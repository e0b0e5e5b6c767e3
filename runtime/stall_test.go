package runtime_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit"
)

func stalls(s *testkit.System) (list []messages.StallReason) {
	for _, ev := range s.Events() {
		if m, ok := ev.(messages.SendStalled); ok && !m.Over {
			list = append(list, m.Reason)
		}
	}
	return list
}

// TestStalled: a text that cannot be typed because a person's words stand in the field is
// told as such, over a crash; one whose conversation is not shown as not sent; a host's task
// about which it sends nothing too. Status lists what went out neither then nor later.
func TestStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t, quietly)
		s.Friend("Ken", "この間の写真を送ってもらえますか")
		s.Advance(20 * time.Second)
		s.Friend("Hana", "明日は何時にどこで会いますか", "駅まで迎えに行きましょうか")
		s.Advance(20 * time.Second)
		ken, hana := s.ID("Ken"), s.ID("Hana")
		if err := s.Window.Type("ちょっと待ってね、今から書く"); err != nil {
			t.Fatal(err)
		}
		for _, c := range []messages.ConversationID{hana, ken} {
			if err := s.Runtime.Send(t.Context(), "line", c, reply, "about "+string(c)); err != nil {
				t.Fatal(err)
			}
		}
		task := messages.TaskDone{Conversation: ken, Trace: "a host's own"}
		if err := s.Runtime.Inject(t.Context(), messages.To(messages.ActorStall, "test"), task, ""); err != nil {
			t.Fatal(err)
		}
		s.Advance(time.Minute)
		s.Crash()
		if got := stalls(s); len(got) > 0 {
			t.Errorf("told %q within a minute, want nothing", got)
		}
		s.Advance(90 * time.Second)
		count := map[messages.StallReason]int{}
		for _, reason := range stalls(s) {
			count[reason]++
		}
		if count[messages.StalledTypingBusy] != 1 || count[messages.StalledNoSend] != 2 {
			t.Errorf("told %v, want one for the person who types, and two without a text", count)
		}
		if got := s.Runtime.Inspect().Stalled; len(got) != 3 {
			t.Errorf("status lists %+v, want all three", got)
		}
		if err := s.Window.Type(""); err != nil {
			t.Fatal(err)
		}
		awaitDone(t, s, 1)
		s.Advance(time.Second)
		for _, l := range s.Runtime.Inspect().Stalled {
			if l.Conversation == hana {
				t.Errorf("status lists %+v, want it over once the text went out", l)
			}
		}
	})
}
