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
	for _, kind := range []string{"keyDown", "keyUp"} {
		p.do("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": "Enter", "code": "Enter",
			"windowsVirtualKeyCode": 13, "text": map[string]string{"keyDown": "\r"}[kind]}, nil)
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
	eval[bool](p, `window.changes = 0, window.over = 0,
		new MutationObserver((list) => { changes += list.length; }).observe(document.body,
			{ subtree: true, childList: true, characterData: true, attributes: true }),
		addEventListener("chat:response-complete", () => { over++; }), true`)
	text := ""
	for n := range 200 {
		text += fmt.Sprintf("%d ", n)
		k.set(func(k *talker) { k.token = &control.Token{Turn: 1, Epoch: 1, Content: text} })
	}
	p.until(`writing.textContent.includes("199")`)
	k.says(control.RoleAssistant, text)
	p.until(`writing.hidden && over === 1 && document.querySelectorAll("#messages [data-id]").length === 4`)
	if n := eval[int](p, "changes"); n > 220 {
		t.Errorf("200 tokens and their message changed the page %d times, want at most one change a token", n)
	}

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
