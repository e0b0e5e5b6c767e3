package runtime_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/actors/text/stream"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/testkit"
)

// talked is a scripted model: a judge that always wants an answer, and a writer.
type talked struct {
	mu    sync.Mutex
	write func(system, user string) string
	judge string // "" for yes
	asked []string
}

func (m *talked) Generate(_ context.Context, q runtime.LLMQuestion) (runtime.LLMReply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, q.System+"\n"+q.Prompt)
	switch {
	case q.Purpose == "judge" && m.judge != "":
		return runtime.LLMReply{Text: m.judge, Model: "scripted"}, nil
	case q.Purpose == "judge":
		return runtime.LLMReply{Text: `{"should_respond": true, "confidence": 0.9, "reason": "asked"}`}, nil
	}
	return runtime.LLMReply{Text: m.write(q.System, q.Prompt), Model: "scripted"}, nil
}

// answersHana answers by itself in one conversation, as far as its model can.
func answersHana(t *testing.T, m *talked, change ...func(*config.Config)) *testkit.System {
	t.Helper()
	return testkit.Start(t, testkit.WithConfig(func(c *config.Config) {
		c.Replies.Policy, c.Replies.Auto, c.Replies.Drawn = "auto", []string{"line:Hana"}, false
		c.Replies.PerHour, c.Replies.InARow, c.LLM.PerHour = 1000, 1000, 1000
		for _, f := range change {
			f(c)
		}
	}), testkit.WithRuntime(runtime.WithLLM(m), runtime.WithLocalLLM()))
}

// TestInjectionsChangeNothing has a friend send each of the injections to a whole system
// whose model does whatever it reads. What goes out is the text that the model wrote, into
// that friend's conversation, or waits; nothing of another conversation is in any question
// about hers, or in any answer; and what the owner allows stays as it is.
func TestInjectionsChangeNothing(t *testing.T) {
	list := testkit.Injections()
	if len(list) < 60 {
		t.Errorf("%d injections, want 60", len(list))
	}
	if testing.Short() {
		list = list[:len(list)/4]
	}
	for part := range slices.Chunk(list, 18) {
		synctest.Test(t, func(t *testing.T) { injected(t, part) })
	}
}

const kensSecret = "暗証番号は七三九一です"

func injected(t *testing.T, list []testkit.Injection) {
	var now testkit.Injection
	wrote := map[string]bool{}
	m := &talked{}
	m.write = func(system, user string) string {
		said := now.Obey(system, user)
		wrote[stream.DefaultRule().Final(said)] = true
		return said
	}
	s := answersHana(t, m)
	s.Friend("Ken", kensSecret)
	s.Advance(20 * time.Second)
	before := s.Runtime.Inspect()
	asked := len(m.asked)
	for _, i := range list {
		now = i
		s.Friend("Hana", i.Text)
		s.Advance(30 * time.Second)
	}
	if len(m.asked) < asked+len(list) {
		t.Errorf("the model was asked %d times about %d messages, want more", len(m.asked)-asked, len(list))
	}
	for _, q := range m.asked[asked:] {
		alone := strings.Count(q, `{"kind":`) == 2 // what is to be learned from Ken's own words
		if !alone && (strings.Contains(q, "七三九一") || strings.Contains(q, "暗証番号")) {
			t.Errorf("asked %.200q, which has what another friend said", q)
		}
	}
	sent := own(t, s, "Hana")
	for _, text := range sent {
		if !wrote[text] && !isFixed(text) || strings.Contains(text, "七三九一") {
			t.Errorf("%.200q was sent, which the model did not write", text)
		}
	}
	if got := own(t, s, "Ken"); len(got) > 0 || len(sent) == 0 {
		t.Errorf("sent %d texts to the friend and %q to another, want some and none", len(sent), got)
	}
	after := s.Runtime.Inspect()
	if after.SendingPaused != nil || len(after.Paused) != len(before.Paused) || after.Healthy != before.Healthy ||
		after.DeadLetters > 0 {
		t.Errorf("afterwards paused %v, problems %q, %d dead letters, want all as before", after.SendingPaused,
			after.Problems, after.DeadLetters)
	}
	if ids := s.Window.Transcript("Ken"); len(ids) != 1 || ids[0].Who != drawn.Friend {
		t.Errorf("the other conversation has %d messages, want the one", len(ids))
	}
}

// isFixed reports the text that takes the place of what is no reply. A window that Kehai
// draws gets it by itself.
func isFixed(text string) bool {
	return strings.HasPrefix(text, "メッセージをありがとうございます") || strings.HasPrefix(text, "Thank you for your message")
}

// TestBadAnswers: what a model may answer that is no reply has the fixed text take its
// place, what is one after all is sent, and a judge that cannot be read means no.
func TestBadAnswers(t *testing.T) {
	const fixed = "メッセージをありがとうございます"
	for name, c := range map[string]struct {
		write func(system, user string) string
		judge string
		sent  string // "" for none
	}{
		"a page":           {write: says("<!doctype html><html><body>502 Bad Gateway</body></html>"), sent: fixed},
		"nothing":          {write: says(" \n\t"), sent: fixed},
		"the prompt":       {write: func(system, _ string) string { return system }, sent: fixed},
		"10 MB":            {write: says(strings.Repeat("とても長い返事です。", 350_000)), sent: fixed},
		"too long":         {write: says(strings.Repeat("とても長い返事です。", 100)), sent: "とても長い返事です。"},
		"part of a page":   {write: says("<div><p>はい、三時に。</p></div>"), sent: fixed},
		"another tongue":   {write: says("Да, в три часа.")}, // waits for a person
		"braces":           {write: says(`{"text": {"a": {"b": "{}"}}}`), sent: fixed},
		"a block of code":  {write: says("```json\n{\"reply\": \"はい\"}\n```"), sent: fixed},
		"a label":          {write: says("アシスタント：「はい、三時に駅で。」"), sent: "はい、三時に駅で。"},
		"false in quotes":  {write: says("はい"), judge: `{"should_respond": "false", "confidence": 0.9, "reason": "x"}`},
		"NaN":              {write: says("はい"), judge: `{"should_respond": NaN, "confidence": NaN, "reason": "x"}`},
		"a page as judge":  {write: says("はい"), judge: "<html>{{{</html>"},
		"braces as judge":  {write: says("はい"), judge: `{"a": {"should_respond": tru}, "reason": "{"}`},
		"endless as judge": {write: says("はい"), judge: strings.Repeat(`{"should_respond":`, 100_000)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := answersHana(t, &talked{write: c.write, judge: c.judge})
				s.Friend("Hana", "明日は何時にどこで会いますか", "駅まで迎えに行きましょうか")
				s.Advance(time.Minute)
				sent := own(t, s, "Hana")
				switch {
				case len(sent) > 1, len(sent) == 1 && c.sent == "", len(sent) == 0 && c.sent != "":
					t.Errorf("%d texts were sent, want %q", len(sent), c.sent)
				case len(sent) == 1 && (!strings.HasPrefix(sent[0], c.sent) || len([]rune(sent[0])) > 400):
					t.Errorf("sent %.80q of %d characters, want %q and at most 400", sent[0], len([]rune(sent[0])),
						c.sent)
				}
				if err := s.Runtime.Healthy(); err != nil {
					t.Errorf("Healthy() = %v, want nil", err)
				}
			})
		})
	}
}

func says(text string) func(string, string) string {
	return func(string, string) string { return text }
}

// TestBadMessages: a message that is enormous, of emoji only, or that turns the direction
// of what follows is answered like any other, once.
func TestBadMessages(t *testing.T) {
	for name, text := range map[string]string{
		"100,000 characters": strings.Repeat("長い話です。", 16_667), "emoji": "😀👨‍👩‍👧🎉",
		"right to left": "\u202eevil\u202c \u200fمرحبا\u200f؟",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := answersHana(t, &talked{write: says("はい、分かりました。")})
				s.Friend("Hana", "こんにちは")
				s.Advance(time.Minute)
				m := s.Messages()[0]
				first := len(own(t, s, "Hana"))
				in := m.InboundMessage
				in.ID, in.Text, in.SeenAt = "bad", messages.Text(text), time.Now()
				in.Parts = []messages.Part{{Kind: m.Kind, Text: in.Text, Occurrence: 9, SeenAt: in.SeenAt}}
				to := messages.To(messages.ActorConversation, string(m.Conversation))
				if err := s.Runtime.Inject(t.Context(), to, in, "bad"); err != nil {
					t.Fatal(err)
				}
				s.Advance(time.Minute)
				s.Crash()
				s.Advance(time.Minute)
				if got := own(t, s, "Hana"); len(got) != first+1 {
					t.Errorf("our side wrote %d messages, want %d", len(got), first+1)
				}
				if err := s.Runtime.Healthy(); err != nil {
					t.Errorf("Healthy() = %v, want nil", err)
				}
			})
		})
	}
}

// TestClosedWhileTyping closes the window before and after each call that a sending makes:
// it ends once, as not sent or unknown, and nobody waits for it for ever.
func TestClosedWhileTyping(t *testing.T) {
	for at := 1; at <= 7; at++ {
		for _, after := range []bool{false, true} {
			m := &meddler{at: at, after: after, what: func(w *drawn.Window) { _ = w.Close() }}
			meddled(t, m, func(t *testing.T, s *testkit.System) {
				done := awaitDone(t, s, 1)
				s.Advance(time.Minute)
				sent := len(own(t, s, "Hana"))
				switch n := len(sentDone(s)); {
				case n != 1 || sent > 1, sent == 1 && done[0].Outcome == messages.SendNot,
					sent == 0 && done[0].Outcome == messages.SendConfirmed:
					t.Errorf("closed at call %d, after it %v: %d sent, ended %d times as %+v", at, after, sent, n, done)
				}
			})
		}
	}
}

// TestApplicationsAreNoNames: a model elsewhere reads neither the name of a conversation nor
// masks in place of words that name its application.
func TestApplicationsAreNoNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &talked{write: says("Yes, of course.")}
		s := testkit.Start(t, testkit.WithConfig(func(c *config.Config) { c.Replies.Policy = "draft" }),
			testkit.WithRuntime(runtime.WithLLM(m)))
		s.Friend("Hana", "Hana was waiting in line for bread", "Did you see it?")
		s.Advance(time.Minute)
		asked := strings.Join(m.asked, "\n")
		if !strings.Contains(asked, "was waiting in line for bread") || strings.Contains(asked, "Hana") {
			t.Errorf("asked %q, want the line for bread, and no name", asked)
		}
	})
}
