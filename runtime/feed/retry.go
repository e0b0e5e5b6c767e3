package feed

import (
	"errors"
	"net"
	"sync"
	"time"
)

// Pauses before a failed Accept is tried again. Each pause is twice the previous one.
const (
	firstPause = 5 * time.Millisecond
	maxPause   = time.Second
)

// retryListener is a listener whose Accept fails only once it is closed. It waits out
// other errors, such as too many open files.
type retryListener struct {
	net.Listener
	trouble func(error) // is told the first of several errors in a row; may be nil
	closed  chan struct{}
	closing sync.Once
}

func newRetryListener(ln net.Listener, trouble func(error)) *retryListener {
	return &retryListener{Listener: ln, trouble: trouble, closed: make(chan struct{})}
}

// Accept implements [net.Listener].
func (p *retryListener) Accept() (net.Conn, error) {
	for pause := time.Duration(0); ; pause = min(max(2*pause, firstPause), maxPause) {
		if pause > 0 {
			select {
			case <-p.closed:
				return nil, net.ErrClosed
			case <-time.After(pause):
			}
		}
		conn, err := p.Listener.Accept()
		if err == nil || errors.Is(err, net.ErrClosed) {
			return conn, err
		}
		if pause == 0 && p.trouble != nil {
			p.trouble(err)
		}
	}
}

// Close implements [net.Listener].
func (p *retryListener) Close() error {
	p.closing.Do(func() { close(p.closed) })
	return p.Listener.Close()
}
