package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// routes builds the handler: what needs the token, what does not, and the
// checks before both.
func (s *Server) routes() http.Handler {
	open := http.NewServeMux()
	open.HandleFunc("GET /healthz", s.healthz)
	open.Handle("GET /metrics", s.opts.Metrics)

	private := http.NewServeMux()
	private.HandleFunc("GET /{$}", s.page)
	private.HandleFunc("GET /events", s.events)
	private.HandleFunc("GET /frame", s.frame)
	private.HandleFunc("GET /masked", s.masked)
	private.HandleFunc("GET /pipeline", s.pipeline)
	private.HandleFunc("GET /attention", s.history)
	private.HandleFunc("POST /act", s.act)
	private.HandleFunc("GET /page.css", asset("page.css", "text/css; charset=utf-8"))
	private.HandleFunc("GET /page.js", asset("page.js", "text/javascript; charset=utf-8"))
	private.HandleFunc("GET /attention.js", asset("attention.js", "text/javascript; charset=utf-8"))
	private.HandleFunc("GET /pipeline.js", asset("pipeline.js", "text/javascript; charset=utf-8"))
	private.HandleFunc("GET /timeline.js", asset("timeline.js", "text/javascript; charset=utf-8"))
	private.HandleFunc("GET /icon.svg", asset("icon.svg", "image/svg+xml"))
	open.Handle("/", s.authorised(private))

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		harden(w.Header())
		if why := foreign(r); why != "" {
			http.Error(w, why, http.StatusForbidden)
			return
		}
		open.ServeHTTP(w, r)
	})
}

// harden sets what every answer carries: nothing is loaded from elsewhere,
// nothing is framed, kept or sent on.
func harden(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// foreign says why a request does not come from this machine's own browser on
// this page; "" if it does. The port is free, so that an SSH tunnel works.
func foreign(r *http.Request) string {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if !loopbackName(strings.Trim(host, "[]")) {
		return "This page answers to 127.0.0.1 and localhost only."
	}
	if origin, ok := r.Header["Origin"]; ok && (len(origin) != 1 || origin[0] != "http://"+r.Host) {
		return "Requests of other sites are refused."
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); {
	case site == "", site == "same-origin", site == "none":
	case r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document":
		// a link somebody followed; the cookie or the token still decides
	default:
		return "Requests of other sites are refused."
	}
	return ""
}

func loopbackName(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// cookieName has the port in it, so that two runtimes on one machine do not
// log each other out.
func (s *Server) cookieName() string {
	_, port, _ := net.SplitHostPort(s.Addr())
	return "kehai_" + port
}

func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// authorised lets requests with the cookie through, and trades the token of
// the printed URL for the cookie.
func (s *Server) authorised(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if query.Has("t") {
			if !equal(query.Get("t"), s.token) {
				refuse(w)
				return
			}
			s.welcome(w, r, query)
			return
		}
		for _, c := range r.CookiesNamed(s.cookieName()) {
			if equal(c.Value, s.secret) {
				next.ServeHTTP(w, r)
				return
			}
		}
		refuse(w)
	})
}

// welcome sets the cookie and leads to the URL without the token.
func (s *Server) welcome(w http.ResponseWriter, r *http.Request, query url.Values) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Value: s.secret, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	query.Del("t")
	clean := url.URL{Path: r.URL.Path, RawQuery: query.Encode()}
	if !strings.HasPrefix(clean.Path, "/") || strings.HasPrefix(clean.Path, "//") {
		clean.Path = "/"
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		// A strict cookie is not sent along a redirect that another site began.
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Refresh", "0; url="+clean.String())
		fmt.Fprint(w, "<!doctype html><title>Kehai</title>")
		return
	}
	http.Redirect(w, r, clean.String(), http.StatusSeeOther)
}

func refuse(w http.ResponseWriter) {
	http.Error(w, "This page needs its token: open the address that Kehai printed when it started (kehai status shows it again).",
		http.StatusUnauthorized)
}

// quiet takes the HTTP server's own complaints about broken connections.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
