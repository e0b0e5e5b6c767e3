package keyring

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kehai-run/kehai/runtime/engine"
)

// What lost keys sealed is told with whose it is, and rows of an older key too; what a key opens is not among it. Where
// a key is only out of reach, or the keys are others, nothing is lost.
func TestLosses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	r := open(t, dir)
	rows, mark := map[string][]byte{}, []byte("\x00ks\x01")
	row := func(subject, key string) {
		sealed, err := r.Seal(slices.Clone(mark), subject, []byte(key), []byte(`1 "words"`))
		if err != nil {
			t.Fatal(err)
		}
		rows[key] = sealed
	}
	scan := func(yield func(key, value []byte) bool) error {
		for key, value := range rows {
			if !yield([]byte(key), value) {
				return nil
			}
		}
		return nil
	}
	row("line@a", "s/fusion/line@a\x00t\x001")
	row("line@a", "s/capture/line@a\x00t\x001")
	row("c-1", "s/conversation/c-1\x00t\x001")
	row("c-2", "s/directory/line\x00t\x002")
	row("c-3", "s/conversation/c-3\x00t\x003")
	lose := func(subject string) { // and its key
		if err := os.Remove(filepath.Join(dir, must(r.IDOf(subject)))); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Destroy("c-3"); err != nil {
		t.Fatal(err)
	}
	row("c-3", "s/conversation/c-3\x00t\x004")
	lose("line@a")
	lose("c-2")
	if _, _, err := Losses(dir, scan); err == nil {
		t.Error("Losses() of a store that does not tell its keys = nil")
	}
	sealed, err := r.Seal(nil, "", []byte("m/sealed"), []byte("kehai 3 {}"))
	if err != nil {
		t.Fatal(err)
	}
	rows["m/sealed"] = sealed
	lost, gone, err := Losses(dir, scan)
	want := map[string]Lost{
		"line@a": {must(r.IDOf("line@a")), "line@a", []string{"capture", "fusion"}, 2},
		"c-2":    {must(r.IDOf("c-2")), "", []string{"directory"}, 1},
		"c-3":    {must(r.IDOf("c-3")), "c-3", []string{"conversation"}, 1},
	}
	if err != nil || len(lost) != len(want) || len(gone) != 4 {
		t.Errorf("Losses() = %+v, %d rows, %v, want %d keys and 4 rows", lost, len(gone), err, len(want))
	}
	for _, l := range lost {
		if !slices.ContainsFunc([]Lost{want["line@a"], want["c-2"], want["c-3"]}, func(w Lost) bool {
			return l.Key == w.Key && l.Whose == w.Whose && slices.Equal(l.Kinds, w.Kinds) && l.Rows == w.Rows
		}) {
			t.Errorf("Losses() tells of %+v", l)
		}
	}
	path := filepath.Join(dir, must(r.IDOf("c-1")))
	if err := errors.Join(os.Rename(path, path+"x"), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Losses(dir, scan); !errors.Is(err, engine.ErrKeyAway) {
		t.Errorf("Losses() with a key out of reach = %v, want %v", err, engine.ErrKeyAway)
	}
	if err := errors.Join(os.Remove(path), os.Rename(path+"x", path)); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "keys")
	seal(t, open(t, other), "c-1", "p", "words")
	if lost, _, err := Losses(other, scan); err == nil {
		t.Errorf("Losses() with other keys = %+v, want an error", lost)
	}

	for _, key := range gone {
		delete(rows, string(key))
	}
	if err := GiveUp(dir); err != nil {
		t.Fatal(err)
	}
	if lost, gone, err := Losses(dir, scan); err != nil || len(lost)+len(gone) > 0 {
		t.Errorf("Losses() afterwards = %+v, %d rows, %v, want none", lost, len(gone), err)
	}
	r = open(t, dir)
	for key, value := range rows {
		if _, err := engine.OpenRow(r, []byte(key), value); err != nil {
			t.Errorf("%q does not open any more: %v", key, err)
		}
	}
	seal(t, r, "line@a", "p", "anew")
}
