package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/private"
)

// shared are the folders of a data directory that hold nothing private: others may read them.
var shared = []string{"prompts", "tracker"}

// Places looks at all that is private of a configuration, with its mode and owner: the data directory, each
// file and folder in it, the sockets wherever they are, and the files of secrets. What does not exist
// yet is left out.
func Places(cfg config.Config) ([]private.State, error) {
	var list []private.State
	add := func(path string, rule private.Rule, look func(string, private.Rule) (private.State, error)) error {
		if path == "" || slices.ContainsFunc(list, func(s private.State) bool { return s.Path == path }) {
			return nil
		}
		s, err := look(path, rule)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if s.Path != "" { // else nothing is known of it
			list = append(list, s)
		}
		return err
	}
	err := add(cfg.Data, private.Unwritable, private.Look)
	inside, failed := os.ReadDir(cfg.Data)
	if errors.Is(failed, fs.ErrNotExist) {
		failed = nil
	}
	err = errors.Join(err, failed)
	for _, e := range inside {
		rule := private.Closed
		if e.IsDir() && slices.Contains(shared, e.Name()) {
			rule = private.Unwritable
		}
		err = errors.Join(err, add(filepath.Join(cfg.Data, e.Name()), rule, private.Survey))
	}
	for _, socket := range []func(string) (string, error){control.SocketPath, FeedSocket} {
		path, failed := socket(cfg.Data)
		if failed == nil && !same(filepath.Dir(path), cfg.Data) {
			failed = errors.Join(add(filepath.Dir(path), private.Unwritable, private.Look),
				add(path, private.Closed, private.Look))
		}
		err = errors.Join(err, failed)
	}
	for _, secret := range []string{cfg.Encryption.KeyFile, cfg.LLM.KeyFile, cfg.Memory.Embedding.KeyFile} {
		err = errors.Join(err, add(secret, private.Closed, private.Look))
	}
	if err != nil {
		return list, fmt.Errorf("datadir: what is private: %w", err)
	}
	return list, nil
}

// same reports whether two paths, one of which may be relative, name one directory.
func same(a, b string) bool {
	a, aerr := filepath.Abs(a)
	b, berr := filepath.Abs(b)
	return aerr == nil && berr == nil && a == b
}
