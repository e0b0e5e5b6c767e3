//go:build browser

package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// serveTalk serves a page with a conversation until stop is called; addr "" takes a free port.
func serveTalk(t *testing.T, k Talker, addr string) (s *Server, stop func()) {
	t.Helper()
	o := (&host{}).options()
	o.Talk, o.Token = k, strings.Repeat("0123456789abcdef", 2)
	if addr != "" {
		o.Addr = addr
	}
	return serveOptions(t, o)
}

func serveOptions(t *testing.T, o Options, change ...func(*Server)) (s *Server, stop func()) {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range change {
		change(s)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve() = %v, want nil", err)
		}
	}
	t.Cleanup(stop)
	return s, stop
}

// page opens a page in a tab.
func (b *browser) page(s *Server, path string, l look) *tab {
	b.t.Helper()
	p := b.tab(l)
	p.do("Page.navigate", map[string]any{"url": strings.Replace(s.URL(), "/#", path+"#", 1)}, nil)
	return p
}

// talks opens the conversation in a tab.
func (b *browser) talks(s *Server, l look) *tab {
	b.t.Helper()
	p := b.page(s, "/chat", l)
	p.until(`document.querySelector("#list button")`)
	p.click("#list button")
	p.until(`el("link").textContent === "live" && called.textContent === "web:花子" && talk.last !== ""`)
	return p
}

// types writes into the composer and presses Enter.
func (p *tab) types(text string) {
	p.t.Helper()
	p.click("#text")
	p.do("Input.insertText", map[string]any{"text": text}, nil)
	p.press("Enter", 13, "\r")
}

// press presses a key, which enters a text.
func (p *tab) press(key string, code int, text string) {
	p.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		p.do("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "code": key,
			"windowsVirtualKeyCode": code, "text": map[string]string{"keyDown": text}[kind]}, nil)
	}
}

// bubbles are what the page shows of both sides, in order.
const bubbles = `[...document.querySelectorAll("#messages [data-id]")].map((li) => li.className + " " +
	li.querySelector(".bubble").textContent).join("|")`

// TestChatInABrowser: both sides with their dates, what is written while it comes, what
// waits, search, and why.
func TestChatInABrowser(t *testing.T) {
	k := newTalker()
	k.says(control.RoleUser, "\u202eabc <b>bold</b>", "phone")
	k.says(control.RoleAssistant, "おはようございます")
	k.led = &messages.InterviewProgress{State: "deepening", Turns: 3, MaxTurns: 12, MaxDeep: 2,
		Items: []messages.Text{"trains", "\u202ecold"}}
	s, _ := serveTalk(t, k, "")
	b := startBrowser(t)
	p := b.talks(s, look{w: 1280, h: 900})
	p.wantText("#phase", "Interview: going deeper")
	if got := eval[string](p, bubbles); got != "theirs \ufffdabc <b>bold</b>|ours おはようございます" {
		t.Errorf("the page shows %q, want both sides as text that steers nothing", got)
	}
	if n := eval[int](p, `document.querySelectorAll("#messages time[datetime]").length`); n != 2 {
		t.Errorf("%d messages have a time, want 2", n)
	}
	loose := eval[string](p, `[...document.querySelectorAll("#messages bdi, #items bdi, #list bdi, #called")].filter((e) =>
		getComputedStyle(e).unicodeBidi !== "isolate").map((e) => e.outerHTML).join()`)
	if loose != "" {
		t.Errorf("foreign text is not isolated: %s", loose)
	}

	p.types("今日は何時？")
	p.until(`text.value === "" && document.querySelectorAll("#messages [data-id]").length === 3`)
	eval[bool](p, `window.over = 0, addEventListener("chat:response-complete", () => { over++; }), true`)
	k.says(control.RoleAssistant, "At ten")
	p.until(`over === 1 && document.querySelectorAll("#messages [data-id]").length === 4`)

	k.set(func(k *talker) {
		k.drafts = []control.Draft{{ID: "c-1/9.1", Conversation: "c-1", State: messages.ReplyDrafted, Text: "At ten?",
			Rule: "policy", Judged: messages.JudgedByModel, Confidence: .8, Model: "m"}}
		k.event(control.TalkEvent{Event: control.NewsState, State: &control.TalkState{State: messages.ReplyDrafted}})
	})
	p.until(`document.querySelector("[data-draft]")`)
	p.wantText(".draft .meta", "waits for you · policy · 80 % sure · m")
	p.click(".draft .main")
	p.until(`!document.querySelector("[data-draft]") && document.body.textContent.includes("approve ")`)

	p.click(`[data-id="m2"] .meta button`)
	p.until(`document.querySelector("[data-id='m2'] .ways")?.textContent.includes("said on the web")`)
	p.shoot("chat-1280")
	p.click("#find-text")
	p.do("Input.insertText", map[string]any{"text": "bold"}, nil)
	p.until(`found.textContent === "1 found"`)

	eval[bool](p, `open(talk.id), open(talk.id), true`) // within one picture of the screen
	p.until(`found.textContent === "" && document.querySelectorAll("#messages [data-id]").length >= 4`)
	eval[bool](p, `new Promise((drawn) => { requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))); })`)
	b.wantNoComplaints()
}

// TestTokensInABrowser: 200 tokens reach the page one by one and are drawn without a flicker. Each picture of
// the screen changes one text at most, and at no moment is the box empty.
func TestTokensInABrowser(t *testing.T) {
	k := newTalker()
	k.says(control.RoleUser, "hello")
	s, _ := serveTalk(t, k, "")
	p := startBrowser(t).talks(s, look{w: 900, h: 900})
	eval[bool](p, `window.tokens = 0, window.changes = 0, window.blanks = [], window.frames = 0,
		window.texts = new Set(),
		window.inner = happened,
		window.happened = (name, data, id) => {
			tokens += name === "token" && data.content !== "";
			inner(name, data, id);
		},
		new MutationObserver((list) => {
			changes += list.length;
			for (const m of list) if (m.type === "childList" && !m.addedNodes.length) blanks.push(m.target.nodeName);
			if (writing.textContent) texts.add(writing.textContent);
		}).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true }),
		(function look() {
			if (texts.size) { frames++; if (writing.hidden || !writing.textContent) blanks.push("frame " + frames); }
			if (!window.enough) requestAnimationFrame(look);
		})(), true`)
	text := ""
	for n := range 200 {
		text += fmt.Sprintf("%d ", n)
		k.set(func(k *talker) {
			k.queue = append(k.queue, control.Token{Turn: 1, Epoch: 1, Content: text})
		})
		p.until(fmt.Sprintf(`writing.textContent.endsWith(%q)`, fmt.Sprintf("%d ", n)))
	}
	eval[bool](p, `window.enough = true`)
	if n := eval[int](p, "tokens"); n != 200 {
		t.Errorf("%d tokens reached the page, want each of 200", n)
	}
	if n := eval[int](p, "texts.size"); n != 200 {
		t.Errorf("the page showed %d texts, want each of 200", n)
	}
	if n := eval[int](p, "changes"); n > 210 {
		t.Errorf("200 tokens changed the page %d times, want one change a token", n)
	}
	if got := eval[string](p, `blanks.join()`); got != "" {
		t.Errorf("the box was emptied while it was drawn: %.200s", got)
	}
	k.says(control.RoleAssistant, text)
	p.until(`writing.hidden && document.querySelectorAll("#messages [data-id]").length === 2`)
}

// TestADiscardedReplyInABrowser: what was shown of a reply goes once its state says that it is something else,
// or a token that it is void; what is shown of the next turn stays.
func TestADiscardedReplyInABrowser(t *testing.T) {
	k := newTalker()
	k.says(control.RoleUser, "hello")
	s, _ := serveTalk(t, k, "")
	b := startBrowser(t)
	p := b.talks(s, look{w: 900, h: 900})
	shows := func(turn int64) {
		t.Helper()
		k.set(func(k *talker) { k.token = &control.Token{Turn: turn, Epoch: 1, Content: "half a rep"} })
		p.until(`writing.checkVisibility() && writing.textContent === "half a rep" && halt.checkVisibility()`)
	}
	is := func(turn int64, state messages.ReplyState, token *control.Token) {
		k.set(func(k *talker) {
			k.token = token
			if state == messages.ReplyDrafted {
				k.drafts = []control.Draft{{ID: control.NewDraftID("c-1", turn, 1), Conversation: "c-1", State: state,
					Text: "Thank you.", Rule: "no_model", Answers: []control.Answered{
						{Message: "m1", Text: "hello!", Edited: true}}}}
			}
			k.event(control.TalkEvent{Event: control.NewsState, State: &control.TalkState{
				Reply: control.NewDraftID("c-1", turn, 1), State: state}})
		})
	}
	shows(1)
	is(1, messages.ReplyDrafted, nil) // nothing but its state tells
	p.until(`document.querySelector("[data-draft='c-1/1.1']") && writing.hidden && !halt.checkVisibility()`)
	got := eval[string](p, `document.querySelector("[data-draft] .meta + .meta").textContent`)
	if got != "answers hello! (edited)" {
		t.Errorf("the draft says %q, want what it answers as it reads now", got)
	}
	shows(2)
	k.set(func(k *talker) { k.token = &control.Token{Turn: 2, Epoch: 1, Done: true} }) // nothing but the token tells
	p.until(`writing.hidden && !halt.checkVisibility()`)
	shows(3)
	is(2, messages.ReplyWithdrawn, k.token)
	is(3, messages.ReplySending, k.token)
	p.until(fmt.Sprintf(`talk.last === "%d"`, len(k.events)))
	eval[bool](p, `new Promise((drawn) => { requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))); })`)
	if !eval[bool](p, `writing.checkVisibility()`) {
		t.Error("what is to be sent is not shown any more after another turn was withdrawn")
	}
	b.wantNoComplaints()
}

// TestStopInABrowser: while a reply is written a button stops it, by the keyboard too; it says so to who cannot
// see it, and leaves the keyboard in the composer.
func TestStopInABrowser(t *testing.T) {
	k := newTalker()
	k.says(control.RoleUser, "hello")
	s, _ := serveTalk(t, k, "")
	b := startBrowser(t)
	p := b.talks(s, look{w: 900, h: 900})
	if eval[bool](p, `halt.checkVisibility()`) {
		t.Error("the page offers to stop what is not being written")
	}
	k.set(func(k *talker) { k.token = &control.Token{Turn: 4, Epoch: 2} }) // a model has been asked
	p.until(`halt.checkVisibility() && doing.textContent === "A reply is being written."`)
	p.wantNoBarriers("the chat page while a reply is written")
	k.set(func(k *talker) { k.token = &control.Token{Turn: 4, Epoch: 2, Content: "half a rep"} })
	p.until(`writing.textContent === "half a rep"`)
	eval[bool](p, `el("log").focus(), true`)
	for _, at := range []string{"BUTTON why", "BUTTON Stop this reply"} {
		p.press("Tab", 9, "")
		if got := eval[string](p, `document.activeElement.tagName + " " + document.activeElement.textContent`); got != at {
			t.Fatalf("Tab goes from the messages to %q, want %q", got, at)
		}
	}
	p.press("Enter", 13, "\r")
	p.until(`writing.hidden && !halt.checkVisibility() && doing.textContent === "" && document.activeElement === text`)
	if fmt.Sprint(k.stopped) != "[c-1/4.2]" {
		t.Errorf("stopped %v, want c-1/4.2 once", k.stopped)
	}
	b.wantNoComplaints()
	k.set(func(k *talker) { k.token = &control.Token{Turn: 5, Epoch: 1, Content: "ne"} })
	p.until(`halt.checkVisibility() && writing.textContent === "ne"`)
	k.mu.Lock()
	k.token = &control.Token{Turn: 6, Epoch: 1} // the page does not know yet
	k.mu.Unlock()
	p.click("#halt")
	p.until(`banner.textContent.includes("This reply is written already.")`)
}

// TestAStreamAnewInABrowser: a page whose place is behind the end of the log reads everything again, and keeps
// one stream open.
func TestAStreamAnewInABrowser(t *testing.T) {
	k := newTalker()
	k.says(control.RoleUser, "hello")
	k.says(control.RoleUser, "only in the log that is gone")
	s, stop := serveTalk(t, k, "")
	p := startBrowser(t).talks(s, look{w: 900, h: 900})
	eval[bool](p, `talk.last = "99999999", true`)
	stop()
	p.until(`el("link").textContent === "reconnecting"`)
	k.set(func(k *talker) { k.said, k.events = k.said[:1], k.events[:1] })
	s, _ = serveTalk(t, k, s.Addr())
	p.until(bubbles + ` === "theirs hello" && el("link").textContent === "live"`)
	k.says(control.RoleAssistant, "Hello again.")
	p.until(bubbles + ` === "theirs hello|ours Hello again."`)
	for end := time.Now().Add(10 * time.Second); s.talks.Load() != 1; <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d streams are open, want one", s.talks.Load())
		}
	}
}

// TestPollingInABrowser: where no stream can be had, the page asks for ten seconds after sending whether there
// is an answer.
func TestPollingInABrowser(t *testing.T) {
	k := newTalker()
	k.says(control.RoleUser, "hello")
	var broken atomic.Bool
	var reads atomic.Int32
	uncut, cut := context.WithCancel(t.Context())
	o := (&host{}).options()
	o.Talk, o.Token = k, strings.Repeat("0123456789abcdef", 2)
	s, stop := serveOptions(t, o, func(s *Server) {
		inner := s.http.Handler
		s.http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Header.Get("Accept") == "text/event-stream" && broken.Load():
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			case r.Header.Get("Accept") == "text/event-stream":
				ctx, cancel := context.WithCancel(r.Context())
				defer cancel()
				defer context.AfterFunc(uncut, cancel)()
				r = r.WithContext(ctx)
			case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/messages"):
				reads.Add(1)
			}
			inner.ServeHTTP(w, r)
		})
	})
	defer stop()
	p := startBrowser(t).talks(s, look{w: 900, h: 900})
	broken.Store(true)
	cut()
	p.until(`el("link").textContent === "reconnecting"`)
	from := reads.Load()
	p.types("When?")
	p.until(bubbles + ` === "theirs hello|theirs When?"`)
	k.says(control.RoleAssistant, "At nine.")
	p.until(bubbles + ` === "theirs hello|theirs When?|ours At nine."`)
	sent := time.Now()
	for reads.Load() < from+8 { // ten, at a pace of one a second
		if <-time.After(10 * time.Millisecond); time.Since(sent) > 30*time.Second {
			t.Fatalf("the page has asked %d times, want about ten", reads.Load()-from)
		}
	}
	if got := eval[string](p, `el("link").textContent`); got != "reconnecting" {
		t.Errorf("the page is %s, want it without a stream", got)
	}
}

// TestAGuestInABrowser is offered nothing that is refused.
func TestAGuestInABrowser(t *testing.T) {
	k := newTalker()
	k.says(control.RoleUser, "call 090-1234-5678", "phone")
	o := (&host{}).options()
	o.Talk, o.Sessions, o.Mask = k, NewSessions("", nil), strings.ToUpper
	s, stop := serveOptions(t, o)
	defer stop()
	guest, err := s.GuestURL("c-1")
	if err != nil {
		t.Fatal(err)
	}
	b := startBrowser(t)
	p := b.tab(look{w: 1280, h: 900})
	p.do("Page.navigate", map[string]any{"url": guest}, nil)
	p.until(`typeof talk === "object" && el("link").textContent === "live" && talk.last !== ""`)
	p.until(`document.querySelectorAll("#messages [data-id]").length === 1`)
	if got := eval[string](p, bubbles); got != "theirs CALL 090-1234-5678" {
		t.Errorf("a guest sees %q, want it masked", got)
	}
	offered := eval[string](p, `[...document.querySelectorAll("form, a, #messages button")].filter((e) =>
		e.checkVisibility()).map((e) => e.id || e.textContent).join()`)
	if offered != "Kehai 気配,compose" {
		t.Errorf("a guest is offered %q, want only to write", offered)
	}
}

// TestChatInABrowserSurvives a server that is killed while a reply is written, and comes back: what
// happened meanwhile is there once, and what was typed meanwhile is sent once.
func TestChatInABrowserSurvives(t *testing.T) {
	k := newTalker()
	k.says(control.RoleUser, "hello")
	s, stop := serveTalk(t, k, "")
	p := startBrowser(t).talks(s, look{w: 390, h: 844, dark: true})
	k.set(func(k *talker) { k.token = &control.Token{Turn: 1, Epoch: 1, Content: "half a rep"} })
	p.until(`writing.textContent === "half a rep"`)
	s.http.Close() // in the middle of a chunk, as a process that is killed
	stop()
	p.until(`el("link").textContent === "reconnecting" && writing.hidden`)
	k.says(control.RoleAssistant, "half a reply, and the rest")
	p.types("are you there?")
	p.until(`banner.textContent.includes("the message is kept")`)
	eval[bool](p, `location.reload(), true`) // what is kept outlives the page
	_, stop = serveTalk(t, k, s.Addr())
	want := "theirs hello|ours half a reply, and the rest|theirs are you there?"
	// A page that could not be loaded is loaded again, as a person would.
	p.do("Page.navigate", map[string]any{"url": "http://" + s.Addr() + "/chat"}, nil)
	p.until(`document.getElementById("link")?.textContent === "live" && ` + bubbles + ` === ` + fmt.Sprintf("%q", want))
	p.until(`text.value === "" && banner.textContent === ""`)
	p.shoot("chat-390-dark")
	stop()
	p.until(`el("link").textContent === "reconnecting"`)
	k.says(control.RoleAssistant, "yes")
	serveTalk(t, k, s.Addr())
	p.until(`el("link").textContent === "live" && ` + bubbles + ` === ` + fmt.Sprintf("%q", want+"|ours yes"))
	if len(k.keys) != 1 || len(k.said) != 4 {
		t.Errorf("%d keys and %d messages, want one message of the page", len(k.keys), len(k.said))
	}
}

// TestChatInABrowserLoadsAgain: a page that gets no stream from a Kehai that answers loads itself anew, as the
// last resort, once a minute at most; what was typed is there afterwards.
func TestChatInABrowserLoadsAgain(t *testing.T) {
	var loads, refused atomic.Int32
	var broken atomic.Bool
	uncut, cut := context.WithCancel(t.Context())
	k := newTalker()
	k.says(control.RoleUser, "hello")
	o := (&host{}).options()
	o.Talk, o.Token = k, strings.Repeat("0123456789abcdef", 2)
	s, stop := serveOptions(t, o, func(s *Server) {
		inner := s.http.Handler
		s.http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			stream := r.Header.Get("Accept") == "text/event-stream"
			switch {
			case stream && broken.Load():
				refused.Add(1)
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			case stream:
				ctx, cancel := context.WithCancel(r.Context())
				defer cancel()
				defer context.AfterFunc(uncut, cancel)()
				r = r.WithContext(ctx)
			case r.URL.Path == "/chat":
				loads.Add(1)
			}
			inner.ServeHTTP(w, r)
		})
	})
	defer stop()
	p := startBrowser(t).talks(s, look{w: 900, h: 900})
	p.click("#text")
	p.do("Input.insertText", map[string]any{"text": "half a thought"}, nil)
	hurry := `window.old = true, retry.fill(2), true`
	eval[bool](p, hurry)
	broken.Store(true)
	cut()
	loaded := func(n int32, what string) {
		t.Helper()
		p.until(`!window.old && document.getElementById("link")?.textContent === "reconnecting"`)
		if got := loads.Load(); got != n {
			t.Fatalf("%s the page was loaded %d times, want %d", what, got, n)
		}
	}
	loaded(2, "without a stream")
	if n := refused.Load(); n < 20 {
		t.Errorf("the page was loaded again after %d attempts at a stream, want 20 at least", n)
	}
	eval[bool](p, hurry)
	from := refused.Load()
	for end := time.Now().Add(30 * time.Second); refused.Load() < from+60; <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the page has tried %d times more in 30 s", refused.Load()-from)
		}
	}
	if got := loads.Load(); got != 2 {
		t.Errorf("within a minute the page was loaded %d times, want 2", got)
	}
	eval[bool](p, `remember("reloaded", String(Date.now() - 61_000)), true`)
	loaded(3, "a minute later")
	broken.Store(false)
	p.until(`el("link").textContent === "live" && text.value === "half a thought"`)
}
