package x11

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"testing"

	"github.com/kehai-run/kehai/hardware"
)

// serve answers each connection to a display with answer, and returns the
// display's name.
func serve(t *testing.T, answer func(net.Conn)) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "server:0")
	l, err := net.Listen("unix", name)
	if err != nil {
		t.Fatalf("Listen() = %v", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			answer(conn)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return name
}

// A call to a server that accepts connections and stays silent ends with its
// context.
func TestContextEndsCallsToAServerThatHangs(t *testing.T) {
	for _, name := range []string{"Windows", "Input"} {
		ctx, cancel := context.WithCancel(t.Context())
		display := serve(t, func(conn net.Conn) {
			var hello [12]byte
			_, _ = io.ReadFull(conn, hello[:])
			cancel()
			_, _ = io.Copy(io.Discard, conn)
		})
		d, u := open(t, Options{Display: display}), openUsage(t, Options{Display: display})
		var err error
		if name == "Windows" {
			_, err = d.Windows(ctx)
		} else {
			_, err = u.Input(ctx)
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s() on a server that hangs = %v, want %v", name, err, context.Canceled)
		}
	}
}

func TestServerThatRefuses(t *testing.T) {
	display := serve(t, func(conn net.Conn) {
		var hello [12]byte
		_, _ = io.ReadFull(conn, hello[:])
		reason := "no entry"
		head := []byte{0, byte(len(reason)), 11, 0, 0, 0, byte(len(reason) / 4), 0}
		_, _ = conn.Write(append(head, reason...))
	})
	d, u := open(t, Options{Display: display}), openUsage(t, Options{Display: display})
	_, err := d.Windows(t.Context())
	if !errors.Is(err, hardware.ErrPermission) {
		t.Errorf("Windows() on a server that refuses = %v, want %v", err, hardware.ErrPermission)
	}
	if _, err := u.Input(t.Context()); !errors.Is(err, hardware.ErrPermission) {
		t.Errorf("Input() on a server that refuses = %v, want %v", err, hardware.ErrPermission)
	}
}

func TestServerThatIsNone(t *testing.T) {
	display := serve(t, func(conn net.Conn) { _, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) })
	d, u := open(t, Options{Display: display}), openUsage(t, Options{Display: display})
	if _, err := d.Windows(t.Context()); !errors.Is(err, hardware.ErrNoDisplay) {
		t.Errorf("Windows() on something else = %v, want %v", err, hardware.ErrNoDisplay)
	}
	if _, err := u.Input(t.Context()); err == nil {
		t.Error("Input() on something else = nil, want an error")
	}
}

func open(t testing.TB, opt Options) *Display {
	t.Helper()
	d, err := Open(opt)
	if err != nil {
		t.Fatalf("Open(%+v) = %v", opt, err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func openUsage(t testing.TB, opt Options) *Usage {
	t.Helper()
	u, err := OpenUsage(opt)
	if err != nil {
		t.Fatalf("OpenUsage(%+v) = %v", opt, err)
	}
	t.Cleanup(func() { _ = u.Close() })
	return u
}
