package private

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces a file that is closed to others as a whole: once it returns nil, the new
// one survives a power cut, and a crash leaves the old one or the new one.
func Write(path string, data []byte) error {
	return Replace(path, func(to io.Writer) error {
		_, err := to.Write(data)
		return err
	})
}

// Replace is Write for what a function writes.
func Replace(path string, write func(to io.Writer) error) error {
	next := path + ".tmp"
	if err := os.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("private: %w", err)
	}
	f, err := os.OpenFile(next, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("private: %w", err)
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		return fmt.Errorf("private: %w", errors.Join(err, os.Remove(next)))
	}
	dir, err := os.Open(filepath.Dir(path))
	if err == nil {
		err = errors.Join(dir.Sync(), dir.Close())
	}
	if err != nil {
		return fmt.Errorf("private: %w", err)
	}
	return nil
}
