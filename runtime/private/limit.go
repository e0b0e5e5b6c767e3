package private

import (
	"net"
	"sync"
)

// Limit returns a listener that closes connections at once while n others are open: a program that
// opens them without end shall not take all files of this one.
func Limit(ln net.Listener, n int) net.Listener { return limited{ln, make(chan struct{}, n)} }

type limited struct {
	net.Listener
	open chan struct{}
}

// Accept implements [net.Listener].
func (l limited) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.open <- struct{}{}:
			return &counted{Conn: conn, end: sync.OnceFunc(func() { <-l.open })}, nil
		default:
			conn.Close()
		}
	}
}

// counted is a connection that is open until it is closed for the first time.
type counted struct {
	net.Conn
	end func()
}

func (c *counted) Close() error {
	defer c.end()
	return c.Conn.Close()
}
