package dedup

import (
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/actors/dedup/recent"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// news is a detection of new lines, without places.
func news(h *actortest.Harness, lines string) messages.Detection {
	return messages.Detection{
		Window: "w", Conversation: "line:Hana", Title: "Hana", Text: messages.Text(lines), Score: 62, SeenAt: h.Now(),
	}
}

func wantTexts(t *testing.T, h *actortest.Harness, want ...messages.IncomingBubble) {
	t.Helper()
	var sent []actortest.Sent
	for _, m := range want {
		m.Conversation, m.Sender, m.Kind, m.Window = "line:Hana", "Hana", messages.KindText, "w"
		if m.SeenAt.IsZero() {
			m.SeenAt = h.Now()
		}
		sent = append(sent, actortest.To("ingress/line:Hana", m))
	}
	h.WantSent(sent...)
}

func TestTexts(t *testing.T) {
	h := spawn(t, with(func(o *Options) { o.Recent, o.HashKey = recent.SeedRules(), []byte("key") }))
	h.Send(news(h, "おはよう\n元気ですか"))
	wantTexts(t, h, messages.IncomingBubble{Occurrence: 1, Text: "おはよう\n元気ですか"})
	h.WantCommits(1)

	h.Advance(5 * time.Second)
	h.Send(news(h, "おはよう 元気ですか"))
	wantTexts(t, h)
	h.WantDropped(events.StageDedup, events.RuleFingerprint, events.Detail{Age: 5 * time.Second})

	h.Crash()
	h.Advance(25 * time.Second)
	h.Send(news(h, "元気ですか"))
	wantTexts(t, h)
	h.WantDropped(events.StageDedup, events.RuleLineMemory, events.Detail{Count: 1, Age: 30 * time.Second})

	h.Send(news(h, "うん"))
	wantTexts(t, h)
	h.WantDropped(events.StageDedup, events.RuleLineMemory)

	h.CrashBeforeCommit()
	h.Send(news(h, "元気ですか\n明日の予定は？"))
	wantTexts(t, h, messages.IncomingBubble{Occurrence: 2, Text: "元気ですか\n明日の予定は？"})
	h.FailNextCommit()
	at := h.Now()
	h.Send(news(h, "それではまた"))
	h.Advance(time.Minute)
	wantTexts(t, h, messages.IncomingBubble{Occurrence: 3, Text: "それではまた", SeenAt: at})
	h.WantNothingDropped()
	h.WantDeadLetters(0)
	if head, _ := actortest.Stored(h, Heads, HeadRow); head.Next != 4 {
		t.Errorf("stored next occurrence %d, want 4", head.Next)
	}
}

// TestForgottenText: what a window still shows of a transcript that a person had
// deleted is not delivered again.
func TestForgottenText(t *testing.T) {
	s := mem.New()
	body := []byte(`1 {"next":8,"forgotten":true}`)
	if err := s.Apply([]engine.Op{{Key: []byte("s/dedup/line:Hana\x00head\x00head"), Value: body}}, false); err != nil {
		t.Fatal(err)
	}
	h := actortest.Spawn(t, New(with(func(o *Options) { o.Recent = recent.SeedRules() })),
		actortest.Address("dedup/line:Hana"), actortest.Store(s))
	h.Send(news(h, "おはよう\n元気ですか"))
	wantTexts(t, h)
	h.WantDropped(events.StageDedup, events.RuleForgotten)
	h.Crash()
	h.Advance(time.Second)
	h.Send(news(h, "明日の予定は？"))
	wantTexts(t, h, messages.IncomingBubble{Occurrence: 8, Text: "明日の予定は？"})
}

func TestFuzzyHitIsReported(t *testing.T) {
	h := spawn(t, with(func(o *Options) { o.Recent, o.HashKey = recent.SeedRules(), []byte("key") }))
	long := strings.Repeat("明日の会議は十時から", 3)
	h.Send(news(h, long+"始まる"))
	h.Sent()
	h.Advance(30 * time.Second)
	h.Send(news(h, long+"始まろ"))
	wantTexts(t, h)
	h.WantDropped(events.StageDedup, events.RuleLineMemory, events.Detail{Count: 1, Age: 30 * time.Second})
	published := h.Published()
	if len(published) != 1 {
		t.Fatalf("published %+v, want one fuzzy_dedup_hit", published)
	}
	hit, ok := published[0].(events.FuzzyDedupHit)
	if !ok || hit.Conversation != "line:Hana" || hit.Query.Runes != 33 || hit.Matched.Runes != 33 ||
		hit.Query.Hash == hit.Matched.Hash || hit.Query.Hash == "" {
		t.Errorf("published %+v, want a hit between two texts of 33 characters", published[0])
	}
}

// TestProfilesPart: what each profile makes of the same texts.
func TestProfilesPart(t *testing.T) {
	for _, c := range []struct {
		name          string
		first, second string
		after         time.Duration
		seed, def     bool // the second passes
	}{
		{"a repeated OK", "OK", "OK", 5 * time.Second, false, false},
		{"a short answer", "明日の予定は？", "うん", 5 * time.Second, false, true},
		{"a short answer beside a known line", "明日の予定は？", "明日の予定は？\nうん", 5 * time.Second, false, true},
		{"the same after 12 s", "おーい", "おーい", 12 * time.Second, false, false},
		{"the same after 80 s", "おはようございます", "おはようございます", 80 * time.Second, true, true},
	} {
		for want, rules := range map[*bool]recent.Rules{&c.def: recent.DefaultRules(), &c.seed: recent.SeedRules()} {
			h := spawn(t, with(func(o *Options) { o.Recent = rules }))
			h.Send(news(h, c.first))
			h.Sent()
			h.Advance(c.after)
			h.Send(news(h, c.second))
			if got := len(h.Sent()) == 1; got != *want {
				t.Errorf("%s: by %+v passes = %v, want %v", c.name, rules, got, *want)
			}
		}
	}
}

// TestGapTakesTextForEvidence: after a gap no place tells whether a message was
// seen before; above one that is new, text does.
func TestGapTakesTextForEvidence(t *testing.T) {
	at := func(h *actortest.Harness, words string) messages.Detection {
		d := detection(words)
		d.SeenAt = h.Now()
		return d
	}
	texts := func(h *actortest.Harness) string {
		var got []string
		for _, s := range h.Sent() {
			got = append(got, string(s.Message.(messages.IncomingBubble).Text))
		}
		return strings.Join(got, " ")
	}
	h := spawn(t, with(func(o *Options) { o.FirstSight = ledger.All }))
	h.Send(at(h, "<aaaa <bbbb <cccc <dddd <dddd <eeee"))
	if got := texts(h); got != "aaaa bbbb cccc dddd dddd eeee" {
		t.Errorf("first sight passes %q, want all: one view shows a text twice", got)
	}
	h.Advance(10 * time.Second)
	h.Crash()
	h.Send(at(h, "<aaaa <tttt <aaaa <uuuu <vvvv <wwww <xxxx <yyyy"))
	if got := texts(h); got != "tttt aaaa uuuu vvvv wwww xxxx yyyy" {
		t.Errorf("a gap passes %q, want all but the first aaaa, which was seen 10 s before", got)
	}
	gaps := h.Published()
	if len(gaps) != 1 || gaps[0].MessageType() != (messages.TranscriptGap{}).MessageType() {
		t.Errorf("published %v, want one gap", gaps)
	}
	h.WantDropped(events.StageDedup, events.RuleLineMemory, events.Detail{Count: 1, Age: 10 * time.Second})

	h.Advance(10 * time.Second)
	h.Send(at(h, "<vvvv <wwww <xxxx <yyyy <aaaa"))
	if got := texts(h); got != "aaaa" {
		t.Errorf("a known view with a message more passes %q, want aaaa: its place proves it new", got)
	}
	h.WantNothingDropped()
}
