package feed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/private"
)

// Options of a feed.
type Options struct {
	Socket string // path of the Unix socket, mode 0600; "" for none
	Addr   string // host:port for HTTP; the host must be a loopback address; "" for none
	Token  string // required over HTTP; at least 16 characters
	// Sink takes what was read. It may be called from several goroutines at once. An
	// error means that it was not taken; the error is not shown.
	Sink func(messages.Message) error
	// Check says what is wrong with the points of a face, for the tracker to hear; nil
	// checks nothing beyond numbers.
	Check func([]messages.Point) error
	// Trouble is called with the reason why nobody can connect for now; the feed tries again.
	// It may be called from several goroutines at once, and may be nil.
	Trouble func(error)
}

// ErrOptions marks options that cannot be used.
var ErrOptions = errors.New("feed: bad options")

// Bounds of the server.
const (
	maxConnections = 4                // on the socket; a camera has one tracker
	maxPosting     = 64               // connections of HTTP
	answerTimeout  = 2 * time.Second  // for a client that does not read its answers
	maxBody        = 8 << 20          // of a request
	maxBodies      = 4                // requests being read at once
	requestTimeout = 30 * time.Second // to read a request and answer it
)

// Server is a feed. Make it with New.
type Server struct {
	o      Options
	socket net.Listener
	port   net.Listener
	http   *http.Server

	sessions atomic.Uint64

	mu    sync.Mutex
	open  map[net.Conn]bool
	conns sync.WaitGroup

	lease lease
	now   func() time.Time

	bodies chan struct{} // requests being read
	posts  sync.Mutex
	posted sessionCache // sessions of HTTP
}

// New opens the socket and the port. Serve or Close must follow.
func New(o Options) (*Server, error) {
	if o.Sink == nil || o.Addr != "" && len(o.Token) < 16 {
		return nil, fmt.Errorf("%w: want a sink, and for HTTP a token of at least 16 characters", ErrOptions)
	}
	s := newServer(o)
	if o.Socket != "" {
		// The caller holds the data directory's lock, so an existing socket was left
		// behind by a killed process.
		ln, err := private.Listen(o.Socket)
		if err != nil {
			return nil, fmt.Errorf("feed: %w", err)
		}
		s.socket = newRetryListener(ln, o.Trouble)
	}
	if o.Addr != "" {
		ln, err := listenPort(o.Addr)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.port = newRetryListener(private.Limit(ln, maxPosting), o.Trouble)
		s.http = &http.Server{
			Handler: s.handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: requestTimeout,
			WriteTimeout:   requestTimeout,
			MaxHeaderBytes: 16 << 10,
		}
	}
	return s, nil
}

func newServer(o Options) *Server {
	return &Server{o: o, open: map[net.Conn]bool{}, now: time.Now, bodies: make(chan struct{}, maxBodies)}
}

func listenPort(addr string) (net.Listener, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("feed: listen on %s: "+
			"set focus.feed_addr to a free port (127.0.0.1:0 takes any) or to nothing: %w", addr, err)
	}
	if tcp, ok := ln.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return nil, errors.Join(fmt.Errorf("%w: %s is not a loopback address: use 127.0.0.1, "+
			"trackers run on this machine",
			ErrOptions, addr), ln.Close())
	}
	return ln, nil
}

// Addr returns where HTTP is served, host:port; "" for nowhere.
func (s *Server) Addr() string {
	if s.port == nil {
		return ""
	}
	return s.port.Addr().String()
}

// Close frees what a server opened that never served. Otherwise it does nothing.
func (s *Server) Close() error {
	var errs []error
	for _, ln := range []net.Listener{s.socket, s.port} {
		if ln == nil {
			continue
		}
		if err := ln.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			errs = append(errs, fmt.Errorf("feed: close: %w", err))
		}
	}
	return errors.Join(errs...)
}

// Serve reads until ctx ends. When it returns, everything is closed and no
// goroutine is left.
func (s *Server) Serve(ctx context.Context) error {
	failed := make(chan error, 2)
	var loops sync.WaitGroup
	if s.socket != nil {
		loops.Go(func() { failed <- s.accept() })
	}
	if s.http != nil {
		loops.Go(func() { failed <- s.http.Serve(s.port) })
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	if s.http != nil {
		s.http.Close()
	}
	closed := s.Close()
	s.mu.Lock()
	for conn := range s.open {
		conn.Close()
	}
	s.mu.Unlock()
	loops.Wait()
	s.conns.Wait()
	if ctx.Err() == nil {
		return fmt.Errorf("feed: serve: %w", err)
	}
	return closed
}

// accept serves connections on the socket until it is closed.
func (s *Server) accept() error {
	for {
		conn, err := s.socket.Accept()
		if err != nil {
			return err
		}
		s.mu.Lock()
		full := len(s.open) >= maxConnections
		if !full {
			s.open[conn] = true
		}
		s.mu.Unlock()
		if full {
			answer(conn, reply{Code: CodeBusy, Error: "feed: too many trackers are connected: close one"})
			conn.Close()
			continue
		}
		s.conns.Go(func() {
			s.follow(conn)
			s.mu.Lock()
			delete(s.open, conn)
			s.mu.Unlock()
			conn.Close()
		})
	}
}

// reply is the answer to one line.
type reply struct {
	OK    bool   `json:"ok"`
	Line  int    `json:"line,omitempty"`
	Code  string `json:"code,omitempty"`
	Error string `json:"error,omitempty"`
}

// follow reads one connection to its end.
func (s *Server) follow(conn net.Conn) {
	own := session{name: "socket-" + strconv.FormatUint(s.sessions.Add(1), 10)}
	defer s.lease.end(own.name)
	in := newLineReader(conn)
	for {
		text, long, err := in.next()
		if err != nil {
			return // the client went away, or the server is stopping
		}
		r, wanted := s.take(&own, text, long)
		r.Line = in.n
		if wanted && answer(conn, r) != nil {
			return // nobody reads the answers
		}
	}
}

// take passes one line on. wanted reports whether the client expects an answer.
func (s *Server) take(own *session, text []byte, long bool) (r reply, wanted bool) {
	if long {
		return failure(bad(CodeLong, "a line is longer than %d bytes", MaxLine)), true
	}
	msg, ack, err := own.parse(text)
	if err != nil {
		return failure(err), true
	}
	if msg == nil {
		return reply{OK: true}, ack
	}
	if f, ok := msg.(messages.FaceFrame); ok && len(f.Points) > 0 && s.o.Check != nil {
		if err := s.o.Check(f.Points); err != nil {
			return failure(bad(CodePoints, "%v", err)), true
		}
	}
	if !s.lease.take(own.name, s.now()) {
		return failure(bad(CodeBusy, "another tracker is at work: run one for each camera, "+
			"or end the other and wait %v",
			leaseTime)), true
	}
	if s.o.Sink(msg) != nil {
		return failure(bad(CodeBusy, "not taken now")), true
	}
	return reply{OK: true}, ack
}

func failure(err error) reply {
	var bad *LineError
	if errors.As(err, &bad) {
		return reply{Code: bad.Code, Error: bad.Error()}
	}
	return reply{Code: CodeJSON, Error: err.Error()}
}

func answer(conn net.Conn, r reply) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := conn.SetWriteDeadline(time.Now().Add(answerTimeout)); err != nil {
		return err
	}
	_, err = conn.Write(append(raw, '\n'))
	return err
}
