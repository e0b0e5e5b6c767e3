//go:build browser

package web

import (
	"bytes"
	"context"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware/drawn"
)

// chromium finds the browser. This file is built on request only, so that a
// missing browser is a failure.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no Chromium in PATH: install the package chromium")
	return ""
}

// dump loads a page in a headless browser and returns its elements as they are
// once everything is loaded, and what the page's code complained about.
func dump(t *testing.T, url string) (dom, complaints string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium(t), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--disable-background-networking", "--no-first-run", "--user-data-dir="+t.TempDir(), "--window-size=1200,900",
		"--enable-logging=stderr", "--v=0", "--dump-dom", url)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, errs.String())
	}
	for line := range strings.Lines(errs.String()) {
		if strings.Contains(line, ":CONSOLE") {
			complaints += line
		}
	}
	return out.String(), complaints
}

// asked reports requests on their way to the page, by URI.
func asked(s *Server) <-chan string {
	uris := make(chan string, 100)
	inner := s.http.Handler
	s.http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		uris <- r.URL.RequestURI()
		inner.ServeHTTP(w, r)
	})
	return uris
}

func await(t *testing.T, uris <-chan string, part string) {
	t.Helper()
	timeout := time.After(time.Minute)
	for {
		select {
		case uri := <-uris:
			if strings.Contains(uri, part) {
				return
			}
		case <-timeout:
			t.Errorf("the browser never asked for %s", part)
			return
		}
	}
}

// One window is there when the page is loaded; a message and the other window
// come while it is open. The first picture is held back until the browser has
// asked for the second, which it does after it has drawn the message.
func TestPageInABrowser(t *testing.T) {
	sc := newScene(t)
	var uris <-chan string
	s := serve(t, &sc.host, func(s *Server) { uris = asked(s) })
	s.Listen(sc.hana.seen(t))
	sc.trouble(s)
	held := &s.hub.windows["line@mac-a"].picture
	held.mu.Lock()
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		defer held.mu.Unlock()
		await(t, uris, "/events")
		sc.deliver(s, 900, "生きているページ")
		sc.team.say(t, drawn.Friend, "One more thing")
		s.Listen(sc.team.seen(t))
		await(t, uris, "/frame?window=team")
	}()
	dom, complaints := dump(t, s.URL())
	<-opened
	if complaints != "" {
		t.Errorf("the page complains:\n%s", complaints)
	}
	for name, pattern := range map[string]string{
		"a message that was there":         `class="said"[^>]*lang="ja"[^>]*>OK。ケーキを買ってから行くね。`,
		"a message that came":              `<li class="new" data-key="900">.*生きているページ`,
		"markup in a message as text":      `&lt;b&gt;not bold&lt;/b&gt;`,
		"a message without text":           `class="said none"[^>]*>\(sticker\)<`,
		"an edited message":                `class="said gone"[^>]*>骨を直すには.*class="chip edited">edited</span><ins[^>]*>[^<]*7時に`,
		"a message that was taken back":    `class="said gone"[^>]*>おはよう！今日は何時に集合する？</p><ul class="changes"[^>]*><li[^>]*><span class="chip unsent">taken back<`,
		"a gap":                            `class="mark"[^>]*>.*class="chip gap">gap</span>.*messages may be missing here`,
		"a change of an older message":     `<del[^>]*>See you at nine</del> <ins[^>]*>See you at ten</ins>`,
		"an actor's kind":                  `<summary><span class="dot bad">dedup</span>`,
		"an actor":                         `class="key dot"[^>]*>line@mac-a<`,
		"a failing actor's error":          `class="error">last error: decode transcript`,
		"a mailbox with more in the store": `>41\+<`,
		"a pool":                           `<td>ocr</td><td>2 of 2</td>`,
		"dead letters":                     `2 dead letters: look at them with <code>kehai deadletters</code>`,
		"the picture":                      `<img alt="Newest frame of line@mac-a" src="/frame\?window=line%40mac-a`,
		"the second picture":               `<img alt="Newest frame of team@mac-a" src="/frame\?window=team%40mac-a`,
		"an incoming bubble":               `<rect [^>]*class="incoming" aria-label="incoming text: おはよう！今日は何時に集合する？"`,
		"an own bubble":                    `<rect [^>]*class="own" aria-label="own text: 10時に駅の北口でどう？"`,
		"a window without a frame":         `<figure class="window" data-key="old@mac-a">.*Waiting for a frame`,
		"a window that cannot be captured": `<figure class="window failing" data-key="team@mac-a"`,
		"the space notice":                 `<p class="notice bad"[^>]*>durable work is paused: 92 MiB free, 128 MiB needed; free some space<`,
		"the health":                       `class="pill bad" id="health"[^>]*>3 problems<`,
		"the connection":                   `class="link live"[^>]*>live<`,
	} {
		if !regexp.MustCompile(`(?s)` + pattern).MatchString(dom) {
			t.Errorf("the page lacks %s: no match of %s", name, pattern)
		}
	}
	if t.Failed() {
		t.Logf("%s", dom[strings.Index(dom, "<body"):])
	}
}

// The first stream breaks right after it began. What arrives before the browser
// is back must be on the page all the same.
func TestPageInABrowserReconnects(t *testing.T) {
	sc := newScene(t)
	var uris <-chan string
	s := serve(t, &sc.host, func(s *Server) {
		inner, broken := s.http.Handler, false
		s.http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/events" && !broken {
				broken = true // streams begin one after the other
				w.Header().Set("Content-Type", "text/event-stream")
				sc.deliver(s, 900, "途切れている間に")
				return
			}
			inner.ServeHTTP(w, r)
		})
		uris = asked(s)
	})
	s.Listen(sc.hana.seen(t))
	held := &s.hub.windows["line@mac-a"].picture
	held.mu.Lock()
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		defer held.mu.Unlock()
		await(t, uris, "/events")
		await(t, uris, "/events")
		s.Listen(sc.team.seen(t))
		await(t, uris, "/frame?window=team")
	}()
	dom, complaints := dump(t, s.URL())
	<-opened
	if n := strings.Count(dom, ">途切れている間に<"); n != 1 {
		t.Errorf("the message that came without a stream stands %d times on the page, want once", n)
	}
	if !strings.Contains(dom, ">live<") || strings.Contains(dom, "Connection lost") || complaints != "" {
		t.Errorf("the page does not say that it is live again, or complains: %s", complaints)
	}
}

func TestPageInABrowserWithoutToken(t *testing.T) {
	sc := newScene(t)
	s := serve(t, &sc.host)
	dom, _ := dump(t, "http://"+s.Addr()+"/")
	if !strings.Contains(dom, "This page needs its token") || strings.Contains(dom, "おはよう") {
		t.Errorf("the page without token = %.300s, want only that it needs one", dom)
	}
}
