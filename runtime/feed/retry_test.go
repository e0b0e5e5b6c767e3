package feed

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// script is a listener that fails so many times and then has one connection.
type script struct {
	fail   int
	conns  chan net.Conn
	closed chan struct{}
}

func (s *script) Accept() (net.Conn, error) {
	if s.fail > 0 {
		s.fail--
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	select {
	case c := <-s.conns:
		return c, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

func (s *script) Close() error   { close(s.closed); return nil }
func (s *script) Addr() net.Addr { return &net.UnixAddr{Net: "unix"} }

// serveScript runs a feed on a listener, in a bubble, and returns the tracker's
// side of a connection and what ends the feed.
func serveScript(t *testing.T, fail int, trouble func(error)) (net.Conn, func()) {
	ours, theirs := net.Pipe()
	ln := &script{fail: fail, conns: make(chan net.Conn, 1), closed: make(chan struct{})}
	ln.conns <- theirs
	s := newServer(Options{Sink: func(messages.Message) error { return nil }})
	s.socket = newRetryListener(ln, trouble)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Serve(ctx) }()
	return ours, func() {
		t.Helper()
		stop()
		if err := <-done; err != nil {
			t.Errorf("Serve() = %v, want none", err)
		}
		ours.Close()
	}
}

// A feed outlives a time without free files.
func TestAcceptFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var troubles []error
		conn, stop := serveScript(t, 12, func(err error) { troubles = append(troubles, err) })
		defer stop()
		began := time.Now()
		if _, err := io.WriteString(conn, `{"at_ms":1,"points":[],"ack":true}`+"\n"); err != nil {
			t.Fatalf("write after the trouble = %v, want none", err)
		}
		if got, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(got, `"ok":true`) {
			t.Errorf("answer after the trouble = %q, %v, want ok", got, err)
		}
		// 5 ms doubled to a second, and twelve of them.
		if d := time.Since(began); d < 4*time.Second || d > 8*time.Second {
			t.Errorf("twelve failures were waited out in %v, want a few seconds", d)
		}
		if len(troubles) != 1 || !errors.Is(troubles[0], syscall.EMFILE) {
			t.Errorf("told %v, want the trouble once", troubles)
		}
	})
}

// The end is not waited for.
func TestAcceptFailsUntilTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, stop := serveScript(t, 1e6, nil)
		synctest.Wait()
		began := time.Now()
		stop()
		if d := time.Since(began); d > 0 {
			t.Errorf("Serve() ended after %v, want at once", d)
		}
	})
}

// A tracker that never reads what it is told is cut off.
func TestAnswersAreNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, stop := serveScript(t, 0, nil)
		defer stop()
		began := time.Now()
		if _, err := io.WriteString(conn, "nonsense\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, "more\n"); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("write without reading = %v, want %v", err, io.ErrClosedPipe)
		}
		if d := time.Since(began); d != answerTimeout {
			t.Errorf("cut off after %v, want %v", d, answerTimeout)
		}
	})
}
