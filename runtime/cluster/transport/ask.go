package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster"
)

// service answers the requests of members.
type service func(ctx context.Context, from string, request []byte) (answer []byte, err error)

const (
	askPath   = "/v1/ask/"
	maxHeader = 8 << 10
	// askWithin bounds how long a whole request may take to arrive.
	askWithin = time.Minute
	idle      = 2 * time.Minute
	maxWords  = 4 << 10 // of an error
)

type fromKey struct{}

// serveAsks sets up both ends of requests.
func (t *Transport) serveAsks() {
	t.server = &http.Server{
		Handler: http.HandlerFunc(t.answer), ReadHeaderTimeout: handshakeWithin, ReadTimeout: askWithin,
		IdleTimeout: idle, MaxHeaderBytes: maxHeader, ErrorLog: log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return t.ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, fromKey{}, c.(*conn))
		},
	}
	t.all.Go(func() { _ = t.server.Serve(t.asks) }) // ends with Close
	t.client = &http.Client{Transport: &http.Transport{
		DialTLSContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return t.dial(ctx, ctx.Value(askedKey{}).(string), protocolAsk)
		},
		MaxIdleConnsPerHost: 2, IdleConnTimeout: idle / 2, MaxResponseHeaderBytes: maxHeader,
	}}
}

type askedKey struct{}

// Answer implements [cluster.Network].
func (t *Transport) Answer(name string, by func(context.Context, string, []byte) ([]byte, error)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.services[name] != nil { // two packages have given one name to different things
		panic("transport: the service " + name + " is answered twice")
	}
	t.services[name] = by
}

func (t *Transport) answer(w http.ResponseWriter, r *http.Request) {
	c := r.Context().Value(fromKey{}).(*conn)
	c.busy.Add(1)
	defer c.busy.Add(-1)
	if c.still() != nil {
		panic(http.ErrAbortHandler) // expelled since it connected
	}
	name, ok := bytes.CutPrefix([]byte(r.URL.Path), []byte(askPath))
	t.mu.Lock()
	by := t.services[string(name)]
	t.mu.Unlock()
	if !ok || r.Method != http.MethodPost || by == nil {
		refuse(w, http.StatusNotFound, fmt.Errorf("transport: this version of Kehai has no service %q", name))
		return
	}
	request, err := io.ReadAll(http.MaxBytesReader(w, r.Body, cluster.MaxAsk))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Errorf("transport: more than %d bytes, or cut", cluster.MaxAsk))
		return
	}
	out, err := by(r.Context(), c.node, request)
	if c.still() != nil { // as it asked to leave
		w.Header().Set("Connection", "close")
	}
	if err == nil && len(out) > cluster.MaxAsk {
		err = fmt.Errorf("transport: the answer has more than %d bytes", cluster.MaxAsk)
	}
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(out) // who asked may be gone
}

func refuse(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	words := err.Error()
	_, _ = io.WriteString(w, words[:min(len(words), maxWords)])
}

// Ask implements [cluster.Network]. The address may also be the name of a member.
func (t *Transport) Ask(ctx context.Context, address, name string, request []byte) ([]byte, error) {
	if len(request) > cluster.MaxAsk {
		return nil, fmt.Errorf("transport: ask %s: %d bytes are too many", name, len(request))
	}
	ctx, done := context.WithCancel(context.WithValue(ctx, askedKey{}, address))
	defer done()
	defer context.AfterFunc(t.ctx, done)()
	u := url.URL{Scheme: "https", Host: address, Path: askPath + name}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(request))
	if err != nil {
		return nil, fmt.Errorf("transport: %w", err)
	}
	resp, err := t.client.Do(req)
	if wrapped := new(url.Error); errors.As(err, &wrapped) {
		err = wrapped.Err // without the address, which is no real one
	}
	if err != nil {
		return nil, fmt.Errorf("transport: ask %s: %w", name, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		words, _ := io.ReadAll(io.LimitReader(resp.Body, maxWords))
		return nil, errors.New(string(words))
	}
	out, err := io.ReadAll(io.LimitReader(resp.Body, cluster.MaxAsk+1))
	if err == nil && len(out) > cluster.MaxAsk {
		err = errors.New("the answer is too large")
	}
	if err != nil {
		return nil, fmt.Errorf("transport: ask %s: %w", name, err)
	}
	return out, nil
}
