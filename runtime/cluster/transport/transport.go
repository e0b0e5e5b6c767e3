package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/cluster/identity"
	"github.com/kehai-run/kehai/runtime/private"
)

// The ALPN names.
const (
	protocolLog = "kehai-log/1"
	protocolAsk = "kehai-ask/1"
)

const (
	handshakeWithin = 10 * time.Second
	maxConnections  = 256
)

// Options say how a member is connected.
type Options struct {
	Identity *identity.Identity
	Address  string           // where to listen: IP:PORT; "" listens nowhere, and only asks
	Now      func() time.Time // nil: the system's clock
	Dial     Dial             // nil: the system's
	// Refused is called for each connection that the handshake refused, with the reason. It may be nil.
	Refused func(remote net.Addr, err error)
	Guests  Guests
}

// Dial opens a connection, as [net.Dialer.DialContext] does.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Guests are machines that have no certificate yet.
type Guests struct {
	Protocol string                                 // ALPN
	Open     func(now time.Time) bool               // nil: never
	Serve    func(ctx context.Context, c *tls.Conn) // closes the connection
}

// Transport connects a member with the others. Its methods may be called concurrently.
type Transport struct {
	o      Options
	log    *queue
	asks   *queue
	server *http.Server
	client *http.Client
	ctx    context.Context // of what is served; ends with Close
	end    context.CancelFunc
	all    sync.WaitGroup

	mu       sync.Mutex
	listener net.Listener
	services map[string]service
	moved    map[string]string // by node: where it was met last
	open     map[*conn]bool
}

var _ cluster.Network = (*Transport)(nil)

// Listen opens the port.
func Listen(o Options) (*Transport, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Dial == nil {
		o.Dial = new(net.Dialer).DialContext
	}
	if o.Refused == nil {
		o.Refused = func(net.Addr, error) {}
	}
	t := &Transport{o: o, log: newQueue(), asks: newQueue(), services: map[string]service{},
		moved: map[string]string{}, open: map[*conn]bool{}}
	t.ctx, t.end = context.WithCancel(context.Background())
	t.serveAsks()
	if o.Address == "" {
		return t, nil
	}
	if err := t.Rebind(o.Address); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Rebind listens at another address; connections that are open stay.
func (t *Transport) Rebind(address string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil {
		return fmt.Errorf("transport: %w", cluster.ErrClosed)
	}
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("transport: listen for the other members: %w: set cluster.listen in the configuration", err)
	}
	if t.listener != nil {
		t.listener.Close()
	}
	t.listener = ln
	t.all.Go(func() { t.accept(private.Limit(ln, maxConnections)) })
	return nil
}

// Addr implements [cluster.Network].
func (t *Transport) Addr() net.Addr {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.listener.Addr()
}

func (t *Transport) accept(ln net.Listener) {
	for {
		c, err := ln.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // such as too many open files
			select {
			case <-t.ctx.Done():
				return
			case <-time.After(100 * time.Millisecond):
			}
		default:
			t.all.Go(func() { t.welcome(c) })
		}
	}
}

// welcome finds out who has connected, and hands it on.
func (t *Transport) welcome(raw net.Conn) {
	defer func() {
		if what := recover(); what != nil {
			raw.Close()
			t.o.Refused(raw.RemoteAddr(), fmt.Errorf("transport: panic: %v", what))
		}
	}()
	ctx, done := context.WithTimeout(t.ctx, handshakeWithin)
	defer done()
	c := tls.Server(raw, t.serverConfig())
	if err := c.HandshakeContext(ctx); err != nil {
		raw.Close()
		if t.ctx.Err() == nil {
			t.o.Refused(raw.RemoteAddr(), fmt.Errorf("transport: %w", err))
		}
		return
	}
	var to *queue
	switch state := c.ConnectionState(); state.NegotiatedProtocol {
	case protocolLog:
		to = t.log
	case protocolAsk:
		to = t.asks
	default:
		if state.NegotiatedProtocol == t.o.Guests.Protocol && t.o.Guests.Serve != nil {
			t.o.Guests.Serve(t.ctx, c)
		}
		c.Close()
		return
	}
	if m := t.keep(c); m == nil || !to.put(m) {
		c.Close()
	}
}

// keep counts a connection among the open ones, nil if its peer was expelled meanwhile.
func (t *Transport) keep(c *tls.Conn) *conn {
	peer := c.ConnectionState().PeerCertificates[0]
	k := &conn{Conn: c, node: peer.Subject.CommonName, still: func() error {
		_, err := t.o.Identity.Admits(peer, t.o.Now())
		return err
	}}
	k.end = sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.open, k)
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil || k.still() != nil {
		return nil
	}
	t.open[k] = true
	return k
}

// conn is a connection with a member.
type conn struct {
	net.Conn
	node  string
	still func() error // whether it is one
	end   func()
	busy  atomic.Int32 // requests that are being answered
}

// Close implements [net.Conn].
func (c *conn) Close() error {
	c.end()
	return c.Conn.Close()
}

// Sweep cuts the connections of former members. Call it whenever the book has changed, and
// now and then, because certificates run out.
func (t *Transport) Sweep() {
	t.mu.Lock()
	var gone []*conn
	for c := range t.open {
		if c.busy.Load() == 0 && c.still() != nil { // else it is told, and then cut
			gone = append(gone, c)
		}
	}
	t.mu.Unlock()
	for _, c := range gone {
		c.Close()
	}
	t.client.CloseIdleConnections()
}

func (t *Transport) serverConfig() *tls.Config {
	return &tls.Config{GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		g := t.o.Guests
		if g.Open != nil && slices.Contains(h.SupportedProtos, g.Protocol) && g.Open(t.o.Now()) {
			cfg := t.baseConfig(g.Protocol)
			cfg.VerifyConnection = nil // it has no certificate yet
			return cfg, nil
		}
		cfg := t.baseConfig(protocolLog, protocolAsk)
		cfg.ClientAuth = tls.RequireAnyClientCert // VerifyConnection looks at it
		return cfg, nil
	}}
}

func (t *Transport) baseConfig(protocols ...string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: protocols, SessionTicketsDisabled: true,
		Certificates:     []tls.Certificate{*t.o.Identity.Certificate()},
		VerifyConnection: func(s tls.ConnectionState) error { return t.verify(s, "") },
	}
}

// verify checks a peer against the book. A node may be wanted.
func (t *Transport) verify(s tls.ConnectionState, want string) error {
	if len(s.PeerCertificates) == 0 || s.NegotiatedProtocol == "" {
		return errors.New("transport: who connects is no Kehai")
	}
	m, err := t.o.Identity.Admits(s.PeerCertificates[0], t.o.Now())
	if err == nil && want != "" && m.Node != want {
		err = fmt.Errorf("transport: %s answers where %s was", m.Node, want)
	}
	return err
}

// Moved notes where a member was met.
func (t *Transport) Moved(node, address string) {
	if identity.CheckAddress(address) != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.moved[node] = address
}

// places are where a member at an address may be now, the likeliest first, and its node, ""
// if the book does not know it.
func (t *Transport) places(address string) (node string, list []string) {
	for _, m := range t.o.Identity.Book().Members {
		if m.Address == address || m.Node == address {
			node, address = m.Node, m.Address
			break
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if now, ok := t.moved[node]; ok && now != address {
		list = append(list, now)
	}
	return node, append(list, address)
}

// Dial implements [cluster.Network]. The address may also be the name of a member.
func (t *Transport) Dial(address string, timeout time.Duration) (net.Conn, error) {
	ctx, done := context.WithTimeout(t.ctx, timeout)
	defer done()
	return t.dial(ctx, address, protocolLog)
}

func (t *Transport) dial(ctx context.Context, address, protocol string) (c net.Conn, err error) {
	node, list := t.places(address)
	for _, at := range list {
		var next error
		if c, next = t.dialAt(ctx, at, node, protocol); next == nil {
			return c, nil
		}
		err = errors.Join(err, next)
	}
	return nil, err
}

func (t *Transport) dialAt(ctx context.Context, address, node, protocol string) (net.Conn, error) {
	ctx, done := context.WithTimeout(ctx, handshakeWithin)
	defer done()
	raw, err := t.o.Dial(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("transport: %w", err)
	}
	cfg := t.baseConfig(protocol)
	cfg.InsecureSkipVerify = true // the system's authorities do not count; VerifyConnection decides
	cfg.VerifyConnection = func(s tls.ConnectionState) error { return t.verify(s, node) }
	c := tls.Client(raw, cfg)
	if err := c.HandshakeContext(ctx); err != nil {
		raw.Close()
		return nil, fmt.Errorf("transport: %s: %w", address, err)
	}
	if k := t.keep(c); k != nil {
		return k, nil
	}
	c.Close()
	return nil, fmt.Errorf("transport: %s: %w", address, cluster.ErrClosed)
}

// Accept implements [cluster.Network].
func (t *Transport) Accept() (net.Conn, error) { return t.log.Accept() }

// Close implements [cluster.Network].
func (t *Transport) Close() error {
	t.mu.Lock()
	t.end()
	if t.listener != nil {
		t.listener.Close()
	}
	var left []*conn
	for c := range t.open {
		left = append(left, c)
	}
	t.mu.Unlock()
	t.log.Close()
	t.asks.Close()
	t.server.Close()
	for _, c := range left {
		c.Close()
	}
	t.client.CloseIdleConnections()
	t.all.Wait()
	return nil
}

// queue is a listener of connections that were accepted elsewhere.
type queue struct {
	list chan net.Conn
	done chan struct{}
	end  func()
}

func newQueue() *queue {
	q := &queue{list: make(chan net.Conn), done: make(chan struct{})}
	q.end = sync.OnceFunc(func() { close(q.done) })
	return q
}

func (q *queue) put(c net.Conn) bool {
	select {
	case q.list <- c:
		return true
	case <-q.done:
		return false
	}
}

// Accept implements [net.Listener].
func (q *queue) Accept() (net.Conn, error) {
	select {
	case c := <-q.list:
		return c, nil
	case <-q.done:
		return nil, fmt.Errorf("transport: %w", net.ErrClosed)
	}
}

// Close implements [net.Listener].
func (q *queue) Close() error { q.end(); return nil }

// Addr implements [net.Listener].
func (q *queue) Addr() net.Addr { return nowhere{} }

type nowhere struct{}

func (nowhere) Network() string { return "tcp" }
func (nowhere) String() string  { return "cluster" }
