package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// parents checks the directories above a path, and above the targets of symbolic links in
// it: whoever may change one of them could replace our directory. Each must belong to
// this user or to root, and must not be writable for a group or for everybody unless it is
// sticky like /tmp. OpenSSH asks the same of what is above its keys.
func parents(path string, uid int) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("private: %w", err)
	}
	above := filepath.Dir(path)
	for _, dir := range []string{above, resolved(above)} {
		for {
			if err := parent(dir, path, uid); err != nil {
				return err
			}
			up := filepath.Dir(dir)
			if up == dir {
				break
			}
			dir = up
		}
	}
	return nil
}

// resolved follows the symbolic links in a path, as far as it exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if up := filepath.Dir(path); up != path {
		return filepath.Join(resolved(up), filepath.Base(path))
	}
	return path
}

// parent checks one directory above a path. A missing one will be made.
func parent(dir, path string, uid int) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("private: %w", err)
	}
	if of := owner(info); of != uid && of != 0 {
		return &Exposed{dir, fmt.Sprintf("belongs to user %d, who can replace %s", of, path),
			"Choose another place, or give the directory to root or to user " + fmt.Sprint(uid) + "."}
	}
	if open := info.Mode().Perm() & 0o022; open != 0 && info.Mode()&fs.ModeSticky == 0 {
		who, close := "other users", "go-w"
		if open == 0o020 {
			who, close = fmt.Sprintf("its group %d", group(info)), "g-w"
		}
		return &Exposed{dir, fmt.Sprintf("may be changed by %s (%v), who can replace %s", who, info.Mode(), path),
			"Choose another place, or close it: chmod " + close + " " + quote(dir) + "."}
	}
	return nil
}
