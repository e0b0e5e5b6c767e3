package feed

import (
	"errors"
	"net"
	"sync"
	"time"
)

// Pauses before a listener that failed is asked again: each is twice the one
// before.
const (
	firstPause = 5 * time.Millisecond
	maxPause   = time.Second
)

// patient is a listener that fails only once it is closed. What else goes wrong,
// such as too many open files, passes.
type patient struct {
	net.Listener
	trouble func(error) // told the first error of a row; nil for nobody
	closed  chan struct{}
	closing sync.Once
}

func newPatient(ln net.Listener, trouble func(error)) *patient {
	return &patient{Listener: ln, trouble: trouble, closed: make(chan struct{})}
}

// Accept implements [net.Listener].
func (p *patient) Accept() (net.Conn, error) {
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
func (p *patient) Close() error {
	p.closing.Do(func() { close(p.closed) })
	return p.Listener.Close()
}
