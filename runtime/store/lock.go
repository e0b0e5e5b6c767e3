package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/private"
)

// pidFile is Badger's own, so that Badger's tools respect the lock too.
const pidFile = "LOCK"

// dirLock is the lock that Badger would take: flock on the directory itself. The system
// drops it when the process ends, however that happens.
type dirLock struct {
	dir *os.File
}

// lockDir locks a directory for this process. It creates the directory if necessary, and
// refuses one that other users may enter: only the process's umask limits the mode of
// what Badger writes there.
func lockDir(o Options) (*dirLock, error) {
	dir := o.Dir
	var exposed *private.Exposed
	switch err := private.Make(dir, private.Closed); {
	case errors.As(err, &exposed):
		return nil, &Fault{Dir: dir, Kind: err, What: exposed.What, Next: exposed.Mend}
	case err != nil:
		return nil, barred(dir, "cannot be created", err)
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, barred(dir, "cannot be opened", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			who, stop := holder(dir)
			return nil, &Fault{Dir: dir, Kind: engine.ErrInUse,
				What: "is held by " + who, Next: stop + ", or " + o.advice().elsewhere + "."}
		}
		return nil, barred(dir, "cannot be locked", err)
	}
	if err := os.WriteFile(filepath.Join(dir, pidFile), fmt.Appendf(nil, "%d\n", os.Getpid()), 0o600); err != nil {
		f.Close()
		return nil, barred(dir, "cannot be written", err)
	}
	return &dirLock{f}, nil
}

// release removes the pid before the lock, so that no one reads a stale one.
func (l *dirLock) release() error {
	err := os.Remove(filepath.Join(l.dir.Name(), pidFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, l.dir.Close())
}

// holder names the process that holds a directory, and says how to stop it. Right after it took the
// lock, its number may be missing.
func holder(dir string) (who, stop string) {
	b, _ := os.ReadFile(filepath.Join(dir, pidFile))
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	switch {
	case err != nil:
		return "another process", fmt.Sprintf("Stop that process, which `lsof %s` shows", dir)
	case pid == os.Getpid():
		return fmt.Sprintf("this process (%d)", pid), "Close the store that is open"
	}
	return fmt.Sprintf("process %d", pid), fmt.Sprintf("Stop that process with `kill %d`", pid)
}

// barred is a fault caused by the system, most often a missing permission.
func barred(path, what string, err error) error {
	next := "Check the path and the volume."
	if known := (*Fault)(nil); errors.As(refused(path, what, err), &known) && known.Next != volumeThere+found {
		next = known.Next
	}
	if errors.Is(err, fs.ErrPermission) {
		next = fmt.Sprintf("User %d needs permission to read, write and enter it (%s).", os.Geteuid(), mode(path))
	}
	var bare *fs.PathError
	if errors.As(err, &bare) {
		what = fmt.Sprintf("%s: %s %s: %v", what, bare.Op, bare.Path, bare.Err)
	} else {
		what = fmt.Sprintf("%s: %v", what, err)
	}
	return &Fault{Dir: path, Kind: err, What: what, Next: next}
}

func mode(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "it cannot be looked at"
	}
	return fmt.Sprintf("its mode is %v", info.Mode())
}
