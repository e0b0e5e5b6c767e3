package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/kehai-run/kehai/runtime/store"
)

// TestNoPermission opens as a user without root's rights over files.
func TestNoPermission(t *testing.T) {
	base := t.TempDir()
	for _, c := range []struct {
		name  string
		spoil func(dir string) error
		words []string
	}{
		{"closed", func(dir string) error { return os.Chmod(dir, 0) },
			[]string{"cannot be opened", "permission denied", "d---------"}},
		{"read only", func(dir string) error { return os.Chmod(dir, 0o500) },
			[]string{"cannot be written", "permission denied", "dr-x------"}},
		{"one file", func(dir string) error {
			return os.Chmod(filepath.Join(dir, "MANIFEST"), 0)
		}, []string{"cannot be used", "permission denied"}},
		{"parent", func(dir string) error {
			return errors.Join(os.RemoveAll(dir), os.Chmod(filepath.Dir(dir), 0o555))
		}, []string{"cannot be created", "permission denied"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(base, c.name, "store")
			if err := open(t, store.Options{Dir: dir}).Close(); err != nil {
				t.Fatal(err)
			}
			defer os.Chmod(filepath.Dir(dir), 0o755)
			if os.Geteuid() == 0 {
				if err := os.Chown(dir, nobody, nobody); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(os.Chmod(filepath.Dir(base), 0o755), os.Chmod(base, 0o755),
				os.Chmod(filepath.Dir(dir), 0o755), c.spoil(dir)); err != nil {
				t.Fatal(err)
			}
			err := asNobody(func() error {
				s, err := store.Open(store.Options{Dir: dir})
				if err == nil {
					s.Close()
				}
				return err
			})
			if !errors.Is(err, fs.ErrPermission) {
				t.Fatalf("Open = %v, want a missing permission", err)
			}
			for _, w := range append(c.words, dir, "needs permission") {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("Open = %q, want it to say %q", err, w)
				}
			}
		})
	}
}

// asNobody makes this thread another user's for a while, if it is root's.
func asNobody(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if os.Geteuid() == 0 {
		keep := ^uintptr(0)
		unix.RawSyscall(unix.SYS_SETRESUID, keep, nobody, keep)
		defer unix.RawSyscall(unix.SYS_SETRESUID, keep, 0, keep)
	}
	return f()
}
