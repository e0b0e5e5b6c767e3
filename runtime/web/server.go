package web

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Errors of [New].
var (
	ErrNotLoopback = errors.New("web: the page shows private messages and listens on this machine only")
	ErrPortInUse   = errors.New("web: port in use")
)

// Server is the live page. Make it with [New]; its methods may be called
// concurrently.
type Server struct {
	opts Options
	ln   net.Listener
	boot string // names this process in event ids
	hub  *hub
	http *http.Server

	salt, secret string // of this process, for proofs; nobody is told the secret

	sessions *Sessions // nil if the host gave the only key
	token    string    // which is this

	talks atomic.Int64 // open streams of conversations

	conns   sync.WaitGroup
	closing chan struct{}
	once    sync.Once
}

// Bounds of the HTTP server.
const (
	headerTimeout = 5 * time.Second
	idleTimeout   = 2 * time.Minute
	writeTimeout  = 30 * time.Second // of one answer, or one event of a stream
	stopTimeout   = 3 * time.Second
	maxHeader     = 16 << 10
)

// New checks the options and opens the port, so [Server.URL] works from then on. Call
// Serve or Close afterwards. Errors wrap [ErrNotLoopback] and [ErrPortInUse] and say what
// to change.
func New(o Options) (*Server, error) {
	if o.Status == nil || o.Timeline == nil {
		return nil, errors.New("web: Status and Timeline are required")
	}
	if (o.Attention == nil) != (o.Changes == nil) {
		return nil, errors.New("web: Attention and Changes belong together")
	}
	if o.Token != "" && len(o.Token) < 16 {
		return nil, errors.New("web: the token is too short to be secret: " +
			"give at least 16 characters, or none for a random one")
	}
	if strings.ContainsFunc(o.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("web: the token goes into a header: use visible ASCII characters only")
	}
	if o.Health == nil {
		o.Health = func() error { return nil }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Metrics == nil {
		o.Metrics = http.NotFoundHandler()
	}
	ln, err := listen(o.Addr)
	if err != nil {
		return nil, err
	}
	s := &Server{opts: o, ln: newLimiter(ln), boot: randomHex()[:8], hub: newHub(),
		salt: randomHex(), secret: randomHex(),
		closing: make(chan struct{})}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	s.http = &http.Server{
		Handler: s.routes(), ReadHeaderTimeout: headerTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader, ErrorLog: discardLog(), ConnState: s.count, ConnContext: through,
	}
	return s, nil
}

func randomHex() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// listen opens a port on the loopback interface and on no other.
func listen(addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("web: address %q: want host:port, for example %s: %w", addr, DefaultAddr, err)
	}
	if !loopbackName(host) {
		return nil, fmt.Errorf("%w: %q is not a loopback address: use 127.0.0.1:%s, and an SSH tunnel from elsewhere",
			ErrNotLoopback, addr, port)
	}
	ln, err := net.Listen("tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%w: %s: another Kehai or another program has port %s: "+
			"set web.addr to a free port (127.0.0.1:0 takes any), or start with --no-web: %w",
			ErrPortInUse, addr, port, err)
	case err != nil:
		return nil, fmt.Errorf("web: listen on %s: %w", addr, err)
	}
	// A hosts file may map localhost to anything.
	if tcp, ok := ln.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return nil, errors.Join(fmt.Errorf("%w: %q resolves to %s: use 127.0.0.1:%s", ErrNotLoopback,
			addr, ln.Addr(), port),
			ln.Close())
	}
	return ln, nil
}

// Addr is where the page listens, host:port.
func (s *Server) Addr() string { return s.ln.Addr().String() }

// Serve answers requests until ctx ends. When it returns, the port is closed
// and no goroutine of the server is left. It may be called once.
func (s *Server) Serve(ctx context.Context) error {
	served := make(chan error, 1)
	go func() { served <- s.http.Serve(s.ln) }()
	var err error
	select {
	case <-ctx.Done():
	case err = <-served:
		served <- nil
	}
	s.stop()
	<-served
	s.conns.Wait()
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("web: serve on %s: %w", s.Addr(), err)
	}
	return nil
}

// count counts open connections. The accepting goroutine reports new ones, and each
// connection's goroutine reports its end as the last thing it does.
func (s *Server) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.conns.Done()
	}
}

// stop ends the streams, waits a moment for other requests and then ends those too.
func (s *Server) stop() {
	s.once.Do(func() { close(s.closing) })
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		s.http.Close()
	}
}

// Close frees the port of a server that never served. After Serve it does nothing.
func (s *Server) Close() error {
	s.once.Do(func() { close(s.closing) })
	if err := s.ln.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("web: close %s: %w", s.Addr(), err)
	}
	return nil
}
