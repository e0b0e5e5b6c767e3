package private

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
)

// Listen opens a Unix socket that only this user and root can use. It makes the socket's
// directory and replaces a socket left behind: the caller must know that no other process
// serves it.
func Listen(path string) (net.Listener, error) {
	if err := Make(filepath.Dir(path), Unwritable); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("private: remove old socket: %w", err)
	}
	ln, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("private: listen: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("private: protect socket: %w", err), ln.Close())
	}
	return guarded{ln, os.Geteuid()}, nil
}

// guarded hangs up on everybody but one user and root. The mode of the socket should keep
// others out, but some systems ignore it.
type guarded struct {
	net.Listener
	uid int
}

// Accept implements [net.Listener].
func (g guarded) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if uid, err := peer(conn); err == nil && (uid == g.uid || uid == 0) {
			return conn, nil
		}
		conn.Close()
	}
}

// Dial connects to a Unix socket that a process of this user serves. Errors are
// [Exposed] or the system's.
func Dial(ctx context.Context, path string) (net.Conn, error) {
	return dial(ctx, path, os.Geteuid())
}

func dial(ctx context.Context, path string, own int) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	uid, err := peer(conn)
	if err == nil && uid != own {
		err = &Exposed{path, fmt.Sprintf("is served by user %d, and this is user %d", uid, own),
			"Nothing was asked. Run as that user if it is yours, or choose another data directory."}
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// peer returns the user at the other end of a connection.
func peer(conn net.Conn) (uid int, err error) {
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, fmt.Errorf("private: %T is no Unix socket", conn)
	}
	raw, err := unix.SyscallConn()
	if err != nil {
		return 0, fmt.Errorf("private: %w", err)
	}
	if failed := raw.Control(func(fd uintptr) { uid, err = peerOf(int(fd)) }); failed != nil {
		err = failed
	}
	if err != nil {
		return 0, fmt.Errorf("private: who is at the other end of a socket: %w", err)
	}
	return uid, nil
}
