package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
)

// wantFault checks the kind of an Open's error and that it says something.
func wantFault(t *testing.T, o store.Options, kind error, words ...string) {
	t.Helper()
	s, err := store.Open(o)
	if err == nil {
		s.Close()
	}
	if !errors.Is(err, kind) {
		t.Fatalf("Open = %v, want %v", err, kind)
	}
	for _, w := range append(words, o.Dir) {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("Open = %q, want it to say %q", err, w)
		}
	}
	if _, ok := errors.AsType[*store.Fault](err); !ok {
		t.Errorf("Open = %T, want a *store.Fault", err)
	}
}

func TestInUse(t *testing.T) {
	dir := t.TempDir()
	c := startChild(t, "hold", dir)
	c.want(t, "held")
	wantFault(t, store.Options{Dir: dir}, engine.ErrInUse, fmt.Sprintf("process %d", c.cmd.Process.Pid),
		"Stop that process")
	c.in.Close()
	if err := c.cmd.Wait(); err != nil {
		t.Fatalf("holder = %v, want no error", err)
	}

	s := open(t, store.Options{Dir: dir})
	wantFault(t, store.Options{Dir: dir}, engine.ErrInUse, fmt.Sprintf("this process (%d)", os.Getpid()))
	if err := os.Remove(filepath.Join(dir, "LOCK")); err != nil {
		t.Fatal(err)
	}
	wantFault(t, store.Options{Dir: dir}, engine.ErrInUse, "another process")
	if err := s.Close(); err != nil {
		t.Fatalf("Close() = %v, want no error", err)
	}
	if err := s.Close(); err != nil {
		t.Fatalf("second Close() = %v, want no error", err)
	}
}

func TestNewDirectoryIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	s := open(t, store.Options{Dir: dir})
	defer s.Close()
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("Stat(%s) = %v, %v, want 0700", dir, info.Mode(), err)
	}
}

// What Badger writes may be readable for all: only its directory protects it.
func TestAnOpenDirectoryIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	if err := open(t, store.Options{Dir: dir}).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(store.Options{Dir: dir})
	if err == nil {
		s.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "may be read by other users") ||
		!strings.Contains(err.Error(), "chmod 700 "+dir) {
		t.Fatalf("Open of a directory that others may enter = %v, want the command that closes it", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil { // the command
		t.Fatal(err)
	}
	if err := open(t, store.Options{Dir: dir}).Close(); err != nil {
		t.Error(err)
	}
}

func TestFaultsOfTheDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "under")} {
		s, err := store.Open(store.Options{Dir: dir})
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("Open(%s) = %v, want an error that names it", dir, err)
		}
	}
	if _, err := store.Open(store.Options{}); err == nil || !strings.Contains(err.Error(), "Options.Dir") {
		t.Errorf("Open(nothing) = %v, want an error about Options.Dir", err)
	}
}

func TestLowSpace(t *testing.T) {
	dir := t.TempDir()
	free, statErr := uint64(100<<20), error(nil)
	o := store.Options{Dir: dir, MinFree: engine.DefaultMinFree, StatFS: func(asked string) (uint64, error) {
		if asked != dir {
			t.Errorf("StatFS(%q), want %q", asked, dir)
		}
		return free, statErr
	}}
	wantFault(t, o, engine.ErrLowSpace, "100.0 MiB free", "needs 128.0 MiB")
	free = engine.DefaultMinFree
	s := open(t, o)
	defer s.Close()
	free = 7
	if got, err := s.Free(); got != 7 || err != nil {
		t.Errorf("Free() = %d, %v, want 7", got, err)
	}
	statErr = os.ErrInvalid
	if _, err := s.Free(); !errors.Is(err, os.ErrInvalid) || !strings.Contains(err.Error(), dir) {
		t.Errorf("Free() = %v, want %v with the directory", err, os.ErrInvalid)
	}
}

func TestKeys(t *testing.T) {
	first, second := []byte("0123456789abcdef"), []byte("fedcba9876543210")
	plain, secret := t.TempDir(), t.TempDir()
	for dir, key := range map[string][]byte{plain: nil, secret: first} {
		if err := open(t, store.Options{Dir: dir, Key: key}).Close(); err != nil {
			t.Fatal(err)
		}
	}
	wantFault(t, store.Options{Dir: secret, Key: second}, engine.ErrKey, "another key")
	wantFault(t, store.Options{Dir: secret}, engine.ErrKey, "no key was given")
	wantFault(t, store.Options{Dir: plain, Key: first}, engine.ErrKey, "not encrypted")
	wantFault(t, store.Options{Dir: plain, Key: first[:15]}, engine.ErrKey, "15 bytes")
	if err := open(t, store.Options{Dir: secret, Key: first}).Close(); err != nil {
		t.Errorf("Close() = %v, want no error", err)
	}
}

func TestEncryptionHidesText(t *testing.T) {
	dir := t.TempDir()
	s := open(t, store.Options{Dir: dir, Key: []byte("0123456789abcdef")})
	const text = "a very private sentence"
	if err := s.Apply([]engine.Op{{Key: []byte("key of " + text), Value: []byte(text)}}, true); err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"open", "closed"} {
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil || strings.Contains(string(b), "private") {
				t.Errorf("%s while %s = text in the clear (%v), want it encrypted", name, when, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
