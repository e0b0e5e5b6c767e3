package journal_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster"
)

// hub connects nodes in one process. A node that is cut off reaches nobody, and nobody
// reaches it.
type hub struct {
	mu    sync.Mutex
	wires map[string]*wire
	cut   map[string]bool
}

func newHub() *hub { return &hub{wires: map[string]*wire{}, cut: map[string]bool{}} }

// wire is the network of one life of a node, whose name is its address.
type wire struct {
	hub  *hub
	node string

	listener net.Listener
	bytes    atomic.Int64

	mu       sync.Mutex
	services map[string]func(context.Context, string, []byte) ([]byte, error)
	open     []net.Conn
	closed   chan struct{}
	once     sync.Once
}

var _ cluster.Network = (*wire)(nil)

var errCut = errors.New("hub: cut off")

func (h *hub) join(t testing.TB, node string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{hub: h, node: node, listener: l, closed: make(chan struct{}),
		services: map[string]func(context.Context, string, []byte) ([]byte, error){}}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wires[node] = w
	return w
}

// isolate cuts a node off, or connects it again.
func (h *hub) isolate(node string, cut bool) {
	h.mu.Lock()
	h.cut[node] = cut
	wires := h.wires
	h.mu.Unlock()
	if w := wires[node]; cut && w != nil {
		w.hangUp()
	}
}

func (h *hub) find(from, to string) (*wire, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.wires[to]
	if w == nil || h.cut[from] || h.cut[to] {
		return nil, errCut
	}
	select {
	case <-w.closed:
		return nil, errCut
	default:
		return w, nil
	}
}

func (w *wire) hangUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.open {
		_ = c.Close()
	}
	w.open = nil
}

func (w *wire) keep(c net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = append(w.open, c)
}

func (w *wire) Accept() (net.Conn, error) {
	c, err := w.listener.Accept()
	if err == nil {
		w.keep(c)
	}
	return c, err
}

func (w *wire) Dial(address string, timeout time.Duration) (net.Conn, error) {
	to, err := w.hub.find(w.node, address)
	if err != nil {
		return nil, err
	}
	c, err := net.DialTimeout("tcp", to.listener.Addr().String(), timeout)
	if err != nil {
		return nil, err
	}
	w.keep(c)
	return counted{c, w}, nil
}

// counted counts the bytes of a connection for the node that opened it, both ways.
type counted struct {
	net.Conn
	wire *wire
}

func (c counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.wire.bytes.Add(int64(n))
	return n, err
}

func (c counted) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.wire.bytes.Add(int64(n))
	return n, err
}

func (w *wire) Addr() net.Addr { return w.listener.Addr() }

func (w *wire) Ask(ctx context.Context, address, service string, request []byte) ([]byte, error) {
	to, err := w.hub.find(w.node, address)
	if err != nil {
		return nil, err
	}
	to.mu.Lock()
	by := to.services[service]
	to.mu.Unlock()
	if by == nil {
		return nil, errors.New("hub: no such service")
	}
	answer, err := by(ctx, w.node, request)
	if _, cut := w.hub.find(w.node, address); cut != nil {
		return nil, cut // it was carried out, and nobody hears of it
	}
	return answer, err
}

func (w *wire) Answer(service string, by func(context.Context, string, []byte) ([]byte, error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.services[service] = by
}

func (w *wire) Close() error {
	w.once.Do(func() { close(w.closed) })
	w.hangUp()
	return w.listener.Close()
}
