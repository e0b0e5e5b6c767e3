package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

// closedPaths are the paths that hold data.
var closedPaths = []string{"/events", "/frame?window=line@a", "/masked?window=line@a", "/pipeline?window=line@a",
	"/attention", "/nothing"}

func TestTokenIsNeeded(t *testing.T) {
	s := serve(t, &host{attention: &Attention{Desk: "a"}})
	s.Listen(frameOf("line@a", 10, "x"))
	for name, change := range map[string]func(*http.Request){
		"nothing":                 func(*http.Request) {},
		"an empty token":          func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") },
		"another token":           func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+randomHex()) },
		"half of the token":       func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+keyOf(t, s)[:16]) },
		"no scheme":               func(r *http.Request) { r.Header.Set("Authorization", keyOf(t, s)) },
		"the token in the query":  func(r *http.Request) { r.URL.RawQuery += "&t=" + keyOf(t, s) },
		"the token in a cookie":   func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "t", Value: keyOf(t, s)}) },
		"the token as a password": func(r *http.Request) { r.SetBasicAuth("t", keyOf(t, s)) },
	} {
		for _, path := range closedPaths {
			r := request(t, s, path)
			r.Header.Del("Authorization")
			change(r)
			resp, body := do(t, r)
			if resp.StatusCode != http.StatusUnauthorized || !strings.Contains(body, "kehai page") ||
				len(resp.Cookies()) > 0 {
				t.Errorf("GET %s with %s = %d %q, want 401 and what to do", path, name, resp.StatusCode, body)
			}
		}
	}
	for path, want := range map[string]int{
		"/frame?window=line@a": 200, "/masked?window=line@a": 200, "/pipeline?window=line@a": 200,
		"/attention": 200, "/nothing": 404,
	} {
		if resp, _ := do(t, request(t, s, path)); resp.StatusCode != want {
			t.Errorf("GET %s with the token = %d, want %d", path, resp.StatusCode, want)
		}
	}
}

// The page's code comes without the token. It must hold nothing of anybody, and
// nothing may set a cookie: browsers send cookies to every port of a host.
func TestTheShellHoldsNoData(t *testing.T) {
	h := &host{status: Status{Node: "himitsu", Windows: []messages.WindowID{"himitsu"}}}
	s := serve(t, h)
	h.deliver(s, 4, "himitsu")
	s.Listen(frameOf("line@a", 10, "himitsu"))
	for _, path := range []string{"/", "/?t=" + keyOf(t, s), "/page.css", "/shown.js", "/connection.js", "/page.js",
		"/attention.js", "/timeline.js", "/pipeline.js", "/icon.svg", "/insights", "/insights.js",
		"/memory", "/memory.js", "/parts.js", "/camera", "/camera.js", "/healthz"} {
		r := request(t, s, path)
		r.Header.Del("Authorization")
		resp, body := do(t, r)
		if resp.StatusCode != http.StatusOK || len(resp.Cookies()) > 0 {
			t.Errorf("GET %s = %d with cookies %v, want 200 and none", path, resp.StatusCode, resp.Cookies())
		}
		for _, words := range []string{"himitsu", keyOf(t, s), s.boot} {
			if strings.Contains(body, words) {
				t.Errorf("GET %s holds %q", path, words)
			}
		}
	}
}

func TestForeignRequestsAreRefused(t *testing.T) {
	s := serve(t, &host{attention: &Attention{Desk: "a"}})
	_, port, _ := strings.Cut(s.Addr(), ":")
	for _, tt := range []struct {
		name   string
		host   string
		header map[string]string
		want   int
	}{
		{"own", "", nil, 200},
		{"localhost", "localhost:" + port, nil, 200},
		{"through a tunnel", "localhost:9999", nil, 200},
		{"IPv6", "[::1]:" + port, nil, 200},
		{"rebound name", "evil.example:" + port, nil, 403},
		{"rebound name without port", "evil.example", nil, 403},
		{"name that begins like ours", "127.0.0.1.evil.example", nil, 403},
		{"address of the network", "192.168.1.7:" + port, nil, 403},
		{"own origin", "", map[string]string{"Origin": "http://127.0.0.1:" + port}, 200},
		{"other origin", "", map[string]string{"Origin": "http://evil.example"}, 403},
		{"other port", "", map[string]string{"Origin": "http://127.0.0.1:1"}, 403},
		{"null origin", "", map[string]string{"Origin": "null"}, 403},
		{"same origin fetch", "", map[string]string{"Sec-Fetch-Site": "same-origin"}, 200},
		{"fetch of another port", "", map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"},
			403},
		{"fetch of another site", "", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
			403},
		{"frame of another site", "", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate",
			"Sec-Fetch-Dest": "iframe"}, 403},
	} {
		for _, path := range []string{"/", "/healthz", "/attention"} {
			r := request(t, s, path)
			if tt.host != "" {
				r.Host = tt.host
			}
			for k, v := range tt.header {
				r.Header.Set(k, v)
			}
			if resp, _ := do(t, r); resp.StatusCode != tt.want {
				t.Errorf("%s: GET %s = %d, want %d", tt.name, path, resp.StatusCode, tt.want)
			}
		}
	}
}

func TestAnswersAreHardened(t *testing.T) {
	s := serve(t, &host{})
	for _, path := range []string{"/", "/healthz", "/page.css", "/nothing"} {
		resp, _ := do(t, request(t, s, path))
		for _, h := range []string{"Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy",
			"Cross-Origin-Resource-Policy"} {
			if resp.Header.Get(h) == "" {
				t.Errorf("GET %s has no %s", path, h)
			}
		}
		if csp := resp.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") ||
			strings.Contains(csp, "unsafe") {
			t.Errorf("GET %s: policy %q, want default-src 'none' and nothing unsafe", path, csp)
		}
		if got := resp.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("GET %s: Cache-Control = %q, want no-store", path, got)
		}
	}
}

func TestOnlyReading(t *testing.T) {
	s := serve(t, &host{})
	for _, path := range []string{"/", "/events", "/healthz", "/frame", "/attention"} {
		r := request(t, s, path)
		r.Method = "POST"
		if resp, _ := do(t, r); resp.StatusCode != http.StatusMethodNotAllowed &&
			resp.StatusCode != http.StatusNotFound {
			t.Errorf("POST %s = %d, want 405", path, resp.StatusCode)
		}
	}
}
