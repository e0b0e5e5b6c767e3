package dedup

import (
	"fmt"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

func TestRulesOfTheProfiles(t *testing.T) {
	same := text.LineRules{Min: 8, Cover: 84, Similar: 0.88}
	seed := WindowRules{Fingerprint: 20 * time.Second, Lines: 75 * time.Second, MinLine: 4, Entries: 240, Same: same, Vacuous: true}
	standard := WindowRules{Fingerprint: 8 * time.Second, Lines: 75 * time.Second, MinLine: 2, Entries: 240, Same: same, Views: true}
	own := WindowRules{Fingerprint: 1, Lines: 2, MinLine: 3, Entries: 4, Same: text.LineRules{Min: 5}}
	ownSeed, ownStandard := own, own
	ownSeed.Vacuous, ownStandard.Views = true, true
	for _, c := range []struct{ got, want WindowRules }{
		{SeedWindow(), seed}, {DefaultWindow(), standard},
		{WindowRules{}.or(seed), seed}, {WindowRules{}.or(standard), standard},
		{own.or(seed), ownSeed}, {own.or(standard), ownStandard},
	} {
		if c.got != c.want {
			t.Errorf("rules of a window = %+v, want %+v", c.got, c.want)
		}
	}
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

// Both profiles, one nanosecond before and at the end of each window: a
// fingerprint has no line that counts behind it, a line no fingerprint.
func TestEdgesOfTheWindows(t *testing.T) {
	for _, c := range []struct {
		name        string
		rules       WindowRules
		before, now messages.Text
		edge        time.Duration
		inside, at  string
	}{
		{"fingerprint, default", DefaultWindow(), "あ", "あ", 8 * time.Second, SeenText, ""},
		{"fingerprint, seed", SeedWindow(), "おはよう", "おはよう", 20 * time.Second, SeenText, SeenLines},
		{"lines, default", DefaultWindow(), "おい\nはい", "はい\nおい", 75 * time.Second, SeenLines, ""},
		{"lines, seed", SeedWindow(), "駅で待つ\nこんばん", "こんばん\n駅で待つ", 75 * time.Second, SeenLines, ""},
	} {
		for after, want := range map[time.Duration]string{
			c.edge - 1: c.inside, c.edge: c.at, c.edge + 1: c.at, -c.edge + 1: c.inside, -c.edge: c.at, -c.edge - 1: c.at,
		} {
			w := NewWindow(c.rules)
			w.Remember("c", c.before, noon)
			if got := w.Judge("c", c.now, noon.Add(after)); got.Reason != want {
				t.Errorf("%s: Judge(%q, %v after) = %q, want %q", c.name, string(c.now), after, got.Reason, want)
			}
		}
	}
}

// A line counts from 4 characters in profile seed, from 2 in default.
func TestShortestLine(t *testing.T) {
	for _, c := range []struct {
		rules WindowRules
		line  messages.Text
		want  int
	}{
		{SeedWindow(), "おはよ", 0}, {SeedWindow(), "おはよう", 1}, {DefaultWindow(), "お", 0}, {DefaultWindow(), "おは", 1},
	} {
		if got := NewWindow(c.rules).Judge("c", c.line, noon).Lines; got != c.want {
			t.Errorf("Judge(%q) counts %d lines, want %d", string(c.line), got, c.want)
		}
	}
}

// Of 241 lines and texts the oldest is forgotten, of 240 none.
func TestEntriesOfTheWindows(t *testing.T) {
	say := func(i int) messages.Text { return messages.Text(fmt.Sprintf("%03d番目の話", i)) }
	for profile, r := range map[string]WindowRules{"seed": SeedWindow(), "default": DefaultWindow()} {
		for n, want := range map[int]string{240: SeenText, 241: ""} {
			w := NewWindow(r)
			for i := range n {
				w.Remember("c", say(i), noon)
			}
			if got := w.Judge("c", say(0), noon.Add(time.Second)); got.Reason != want {
				t.Errorf("%s: Judge(the first of %d) = %q, want %q", profile, n, got.Reason, want)
			}
			if got := w.Judge("c", say(1), noon.Add(time.Second)); got.Reason != SeenText {
				t.Errorf("%s: Judge(the second of %d) = %q, want %q", profile, n, got.Reason, SeenText)
			}
			if lines, prints := len(w.order), len(w.prints); lines != 240 || prints != 240 {
				t.Errorf("%s: of %d texts %d lines and %d prints are remembered, want 240 each", profile, n, lines, prints)
			}
		}
	}
}

// The window of the options decides, and Vacuous stays the profile's.
func TestWindowOfTheOptions(t *testing.T) {
	h := actortest.Spawn(t, New(Options{Seed: true, Window: WindowRules{Fingerprint: 5 * time.Second, Lines: 6 * time.Second}}), actortest.Address("dedup/line:Hana"))
	say := func(text messages.Text) {
		h.Send(messages.Detection{Window: "line@mac", Conversation: "line:Hana", Title: "Hana", Text: text, SeenAt: h.Now()})
	}
	say("おはよう")
	h.Advance(5 * time.Second)
	say("おはよう")
	h.WantDropped("dedup", "line memory: all 1 lines were seen, the newest 5s before")
	h.Sent()
	h.Advance(time.Second)
	say("おはよう")
	h.WantNothingDropped()
	if got := len(h.Sent()); got != 1 {
		t.Errorf("%d messages 6 s after the first, want 1", got)
	}
	say("おは")
	h.WantDropped("dedup", "line memory: it has no line that is long enough to be new")
}
