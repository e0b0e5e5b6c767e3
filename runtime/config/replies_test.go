package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors/conversation/reply"
)

// TestNothingIsSentUnlessListed: by default a window that is not drawn gets drafts only.
func TestNothingIsSentUnlessListed(t *testing.T) {
	c := Default()
	if s := c.Replies.Of("line:Hana", false); s.Policy != reply.PolicyDraft || s.Listed || s.Drawn {
		t.Errorf("Replies.Of(a window) = %+v, want drafts, and not listed", s)
	}
	if s := c.Replies.Of("line:Hana", true); s.Policy != reply.PolicyAuto || !s.Listed || !s.Drawn {
		t.Errorf("Replies.Of(a drawn window) = %+v, want that replies go out", s)
	}
	c.Replies.Policy, c.Replies.Auto = reply.PolicyAuto, []string{"line:Hana"}
	for name, want := range map[string]bool{"line:Hana": true, "line:Hanako": false, "": false} {
		if s := c.Replies.Of(name, false); s.Policy != reply.PolicyAuto || s.Listed != want {
			t.Errorf("Replies.Of(%q) = %+v, want listed = %v", name, s, want)
		}
	}
	c.Replies.Policy = reply.PolicyOff
	if s := c.Replies.Of("line:Hana", true); s.Policy != reply.PolicyOff {
		t.Errorf("Replies.Of(a drawn window, off) = %+v, want off", s)
	}
}

// TestChannels: on a channel replies go out by themselves, unless there are to be none, a conversation has
// a policy of its own, or channels are as windows.
func TestChannels(t *testing.T) {
	const ofOne = "\n  conversations: [{name: 'web:Hana', policy: draft}, {name: 'web:Ken', persona: Mio}]"
	for text, want := range map[string]string{
		"replies: {policy: draft}":                                     "auto, listed true",
		"replies: {policy: off}":                                       "off, listed false",
		"replies: {policy: off, channels: draft}":                      "off, listed false",
		"replies: {channels: draft}":                                   "draft, listed false",
		"replies: {policy: auto, auto: ['web:Hana']}":                  "auto, listed true",
		"replies: {policy: auto, auto: ['web:Hana'], channels: draft}": "auto, listed true",
		"replies: {policy: auto, auto: ['web:Ken'], channels: draft}":  "auto, listed false",
		"replies:" + ofOne:                                             "draft, listed false",
	} {
		s := parse(t, text).Replies.OnChannel("web:Hana")
		if got := fmt.Sprintf("%s, listed %v", s.Policy, s.Listed); got != want || !s.Typist {
			t.Errorf("%s: OnChannel() = %s, typist %v, want %s and a typist", text, got, s.Typist, want)
		}
	}
	s := parse(t, "replies:"+ofOne).Replies.OnChannel("web:Ken")
	if s.Policy != reply.PolicyAuto || s.Persona != "Mio" {
		t.Errorf("OnChannel(web:Ken) = %+v, want auto for who has only another persona", s)
	}
	_, err := Parse("kehai.yaml", []byte("replies: {channels: darft}"))
	if err == nil || !strings.Contains(err.Error(), "did you mean draft?") {
		t.Errorf("channels: darft = %v, want the word that was meant", err)
	}
}

func TestSettingsOfOneConversation(t *testing.T) {
	c := parse(t, `
replies:
  quiet: 22:00-07:00
  conversations:
    - name: line:Hana
      policy: auto
      persona: Mio
      per_hour: 0
      when_away: hold
    - name: line:Ken
      mode: observe
`)
	all, hana, ken := c.Replies.Of("line:Rei", false), c.Replies.Of("line:Hana", false),
		c.Replies.Of("line:Ken", false)
	if !hana.Listed || hana.Policy != reply.PolicyAuto || hana.Persona != "Mio" || hana.Limits.PerHour != 0 ||
		hana.When.Away != reply.Hold {
		t.Errorf("Replies.Of(line:Hana) = %+v, want what is set for it", hana)
	}
	if hana.Limits.InARow != all.Limits.InARow || hana.Quiet != all.Quiet || hana.Tone != all.Tone ||
		hana.When.Focused != all.When.Focused {
		t.Errorf("Replies.Of(line:Hana) = %+v, want the rest as %+v", hana, all)
	}
	if ken.Mode != reply.Observe || all.Mode != reply.Assistant || all.Listed {
		t.Errorf("Replies.Of(line:Ken) = %+v and of all others %+v, want only one observed", ken, all)
	}
}

func TestWrongConversations(t *testing.T) {
	for text, want := range map[string]string{
		"replies:\n  conversations:\n    - mode: observe\n":              "replies.conversations.0.name",
		"replies:\n  conversations:\n    - {name: a, pollicy: off}\n":    "did you mean",
		"replies:\n  conversations:\n    - {name: a}\n    - {name: a}\n": "has that name",
		"replies:\n  conversations:\n    - {name: a, quiet: at night}\n": "22:00-07:00",
		"replies: {policy: auto, drawn: false}\n":                        "replies.auto",
		"replies: {quiet: \"22:00-22:00\"}\n":                            "at another time",
		"windows: [{name: a, driver: x11}]\nreplies: {policy: auto}\n":   "want the conversations",
		"replies: {auto: [\"line:Hana\"]}\n":                             "replies.policy is draft",
		"replies: {policy: auto, auto: [a], per_hour: 0}\n":              "replies.per_hour",
		"replies: {policy: auto, auto: [a], in_a_row: 0}\n":              "replies.in_a_row",
		"replies: {policy: auto, auto: [Hana]}\n":                        `did you mean "line:Hana"?`,
		"replies: {policy: auto, auto: [\":Hana\"]}\n":                   `did you mean "line:Hana"?`,
		"replies: {policy: auto, auto: [\"line:\"]}\n":                   "is no conversation",
		"replies: {conversations: [{name: Hana}]}\n":                     "replies.conversations.0.name",
		"windows: [{app: ch}]\nreplies: {auto: [Hana], policy: auto}\n":  `"ch:Hana"`,
		"judge: {thresholds: [\"1.5:12h\"]}\n":                           "thresholds[0].min_confidence",
		"judge: {thresholds: [\"0.9\"]}\n":                               "CONFIDENCE:TIME",
		"judge: {thresholds: [\"0.9:1h\", \"0.9:2h\"]}\n":                "twice",
	} {
		if _, err := parseFile("kehai.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) = %v, want an error with %q", text, err, want)
		}
	}
}
