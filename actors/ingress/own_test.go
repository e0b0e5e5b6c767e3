package ingress

import (
	"fmt"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// TestOwn: a bubble of our own side confirms what was sent, once, whatever the
// reader made of a letter. All others were written by a person.
func TestOwn(t *testing.T) {
	const sender = messages.Address("outbound/line@a")
	own := func(h *actortest.Harness, n messages.Occurrence, s messages.Text) messages.OwnMessage {
		return messages.OwnMessage{Conversation: "line:Hana", Occurrence: n, Kind: messages.KindText, Text: s,
			Window: "line@b", SeenAt: h.Now()}
	}
	traced := func(m messages.OwnMessage, trace string) messages.OwnMessage {
		m.Trace = trace
		return m
	}
	toConversation := func(m messages.OwnMessage) actortest.Sent { return actortest.To("conversation/line:Hana", m) }
	kill := map[string]func(h *actortest.Harness, step func()){
		"none":          func(h *actortest.Harness, step func()) { step() },
		"before commit": func(h *actortest.Harness, step func()) { h.CrashBeforeCommit(); step() },
		"after commit":  func(h *actortest.Harness, step func()) { step(); h.Crash() },
	}
	for name, kill := range kill {
		t.Run(name, func(t *testing.T) {
			h := spawn(t, DefaultRules())
			kill(h, func() { h.SendFrom(sender, told("明日の15時に渋谷駅で", "s1")) })
			kill(h, func() { h.Send(told("了解", "host")) })
			h.Advance(5 * sec)

			m := own(h, 1, "何か別のことを書いた")
			kill(h, func() { h.Send(m) })
			h.WantSent(toConversation(m))

			entered := told("明日の15時に渋谷駅で", "s1")
			entered.Entered = true
			kill(h, func() { h.SendFrom(sender, entered) })
			m = own(h, 2, "明曰の15時に渋谷駅て")
			kill(h, func() { h.Send(m) })
			h.WantSent(actortest.To(sender, traced(m, "s1")), toConversation(traced(m, "s1")))

			m = own(h, 3, "明日の15時に渋谷駅で")
			kill(h, func() { h.Send(m) })
			h.WantSent(toConversation(m))

			m = own(h, 4, "了解")
			kill(h, func() { h.Send(m) })
			h.WantSent(toConversation(traced(m, "host")))

			// Another attempt of what was seen does not open it again.
			kill(h, func() { h.SendFrom(sender, told("明日の15時に渋谷駅で", "s1")) })
			m = own(h, 5, "明日の15時に渋谷駅で")
			kill(h, func() { h.Send(m) })
			h.WantSent(toConversation(m))

			// The message names the window whose sender waits; of an older version it does not.
			named := told("了承しました", "s3")
			named.Window, named.Turn = messages.WindowID(sender.Key()), 7
			kill(h, func() { h.Send(named) })
			m = own(h, 6, "了承しました")
			kill(h, func() { h.Send(m) })
			m.Turn = 7
			h.WantSent(actortest.To(sender, traced(m, "s3")), toConversation(traced(m, "s3")))

			h.Send(told("おはよう", "s2"))
			h.Advance(DefaultRules().EchoWindow)
			m = own(h, 7, "おはよう")
			h.Send(m)
			h.WantSent(toConversation(m))
			h.WantNothingDropped()
			h.WantDeadLetters(0)
		})
	}
}

// TestOwnOfSeveral: of several texts that a bubble may show it confirms the likeliest.
func TestOwnOfSeveral(t *testing.T) {
	const window = "line@a"
	type sent struct {
		text            messages.Text
		entered, stands bool
	}
	for name, c := range map[string]struct {
		sent  []sent
		shows messages.Text
		want  string // trace: the place in sent; "" for a person's
	}{
		"the newest":                     {[]sent{{"承知しました", true, false}, {"承知しました", true, false}}, "承知しました", "1"},
		"entered":                        {[]sent{{"承知しました", true, false}, {"承知しました", false, false}}, "承知しました", "0"},
		"exact":                          {[]sent{{"13時に着く", true, false}, {"18時に着く", true, false}}, "13時に着く", "0"},
		"exact before entered":           {[]sent{{"13時に着く", false, false}, {"18時に着く", true, false}}, "13時に着く", "0"},
		"only like one that was entered": {[]sent{{"13時に着きます", true, false}}, "18時に着きます", "0"},
		"only like one that was not":     {[]sent{{"13時に着きます", false, false}}, "18時に着きます", ""},
		"the same stood before it":       {[]sent{{"承知しました", false, true}}, "承知しました", ""},
		"the same stood before one that was entered": {[]sent{{"承知しました", true, true}}, "承知しました", "0"},
		"exactly one that a person enters":           {[]sent{{"13時に着きます", false, false}}, "13時に着きます", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			h := spawn(t, DefaultRules())
			for i, s := range c.sent {
				m := told(s.text, fmt.Sprint(i))
				m.Window, m.Stands = window, s.stands
				h.Send(m)
				if m.Entered = true; s.entered {
					h.Send(m)
				}
				h.Crash()
			}
			m := messages.OwnMessage{Conversation: "line:Hana", Occurrence: 1, Kind: messages.KindText, Text: c.shows,
				Window: window, SeenAt: h.Now()}
			h.Send(m)
			if m.Trace = c.want; c.want == "" {
				h.WantSent(actortest.To("conversation/line:Hana", m))
				return
			}
			h.WantSent(actortest.To("outbound/"+window, m), actortest.To("conversation/line:Hana", m))
		})
	}
}
