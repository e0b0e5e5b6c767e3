package keyring

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/private"
)

// nameOf is the file of the key that a row was sealed with.
func nameOf(row []byte) string { return fmt.Sprintf("%x", row[:idBytes]) }

// A key that is gone is not replaced: the error names its file and says what to do.
func TestALostKeyIsMissed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	r := open(t, dir)
	row, other := seal(t, r, "a", "p", "secret"), seal(t, r, "b", "p", "other")
	path := filepath.Join(dir, nameOf(row))
	away := filepath.Join(t.TempDir(), "away")
	late := open(t, dir)
	if err := os.Rename(path, away); err != nil {
		t.Fatal(err)
	}
	check := func(what string, err error) {
		t.Helper()
		text := fmt.Sprint(err)
		if !errors.Is(err, engine.ErrNoKey) || !strings.Contains(text, path) || !strings.Contains(text, "backup") ||
			!strings.Contains(text, "kehai key anew") {
			t.Errorf("%s = %v, want the file and what to do", what, err)
		}
	}
	if _, err := OpenAlone(dir); err == nil || strings.Contains(err.Error(), "kehai key") ||
		!strings.Contains(err.Error(), "rm "+filepath.Join(dir, listFile)) {
		t.Errorf("OpenAlone() = %v, want no command of Kehai", err)
	}
	_, err := Open(dir)
	check("Open()", err)
	_, err = Inspect(dir)
	check("Inspect()", err)
	_, err = late.Seal(nil, "a", nil, nil) // it was gone after the start
	check("Seal()", err)
	_, err = late.Open([]byte("p"), row)
	check("Open() of a row", err)
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("a key was made in the place of the one that is gone, %v", err)
	}
	want(t, late, "p", other, "other")

	if err := os.Rename(away, path); err != nil {
		t.Fatal(err)
	}
	want(t, open(t, dir), "p", row, "secret")
	if n, err := Inspect(dir); n != 3 || err != nil {
		t.Errorf("Inspect() = %d, %v, want three keys", n, err)
	}

	// Whoever has no backup goes on without.
	if err := errors.Join(os.Remove(path), os.Remove(filepath.Join(dir, listFile))); err != nil {
		t.Fatal(err)
	}
	r = open(t, dir)
	wantMissing(t, r, "p", row)
	want(t, r, "p", other, "other")
	want(t, r, "p", seal(t, r, "a", "p", "new"), "new")
}

// A key whose file is gone can be destroyed: from then on nobody misses it.
func TestALostKeyIsDestroyed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	r := open(t, dir)
	row := seal(t, r, "a", "p", "secret")
	if err := errors.Join(os.Remove(filepath.Join(dir, nameOf(row))), r.Destroy("a")); err != nil {
		t.Fatal(err)
	}
	if n, err := Inspect(dir); n != 1 || err != nil {
		t.Errorf("Inspect() = %d, %v, want the node's key and nothing missed", n, err)
	}
	wantMissing(t, open(t, dir), "p", row)
}

// A file without a key counts as lost, not as destroyed, unless the list says so.
func TestABlankKeyIsMissed(t *testing.T) {
	for name, left := range map[string][]byte{"empty": nil, "zeros": make([]byte, 89)} {
		dir := filepath.Join(t.TempDir(), "keys")
		late := open(t, dir)
		row := seal(t, late, "a", "p", "secret")
		late = open(t, dir)
		path := filepath.Join(dir, nameOf(row))
		whole, err := os.ReadFile(path)
		if err = errors.Join(err, os.WriteFile(path, left, 0o600)); err != nil {
			t.Fatal(err)
		}
		for what, try := range map[string]func() error{
			"Open":    func() error { _, err := open(t, dir).Open([]byte("p"), row); return err },
			"Ready":   func() error { return open(t, dir).Ready("a") },
			"Inspect": func() error { _, err := Inspect(dir); return err },
			"Backup":  func() error { _, err := Backup(dir, io.Discard); return err },
			"Seal":    func() error { _, err := late.Seal(nil, "a", nil, nil); return err },
			"KeyOf":   func() error { _, _, err := late.KeyOf("a"); return err },
		} {
			if err := try(); !errors.Is(err, engine.ErrNoKey) || isAbsent(err) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s() beside a key that is %s = %v, want the file named", what, name, err)
			}
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, left) {
			t.Errorf("the key that is %s was replaced by %q, %v", name, now, err)
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		want(t, open(t, dir), "p", row, "secret")
	}
}

// noteEnd enters the end of a key, and leaves the key.
func noteEnd(r *Ring, name string) error {
	d := r.files.(*directory)
	return d.note(d.ends(name)...)
}

// A crash comes between a key and its entry, in an entry, or between the entry of a
// key that is to be destroyed and its end.
func TestACrashBesideTheList(t *testing.T) {
	atEnd := func(d *directory, raw []byte) error {
		info, err := os.Stat(d.file(listFile))
		if err == nil {
			err = d.writeAt(listFile, 0, raw, info.Size())
		}
		return err
	}
	for name, crash := range map[string]func(d *directory, key string) error{
		"no list":         func(d *directory, _ string) error { return os.Remove(d.file(listFile)) },
		"half an entry":   func(d *directory, _ string) error { return atEnd(d, []byte("+0123456789")) },
		"zeros":           func(d *directory, _ string) error { return atEnd(d, make([]byte, 3*listEntry+4)) },
		"half a mark":     func(d *directory, _ string) error { return atEnd(d, []byte("+")) },
		"to be destroyed": func(d *directory, key string) error { return d.note(d.ends(key)...) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "keys")
			r := open(t, dir)
			row, other := seal(t, r, "a", "p", "secret"), seal(t, r, "b", "p", "other")
			if err := crash(open(t, dir).files.(*directory), nameOf(row)); err != nil {
				t.Fatal(err)
			}
			r = open(t, dir)
			want(t, r, "p", row, "secret")
			if err := r.Destroy("a"); err != nil {
				t.Fatal(err)
			}
			r = open(t, dir)
			wantMissing(t, r, "p", row)
			want(t, r, "p", other, "other")
			if err := os.Remove(filepath.Join(dir, nameOf(other))); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(dir); !errors.Is(err, engine.ErrNoKey) {
				t.Errorf("Open() with a key that is gone = %v, want it missed", err)
			}
		})
	}
}

// Keys that others may read are no secret.
func TestInspectFindsExposedKeys(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	if n, err := Inspect(dir); n != 0 || err != nil {
		t.Errorf("Inspect() of nothing = %d, %v", n, err)
	}
	path := filepath.Join(dir, nameOf(seal(t, open(t, dir), "a", "p", "secret")))
	for _, c := range []struct {
		path string
		mode os.FileMode
	}{{path, 0o640}, {filepath.Join(dir, nodeFile), 0o602}, {dir, 0o750}} {
		before, err := os.Stat(c.path)
		if err == nil {
			err = os.Chmod(c.path, c.mode)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = Inspect(dir)
		var exposed *private.Exposed
		if !errors.As(err, &exposed) || exposed.Path != c.path || !strings.Contains(exposed.Mend, "chmod") {
			t.Errorf("Inspect() of %s with mode %o = %v, want it exposed", c.path, c.mode, err)
		}
		if err := os.Chmod(c.path, before.Mode()); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, listFile), []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), listFile) {
		t.Errorf("Open() with a list of another kind = %v, want an error that names it", err)
	}
}

func FuzzParseList(f *testing.F) {
	l := newList(0)
	l.take(entry{made, id{1}, stamp{2}})
	l.take(entry{mark: ended, of: id{3}})
	f.Add(l.bytes())
	f.Add([]byte(oldHead + "+0123456789abcdef-0123456789abcdef+012345"))
	f.Add([]byte(listHead[:4]))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, later := parseList(raw)
		n := len(raw) / oldEntry
		if r.entries > n || len(r.should)+len(r.ended) > r.entries || r.none && r.entries > 0 {
			t.Errorf("parseList() of %d bytes = %d keys in %d entries, %v", len(raw), len(r.should), r.entries, later)
		}
	})
}
