package web

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/kehai-run/kehai/runtime/control"
)

// routes builds the handler. What holds no private data is open, because the page's code
// must be loaded before it can send the token. Everything else requires the token.
func (s *Server) routes() http.Handler {
	open := http.NewServeMux()
	open.HandleFunc("GET /healthz", s.healthz)
	open.HandleFunc("POST /enter", s.enter)
	open.HandleFunc("GET /proof", s.proof)
	for _, a := range assets {
		open.HandleFunc("GET "+a.path, a.serve)
	}
	open.HandleFunc("GET /tracker/{name}", s.opts.Tracker.serve)

	closed := http.NewServeMux()
	closed.Handle("GET /metrics", s.opts.Metrics)
	closed.HandleFunc("GET /events", s.events)
	closed.HandleFunc("GET /frame", s.frame)
	closed.HandleFunc("GET /masked", s.masked)
	closed.HandleFunc("GET /pipeline", s.pipeline)
	closed.HandleFunc("GET /attention", s.history)
	closed.HandleFunc("POST /act", s.act)
	closed.HandleFunc("POST /faces", s.faces)
	s.talkRoutes(closed)
	open.Handle("/", s.authorised(map[control.PageRole]http.Handler{
		control.RoleOwner: closed, control.RoleGuest: s.guests(), control.RoleMeter: s.meters(),
	}))

	return guarded(open)
}

// guarded hardens every answer, and refuses what another site caused.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		harden(w.Header())
		if why := foreign(r); why != "" {
			http.Error(w, why, http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// harden sets the headers of every answer. The page loads nothing from elsewhere; nobody
// may frame it, cache it, or learn its address.
func harden(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; "+
		"img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// foreign returns why to refuse a request that another site caused, "" for any other
// request. Any port is accepted, so that an SSH tunnel works.
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
		// A link that somebody followed. It leads to the page's code, which holds no data.
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

// authorised lets requests through whose Authorization header has a key that holds, to what
// its role may have. A browser adds that header for the page's own code only.
func (s *Server) authorised(roles map[control.PageRole]http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, ok := s.admit(r)
		next := roles[v.Role] // a role of a later version has nothing
		if !ok || next == nil {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "This needs a key of the page: open the address that kehai page prints; programs take "+
				"a key of their own (kehai page --bearer, or --meter for /metrics).", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, with(r, v))
	})
}

// discardLog drops the HTTP server's own messages about broken connections.
func discardLog() *log.Logger { return log.New(io.Discard, "", 0) }
