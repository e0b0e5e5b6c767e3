// Package private keeps directories and sockets closed to everybody but the user that
// Kehai runs as. Kehai reads private windows, so it refuses a directory that somebody
// else prepared or may look into, and names the command that fixes it.
//
// [Make] and [Check] are for directories, [Listen] and [Dial] for sockets. A
// program calls [Umask] before it makes its first file, and [NoCore] before it reads a key.
package private

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Rule lists the permissions on a directory that nobody else may have.
type Rule fs.FileMode

// Rules.
const (
	// Closed is for a directory that holds private files: nobody else may enter it.
	Closed Rule = 0o077
	// Unwritable is for a directory whose private files and folders are themselves
	// closed: others may enter it but change nothing.
	Unwritable Rule = 0o022
)

// Exposed says why a directory or a socket is not this user's alone.
type Exposed struct {
	Path string
	What string // follows the path: "may be read by others"
	Mend string // a sentence that tells what to do
}

func (e *Exposed) Error() string { return fmt.Sprintf("private: %s %s. %s", e.Path, e.What, e.Mend) }

// Umask closes every file and directory that this process makes to others.
func Umask() { syscall.Umask(0o077) }

// NoCore keeps this process and its children from leaving their memory, with keys and texts,
// in a core dump when they crash. It cannot be taken back.
func NoCore() {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) // a limit may always be lowered
}

// Make makes a directory that is closed to others, and any missing parents. An existing
// one must follow the rule. One that does not is closed, whatever its mode, if it is empty
// and this user's. Errors are [Exposed] or the system's.
func Make(path string, rule Rule) error {
	if err := parents(path, os.Geteuid()); err != nil {
		return err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return fmt.Errorf("private: %w", err)
		}
	}
	err := Check(path, rule)
	var exposed *Exposed
	if !errors.As(err, &exposed) || owned(path, rule, os.Geteuid()) != nil || !empty(path) {
		return err
	}
	if err := os.Chmod(path, 0o700); err != nil {
		return fmt.Errorf("private: %w", err)
	}
	return Check(path, rule)
}

// Check returns nil for a directory that belongs to this user, follows the rule, and
// cannot be replaced by anybody else. Errors are [Exposed], or the system's: one that
// does not exist is fs.ErrNotExist, if [Make] would make it.
func Check(path string, rule Rule) error { return check(path, rule, os.Geteuid()) }

func check(path string, rule Rule, uid int) error {
	err := owned(path, rule, uid)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err = cmp.Or(parents(path, uid), err); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("private: %w", err)
	}
	open := info.Mode().Perm() & fs.FileMode(rule)
	switch {
	case open == 0:
		return nil
	case open&0o022 != 0:
		return &Exposed{path, fmt.Sprintf("may be changed by other users (%v)", info.Mode()), "Close it: chmod 700 " +
			quote(path) + ", and look whether all in it is yours."}
	}
	return &Exposed{path, fmt.Sprintf("may be read by other users (%v)", info.Mode()), "Close it: chmod 700 " +
		quote(path) + "."}
}

// CheckFile returns nil for a file that belongs to this user and that nobody else may
// read or change.
func CheckFile(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("private: %w", err)
	}
	return file(path, info, os.Geteuid())
}

// ReadFile reads a file as [CheckFile] wants it, at most so many bytes of it, in a place where nobody
// else can put another one. A symbolic link is followed: the same holds for where it leads.
func ReadFile(path string, most int64) ([]byte, error) { return readFile(path, most, os.Geteuid()) }

func readFile(path string, most int64, uid int) ([]byte, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("private: %w", err)
	}
	// Without waiting for the writer of a pipe, and without following a link that was put there since.
	f, err := os.OpenFile(real, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("private: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("private: %w", err)
	}
	for _, err := range []error{file(real, info, uid), parents(real, uid), parents(path, uid)} {
		if err != nil {
			return nil, err
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil, fmt.Errorf("private: %w", err)
	}
	return data, nil
}

// file checks what is known of a file.
func file(path string, info fs.FileInfo, uid int) error {
	switch {
	case !info.Mode().IsRegular():
		return &Exposed{path, fmt.Sprintf("is no plain file (%v)", info.Mode()), "Look who has put it there."}
	case owner(info) != uid:
		return &Exposed{path, fmt.Sprintf("belongs to user %d, and this is user %d", owner(info), uid),
			"Give it back: chown " + fmt.Sprint(uid) + " " + quote(path) + "."}
	case info.Mode().Perm()&fs.FileMode(Closed) != 0:
		return &Exposed{path, fmt.Sprintf("may be read or changed by other users (%v)", info.Mode()),
			"Close it: chmod 600 " + quote(path) + "."}
	}
	return nil
}

// owned checks that a path is a directory of a user. A closed one must not be a symbolic
// link; for other rules, the user's own link may lead to it.
func owned(path string, rule Rule, uid int) error {
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if rule == Closed || owner(info) != uid {
			return &Exposed{path, "is a symbolic link", "Name the directory that it leads to, or remove the link."}
		}
		info, err = os.Stat(path)
	}
	switch {
	case err != nil:
		return fmt.Errorf("private: %w", err)
	case !info.IsDir():
		return &Exposed{path, fmt.Sprintf("is no directory (%v)", info.Mode()),
			"Choose another place, or move it away."}
	case owner(info) != uid:
		return &Exposed{path, fmt.Sprintf("belongs to user %d, and this is user %d", owner(info), uid),
			"Choose another place, or run as that user."}
	}
	return nil
}

// owner returns the user that owns a file; -1 if the system does not tell.
func owner(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}

// group returns the group that owns a file; -1 if the system does not tell.
func group(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Gid)
	}
	return -1
}

func empty(path string) bool {
	dir, err := os.Open(path)
	if err != nil {
		return false
	}
	defer dir.Close()
	_, err = dir.Readdirnames(1)
	return errors.Is(err, io.EOF)
}

// quote quotes a path for a shell.
func quote(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') &&
			!strings.ContainsRune("/._-+@%:,", r)
	}) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
