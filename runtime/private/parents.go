package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// mostLinks is how many symbolic links a path may lead through, as on Linux.
const mostLinks = 40

// parents checks the directories above a path, and every symbolic link on the way with the
// directories that it leads through: whoever may change one of them could replace our
// directory. Each must belong to this user or to root, and a directory must not be writable
// for a group or for everybody unless it is sticky like /tmp. OpenSSH asks the same of what
// is above its keys.
func parents(path string, uid int) error {
	path, err := whole(path)
	if err != nil {
		return fmt.Errorf("private: %w", err)
	}
	at, left, links := "/", steps(path), 0
	for len(left) > 0 {
		if err := parent(at, path, uid); err != nil {
			return err
		}
		next := filepath.Join(at, left[0]) // at has no links any more
		left = left[1:]
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it will be made, with all below it
		case err != nil:
			return fmt.Errorf("private: %w", err)
		case info.Mode()&fs.ModeSymlink == 0:
			at = next
			continue
		}
		to, err := link(next, path, info, uid)
		if links++; err == nil && links > mostLinks {
			err = &Exposed{next, "is a symbolic link that leads in a circle", "Remove it."}
		}
		if err != nil {
			return err
		}
		if filepath.IsAbs(to) {
			at = "/"
		}
		left = append(steps(to), left...)
	}
	return nil
}

// whole is a path from the root. It is not shortened, as ".." behind a symbolic link leads to above of where that
// leads.
func whole(path string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	wd, err := os.Getwd()
	return wd + string(filepath.Separator) + path, err
}

// steps are the names in a path.
func steps(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == filepath.Separator })
}

// link tells where a symbolic link on the way to a path leads.
func link(at, path string, info fs.FileInfo, uid int) (string, error) {
	if of := owner(info); of != uid && of != 0 {
		return "", &Exposed{at, fmt.Sprintf("is a symbolic link of user %d, who can lead it away from %s", of, path),
			"Choose another place, or name the directory that it leads to."}
	}
	to, err := os.Readlink(at)
	if err != nil {
		return "", fmt.Errorf("private: %w", err)
	}
	return to, nil
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
		if open == 0o020 && hasACL(dir) { // then the bits of the group say what anybody in it may do at most
			who = "whom its access control list names"
		}
		return &Exposed{dir, fmt.Sprintf("may be changed by %s (%v), who can replace %s", who, info.Mode(), path),
			"Choose another place, or close it: chmod " + close + " " + quote(dir) + "."}
	}
	return nil
}
