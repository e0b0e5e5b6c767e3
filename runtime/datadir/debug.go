package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
)

// Debug keeps the debugging files of a data directory, DATA/debug/WINDOW/NAME. They are
// sealed with the key of the conversation on show. They can also show others, in a list
// beside the open one. So they are sealed again with a key of their own, which is destroyed
// whenever one is forgotten.
// Methods may be called concurrently.
type Debug struct {
	dir  string
	mu   sync.Mutex
	keys engine.Sealer // nil until Keep
}

// DebugFiles returns those of a data directory.
func DebugFiles(data string) *Debug { return &Debug{dir: filepath.Join(data, "debug")} }

const debugKey = "\x00debugging files"

func debugFile(path string) sealed {
	window, name := filepath.Base(filepath.Dir(path)), filepath.Base(path)
	return sealed{path: path, what: "debugging file " + window + "/" + name + " ", head: showsHead,
		subject: debugKey}
}

// Keep has the files sealed with one of these keys.
func (d *Debug) Keep(keys engine.Sealer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.keys = keys
}

// Write replaces a file as a whole. shows are the ids of the conversations that the window may show: more
// than one if they have the same name, none if it is not known yet.
func (d *Debug) Write(window, name string, shows []string, data []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.keys == nil {
		return errors.New("datadir: nothing is written for debugging without keys to seal it")
	}
	f := debugFile(filepath.Join(d.dir, window, name))
	f.keys, f.shows = d.keys, shows[:min(len(shows), maxShows)]
	return f.Save(data)
}

// Remove deletes a file if it is there.
func (d *Debug) Remove(window, name string) error {
	if err := os.Remove(filepath.Join(d.dir, window, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("datadir: remove a debugging file: %w", err)
	}
	return nil
}

// Destroy destroys the key of the files, so that remains of them on a disk are useless,
// and deletes them. It also destroys the keys of other subjects that may show anybody.
func (d *Debug) Destroy(others ...string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var err error
	if d.keys != nil {
		for _, subject := range append(others, debugKey) {
			err = errors.Join(err, d.keys.Destroy(subject))
		}
	}
	if err = errors.Join(err, os.RemoveAll(d.dir)); err != nil {
		return fmt.Errorf("datadir: destroy the debugging files: %w", err)
	}
	return nil
}

// ReadDebug calls each with every debugging file of a data directory and what it holds,
// also while a Kehai writes them. There may be none.
func ReadDebug(data string, each func(window, name string, content []byte) error) error {
	paths, err := filepath.Glob(filepath.Join(DebugFiles(data).dir, "*", "*"))
	if err != nil {
		return fmt.Errorf("datadir: %w", err)
	}
	keys := keyring.Reader(keysOf(data))
	for _, path := range paths {
		if filepath.Ext(path) == ".tmp" {
			continue // being written
		}
		f := debugFile(path)
		f.keys = keys
		content, ok := f.Load()
		if !ok {
			return fmt.Errorf("datadir: %s cannot be opened with %s: it was changed, or written before something "+
				"was forgotten", path, keysOf(data))
		}
		if err := each(filepath.Base(filepath.Dir(path)), filepath.Base(path), content); err != nil {
			return err
		}
	}
	return nil
}
