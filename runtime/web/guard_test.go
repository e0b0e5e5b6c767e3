package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestTokenIsNeeded(t *testing.T) {
	s := serve(t, &host{})
	for path, want := range map[string]int{
		"/": 401, "/events": 401, "/frame?window=a": 401, "/page.js": 401, "/page.css": 401, "/icon.svg": 401, "/attention.js": 401, "/timeline.js": 401, "/attention": 401, "/nothing": 401,
		"/?t=": 401, "/?t=0123456789abcdef0123456789abcdef": 401, "/?t=" + s.secret: 401, "/?t=" + s.token[:31]: 401,
		"/healthz": 200, "/metrics": 404,
	} {
		r := request(t, s, path)
		r.Header.Del("Cookie")
		if resp, _ := do(t, r); resp.StatusCode != want {
			t.Errorf("GET %s without cookie = %d, want %d", path, resp.StatusCode, want)
		}
	}
	for _, value := range []string{"", "x", s.token, s.secret + "0", s.secret[:31]} {
		r := request(t, s, "/")
		r.Header.Set("Cookie", s.cookieName()+"="+value)
		if resp, _ := do(t, r); resp.StatusCode != 401 {
			t.Errorf("GET / with cookie %q = %d, want 401", value, resp.StatusCode)
		}
	}
}

func TestTokenIsTradedForCookie(t *testing.T) {
	s := serve(t, &host{})
	r := request(t, s, "/")
	r.URL, _ = url.Parse(s.URL())
	r.Header.Del("Cookie")
	resp, _ := do(t, r)
	if got := resp.Header.Get("Location"); resp.StatusCode != http.StatusSeeOther || got != "/" {
		t.Fatalf("GET with token = %d to %q, want 303 to /", resp.StatusCode, got)
	}
	cookies := resp.Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || strings.Contains(cookies[0].Value, s.token) {
		t.Fatalf("cookies = %v, want one that is HttpOnly, SameSite=Strict and not the token", cookies)
	}
	r = request(t, s, "/")
	r.Header.Del("Cookie")
	r.AddCookie(cookies[0])
	if resp, body := do(t, r); resp.StatusCode != 200 || !strings.Contains(body, "<title>Kehai</title>") {
		t.Errorf("GET / with the cookie = %d, want 200 and the page", resp.StatusCode)
	}
}

// A strict cookie does not come along a redirect that began at another site.
func TestTokenFromALinkElsewhere(t *testing.T) {
	s := serve(t, &host{})
	r := request(t, s, "/?t="+s.token)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	r.Header.Set("Sec-Fetch-Mode", "navigate")
	r.Header.Set("Sec-Fetch-Dest", "document")
	resp, _ := do(t, r)
	if got := resp.Header.Get("Refresh"); resp.StatusCode != 200 || got != "0; url=/" || len(resp.Cookies()) != 1 {
		t.Errorf("GET with token from another site = %d, Refresh %q, %d cookies, want 200, 0; url=/, 1", resp.StatusCode, got, len(resp.Cookies()))
	}
}

func TestRedirectStaysHere(t *testing.T) {
	s := serve(t, &host{})
	r := request(t, s, "/")
	r.URL.Opaque = "//" + s.Addr() + "//evil.example/%2e?t=" + s.token
	resp, _ := do(t, r)
	if to := resp.Header.Get("Location"); strings.HasPrefix(to, "//") || strings.Contains(to, "://") {
		t.Errorf("redirect of a doubled slash = %q, want a path of this server", to)
	}
}

func TestForeignRequestsAreRefused(t *testing.T) {
	s := serve(t, &host{})
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
		{"fetch of another port", "", map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"}, 403},
		{"fetch of another site", "", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403},
		{"frame of another site", "", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 403},
	} {
		for _, path := range []string{"/", "/healthz", "/page.js"} {
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
		for _, h := range []string{"Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Resource-Policy"} {
			if resp.Header.Get(h) == "" {
				t.Errorf("GET %s has no %s", path, h)
			}
		}
		if csp := resp.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
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
		if resp, _ := do(t, r); resp.StatusCode != http.StatusMethodNotAllowed && resp.StatusCode != http.StatusNotFound {
			t.Errorf("POST %s = %d, want 405", path, resp.StatusCode)
		}
	}
}
