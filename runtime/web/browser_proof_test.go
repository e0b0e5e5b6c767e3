//go:build browser

package web

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// recorded are the requests that came to a port.
type recorded struct {
	mu  sync.Mutex
	all []string // each with its headers and body
}

func (l *recorded) take(r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, fmt.Sprintf("%s %s %v %s", r.Method, r.URL, r.Header, body))
}

func (l *recorded) list() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}

// passed are the headers by which who sent them would be let in.
func (l *recorded) passed() (list []string) {
	for _, r := range l.list() {
		if _, at, ok := strings.Cut(r, "Authorization:["); ok {
			header, _, _ := strings.Cut(at, "]")
			list = append(list, header)
		}
	}
	return list
}

// wantNoKey checks that the key was sent to nobody, and that there was a question for a proof.
func (l *recorded) wantNoKey(t *testing.T, key string) {
	t.Helper()
	asked := false
	for _, r := range l.list() {
		asked = asked || strings.HasPrefix(r, "GET /proof?key=k-")
		if strings.Contains(r, key) {
			t.Errorf("somebody is sent the key: %s", r)
		}
	}
	if !asked {
		t.Errorf("nobody is asked for a proof: %v", l.list())
	}
}

// wantQuestionAlone checks that nothing but the question for a proof was sent, and that once.
func (l *recorded) wantQuestionAlone(t *testing.T) {
	t.Helper()
	list := slices.DeleteFunc(l.list(), func(r string) bool {
		return strings.HasPrefix(r, "GET /icon.svg ") // browsers fetch it when they like, without asking the page
	})
	if len(list) != 1 || !strings.HasPrefix(list[0], "GET /proof?key=k-") || len(l.passed()) > 0 {
		t.Errorf("the impostor is sent %v, want the question for a proof, once", list)
	}
}

// impostor takes the port of a server that has stopped.
func impostor(t *testing.T, addr string, answer http.HandlerFunc) (heard *recorded, stop func()) {
	t.Helper()
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	heard = &recorded{}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heard.take(r)
		answer(w, r)
	})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(ln)
	}()
	stop = sync.OnceFunc(func() {
		s.Close()
		<-done
	})
	t.Cleanup(stop)
	return heard, stop
}

// within has a part of a test use its browser.
func (b *browser) within(t *testing.T) {
	whole := b.t
	b.t = t
	t.Cleanup(func() { b.t = whole })
}

// kept is a page with conversations whose keys outlive it.
func kept(sessions *Sessions, k Talker, addr string) Options {
	o := (&host{attention: &Attention{Desk: "a"}}).options()
	o.Talk, o.Sessions, o.Mask = k, sessions, strings.ToUpper
	o.Addr = cmp.Or(addr, o.Addr)
	return o
}

// lies are what somebody may answer who does not know the key.
func lies(relay func(*http.Request) []byte) map[string]http.HandlerFunc {
	say := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	return map[string]http.HandlerFunc{
		"a proof made up": func(w http.ResponseWriter, r *http.Request) {
			json.NewEncoder(w).Encode(proved{Listens: r.Host, Salt: randomHex(), Proof: randomHex() + randomHex()})
		},
		"null":     say(http.StatusOK, "null"),
		"a page":   say(http.StatusOK, "<!doctype html><title>other</title>"),
		"an error": say(http.StatusServiceUnavailable, "busy"),
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		},
		"what a Kehai elsewhere answers": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Write(relay(r))
		},
	}
}

// TestAnImpostorInABrowser takes the port of a Kehai that has stopped while pages of it are open. None
// sends it a key or asks it twice; each says what may have happened and what to do. Pages go on by
// another address.
func TestAnImpostorInABrowser(t *testing.T) {
	sessions, k := NewSessions("", nil), newTalker()
	elsewhere, _ := serveOptions(t, kept(sessions, k, ""))
	relay := func(r *http.Request) []byte {
		on, err := http.NewRequestWithContext(r.Context(), http.MethodGet,
			"http://"+elsewhere.Addr()+r.URL.String(), nil)
		if err != nil {
			t.Error(err)
			return nil
		}
		on.Host = r.Host // what the page will check
		resp, err := httpClient.Do(on)
		if err != nil {
			t.Error(err)
			return nil
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return body
	}
	b := startBrowser(t)
	for name, lie := range lies(relay) {
		t.Run(name, func(t *testing.T) {
			b.within(t)
			s, stop := serveOptions(t, kept(sessions, k, ""))
			addr := s.Addr()
			p := b.open(s.URL(), look{w: 1200, h: 900})
			key := eval[string](p, "token")
			stop()
			heard, leave := impostor(t, addr, lie)
			p.until(`document.getElementById("link").textContent === "closed"`)
			for _, want := range []string{"did not prove that it is the Kehai",
				"Another program may have taken the port", "the key was taken back", "run kehai page"} {
				if got := p.text("#notices"); !strings.Contains(got, want) {
					t.Errorf("the page says %q, want %q in it", got, want)
				}
			}
			p.shoot("impostor")
			// What the page is asked for now goes nowhere, and what it could load has no key.
			if got := eval[int](p, `request("/events").then((r) => r.status)`); got != http.StatusUnauthorized {
				t.Errorf("a request of the page = %d, want 401", got)
			}
			if got := eval[string](p, `JSON.stringify([token, { ...sessionStorage }])`); strings.Contains(got, key) {
				t.Errorf("the page keeps %s, want no key", got)
			}
			heard.wantNoKey(t, key)
			heard.wantQuestionAlone(t)
			leave()
			again, stop := serveOptions(t, kept(sessions, k, addr))
			defer stop()
			p.do("Page.navigate", map[string]any{"url": again.URL()}, nil)
			p.until(allDrawn)
			p.close()
		})
	}
}

// hasty has a page wait for nothing longer than for a moment.
const hasty = `{
	const wait = setTimeout;
	setTimeout = (then, ms) => wait(then, Math.min(ms, 200));
}`

// TestAnImpostorBeforeEachPageInABrowser: the other pages do the same, those too that have no stream
// open by which they would notice that Kehai has stopped, and that of a guest.
func TestAnImpostorBeforeEachPageInABrowser(t *testing.T) {
	sessions, k := NewSessions("", nil), &mindful{Talker: newTalker()}
	b := startBrowser(t)
	for name, page := range map[string]struct {
		path, open, act string // act has the page ask for something; without it it does so by itself
		guest           bool
	}{
		"chat":     {path: "/chat", open: `el("list").children.length`, act: `open("c-1"), true`},
		"guest":    {path: "/chat", open: `el("link").textContent === "live" && talk.last !== ""`, guest: true},
		"camera":   {path: "/camera", open: `el("link").textContent === "live"`},
		"insights": {path: "/insights", open: `el("link").textContent === "live"`},
		"memory":   {path: "/memory", open: `kehai`, act: `el("words").value = "himitsu", search(), true`},
	} {
		t.Run(name, func(t *testing.T) {
			b.within(t)
			o := kept(sessions, k, "")
			s, stop := serveOptions(t, o)
			address := strings.Replace(s.URL(), "/#", page.path+"#", 1)
			if page.guest {
				var err error
				if address, err = s.GuestURL("c-1"); err != nil {
					t.Fatal(err)
				}
			}
			p := b.tab(look{w: 1200, h: 900})
			p.do("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": hasty}, nil)
			p.do("Page.navigate", map[string]any{"url": address}, nil)
			p.until(`typeof el === "function" && el("link") && ` + page.open)
			key := eval[string](p, "entered.then(() => token)")
			stop()
			heard, leave := impostor(t, s.Addr(), func(http.ResponseWriter, *http.Request) {})
			if page.act != "" {
				eval[bool](p, page.act)
			}
			p.until(`banner.textContent.includes("did not prove that it is the Kehai")`)
			p.until(`el("link").textContent === "locked"`)
			heard.wantNoKey(t, key)
			leave()
			// What was under way when Kehai stopped the browser may have sent again by itself.
			again, _ := serveOptions(t, kept(sessions, k, s.Addr()))
			for _, header := range heard.passed() {
				if _, ok := admits(again, header); ok || !strings.HasPrefix(header, "Sealed ") {
					t.Errorf("the impostor was sent %s, which opens the next Kehai: %v", header, ok)
				}
			}
			p.close()
		})
	}
}

// TestAProofInABrowser: when Kehai is back the page goes on by itself, and the first thing that it asks is
// the proof. Nothing that answers in between hears more, be it silent.
func TestAProofInABrowser(t *testing.T) {
	sessions, k := NewSessions("", nil), newTalker()
	s, stop := serveOptions(t, kept(sessions, k, ""))
	b := startBrowser(t)
	p := b.open(s.URL(), look{w: 1200, h: 900})
	key := eval[string](p, "token")
	stop()
	p.until(`document.getElementById("link").textContent === "reconnecting"`)
	silent, leave := impostor(t, s.Addr(), func(http.ResponseWriter, *http.Request) {
		panic(http.ErrAbortHandler) // breaks the connection
	})
	p.until(`wait > 2000`) // it was asked, and will be asked less often
	leave()
	silent.wantNoKey(t, key)
	if got := silent.passed(); len(got) > 0 {
		t.Errorf("who breaks each connection is sent %v, want no header that lets in", got)
	}

	o := kept(sessions, k, s.Addr())
	again, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	heard, inner := &recorded{}, again.http.Handler
	again.http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heard.take(r)
		inner.ServeHTTP(w, r)
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- again.Serve(ctx) }()
	defer func() {
		cancel()
		<-done
	}()
	p.until(allDrawn)
	list := heard.list()
	if len(list) < 2 || !strings.HasPrefix(list[0], "GET /proof?key=") || strings.Contains(list[0], "Authorization") ||
		!strings.HasPrefix(list[1], "GET /events ") || !strings.Contains(list[1], "Authorization:[Sealed k-") {
		t.Errorf("the Kehai that is back is asked %v, want the proof and then the stream, with a sealed key", list)
	}
	heard.wantNoKey(t, key)
	if got := p.text("#notices"); strings.Contains(got, "Connection lost") {
		t.Errorf("the page says %q, want nothing of a lost connection", got)
	}

	// Without what the check needs, the page that has lost its connection stops.
	eval[bool](p, `Object.defineProperty(crypto, "subtle", { value: undefined }), true`)
	if err := sessions.Revoke(AllKeys); err != nil {
		t.Fatal(err)
	}
	again.Listen(frameOf("line@a", 10, "x")) // which ends the stream of a key that is void
	p.until(`document.getElementById("notices").innerText.includes("lacks crypto.subtle")`)
}
