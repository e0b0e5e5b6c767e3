package llm

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// Largest responses that are read, in bytes. An answer has some hundred tokens; a list of
// models, and an answer with a line for each token, may be long.
const (
	maxResponse = 256 << 10
	maxList     = 4 << 20
	maxFault    = 64 << 10 // of a failure
)

// transport carries requests to the one server of a client. It inserts the key, which
// nothing before it knows, limits and checks the response, and keeps what the server says
// about a failure.
type transport struct {
	next     http.RoundTripper
	own      *http.Transport // to close; nil for a host's transport
	base     *url.URL
	provider Provider
	key      Secret
	now      func() time.Time
}

func newTransport(o Options, base *url.URL) *transport {
	t := &transport{next: o.Transport, base: base, provider: o.Provider, key: o.Key, now: o.Now}
	if t.next == nil {
		t.own = httpTransport(o.Tier)
		t.next = t.own
	}
	return t
}

var errNotLocal = errors.New("the address is not on this machine")

// httpTransport connects to the addresses that the tier allows, with a proxy only in the
// cloud.
func httpTransport(tier Tier) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		MaxIdleConns: 4, IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
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

// client is an HTTP client over the transport that follows no redirects.
func (t *transport) client() *http.Client {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &http.Client{Transport: t, CheckRedirect: stay}
}

func (t *transport) close() {
	if t.own != nil {
		t.own.CloseIdleConnections()
	}
}

// exchange is what the transport and langchaingo's client do not tell each other about
// one question.
type exchange struct {
	stream bool // the answer is wanted while it is written
	// vectors are wanted, and no words.
	vectors bool
	token   func() // called for each token of a stream, thoughts included; may be nil

	err  *Error
	stop stop
}

type exchangeKey struct{}

func withExchange(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// RoundTrip implements http.RoundTripper. The response is limited, and in a form that
// langchaingo reads without trouble; of a failure it has only the status.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	x, ok := r.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		x = &exchange{}
	}
	resp, failure := t.trip(r)
	if failure != nil {
		x.err = failure
		if failure.status == 0 {
			return nil, failure
		}
		return response(r, failure.status, io.NopCloser(strings.NewReader("{}"))), nil
	}
	if x.stream {
		broken := func(err error) *Error { return t.unreachable(r.Context(), err) }
		return response(r, resp.StatusCode, newStream(wireOf(t.provider), resp, x, broken, t.unread)), nil
	}
	body, failure := t.whole(r, resp, x)
	if failure != nil {
		x.err = failure
		return nil, failure
	}
	return response(r, resp.StatusCode, io.NopCloser(bytes.NewReader(body))), nil
}

func response(r *http.Request, status int, body io.ReadCloser) *http.Response {
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: body, ContentLength: -1, Request: r,
	}
}

// trip sends a request with the key. A response has status 200 and must be closed.
func (t *transport) trip(r *http.Request) (*http.Response, *Error) {
	if r.URL.Host != t.base.Host || r.URL.Scheme != t.base.Scheme {
		return nil, &Error{Code: Unavailable, Text: "a request to another server than llm.base_url was stopped"}
	}
	r = r.Clone(r.Context())
	r.Header.Del("Authorization")
	r.Header.Del("X-Api-Key")
	switch {
	case t.key.Empty():
	case t.provider == Anthropic:
		r.Header.Set("X-Api-Key", t.key.Reveal())
	default:
		r.Header.Set("Authorization", "Bearer "+t.key.Reveal())
	}
	r.Header.Set("User-Agent", "kehai")
	resp, err := t.next.RoundTrip(r)
	switch {
	case err != nil:
		return nil, t.unreachable(r.Context(), err)
	case resp.StatusCode == http.StatusOK && !isPage(resp.Header.Get("Content-Type"), nil):
		return resp, nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxFault))
	if err != nil {
		body = nil // the status says enough
	}
	failed := ofResponse(resp.StatusCode, resp.Header.Get("Retry-After"), faultOfBody(body), t.now())
	if isPage(resp.Header.Get("Content-Type"), body) && resp.StatusCode/100 != 3 {
		return nil, pageOf(t.at(), resp.StatusCode, failed)
	}
	return nil, failed
}

// at is the server, for people.
func (t *transport) at() string { return t.base.Scheme + "://" + t.base.Host }

// unread is why a body with status 200 cannot be read: that it is no answer at all, rather than what its reader
// says.
func (t *transport) unread(body []byte, failure *Error) *Error {
	switch {
	case failure == nil || failure.Code != Malformed:
		return failure
	case isPage("", body):
		return pageOf(t.at(), http.StatusOK, nil)
	case len(bytes.TrimSpace(body)) == 0:
		failure = nothing()
	}
	return failure.of(t.at())
}

// whole reads a response to its end, and rewrites an answer for langchaingo's client. A
// list of models is unchanged.
func (t *transport) whole(r *http.Request, resp *http.Response, x *exchange) ([]byte, *Error) {
	defer resp.Body.Close()
	w, limit := wireOf(t.provider), maxResponse
	if r.Method == http.MethodGet || w.lines() || x.vectors {
		limit = maxList
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	switch {
	case err != nil:
		return nil, t.unreachable(r.Context(), err)
	case len(body) > limit:
		return nil, tooLong(limit)
	case r.Method == http.MethodGet && !json.Valid(body):
		return nil, t.unread(body, notJSON())
	case r.Method == http.MethodGet:
		return body, nil
	case x.vectors:
		list, failure := embeddings(t.provider, body)
		return encodeEmbeddings(t.provider, list), t.unread(body, failure)
	}
	a, failure := w.whole(body)
	if failure != nil {
		return nil, t.unread(body, failure)
	}
	x.stop = a.stop
	return w.encodeWhole(a), nil
}

// unreachable describes a failed connection in its own words: those of the error may
// quote more than the address.
func (t *transport) unreachable(ctx context.Context, err error) *Error {
	at := t.at()
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
		return &Error{Code: Unavailable, Text: "the name of " + at +
			" is not known: check llm.base_url and the network"}
	case errors.As(err, &unknown), errors.As(err, &name):
		return &Error{Code: Unavailable, Text: "the certificate of " + at + " is not trusted here"}
	}
	return &Error{Code: Unavailable, Text: "the connection to " + at + " failed"}
}
