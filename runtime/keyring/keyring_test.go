package keyring

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/kehai-run/kehai/runtime/engine"
)

func open(t *testing.T, dir string) *Ring {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func seal(t *testing.T, r *Ring, subject, place, plain string) []byte {
	t.Helper()
	sealed, err := r.Seal([]byte("head"), subject, []byte(place), []byte(plain))
	if err != nil {
		t.Fatal(err)
	}
	if len(sealed) > len("head")+len(plain)+r.Overhead() || !bytes.HasPrefix(sealed, []byte("head")) {
		t.Errorf("Seal makes %d bytes of %d, want %d more at most", len(sealed)-4, len(plain), r.Overhead())
	}
	return sealed[len("head"):]
}

func want(t *testing.T, r *Ring, place string, sealed []byte, plain string) {
	t.Helper()
	if got, err := r.Open([]byte(place), sealed); err != nil || string(got) != plain {
		t.Errorf("Open() = %q, %v, want %q", got, err, plain)
	}
}

func wantMissing(t *testing.T, r *Ring, place string, sealed []byte) {
	t.Helper()
	got, err := r.Open([]byte(place), sealed)
	if !errors.Is(err, engine.ErrNoKey) || !strings.Contains(err.Error(), "backup") {
		t.Errorf("Open() = %q, %v, want a missing key and what to do", got, err)
	}
}

var subjects = []string{"", "line:花", "line:Hana", "all", strings.Repeat("x", 3000)}

func TestRowsOpenAfterAStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	r := open(t, dir)
	var rows [][]byte
	for _, s := range subjects {
		for _, plain := range []string{"", "花は?", strings.Repeat("y", 100_000)} {
			rows = append(rows, seal(t, r, s, "place", plain))
		}
	}
	for n, row := range rows {
		again := open(t, dir) // reads each key by itself
		want(t, again, "place", row, []string{"", "花は?", strings.Repeat("y", 100_000)}[n%3])
		for m, s := range subjects {
			if got := again.Under(s, row); got != (m == n/3) {
				t.Errorf("Under(%.9q) of a row for %.9q = %v", s, subjects[n/3], got)
			}
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != len(subjects)+1 {
		t.Errorf("%d files, %v, want one for each of %d, and their list", len(files), err, len(subjects))
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s has mode %v, %v, want 0600", f.Name(), info.Mode(), err)
		}
		raw, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil || strings.Contains(f.Name()+string(raw), "Hana") || strings.Contains(string(raw), "花") {
			t.Errorf("%s names a subject, %v", f.Name(), err)
		}
	}
}

func TestTheSamePlainTextIsNeverSealedTheSame(t *testing.T) {
	r, seen := Memory(nil), map[string]bool{}
	for range 1000 {
		row := string(seal(t, r, "a", "p", "all right"))
		if seen[row] || strings.Contains(row, "all right") {
			t.Fatal("two rows are the same, or one is not sealed")
		}
		seen[row] = true
	}
}

func TestARowOpensOnlyAsItWasSealed(t *testing.T) {
	r := Memory(nil)
	row := seal(t, r, "a", "place", "secret")
	other := seal(t, r, "b", "place", "secret")
	for n := range row {
		changed := bytes.Clone(row)
		changed[n] ^= 1
		if got, err := r.Open([]byte("place"), changed); err == nil {
			t.Errorf("with byte %d changed it opens as %q", n, got)
		}
		if got, err := r.Open([]byte("place"), row[:n]); err == nil {
			t.Errorf("cut to %d bytes it opens as %q", n, got)
		}
	}
	if _, err := r.Open([]byte("elsewhere"), row); !errors.Is(err, engine.ErrRecord) {
		t.Errorf("Open() elsewhere = %v, want %v", err, engine.ErrRecord)
	}
	if got, err := r.Open([]byte("place"), append(bytes.Clone(other[:idBytes]), row[idBytes:]...)); err == nil {
		t.Errorf("with another key it opens as %q", got)
	}
}

// TestDerive: a subject's other keys are the same after a start, differ by use and subject, and are
// gone with its key.
func TestDerive(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	r := open(t, dir)
	derived := func(r *Ring, subject, use string) string {
		t.Helper()
		key, ok, err := r.Derive(subject, use)
		if err != nil || ok != (len(key) == 32) {
			t.Errorf("Derive(%s, %s) = %d bytes, %v, %v", subject, use, len(key), ok, err)
		}
		return string(key)
	}
	if got := derived(r, "a", "x"); got != "" {
		t.Error("a subject without a key has another one derived from it")
	}
	seal(t, r, "a", "p", "text")
	seal(t, r, "b", "p", "text")
	key := derived(r, "a", "x")
	if again := derived(open(t, dir), "a", "x"); key == "" || key != again {
		t.Error("the derived key differs after a start")
	}
	if key == derived(r, "a", "y") || key == derived(r, "b", "x") || key == derived(r, "", "x") {
		t.Error("two uses or subjects have the same key")
	}
	if err := r.Destroy("a"); err != nil {
		t.Fatal(err)
	}
	if got := derived(r, "a", "x"); got != "" {
		t.Error("a derived key outlives the key that it was made of")
	}
	seal(t, r, "a", "p", "text")
	if got := derived(r, "a", "x"); got == "" || got == key {
		t.Error("a new key gives the derived key of the old one")
	}
}

func TestADestroyedKeyIsGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	r := open(t, dir)
	if err := r.Destroy("a"); err != nil { // there is nothing
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("to destroy a key that is not there has made %s, %v", dir, err)
	}
	other, before := seal(t, r, "b", "p", "other"), seal(t, r, "a", "p", "before")
	seal(t, r, "a", "p", "once more") // with what is kept of the row before
	if err := errors.Join(r.Destroy("a"), r.Destroy("a")); err != nil {
		t.Fatal(err)
	}
	if err := r.Destroy(""); err == nil {
		t.Error("the node's key was destroyed")
	}
	wantMissing(t, r, "p", before)
	wantMissing(t, open(t, dir), "p", before)
	if !r.Under("a", before) {
		t.Error("Under(a) = false of a row whose key is gone")
	}
	after := seal(t, r, "a", "p", "after")
	for _, r := range []*Ring{r, open(t, dir)} {
		want(t, r, "p", after, "after")
		want(t, r, "p", other, "other")
		if got, err := r.Open([]byte("p"), before); !errors.Is(err, engine.ErrRecord) {
			t.Errorf("Open() = %q, %v, want that it does not open with the new key", got, err)
		}
	}
}

// A crash may leave a file that is not finished, or one that is overwritten and not
// deleted.
func TestWhatACrashLeaves(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	r := open(t, dir)
	row := seal(t, r, "a", "p", "secret")
	name := fmt.Sprintf("%x", row[:idBytes])
	for _, left := range []string{name + unfinished, nodeFile + unfinished} {
		if err := os.WriteFile(filepath.Join(dir, left), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want(t, open(t, dir), "p", row, "secret")
	if files, _ := filepath.Glob(filepath.Join(dir, "*"+unfinished)); len(files) > 0 {
		t.Errorf("%q are left", files)
	}
	err := noteEnd(open(t, dir), name)
	if err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), make([]byte, 73), 0o600)); err != nil {
		t.Fatal(err)
	}
	r = open(t, dir)
	if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an overwritten key is left behind, %v", err)
	}
	wantMissing(t, r, "p", row)
	want(t, r, "p", seal(t, r, "a", "p", "new"), "new")
}

// A key that is damaged is not replaced: what is sealed under it may come back with
// a backup.
func TestADamagedKeyIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	row := seal(t, open(t, dir), "a", "p", "secret")
	for _, name := range []string{fmt.Sprintf("%x", row[:idBytes]), nodeFile} {
		path := filepath.Join(dir, name)
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		bad := append(bytes.Clone(good[:len(good)-1]), good[len(good)-1]^1)
		if name == nodeFile {
			bad = good[:len(good)-1]
		}
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		r := open(t, dir)
		wantMissing(t, r, "p", row)
		if _, err := r.Seal(nil, "a", nil, nil); !errors.Is(err, engine.ErrNoKey) || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Seal() with a damaged %s = %v, want it to be named", name, err)
		}
		_, err = r.Open([]byte("p"), row)
		for _, of := range []string{"key " + name, dir, "kehai key restore FILE"} {
			if err == nil || !strings.Contains(err.Error(), of) {
				t.Errorf("Open() with a damaged %s = %v, want %q in it", name, err, of)
			}
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, bad) {
			t.Errorf("the damaged %s was replaced, %v", name, err)
		}
		if err := os.WriteFile(path, good, 0o600); err != nil {
			t.Fatal(err)
		}
		want(t, open(t, dir), "p", row, "secret")
	}
}

func TestAnOpenDirectoryIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	seal(t, open(t, dir), "a", "p", "secret")
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("Open() of a directory that others may read = %v, want how to close it", err)
	}
}

func TestTheSameBytesSealTheSame(t *testing.T) {
	rows := func() (all []byte) {
		r := Memory(rand.NewChaCha8([32]byte{1}))
		for n := range 1000 {
			all = append(all, seal(t, r, subjects[n%len(subjects)], "p", "plain")...)
		}
		return all
	}
	if !bytes.Equal(rows(), rows()) {
		t.Error("two rings with the same random bytes seal differently")
	}
}

func TestManyAtATime(t *testing.T) {
	r := open(t, filepath.Join(t.TempDir(), "keys"))
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for m := range 50 {
				s := fmt.Sprint((n + m) % 5)
				row, err := r.Seal(nil, s, []byte(s), []byte(s))
				if err == nil {
					_, err = r.Open([]byte(s), row)
				}
				if (err != nil || !r.Under(s, row)) && s != "0" {
					t.Errorf("subject %s: %v", s, err)
				}
				if s == "0" {
					err = r.Destroy(s)
				}
				if err != nil && s == "0" && !errors.Is(err, engine.ErrNoKey) {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// No more keys are held in memory than it says, and all are found again.
func TestKeysAreReadAgain(t *testing.T) {
	r := Memory(nil)
	rows := make([][]byte, maxCached+10)
	for n := range rows {
		rows[n] = seal(t, r, fmt.Sprint("c", n), "p", fmt.Sprint(n))
	}
	for n, row := range rows {
		want(t, r, "p", row, fmt.Sprint(n))
	}
	if len(r.byID) > maxCached || len(r.byName) > maxCached {
		t.Errorf("%d and %d keys are held, want %d at most", len(r.byID), len(r.byName), maxCached)
	}
}

func FuzzOpen(f *testing.F) {
	r := Memory(rand.NewChaCha8([32]byte{1}))
	row, err := r.Seal(nil, "a", []byte("p"), []byte("plain"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte("p"), row)
	f.Add([]byte{}, row[:idBytes])
	f.Fuzz(func(t *testing.T, place, sealed []byte) {
		plain, err := r.Open(place, sealed)
		if (err == nil) != (string(place) == "p" && bytes.Equal(sealed, row)) {
			t.Errorf("Open(%q, %x) = %q, %v", place, sealed, plain, err)
		}
	})
}

func BenchmarkSeal(b *testing.B) {
	r, plain := Memory(nil), bytes.Repeat([]byte("x"), 300)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Seal(make([]byte, 0, 400), "a", plain[:20], plain); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	r, plain := Memory(nil), bytes.Repeat([]byte("x"), 300)
	row, err := r.Seal(nil, "a", plain[:20], plain)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Open(plain[:20], row); err != nil {
			b.Fatal(err)
		}
	}
}
