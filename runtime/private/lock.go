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
func Lock(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("private: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("private: %s: %w", path, ErrHeld)
		}
		return nil, fmt.Errorf("private: lock %s: %w", path, err)
	}
	return f, nil
}
