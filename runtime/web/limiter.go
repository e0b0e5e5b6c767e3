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

// limiter is a listener that keeps these bounds.
type limiter struct {
	net.Listener
	timeout time.Duration

	mu        sync.Mutex
	strangers []*conn // the oldest first
	known     int
}

func newLimiter(ln net.Listener) *limiter { return &limiter{Listener: ln, timeout: timeout} }

// standing is what a connection counts as.
type standing int

const (
	stranger standing = iota
	known
	gone
)

// conn is a connection through a limiter.
type conn struct {
	net.Conn
	limiter  *limiter
	standing standing  // under limiter.mu, as is
	until    time.Time // the deadline that the server has set
}

// Accept implements [net.Listener]. In place of one stranger too many the oldest is closed.
func (l *limiter) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.strangers) >= maxStrangers {
		l.strangers[0].leave()
	}
	c := &conn{Conn: accepted, limiter: l}
	l.strangers = append(l.strangers, c)
	return c, nil
}

// leave closes a connection that counts no longer. The caller holds the lock.
func (c *conn) leave() error {
	switch c.standing {
	case stranger:
		c.limiter.strangers = slices.DeleteFunc(c.limiter.strangers, func(o *conn) bool { return o == c })
	case known:
		c.limiter.known--
	}
	c.standing = gone
	return c.Conn.Close()
}

// Close implements [net.Conn].
func (c *conn) Close() error {
	c.limiter.mu.Lock()
	defer c.limiter.mu.Unlock()
	return c.leave()
}

// SetReadDeadline implements [net.Conn]. A stranger has no longer than its time, whether it has
// begun a request, sends a body, or waits between two.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.limiter.mu.Lock()
	defer c.limiter.mu.Unlock()
	c.until = t
	if last := time.Now().Add(c.limiter.timeout); c.standing == stranger && (t.IsZero() || t.After(last)) {
		t = last
	}
	return c.Conn.SetReadDeadline(t)
}

// trust counts a connection as one that has shown a key, if there is room among those.
func (c *conn) trust() {
	c.limiter.mu.Lock()
	defer c.limiter.mu.Unlock()
	if c.standing != stranger || c.limiter.known >= maxKnown {
		return
	}
	c.limiter.strangers = slices.DeleteFunc(c.limiter.strangers, func(o *conn) bool { return o == c })
	c.limiter.known++
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
