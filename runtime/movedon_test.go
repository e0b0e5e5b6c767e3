package runtime_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/describe"
	"github.com/kehai-run/kehai/testkit"
)

// TestALongMessageIsAnswered: a message that fills more than the pane moves all before
// it out of view. What is to be sent then waits, and says for what, until the chat has
// gone on; nothing else ever shows the old page again.
func TestALongMessageIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t, quietly)
		s.Friend("Hana", "shall we begin with the garden?")
		s.Advance(10 * time.Second)
		hana := s.Messages()[0].Conversation
		s.Friend("Hana", strings.Repeat("the roses by the old wall want water every single day ", 40))
		s.Advance(20 * time.Second)
		if err := s.Runtime.Send(t.Context(), "line", hana, "I will see to it", "k"); err != nil {
			t.Fatal(err)
		}
		s.Advance(30 * time.Second)
		if got := own(t, s, "Hana"); len(got) > 0 {
			t.Errorf("our side wrote %q into a chat of which nobody knows whose it is", got)
		}
		var why messages.SendReason
		err := backendOf(s.Runtime).Verdicts(t.Context(), control.Query{}, func(v events.Verdict) error {
			if v.Detail.Rule == events.RulePutOff {
				why = messages.SendReason(v.Detail.Code)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if why != messages.SendMovedOn || !strings.Contains(describe.NotSent(why), "scroll back") {
			t.Errorf("it was put off for %q: %s", why, describe.NotSent(why))
		}
		for i := range 8 {
			s.Friend("Hana", fmt.Sprintf("and question number %d, what of it?", i+1))
			s.Advance(5 * time.Second)
		}
		if d := awaitDone(t, s, 1)[0]; d.Outcome != messages.SendConfirmed {
			t.Errorf("the sending ended as %+v, want it confirmed", d)
		}
	})
}
