package llm

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"
)

// Largest responses that are read, in bytes. An answer has some hundred tokens; a
// list of models may be long.
const (
	maxResponse = 256 << 10
	maxList     = 4 << 20
)

// way is how requests get to the one server of a client. It puts in the key, so
// that nothing before it knows it, bounds and checks what comes back, and keeps
// what the server says about a failure.
type way struct {
	next     http.RoundTripper
	own      *http.Transport // to close; nil for a host's transport
	base     *url.URL
	provider Provider
	key      Secret
	now      func() time.Time
}

func newWay(o Options, base *url.URL) *way {
	w := &way{next: o.Transport, base: base, provider: o.Provider, key: o.Key, now: o.Now}
	if w.next == nil {
		w.own = newTransport(o.Tier)
		w.next = w.own
	}
	return w
}

var errNotLocal = errors.New("the address is not on this machine")

func newTransport(tier Tier) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		MaxIdleConns: 4, IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10,
	}
	if tier != TierCloud {
		t.Proxy = nil
		dialer.Control = func(_, address string, _ syscall.RawConn) error {
			if !loopbackPeer(address) {
				return errNotLocal
			}
			return nil
		}
	}
	return t
}

// client is an HTTP client over the way that follows no redirects.
func (w *way) client() *http.Client {
	return &http.Client{Transport: w, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func (w *way) close() {
	if w.own != nil {
		w.own.CloseIdleConnections()
	}
}

// seen is what the way learnt of the failure of one question.
type seen struct{ err *Error }

type seenKey struct{}

func withSeen(ctx context.Context) (context.Context, *seen) {
	s := &seen{}
	return context.WithValue(ctx, seenKey{}, s), s
}

// RoundTrip implements http.RoundTripper. What comes back has been read and is
// bounded; of a failure it has the status alone.
func (w *way) RoundTrip(r *http.Request) (*http.Response, error) {
	body, status, failure := w.trip(r)
	if failure != nil {
		if s, ok := r.Context().Value(seenKey{}).(*seen); ok {
			s.err = failure
		}
		if status == 0 {
			return nil, failure
		}
		body = []byte("{}")
	}
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)), Request: r,
	}, nil
}

func (w *way) trip(r *http.Request) (body []byte, status int, failure *Error) {
	if r.URL.Host != w.base.Host || r.URL.Scheme != w.base.Scheme {
		return nil, 0, &Error{Code: Unavailable, Text: "a request to another server than llm.base_url was stopped"}
	}
	r = r.Clone(r.Context())
	r.Header.Del("Authorization")
	r.Header.Del("X-Api-Key")
	switch {
	case w.key.Empty():
	case w.provider == Anthropic:
		r.Header.Set("X-Api-Key", w.key.Reveal())
	default:
		r.Header.Set("Authorization", "Bearer "+w.key.Reveal())
	}
	r.Header.Set("User-Agent", "kehai")
	resp, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, 0, w.unreachable(r.Context(), err)
	}
	defer resp.Body.Close()
	if failure := ofStatus(resp.StatusCode, resp.Header.Get("Retry-After"), w.now()); failure != nil {
		return nil, resp.StatusCode, failure
	}
	limit := maxResponse
	if r.Method == http.MethodGet {
		limit = maxList
	}
	body, err = io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	switch {
	case err != nil:
		return nil, 0, w.unreachable(r.Context(), err)
	case len(body) > limit:
		return nil, 0, &Error{Code: Malformed, Text: fmt.Sprintf("the server answered with more than %d KiB: check llm.base_url", limit>>10)}
	case !json.Valid(body):
		return nil, 0, &Error{Code: Malformed, Text: "the server's answer is no JSON: check llm.base_url and llm.provider"}
	}
	return body, resp.StatusCode, nil
}

// unreachable tells a failed connection in words of its own: those of the error
// may quote more than the address.
func (w *way) unreachable(ctx context.Context, err error) *Error {
	at := w.base.Scheme + "://" + w.base.Host
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	switch {
	case ctx.Err() != nil:
		return &Error{Code: Timeout, Text: "no answer in time from " + at}
	case errors.Is(err, errNotLocal):
		return &Error{Code: Refused, Text: at + " is not on this machine, and llm.tier is local"}
	case errors.Is(err, syscall.ECONNREFUSED):
		return &Error{Code: Unavailable, Text: "nobody listens at " + at + ": start the server, or check llm.base_url"}
	case errors.As(err, &dns):
		return &Error{Code: Unavailable, Text: "the name of " + at + " is not known: check llm.base_url and the network"}
	case errors.As(err, &unknown), errors.As(err, &name):
		return &Error{Code: Unavailable, Text: "the certificate of " + at + " is not trusted here"}
	}
	return &Error{Code: Unavailable, Text: "the connection to " + at + " failed"}
}
