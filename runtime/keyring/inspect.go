package keyring

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kehai-run/kehai/runtime/private"
)

// Inspect checks the directory of a ring without changing it, also while a process
// uses it: whether it and its files are this user's alone, and no key is gone. It
// returns how many keys there are. A directory that does not exist has none.
func Inspect(dir string) (keys int, err error) {
	if err := private.Check(dir, private.Closed); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	d := directory(dir)
	files, err := os.ReadDir(dir)
	if err != nil {
		return 0, fmt.Errorf("keyring: %w", err)
	}
	var names []string
	for _, f := range files {
		if err := private.CheckFile(filepath.Join(dir, f.Name())); errors.Is(err, fs.ErrNotExist) {
			continue // destroyed meanwhile
		} else if err != nil {
			return 0, err
		}
		names = append(names, f.Name())
		if f.Name() == nodeFile || entry(made, f.Name()) != nil {
			keys++
		}
	}
	_, lost, err := d.compare(names)
	switch {
	case err != nil:
		return keys, fmt.Errorf("keyring: %w", err)
	case len(lost) > 0:
		return keys, d.errLost(lost)
	}
	return keys, nil
}
