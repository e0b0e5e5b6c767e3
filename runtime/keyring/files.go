package keyring

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kehai-run/kehai/runtime/private"
)

// keyFiles is where keys are kept. It is called by one goroutine at a time.
type keyFiles interface {
	read(name string) (raw []byte, ok bool, err error)
	// write keeps a file as a whole; when it returns nil, a power cut takes it no
	// more.
	write(name string, raw []byte) error
	// destroy overwrites and deletes a file, if it is there.
	destroy(name string) error
	// missing is the error of a key that is not there: an [absent] if one may be made.
	missing(name string) error
	where() string // for errors: "in DIRECTORY"
}

// memory keeps keys in memory.
type memory map[string][]byte

func (m memory) read(name string) ([]byte, bool, error) { raw, ok := m[name]; return raw, ok, nil }
func (m memory) write(name string, raw []byte) error    { m[name] = raw; return nil }
func (m memory) destroy(name string) error              { delete(m, name); return nil }
func (m memory) where() string                          { return "in memory" }
func (m memory) missing(name string) error              { return missing(name, m) }

// directory keeps each key in a file.
type directory string

const unfinished = ".tmp"

// tidy deletes what a crash has left, and looks whether a key is gone.
func (d directory) tidy() error {
	list, err := os.ReadDir(string(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = private.Check(string(d), private.Closed)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
		if err == nil && strings.HasSuffix(e.Name(), unfinished) {
			err = os.Remove(filepath.Join(string(d), e.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	unlisted, lost, err := d.compare(names)
	if err == nil && len(lost) > 0 {
		return d.errLost(lost)
	}
	if err == nil { // a crash came before their entries, or an older version has made them
		err = d.note(made, unlisted...)
	}
	if err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	return nil
}

func (d directory) missing(name string) error {
	lost, err := d.lost(name)
	switch {
	case err != nil:
		return fmt.Errorf("keyring: %w", err)
	case lost:
		return d.errLost([]string{name})
	}
	return missing(name, d)
}

func (d directory) read(name string) ([]byte, bool, error) {
	raw, err := os.ReadFile(filepath.Join(string(d), name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("keyring: read a key: %w", err)
	}
	return raw, true, nil
}

func (d directory) write(name string, raw []byte) error {
	if err := private.Make(string(d), private.Closed); err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	path := filepath.Join(string(d), name)
	err := os.Remove(path + unfinished)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keyring: keep a key: %w", err)
	}
	f, err := os.OpenFile(path+unfinished, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keyring: keep a key: %w", err)
	}
	if _, err = f.Write(raw); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(path+unfinished, path)
	}
	if err == nil {
		err = d.sync()
	}
	if err == nil {
		err = d.note(made, name)
	}
	if err == nil && name == nodeFile {
		err = directory(filepath.Dir(string(d))).sync() // the directory itself may be new
	}
	if err != nil {
		return fmt.Errorf("keyring: keep a key: %w", err)
	}
	return nil
}

func (d directory) destroy(name string) error {
	path := filepath.Join(string(d), name)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("keyring: destroy a key: %w", err)
	}
	info, err := f.Stat()
	if err == nil {
		err = d.note(gone, name) // first: a crash must not make it a key that was lost
	}
	if err == nil {
		_, err = f.WriteAt(make([]byte, info.Size()), 0)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Remove(path)
	}
	if err == nil {
		err = d.sync()
	}
	if err != nil {
		return fmt.Errorf("keyring: destroy a key: %w", err)
	}
	return nil
}

func (d directory) where() string { return "in " + string(d) }

// sync has the names of the files survive a power cut.
func (d directory) sync() error {
	f, err := os.Open(string(d))
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
