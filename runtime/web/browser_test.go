//go:build browser

package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kehai-run/kehai/hardware/drawn"
)

// chromium finds the browser. This file is built on request only, so that a
// missing browser is a failure.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no Chromium in PATH: install the package chromium")
	return ""
}

// One window is there when the page is opened; a message and the other window
// come while it is open.
func TestPageInABrowser(t *testing.T) {
	sc := newScene(t)
	sc.status.Model = "No language model is set up."
	s := serve(t, &sc.host)
	s.Listen(sc.hana.seen(t))
	sc.trouble(s)
	b := startBrowser(t)
	p := b.open(s.URL(), look{w: 1200, h: 900})
	sc.deliver(s, 900, "生きているページ")
	sc.team.say(t, drawn.Friend, "One more thing")
	s.Listen(sc.team.seen(t))
	p.until(`document.querySelector("[data-key='900']") && document.querySelectorAll(".screen img").length === 2`)
	dom := p.dom()
	b.wantNoComplaints()
	p.wantNoBarriers("the live page")
	for name, pattern := range map[string]string{
		"that no model answers":       `class="notice warn"[^>]*>No language model is set up\.<`,
		"a message that was there":    `class="said"[^>]*lang="ja"[^>]*>OK。ケーキを買ってから行くね。`,
		"a message that came":         `<li class="new" data-key="900">.*生きているページ`,
		"markup in a message as text": `&lt;b&gt;not bold&lt;/b&gt;`,
		"a message without text":      `class="said none"[^>]*>\(sticker\)<`,
		"an edited message": `class="said gone"[^>]*>骨を直すには.*class="chip edited">edited</span>` +
			`<ins[^>]*>[^<]*7時に`,
		"a message that was taken back": `class="said gone"[^>]*>おはよう！今日は何時に集合する？</p>` +
			`<ul class="changes"[^>]*><li[^>]*><span class="chip unsent">taken back<`,
		"a message that was masked later": `class="said"[^>]*>The build of \[name\] is green again<`,
		"a gap":                           `class="mark"[^>]*>.*class="chip gap">gap</span>.*Messages may be missing here: more than a screenful`,
		"a reply": `class="own"[^>]*>.*class="chip reply">sent by Kehai</span>.*>ケーキ、楽しみにしてる</p>` +
			`<p class="answers"[^>]*>answers: OK。ケーキを買って`,
		"a reply that may have been sent":  `class="chip reply unknown">unknown whether it was sent</span>.*>Thanks, Ken<`,
		"a change of an older message":     `<del[^>]*>See you at nine</del> <ins[^>]*>See you at ten</ins>`,
		"an actor's kind":                  `<summary><span class="dot bad">dedup</span>`,
		"an actor":                         `class="key dot"[^>]*>line@mac-a<`,
		"a failing actor's error":          `class="error">last error: decode transcript`,
		"a mailbox with more in the store": `>41\+<`,
		"a pool":                           `<td>ocr</td><td>2 of 2</td>`,
		"dead letters":                     `2 dead letters: look at them with <code>kehai deadletters</code>`,
		"the picture":                      `<img alt="Newest frame of line@mac-a" src="blob:http://127.0.0.1:`,
		"the second picture":               `<img alt="Newest frame of team@mac-a" src="blob:http://127.0.0.1:`,
		"an incoming bubble":               `<rect [^>]*class="incoming" aria-label="incoming text: おはよう！今日は何時に集合する？"`,
		"an own bubble":                    `<rect [^>]*class="own" aria-label="own text: 10時に駅の北口でどう？"`,
		"a window without a frame":         `<figure class="window" data-key="old@mac-a">.*Waiting for a frame`,
		"a window that cannot be captured": `<figure class="window failing" data-key="team@mac-a"`,
		"the space notice": `<p class="notice bad"[^>]*>durable work is paused since only 92 MiB were free for the ` +
			`data directory; 128 MiB are needed: free some space on its volume<`,
		"the health":     `class="pill bad" id="health"[^>]*>3 problems<`,
		"the connection": `class="link live"[^>]*>live<`,
	} {
		if !regexp.MustCompile(`(?s)` + pattern).MatchString(dom) {
			t.Errorf("the page lacks %s: no match of %s", name, pattern)
		}
	}
	if n := strings.Count(dom, ">了解しました<"); n != 1 || strings.Count(dom, "unknown whether") != 1 {
		t.Errorf("a reply that turned up after all stands %d times on the page, want once, as sent", n)
	}
	if t.Failed() {
		t.Logf("%s", dom[strings.Index(dom, "<body"):])
	}
}

// The first stream breaks after it brought a message. What arrives before the
// browser is back must be on the page all the same, and only that is sent.
func TestPageInABrowserReconnects(t *testing.T) {
	sc := newScene(t)
	sc.timeline = nil
	came := make(chan string, 10) // ids that streams go on from
	s := serve(t, &sc.host, func(s *Server) {
		inner, broken := s.http.Handler, false
		s.http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/events" {
				inner.ServeHTTP(w, r)
				return
			}
			came <- r.Header.Get("Last-Event-ID")
			if broken { // streams begin one after the other
				inner.ServeHTTP(w, r)
				return
			}
			broken = true
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			inner.ServeHTTP(&breaking{ResponseWriter: w, after: "event: status", cancel: cancel}, r.WithContext(ctx))
			sc.deliver(s, 901, "途切れている間に")
		})
	})
	sc.deliver(s, 900, "はじめに")
	b := startBrowser(t)
	p := b.open(s.URL(), look{w: 1200, h: 900})
	p.until(`document.querySelector("[data-key='901']")`)
	p.wantText("#link", "live")
	dom := p.dom()
	for _, text := range []string{"はじめに", "途切れている間に"} {
		if n := strings.Count(dom, ">"+text+"<"); n != 1 {
			t.Errorf("%s stands %d times on the page, want once", text, n)
		}
	}
	if first, second := <-came, <-came; first != "" || second != s.eventID(900) {
		t.Errorf("the streams go on from %q and %q, want the beginning and %s", first, second, s.eventID(900))
	}
	if strings.Contains(dom, "Connection lost") {
		t.Error("the page does not say that it is live again")
	}
	b.wantNoComplaints()
}

// breaking is a response that ends after it has sent some text.
type breaking struct {
	http.ResponseWriter
	after  string
	cancel func()
}

func (b *breaking) Write(data []byte) (int, error) {
	n, err := b.ResponseWriter.Write(data)
	if strings.Contains(string(data), b.after) {
		b.cancel()
	}
	return n, err
}

func (b *breaking) Unwrap() http.ResponseWriter { return b.ResponseWriter }

// The code leaves the address bar, its key serves a reload, and no other tab; opened again the
// address says what to do.
func TestAnAddressInABrowser(t *testing.T) {
	sc := newScene(t)
	s := serve(t, &sc.host)
	s.Listen(sc.hana.seen(t))
	b := startBrowser(t)
	address := s.URL()
	p := b.open(address, look{w: 900, h: 900})
	_, code, _ := strings.Cut(address, "#c=")
	if got := eval[string](p, `location.href + document.cookie`); got != "http://"+s.Addr()+"/" {
		t.Errorf("the page's address and cookies = %q, want no code in them", got)
	}
	kept := eval[string](p, `JSON.stringify([{ ...sessionStorage }, { ...localStorage }])`)
	if strings.Contains(kept, code) || !strings.Contains(kept, `"token"`) {
		t.Errorf("the tab keeps %s, want a key and not the code", kept)
	}
	eval[bool](p, `window.old = true`)
	p.do("Page.reload", nil, nil)
	p.until(`!window.old && ` + allDrawn)
	p.until(`document.querySelector(".screen img")`)
	b.wantNoComplaints()

	other := b.tab(look{w: 900, h: 900})
	wantOnly := func(what, notice string) {
		t.Helper()
		other.until(`document.getElementById("link")?.textContent === "no token"`)
		if got := other.text("body"); !strings.Contains(got, notice) || strings.Contains(got, "おはよう") {
			t.Errorf("the page %s shows %q, want only what to do", what, got)
		}
	}
	other.do("Page.navigate", map[string]any{"url": "http://" + s.Addr() + "/"}, nil)
	wantOnly("without a key", "run kehai page, and open the address")
	other.shoot("no-token")
	for _, path := range []string{"", "chat"} { // the second opening
		other.do("Page.navigate", map[string]any{"url": "about:blank"}, nil)
		other.do("Page.navigate", map[string]any{"url": strings.Replace(address, "/#", "/"+path+"#", 1)}, nil)
		if path != "" {
			other.until(`document.getElementById("banner")?.innerText.includes("opens the page once")`)
			continue
		}
		wantOnly("of an address that was opened", "opens the page once, within ten minutes")
		if got := eval[string](other, `location.href`); got != "http://"+s.Addr()+"/" {
			t.Errorf("its address = %q, want no code in it", got)
		}
	}
	other.do("Page.navigate", map[string]any{"url": "http://" + s.Addr() + "/"}, nil)
	wantOnly("without a key", "run kehai page, and open the address")

	// In the tab that has the page, nothing is lost. A new address there loads nothing by itself.
	eval[bool](p, `window.old = true`)
	p.do("Page.navigate", map[string]any{"url": address}, nil)
	p.until(`!window.old && ` + allDrawn)
	other.do("Page.navigate", map[string]any{"url": s.URL()}, nil)
	other.until(allDrawn)
	other.do("Page.navigate", map[string]any{"url": "http://" + s.Addr() + "/#t=" + randomHex()}, nil)
	other.until(`document.getElementById("link")?.textContent === "closed"`)
	if got := other.text("#notices"); !strings.Contains(got, "is not, or no longer, one of the Kehai that runs") {
		t.Errorf("the page with a wrong key says %q, want that it is wrong", got)
	}
}

// A Kehai with another page answers one that is still open, and knows its key. The page says
// so and loads nothing from there by itself: it cannot tell who answers when it is loaded.
func TestAnotherPageInABrowser(t *testing.T) {
	sc := newScene(t)
	var taken, loads atomic.Int32
	s := serve(t, &sc.host, func(s *Server) {
		inner := s.http.Handler
		s.http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case taken.Load() == 0, r.URL.Path == "/proof":
				inner.ServeHTTP(w, r)
			case r.URL.Path == "/icon.svg": // of the page that stands: browsers fetch it last
			case r.URL.Path == "/events":
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, "event: hello\ndata: {\"boot\":\"other\",\"build\":\"other\",\"keep\":1,\"now\":1}\n\n")
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			default:
				loads.Add(1)
			}
		})
	})
	b := startBrowser(t)
	p := b.open(s.URL(), look{w: 900, h: 900})
	p.until(`document.readyState === "complete"`)
	eval[bool](p, `window.old = true`)
	taken.Store(1)
	eval[bool](p, `connect(), true`)
	p.until(`!window.old || document.getElementById("notices")?.innerText.includes("another page than this one")`)
	if !eval[bool](p, `window.old === true`) || loads.Load() != 0 {
		t.Errorf("the page was loaded anew, and asked for %d things, because of what answers, want neither",
			loads.Load())
	}
}

// Another program on this machine serves a page on another port to the same
// browser. It gets no credential, with requests to itself or to Kehai, and its
// page reads nothing.
func TestAnotherPortInABrowser(t *testing.T) {
	sc := newScene(t)
	sc.act = func(context.Context, Act) error { return nil }
	s := serve(t, &sc.host)
	s.Listen(sc.hana.seen(t))
	b := startBrowser(t)
	own := b.open(s.URL(), look{w: 900, h: 900})
	own.until(`document.querySelector(".screen img")`)
	b.wantNoComplaints() // the page of the other port will

	requests := make(chan *http.Request, 100)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests <- r
		fmt.Fprint(w, "<!doctype html><title>other</title>")
	}))
	defer other.Close()
	p := b.tab(look{w: 900, h: 900})
	p.do("Page.navigate", map[string]any{"url": other.URL + "/page"}, nil)
	p.until(`document.title === "other"`)
	got := eval[map[string]string](p, fmt.Sprintf(stealing, "http://"+s.Addr()))
	for how, what := range got {
		if what != "" {
			t.Errorf("the page of another port gets %q by %s, want nothing", what, how)
		}
	}
	if len(got) != 9 {
		t.Errorf("%d ways were tried, want 9: %v", len(got), got)
	}
	sc.set(func(h *host) {
		if len(h.acts) > 0 {
			t.Errorf("the page of another port had %v done, want nothing", h.acts)
		}
	})

	// All that the other program has heard opens nothing when it is sent on.
	key := eval[string](own, `token`)
	close(requests)
	seen := 0
	for theft := range requests {
		seen++
		for _, path := range closedPaths {
			r := request(t, s, path)
			r.Header = theft.Header.Clone()
			r.Header.Del("Accept-Encoding")
			// a program leaves them out
			for _, h := range []string{"Origin", "Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest"} {
				r.Header.Del(h)
			}
			if resp, _ := do(t, r); resp.StatusCode != http.StatusUnauthorized {
				t.Errorf("GET %s with the headers of %s %s = %d, want 401", path, theft.Method, theft.URL,
					resp.StatusCode)
			}
		}
		for name, values := range theft.Header {
			if strings.Contains(strings.Join(values, " "), key) || name == "Cookie" || name == "Authorization" {
				t.Errorf("the other program is sent %s: %v", name, values)
			}
		}
	}
	if seen == 0 {
		t.Error("the other program heard no request")
	}
}

// stealing tries what a page can try against another origin. The value of each
// way is what it got.
const stealing = `(async () => {
	const kehai = %q, got = {};
	const loads = (tag, set) => new Promise((ok) => {
		const e = document.createElement(tag);
		e.onload = () => ok(tag === "img" ? "a picture" : "");
		e.onerror = () => ok("");
		set(e);
		document.body.append(e);
	});
	for (const path of ["/events", "/frame?window=line%%40mac-a", "/attention"]) {
		for (const mode of ["cors", "no-cors"]) {
			const r = await fetch(kehai + path, { mode, credentials: "include" }).catch(() => null);
			got[mode + " " + path] = r ? await r.text() : "";
		}
	}
	const act = { method: "POST", mode: "no-cors", credentials: "include", body: '{"verb":"pause_window"}' };
	await fetch(kehai + "/act", act).catch(() => null);
	got.image = await loads("img", (e) => { e.src = kehai + "/frame?window=line%%40mac-a"; });
	got.frame = await loads("iframe", (e) => { e.src = kehai + "/"; setTimeout(() => e.onerror(), 2000); });
	try { got.frame += frames[0].sessionStorage.getItem("token"); } catch { /* another origin */ }
	got.stored = (sessionStorage.getItem("token") || "") + document.cookie;
	return got;
})()`
