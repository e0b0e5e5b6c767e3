package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
)

// sample is the directory of a store that has tables, a value log and, if it
// was killed, a log of the newest batches.
func sample(t *testing.T, key []byte, killed bool) (dir string, contents []string) {
	t.Helper()
	live := t.TempDir()
	s := open(t, store.Options{Dir: live, Key: key})
	random := rand.New(rand.NewPCG(3, 4))
	for n := range 90 {
		ops := small(n*1000, 1000)
		for i := range ops {
			for at := range ops[i].Value {
				ops[i].Value[at] = byte(random.IntN(255)) + 1
			}
		}
		if err := s.Apply(ops, false); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		big := engine.Op{Key: fmt.Appendf(nil, "big/%d", i), Value: bytes.Repeat([]byte{byte(i + 1)}, 1<<20)}
		if err := s.Apply([]engine.Op{big}, true); err != nil {
			t.Fatal(err)
		}
	}
	contents = everything(t, s)
	dir = live
	for killed {
		// A copy counts if nothing was tidied up while it was made.
		manifest := func() string {
			b, err := os.ReadFile(filepath.Join(live, "MANIFEST"))
			if err != nil {
				t.Fatal(err)
			}
			return string(b) + fmt.Sprint(names(t, live))
		}
		before := manifest()
		dir = copyDir(t, live)
		killed = manifest() != before
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, contents
}

func everything(t *testing.T, s *store.Store) []string {
	t.Helper()
	var all []string
	err := s.Scan(nil, nil, func(k, v []byte) bool {
		all = append(all, string(k)+"="+string(v))
		return true
	})
	if err != nil {
		t.Fatalf("Scan = %v, want no error", err)
	}
	return all
}

func copyDir(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.Mkdir(to, 0o700); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(from, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // tidied away meanwhile
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, e.Name()), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// first and last give a file of a directory.
func first(t *testing.T, dir, pattern string) string { return files(t, dir, pattern)[0] }
func last(t *testing.T, dir, pattern string) string {
	f := files(t, dir, pattern)
	return f[len(f)-1]
}

func files(t *testing.T, dir, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("Glob(%s) = %d files, %v, want some", pattern, len(names), err)
	}
	return names
}

// edit rewrites a file.
func edit(t *testing.T, path string, change func(b []byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, change(b), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func flip(at float64) func([]byte) []byte {
	return func(b []byte) []byte {
		b[int(at*float64(len(b)-1))] ^= 0x55
		return b
	}
}

func cut(keep float64) func([]byte) []byte {
	return func(b []byte) []byte { return b[:int(keep*float64(len(b)))] }
}

func lastBytes(n int, to byte) func([]byte) []byte {
	return func(b []byte) []byte {
		for i := len(b) - n; i < len(b); i++ {
			b[i] = to
		}
		return b
	}
}

func TestDamage(t *testing.T) {
	for name, key := range map[string][]byte{"plain": nil, "encrypted": []byte("0123456789abcdef")} {
		t.Run(name, func(t *testing.T) {
			whole, _ := sample(t, key, false)
			for _, c := range []struct {
				file   string
				change func([]byte) []byte // nil: remove
			}{
				{"MANIFEST", nil},
				{"MANIFEST", cut(0)},
				{"MANIFEST", cut(0.5)},
				{"MANIFEST", flip(0)},
				{"MANIFEST", flip(0.3)},
				{"MANIFEST", flip(1)},
				{"KEYREGISTRY", nil},
				{"KEYREGISTRY", cut(0.4)},
				{"*.sst", nil},
				{"*.sst", cut(0)},
				{"*.sst", cut(0.01)},
				{"*.sst", cut(0.5)},
				{"*.sst", flip(0)},
				{"*.sst", flip(0.5)},
				{"*.sst", flip(0.97)},
				{"*.sst", flip(0.9999)},
				{"*.sst", lastBytes(4, 0xff)},
				{"*.sst", lastBytes(4, 0)},
				{"*.sst", lastBytes(40, 0xff)},
				{"*.sst", func(b []byte) []byte { return make([]byte, len(b)) }},
				{"*.vlog", flip(0.5)},
				{"*.vlog", func(b []byte) []byte { return b[:15] }},
				{"*.vlog", func(b []byte) []byte { b[3] ^= 1; return b }},
			} {
				dir := copyDir(t, whole)
				path := first(t, dir, c.file)
				if c.change == nil {
					if err := os.Remove(path); err != nil {
						t.Fatal(err)
					}
				} else {
					edit(t, path, c.change)
				}
				before := names(t, dir)
				wantFault(t, store.Options{Dir: dir, Key: key}, engine.ErrCorrupt, filepath.Base(path), "Restore a backup")
				if after := names(t, dir); !slices.Equal(after, before) {
					t.Errorf("files after a refused Open = %v, want %v", after, before)
				}
			}
		})
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	for _, path := range files(t, dir, "*") {
		all = append(all, filepath.Base(path))
	}
	return all
}

// TestAnyFlippedByte changes single bytes anywhere: a store then opens with all
// that it held, or not at all.
func TestAnyFlippedByte(t *testing.T) {
	whole, want := sample(t, nil, false)
	random := rand.New(rand.NewPCG(5, 6))
	refused := 0
	for _, path := range files(t, whole, "*") {
		size, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			dir := copyDir(t, whole)
			at := random.Int64N(size.Size())
			edit(t, filepath.Join(dir, filepath.Base(path)), func(b []byte) []byte {
				b[at] ^= byte(1 << random.IntN(8))
				return b
			})
			s, err := store.Open(store.Options{Dir: dir})
			if errors.Is(err, engine.ErrCorrupt) || errors.Is(err, engine.ErrKey) {
				refused++
				continue
			}
			if err != nil {
				t.Fatalf("%s changed at %d: Open = %v, want no error or ErrCorrupt", path, at, err)
			}
			if got := everything(t, s); !slices.Equal(got, want) {
				t.Errorf("%s changed at %d: %d keys, want the %d of before", path, at, len(got), len(want))
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if refused == 0 {
		t.Error("no change was refused, want most")
	}
}

func TestLogAfterAKill(t *testing.T) {
	for name, key := range map[string][]byte{"plain": nil, "encrypted": []byte("0123456789abcdef")} {
		t.Run(name, func(t *testing.T) {
			killed, want := sample(t, key, true)
			reopen := func(dir string) []string {
				t.Helper()
				s := open(t, store.Options{Dir: dir, Key: key})
				defer s.Close()
				return everything(t, s)
			}
			if got := reopen(copyDir(t, killed)); !slices.Equal(got, want) {
				t.Errorf("after a kill = %d keys, want %d", len(got), len(want))
			}

			dir := copyDir(t, killed)
			edit(t, last(t, dir, "*.mem"), func(b []byte) []byte {
				b[40] ^= 1
				return b
			})
			wantFault(t, store.Options{Dir: dir, Key: key}, engine.ErrCorrupt, ".mem")

			// An unfinished write at the end is what a kill leaves.
			dir = copyDir(t, killed)
			edit(t, last(t, dir, "*.mem"), func(b []byte) []byte {
				end := len(bytes.TrimRight(b, "\x00"))
				clear(b[end-3 : end])
				return b
			})
			if got := reopen(dir); len(got) != len(want)-1 {
				t.Errorf("after a kill in the middle of a write = %d keys, want %d", len(got), len(want)-1)
			}

			// So are files without a byte, and a log with nothing in it.
			dir = copyDir(t, killed)
			for _, name := range []string{"99998.mem", "099999.vlog"} {
				if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			edit(t, filepath.Join(dir, "DISCARD"), cut(0.5))
			if err := os.WriteFile(filepath.Join(dir, "99999.mem"), make([]byte, 1<<20), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := reopen(dir); !slices.Equal(got, want) {
				t.Errorf("after a kill around the making of files = %d keys, want %d", len(got), len(want))
			}
		})
	}
}

// TestErrorsAreSilentAboutKeys damages a value that an open store then reads.
func TestErrorsAreSilentAboutKeys(t *testing.T) {
	dir := t.TempDir()
	s := open(t, store.Options{Dir: dir})
	defer s.Close()
	const secret = "conversation/Hana"
	if err := s.Apply([]engine.Op{{Key: []byte(secret), Value: bytes.Repeat([]byte(secret), 1<<16)}}, true); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(last(t, dir, "*.vlog"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("damage"), 1000); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	_, _, err = s.Get([]byte(secret))
	scanErr := s.Scan(nil, nil, func(k, _ []byte) bool {
		t.Errorf("Scan yields a damaged value of %q, want an error", k)
		return true
	})
	for _, err := range []error{err, scanErr} {
		if !errors.Is(err, engine.ErrCorrupt) || strings.Contains(err.Error(), "Hana") || !strings.Contains(err.Error(), dir) {
			t.Errorf("reading a damaged value = %v, want ErrCorrupt with the directory and no key", err)
		}
	}
}
