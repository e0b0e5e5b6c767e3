package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
)

// talking runs a Kehai without windows on a data directory until stop is called.
func talking(t *testing.T, data string, opts ...runtime.Option) (rt *runtime.Runtime, stop func()) {
	t.Helper()
	cfg := runtime.Default()
	cfg.Data = data
	return talkingWith(t, cfg, append([]runtime.Option{runtime.WithLLM(polite{})}, opts...)...)
}

func talkingWith(t *testing.T, cfg config.Config, opts ...runtime.Option) (rt *runtime.Runtime, stop func()) {
	t.Helper()
	cfg.Windows, cfg.Web.Enabled, cfg.Web.Addr = nil, true, "127.0.0.1:0"
	rt, err := runtime.New(cfg, opts...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- rt.Run(ctx) }()
	<-rt.Ready()
	return rt, func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run() = %v, want nil", err)
		}
	}
}

// until collects news behind a place until something is over.
func until(t *testing.T, b control.TalkBackend, c messages.ConversationID, after uint64) (texts []string, n int) {
	t.Helper()
	for range 1000 {
		news, err := b.News(t.Context(), c, after, nil, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range news.Events {
			switch e.Event {
			case control.NewsMessage:
				texts = append(texts, string(e.Message.Role)+": "+e.Message.Content)
			case control.NewsDone:
				n++
			}
		}
		if after = news.Last; n > 0 {
			return texts, n
		}
	}
	t.Fatal("nothing is over")
	return nil, 0
}

// TestAKeyCountsOnce, also behind a restart: the same answer comes, and never another
// turn.
func TestAKeyCountsOnce(t *testing.T) {
	data := t.TempDir()
	var before string
	var c messages.ConversationID
	for run := range 2 {
		rt, stop := talking(t, data)
		id, err := rt.Talk().Begin(t.Context(), control.Begin{Name: "guest"})
		if err != nil || run > 0 && id != c {
			t.Fatalf("Begin() = %q, %v, want %q again", id, err, c)
		}
		c = id
		for again := range 2 {
			a, err := rt.Talk().Say(t.Context(), c, control.Say{Text: "When?", Key: "k"})
			if err != nil || !a.Answered || (run+again > 0) != a.Again {
				t.Fatalf("run %d: Say() = %+v, %v, want it once", run, a, err)
			}
			texts, _ := until(t, rt.Talk(), c, a.After)
			if got := fmt.Sprint(texts); before != "" && got != before || len(texts) != 2 {
				t.Errorf("run %d: news = %s, want %s again", run, got, before)
			} else {
				before = got
			}
		}
		if _, err := rt.Talk().Say(t.Context(), c, control.Say{Text: "Where?", Key: "k"}); !errors.Is(err,
			control.ErrKeyUsed) {
			t.Errorf("another text with the key = %v, want %v", err, control.ErrKeyUsed)
		}
		talk, err := rt.Talk().Talk(t.Context(), c, control.TalkQuery{})
		if err != nil || len(talk.Messages) != 2 || talk.Messages[1].Content != "At nine, at the station." {
			t.Errorf("run %d: Talk() = %+v, %v, want a question and its answer", run, talk.Messages, err)
		}
		stop()
	}
}

// TestAKeyIsOneText, also while the first text waits for its turn: each text that is
// accepted is stored, and every other one is refused.
func TestAKeyIsOneText(t *testing.T) {
	rt, stop := talking(t, t.TempDir(), runtime.InMemory(), runtime.WithLLM(nil))
	defer stop()
	b := rt.Talk()
	c, err := b.Begin(t.Context(), control.Begin{Name: "guest"})
	if err != nil {
		t.Fatal(err)
	}
	const keys, texts = 30, 4
	accepted := map[string]bool{}
	for n := range keys {
		key := fmt.Sprint("k", n)
		var told [texts]error
		var wait sync.WaitGroup
		for i := range texts {
			wait.Go(func() {
				_, told[i] = b.Say(t.Context(), c, control.Say{Text: fmt.Sprintf("%d.%d", n, i), Key: key})
			})
		}
		wait.Wait()
		for i, err := range told {
			text := fmt.Sprintf("%d.%d", n, i)
			a, again := b.Say(t.Context(), c, control.Say{Text: text, Key: key})
			switch {
			case err == nil && again == nil && a.Again:
				accepted[text] = true
			case !errors.Is(err, control.ErrKeyUsed) || !errors.Is(again, control.ErrKeyUsed):
				t.Errorf("Say(%s) = %v, then %+v, %v, want it stored once or refused", text, err, a, again)
			}
		}
	}
	for after := uint64(0); len(accepted) > 0; {
		news, err := b.News(t.Context(), c, after, nil, time.Minute)
		if err != nil || len(news.Events) == 0 {
			t.Fatalf("News() = %+v, %v, want what was accepted: %v", news, err, accepted)
		}
		after = news.Last
		for _, e := range news.Events {
			if e.Event == control.NewsMessage && e.Message.Role == control.RoleUser {
				if !accepted[e.Message.Content] {
					t.Errorf("stored %s, want only what was accepted", e.Message.Content)
				}
				delete(accepted, e.Message.Content)
			}
		}
	}
}

// TestNamesOnAChannel are stored as they are, or refused in words.
func TestNamesOnAChannel(t *testing.T) {
	rt, stop := talking(t, t.TempDir(), runtime.InMemory())
	defer stop()
	if _, err := rt.Conversation(t.Context(), "line", "Hana"); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ name, want string }{
		{strings.Repeat("花", 65), "65 characters: want at most 64"},
		{"a\x00b", "control characters"},
		{"a\tb", "control characters"},
		{"a\u202eb", "invisible"},
		{"a\xffb", "invisible"},
		{"Hana (3)", "in brackets"},
		{"line:Hana", `must not begin with "line:"`},
		{"LINE：Hana", `must not begin with "line:"`},
		{"web: Hana", `must not begin with "web:"`},
	} {
		_, err := rt.Talk().Begin(t.Context(), control.Begin{Name: x.name})
		if !errors.Is(err, control.ErrBegin) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("Begin(%q) = %v, want %v with %q", x.name, err, control.ErrBegin, x.want)
		}
	}
	for _, name := range []string{strings.Repeat("花", 64), "Team: Hana", "👩‍👩‍👧", "Hana  Sato"} {
		if _, err := rt.Talk().Begin(t.Context(), control.Begin{Name: name}); err != nil {
			t.Errorf("Begin(%q) = %v, want it begun", name, err)
		}
	}
}

// TestWhatAChannelRefuses names what is wrong.
func TestWhatAChannelRefuses(t *testing.T) {
	rt, stop := talking(t, t.TempDir(), runtime.InMemory())
	defer stop()
	b := rt.Talk()
	c, err := b.Begin(t.Context(), control.Begin{Channel: messages.ChannelHost, Name: "Hana"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Begin(t.Context(), control.Begin{Channel: "fax"}); !errors.Is(err, control.ErrBegin) {
		t.Errorf("Begin(fax) = %v, want %v", err, control.ErrBegin)
	}
	window, err := rt.Conversation(t.Context(), "line", "Hana")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		c    messages.ConversationID
		text string
		want error
	}{
		{window, "hello", control.ErrNotChannel},
		{"c-nobody", "hello", control.ErrNoConversation},
		{c, " \n", control.ErrSayText},
		{c, "\u200b\u200d\ufeff", control.ErrSayText},
		{c, "\u200f \u202e\u2069", control.ErrSayText},
		{c, "\ufe0f\u3164", control.ErrSayText},
		{c, strings.Repeat("花", control.MaxSaid+1), control.ErrSayText},
		{c, "\xff", control.ErrSayText},
	} {
		if _, err := b.Say(t.Context(), x.c, control.Say{Text: x.text}); !errors.Is(err, x.want) {
			t.Errorf("Say(%s, %.20q) = %v, want %v", x.c, x.text, err, x.want)
		}
	}
	if err := rt.Merge(t.Context(), c, c); err == nil {
		t.Error("Merge() of a channel's conversation = nil, want an error")
	}
}

// TestAChannelWhileSendingIsPaused: an approved draft would be handed out at once.
func TestAChannelWhileSendingIsPaused(t *testing.T) {
	rt, stop := talking(t, t.TempDir(), runtime.InMemory(), runtime.WithLLM(nil))
	defer stop()
	b := rt.Talk()
	c, err := b.Begin(t.Context(), control.Begin{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := b.Say(t.Context(), c, control.Say{Text: "hello?"})
	if err != nil {
		t.Fatal(err)
	}
	draft := drafted(t, b, c, a.After)
	if err := rt.Pause(t.Context(), control.Sending); err != nil {
		t.Fatal(err)
	}
	if err := rt.ApproveDraft(t.Context(), draft); !errors.Is(err, control.ErrSendingPaused) {
		t.Errorf("ApproveDraft() while paused = %v, want %v", err, control.ErrSendingPaused)
	}
	if err := rt.Resume(t.Context(), control.Sending); err != nil {
		t.Fatal(err)
	}
	if err := rt.ApproveDraft(t.Context(), draft); err != nil {
		t.Fatal(err)
	}
	if texts, _ := until(t, b, c, a.After); len(texts) != 2 {
		t.Errorf("news = %q, want a message and its answer", texts)
	}
}

// TestRepliesOnAChannel go out by themselves whatever policy says of windows, but for off; with channels: draft
// nothing goes out that was not approved.
func TestRepliesOnAChannel(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(*config.Config)
		want messages.ReplyState
	}{
		"by default":         {func(*config.Config) {}, messages.ReplySent},
		"policy off":         {func(c *config.Config) { c.Replies.Policy = "off" }, messages.ReplyNone},
		"channels draft":     {func(c *config.Config) { c.Replies.Channels = "draft" }, messages.ReplyDrafted},
		"channels draft, on": {asWindows, messages.ReplySent},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := runtime.Default()
			c.set(&cfg)
			rt, stop := talkingWith(t, cfg, runtime.WithLLM(polite{}), runtime.InMemory())
			defer stop()
			b := rt.Talk()
			id, err := b.Begin(t.Context(), control.Begin{Name: "guest"})
			if err != nil {
				t.Fatal(err)
			}
			a, err := b.Say(t.Context(), id, control.Say{Text: "When?"})
			if err != nil || a.Answered != (c.want != messages.ReplyNone) {
				t.Fatalf("Say() = %+v, %v, want it answered only if a reply is written", a, err)
			}
			if c.want == messages.ReplyNone {
				return
			}
			state, draft := becomes(t, b, id, a.After)
			if state != c.want {
				t.Fatalf("the reply is %s, want %s", state, c.want)
			}
			if state != messages.ReplyDrafted {
				return
			}
			talk, err := b.Talk(t.Context(), id, control.TalkQuery{})
			if err != nil || len(talk.Messages) != 1 {
				t.Errorf("before it is approved: %+v, %v, want the question alone", talk.Messages, err)
			}
			if err := rt.ApproveDraft(t.Context(), draft); err != nil {
				t.Fatal(err)
			}
			if texts, _ := until(t, b, id, a.After); len(texts) != 2 {
				t.Errorf("news = %q, want the approved answer", texts)
			}
		})
	}
}

// asWindows has policy and auto decide on channels, and lists the guest.
func asWindows(c *config.Config) {
	c.Replies.Policy, c.Replies.Auto, c.Replies.Channels = "auto", []string{"web:guest"}, "draft"
}

// becomes waits until a reply is sent or waits for a person.
func becomes(t *testing.T, b control.TalkBackend, c messages.ConversationID, after uint64) (
	messages.ReplyState, control.DraftID) {
	t.Helper()
	for {
		news, err := b.News(t.Context(), c, after, nil, time.Minute)
		if err != nil || len(news.Events) == 0 {
			t.Fatalf("News() = %+v, %v, want what becomes of the reply", news, err)
		}
		for _, e := range news.Events {
			if s := e.State; s != nil && (s.State == messages.ReplySent || s.State == messages.ReplyDrafted) {
				return s.State, s.Reply
			}
		}
		after = news.Last
	}
}

// TestWhyOnAChannel tells of the channel, and nothing of windows, which have no part in it.
func TestWhyOnAChannel(t *testing.T) {
	rt, stop := talking(t, t.TempDir(), runtime.InMemory(), runtime.WithLLM(nil))
	defer stop()
	b := rt.Talk()
	c, err := b.Begin(t.Context(), control.Begin{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := b.Say(t.Context(), c, control.Say{Text: "hello?"})
	if err != nil {
		t.Fatal(err)
	}
	draft := drafted(t, b, c, a.After)
	if err := rt.ApproveDraft(t.Context(), draft); err != nil {
		t.Fatal(err)
	}
	until(t, b, c, a.After)
	for _, q := range []control.WhyQuery{
		{ID: string(draft)}, {Text: "hello?", Limit: 1}, {Text: "never said", Conversation: c, Limit: 1},
	} {
		why, err := rt.Backend().Why(t.Context(), q)
		said := fmt.Sprint(why.Paths, why.Notes)
		if err != nil || len(why.Recent) > 0 || strings.Contains(said, "window") || strings.Contains(said, "ast read") {
			t.Errorf("Why(%+v) = %s, %v, %v, want nothing of windows", q, said, why.Recent, err)
		}
		if q.ID != "" && (len(why.Paths) != 1 || why.Paths[0].Why != "it was handed out on the channel web") {
			t.Errorf("Why(%+v) = %s, want that the channel handed it out", q, said)
		}
	}
}

// drafted is the draft that is made behind a place.
func drafted(t *testing.T, b control.TalkBackend, c messages.ConversationID, after uint64) control.DraftID {
	t.Helper()
	for range 1000 {
		news, err := b.News(t.Context(), c, after, nil, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range news.Events {
			if e.State != nil && e.State.State == messages.ReplyDrafted {
				return e.State.Reply
			}
		}
		after = news.Last
	}
	t.Fatal("no draft was made")
	return ""
}
