package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/testkit"
)

// stations names the steps of a path.
func stations(p control.Path) (list []string) {
	for _, s := range p.Steps {
		list = append(list, fmt.Sprint(s.Stage, " ", s.Outcome))
	}
	return list
}

func TestTheWayOfABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t, testkit.WithConfig(func(c *config.Config) {
			c.Burst.Quiet, c.Burst.Cap = 8*time.Second, 20*time.Second
		}))
		s.Friend("Hana", "おはよう")
		s.Advance(4 * time.Second)
		s.Friend("Hana", "元気?")
		s.WantMessages("おはよう", "元気?")
		got := s.Messages()
		if len(got) != 1 {
			t.Fatalf("%d messages were delivered, want one burst", len(got))
		}
		if a, b := got[0].Parts[0].Trace, got[0].Parts[1].Trace; a == "" || b == "" || a == b {
			t.Errorf("traces of the parts = %q, %q, want those of two detections", a, b)
		}
		p, err := s.Runtime.Backend().Trace(context.Background(), got[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"capture seen", "fusion passed", "dedup passed", "dedup passed", "ingress passed", "burst passed",
			"capture seen", "fusion passed", "dedup passed", "dedup passed", "ingress passed", "burst passed",
			"burst passed", "conversation delivered",
		}
		list := stations(p)
		slices.Sort(list)
		slices.Sort(want)
		if !slices.Equal(list, want) {
			t.Errorf("steps = %q, want %q", list, want)
		}
		for i, step := range p.Steps {
			if i > 0 && step.At.Before(p.Steps[i-1].At.Time) {
				t.Errorf("step %d (%s) is earlier than the one before: %v", i, step.Stage, step.At)
			}
		}
		if p.Outcome != events.OutcomeDelivered || p.Entry == nil || fmt.Sprint(p.Occurrences) != "[1 2]" {
			t.Errorf("path = %+v, want a delivered message of occurrences 1 and 2", p)
		}
	})
}

func TestWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t)
		ctx := context.Background()
		s.Friend("Hana", "おはようございます")
		s.Me("Hana", "こんばんは")
		s.WantMessages("おはようございます")
		b := s.Runtime.Backend()
		for _, c := range []struct {
			q    control.WhyQuery
			want events.Outcome // "" is none
			part string
		}{
			{control.WhyQuery{Text: "おはようございます"}, events.OutcomeDelivered, "after it was first seen"},
			{control.WhyQuery{Text: "おはよう"}, events.OutcomeDelivered, ""},
			{control.WhyQuery{Text: "おはようござぃます。"}, events.OutcomeDelivered, ""}, // misread
			{control.WhyQuery{Text: "こんばんは"}, events.OutcomeOwnSide, "owner's side"},
			{control.WhyQuery{Text: "おはよう", Conversation: "line:Ken"}, "", ""},
			{control.WhyQuery{Text: "何もない話"}, "", ""},
			{control.WhyQuery{ID: string(s.Messages()[0].ID)}, events.OutcomeDelivered, ""},
		} {
			c.q.Limit = control.DefaultFound
			why, err := b.Why(ctx, c.q)
			if err != nil {
				t.Errorf("Why(%+v) = %v", c.q, err)
				continue
			}
			var outcome events.Outcome
			var reason string
			if len(why.Paths) > 0 {
				outcome, reason = why.Paths[0].Outcome, why.Paths[0].Why
			}
			if outcome != c.want || !strings.Contains(reason, c.part) {
				t.Errorf("Why(%+v) = %q: %q, want %q with %q", c.q, outcome, reason, c.want, c.part)
			}
		}
		if _, err := b.Why(ctx, control.WhyQuery{Text: "おはよう"}); err == nil ||
			!strings.Contains(err.Error(), "want 1 or more") {
			t.Errorf("Why(0 matches) = %v, want it refused", err)
		}
		if _, err := b.Why(ctx, control.WhyQuery{ID: "nobody"}); !errors.Is(err, control.ErrNoMessage) {
			t.Errorf("Why(nobody) = %v, want %v", err, control.ErrNoMessage)
		}
		if _, err := b.Trace(ctx, "nobody"); !errors.Is(err, control.ErrNoMessage) {
			t.Errorf("Trace(nobody) = %v, want %v", err, control.ErrNoMessage)
		}
	})
}

// TestWhyOfWhatWentWrong has a message become a dead letter, and one wait.
func TestWhyOfWhatWentWrong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t)
		ctx := context.Background()
		inject := func(to messages.Address, m messages.Message) {
			t.Helper()
			if err := s.Runtime.Inject(ctx, to, m, ""); err != nil {
				t.Fatal(err)
			}
			s.Advance(100 * time.Millisecond)
		}
		heard := func(n messages.Occurrence, text messages.Text) messages.IncomingBubble {
			return messages.IncomingBubble{Conversation: "line:Hana", Occurrence: n, Kind: messages.KindText,
				Text:   text,
				Sender: "Hana", SeenAt: time.Now()}
		}
		inject("ingress/line:Ken", heard(2, "間違った宛先の言葉")) // ingress refuses another's message
		inject("burst/line:Hana", heard(3, "まだ待っている"))
		s.Advance(500 * time.Millisecond)
		b := s.Runtime.Backend()
		check := func(text string, want events.Outcome, part string) {
			t.Helper()
			why, err := b.Why(ctx, control.WhyQuery{Limit: 5, Text: text})
			if err != nil || len(why.Paths) != 1 || why.Paths[0].Outcome != want ||
				!strings.Contains(why.Paths[0].Why, part) {
				t.Errorf("Why(%s) = %+v, %v, want one path that is %s with %q", text, why.Paths, err, want, part)
			}
		}
		check("まだ待っている", events.OutcomeWaiting, "end of its burst")
		s.Advance(time.Minute)
		check("まだ待っている", events.OutcomeDelivered, "")
		check("間違った宛先の言葉", events.OutcomeDeadLetter, "kehai deadletters retry d")
		why, err := b.Why(ctx, control.WhyQuery{ID: deadID(t, b)})
		if err != nil || len(why.Paths) != 1 || why.Paths[0].Outcome != events.OutcomeDeadLetter {
			t.Errorf("Why(dead letter) = %+v, %v, want its path", why.Paths, err)
		}
	})
}

func deadID(t *testing.T, b control.Backend) string {
	t.Helper()
	list, err := b.DeadLetters(context.Background())
	if err != nil || len(list) != 1 {
		t.Fatalf("DeadLetters() = %v, %v, want one", list, err)
	}
	return list[0].ID
}

// TestWhyOfWhatIsHeld finds a text of which nobody knows whose it is, and says how to
// settle it: by its words, in the conversation that it may be of, and not in another.
func TestWhyOfWhatIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := together(t)
		c.call("one", "Wakatsuki")
		c.call("two", "Wakatsuki")
		c.call("three", "Ken")
		c.says("three", 1)
		c.says("one", 14)
		for i := range 14 {
			said := text("two", i+1)
			if i == 13 {
				said = "Bring the green umbrella"
			}
			if err := c.Window.Apply(drawn.Change{Op: drawn.OpAppend, Conversation: "two", Who: drawn.Friend,
				Text: messages.Text(said)}); err != nil {
				t.Fatal(err)
			}
		}
		c.show("two", 10*time.Second)
		ctx, b := context.Background(), c.Runtime.Backend()
		list, err := b.Held(ctx)
		if err != nil || len(list) != 1 || len(list[0].Newest) != 3 ||
			list[0].Newest[2] != "Bring the green umbrella" {
			t.Fatalf("Held() = %+v, %v, want the page with its text", list, err)
		}
		for in, want := range map[messages.ConversationID]bool{"": true, "line:Wakatsuki": true, "line:Ken": false} {
			q := control.WhyQuery{Text: "green umbrella", Conversation: in, Limit: control.DefaultFound}
			why, err := b.Why(ctx, q)
			if err != nil || (len(why.Paths) == 1) != want || len(why.Paths) > 1 {
				t.Errorf("Why(in %q) = %+v, %v, want a path: %v", in, why.Paths, err, want)
				continue
			}
			for _, p := range why.Paths {
				for _, part := range []string{"it is held since 20", "window " + string(list[0].Window), `"Wakatsuki"`,
					"kehai conversations settle " + list[0].ID} {
					if p.Outcome != events.OutcomeWaiting || !strings.Contains(p.Why, part) {
						t.Errorf("Why(in %q) = %s: %q, want that it waits, with %q", in, p.Outcome, p.Why, part)
					}
				}
			}
		}
	})
}
