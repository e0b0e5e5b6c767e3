package web

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"
)

// Bounds of connections. Any program of this machine can open some, also one of another user, and
// nothing tells whose they are before they show a key. So those that have shown none are few, have
// little time, and give way to newer ones: who has a key always gets in.
const (
	maxKnown     = 192             // that have shown a key
	maxStrangers = 64              // that have not
	timeout      = 5 * time.Second // for what a stranger sends
)

// gate is a listener that keeps these bounds.
type gate struct {
	net.Listener
	timeout time.Duration

	mu        sync.Mutex
	strangers []*conn // the oldest first
	known     int
}

func newGate(ln net.Listener) *gate { return &gate{Listener: ln, timeout: timeout} }

// standing is what a connection counts as.
type standing int

const (
	stranger standing = iota
	known
	gone
)

// conn is a connection through a gate.
type conn struct {
	net.Conn
	gate     *gate
	standing standing  // under gate.mu, as is
	until    time.Time // the deadline that the server has set
}

// Accept implements [net.Listener]. In place of one stranger too many the oldest is closed.
func (g *gate) Accept() (net.Conn, error) {
	accepted, err := g.Listener.Accept()
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.strangers) >= maxStrangers {
		g.strangers[0].leave()
	}
	c := &conn{Conn: accepted, gate: g}
	g.strangers = append(g.strangers, c)
	return c, nil
}

// leave closes a connection that counts no longer. The caller holds the lock.
func (c *conn) leave() error {
	switch c.standing {
	case stranger:
		c.gate.strangers = slices.DeleteFunc(c.gate.strangers, func(o *conn) bool { return o == c })
	case known:
		c.gate.known--
	}
	c.standing = gone
	return c.Conn.Close()
}

// Close implements [net.Conn].
func (c *conn) Close() error {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	return c.leave()
}

// SetReadDeadline implements [net.Conn]. A stranger has no longer than its time, whether it has
// begun a request, sends a body, or waits between two.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	c.until = t
	if last := time.Now().Add(c.gate.timeout); c.standing == stranger && (t.IsZero() || t.After(last)) {
		t = last
	}
	return c.Conn.SetReadDeadline(t)
}

// trust counts a connection as one that has shown a key, if there is room among those.
func (c *conn) trust() {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	if c.standing != stranger || c.gate.known >= maxKnown {
		return
	}
	c.gate.strangers = slices.DeleteFunc(c.gate.strangers, func(o *conn) bool { return o == c })
	c.gate.known++
	c.standing = known
	_ = c.Conn.SetReadDeadline(c.until) // of a connection that has broken the next read fails too
}

type connKey struct{}

// through notes by which connection requests come.
func through(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// trusted counts the connection of a request that had a key as one of those.
func trusted(ctx context.Context) {
	if c, ok := ctx.Value(connKey{}).(*conn); ok {
		c.trust()
	}
}
