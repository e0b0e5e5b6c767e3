package private

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// ErrHeld is the error of a file that somebody else has locked.
var ErrHeld = errors.New("another Kehai holds it: stop that one, or choose another data directory")

// Lock locks a file, creating it if necessary, until the lock is closed or the process
// ends. If the file is locked already, the error is [ErrHeld].
func Lock(path string) (io.Closer, error) { return lock(path, syscall.LOCK_EX) }

// Share is Lock for what several may do at a time, but nobody beside who has called Lock.
func Share(path string) (io.Closer, error) { return lock(path, syscall.LOCK_SH) }

func lock(path string, how int) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("private: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("private: %s: %w", path, ErrHeld)
		}
		return nil, fmt.Errorf("private: lock %s: %w", path, err)
	}
	return f, nil
}
