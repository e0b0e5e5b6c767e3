package keyring

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A changed byte of the list is said with what survives, and a backup of the keys mends it, wherever it is. Nothing
// that was destroyed comes back with it.
func TestADamagedListIsMended(t *testing.T) {
	home := t.TempDir()
	dir, list := filepath.Join(home, "keys"), filepath.Join(home, "keys", listFile)
	r := open(t, dir)
	kept, gone := seal(t, r, "a", "p", "kept"), seal(t, r, "b", "p", "gone")
	var older, newer bytes.Buffer
	if _, err := Backup(dir, &older); err != nil {
		t.Fatal(err)
	}
	if err := r.Destroy("b"); err != nil {
		t.Fatal(err)
	}
	if _, err := Backup(dir, &newer); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	at := func(mark byte, row []byte) int { return bytes.Index(whole, entry(mark, nameOf(row))) }
	for what, c := range map[string]struct {
		at    int
		names string // a key in the error; "" where all entries can be read
	}{
		"head":            {3, ""},
		"mark of a made":  {at(made, kept), nameOf(kept)},
		"mark of an end":  {at(ended, gone), nameOf(gone)},
		"id of a made":    {at(made, kept) + 5, nameOf(kept)},
		"id of an end":    {at(ended, gone) + 5, ""},
		"id of a gone":    {at(made, gone) + 5, ""},
		"mark of a start": {at(made, gone), nameOf(gone)},
	} {
		for when, backup := range map[string]*bytes.Buffer{"older": &older, "newer": &newer} {
			bad := slices.Clone(whole)
			bad[c.at] ^= 0x40
			if err := os.WriteFile(list, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Open(dir)
			for _, want := range []string{listFile, c.names, "kehai key restore FILE", "rm " + list} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("Open() with a damaged %s = %v, want %q in it", what, err, want)
				}
			}
			if _, err := Restore(dir, bytes.NewReader(backup.Bytes())); err != nil {
				t.Errorf("Restore() of an %s backup over a damaged %s = %v, want it mended", when, what, err)
				continue
			}
			again := open(t, dir)
			want(t, again, "p", kept, "kept")
			wantMissing(t, again, "p", gone)
			if _, err := Inspect(dir); err != nil {
				t.Errorf("Inspect() after a damaged %s was mended = %v", what, err)
			}
		}
	}
}

// A list of a later version is no damaged one: it stays as it is.
func TestALaterListIsNotMended(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	r := open(t, dir)
	seal(t, r, "a", "p", "words")
	var backup bytes.Buffer
	if _, err := Backup(dir, &backup); err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, listFile)
	raw, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	later := bytes.Replace(raw, []byte("kehai keys 1"), []byte("kehai keys 2"), 1)
	if err := os.WriteFile(list, later, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(dir, &backup); err == nil || !strings.Contains(err.Error(), "upgrade this program") {
		t.Errorf("Restore() over a list of a later version = %v, want that it is one", err)
	}
	if now, err := os.ReadFile(list); err != nil || !bytes.Equal(now, later) {
		t.Errorf("it was changed, %v", err)
	}
}
