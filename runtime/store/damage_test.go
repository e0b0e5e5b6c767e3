package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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

// sampled is a store that has tables and a value log: as its Close left it, and
// as a kill leaves it, with a log of the newest batches. Nobody changes them: a
// test takes a copy.
type sampled struct {
	closed, killed string // directories
	contents       []string
}

var samples = map[string]sampled{} // by key, made once

func sample(t *testing.T, key []byte) sampled {
	t.Helper()
	made, ok := samples[string(key)]
	if !ok {
		made = makeSample(t, key)
		samples[string(key)] = made
	}
	return made
}

func makeSample(t *testing.T, key []byte) (made sampled) {
	t.Helper()
	made.closed = dirOfAll(t)
	s := open(t, store.Options{Dir: made.closed, Key: key})
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
	made.contents = everything(t, s)
	manifest := func() string {
		b, err := os.ReadFile(filepath.Join(made.closed, "MANIFEST"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b) + fmt.Sprint(names(t, made.closed))
	}
	// A copy counts if nothing was tidied up while it was made.
	for before := ""; before != manifest(); {
		before = manifest()
		made.killed = dirOfAll(t)
		copyFiles(t, made.closed, made.killed)
	}
	closeIt(t, s)
	return made
}

// dirOfAll is a directory that stays until all tests are done.
func dirOfAll(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(forAll, "")
	if err != nil {
		t.Fatal(err)
	}
	return dir
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
	copyFiles(t, from, to)
	return to
}

func copyFiles(t *testing.T, from, to string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		err := copyFile(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // tidied away meanwhile
			t.Fatal(err)
		}
	}
}

// copyFile leaves out blocks of zeros: Badger's logs are long in advance, and
// nearly empty.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	block, zeros := make([]byte, 1<<20), make([]byte, 1<<20)
	for at := int64(0); ; {
		n, err := in.Read(block)
		if n == 0 && errors.Is(err, io.EOF) {
			return out.Truncate(at)
		}
		if err == nil && !bytes.Equal(block[:n], zeros[:n]) {
			_, err = out.WriteAt(block[:n], at)
		}
		if err != nil {
			return err
		}
		at += int64(n)
	}
}

// first and last give a file of a directory.
func first(t *testing.T, dir, pattern string) string { return files(t, dir, pattern)[0] }
func last(t *testing.T, dir, pattern string) string {
	t.Helper()
	f := slices.DeleteFunc(files(t, dir, pattern), func(path string) bool {
		info, err := os.Stat(path)
		return err != nil || info.Size() == 0 // it is not begun
	})
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
	for name, key := range bothKeys(16) {
		t.Run(name, func(t *testing.T) {
			whole := sample(t, key).closed
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
				wantFault(t, store.Options{Dir: dir, Key: key}, engine.ErrCorrupt, filepath.Base(path),
					"Restore a backup")
				if after := names(t, dir); !slices.Equal(after, before) {
					t.Errorf("files after a refused Open = %v, want %v", after, before)
				}
			}
		})
	}
}

// TestDamagedRegistry: a store whose KEYREGISTRY is damaged is not taken for one with another key, whether
// it is encrypted or not.
func TestDamagedRegistry(t *testing.T) {
	at := func(n int) func([]byte) []byte { return func(b []byte) []byte { b[n] ^= 0x40; return b } }
	for name, key := range map[string][]byte{"plain": nil, "encrypted": []byte("0123456789abcdef")} {
		t.Run(name, func(t *testing.T) {
			whole := sample(t, key).closed
			changes := map[string]func([]byte) []byte{"first": at(16), "middle": at(21), "last": at(27)}
			if key == nil {
				changes["all"] = func(b []byte) []byte { return make([]byte, len(b)) }
			}
			for which, change := range changes {
				dir := copyDir(t, whole)
				edit(t, filepath.Join(dir, "KEYREGISTRY"), change)
				wantFault(t, store.Options{Dir: dir, Key: key}, engine.ErrCorrupt, "KEYREGISTRY: byte ",
					"Restore a backup")
				if t.Failed() {
					t.Fatalf("that was the change of the %s byte", which)
				}
			}
			for _, left := range []int{0, 10, 20} {
				dir := copyDir(t, whole)
				edit(t, filepath.Join(dir, "KEYREGISTRY"), func(b []byte) []byte { return b[:left] })
				wantFault(t, store.Options{Dir: dir, Key: key}, engine.ErrCorrupt, "KEYREGISTRY: it ends too early",
					"Restore a backup")
			}
			if key == nil {
				return
			}
			dir := copyDir(t, whole) // its key cannot tell this from another one
			edit(t, filepath.Join(dir, "KEYREGISTRY"), at(3))
			wantFault(t, store.Options{Dir: dir, Key: key}, engine.ErrKey, "another key", "KEYREGISTRY is damaged",
				"Restore a backup")
			wantFault(t, store.Options{Dir: dir}, engine.ErrKey, "no key was given")
			dir = copyDir(t, sample(t, key).killed)
			edit(t, last(t, dir, "*.vlog"), func(b []byte) []byte { clear(b[:8]); return b }) // not all are encrypted
			edit(t, filepath.Join(dir, "KEYREGISTRY"), func(b []byte) []byte { clear(b); return b })
			wantFault(t, store.Options{Dir: dir, Key: key}, engine.ErrKey, "another key")
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
	made := sample(t, nil)
	whole, want := made.closed, made.contents
	each := 8
	if testing.Short() {
		each = 2
	}
	random := rand.New(rand.NewPCG(5, 6))
	refused := 0
	for _, path := range files(t, whole, "*") {
		size, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		for range each {
			dir := copyDir(t, whole)
			at := random.Int64N(size.Size())
			edit(t, filepath.Join(dir, filepath.Base(path)), func(b []byte) []byte {
				b[at] ^= byte(1 << random.IntN(8))
				return b
			})
			s, err := store.Open(store.Options{Dir: dir})
			if errors.Is(err, engine.ErrCorrupt) {
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
	for name, key := range bothKeys(16) {
		t.Run(name, func(t *testing.T) {
			made := sample(t, key)
			killed, want := made.killed, made.contents
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

const secretKey = "conversation/Hana"

// TestErrorsAreSilentAboutKeys damages a value in the value log that an open store then reads: it stops.
func TestErrorsAreSilentAboutKeys(t *testing.T) {
	for _, role := range []string{"rot value", "rot value scan"} {
		dir := t.TempDir()
		s := open(t, store.Options{Dir: dir})
		mustApply(t, s, engine.Op{Key: []byte(secretKey), Value: bytes.Repeat([]byte(secretKey), 1<<16)})
		closeIt(t, s)
		said := whatIsSaid(t, role, dir)
		if said["corrupt:"] != "true" || said["refused:"] != "true" {
			t.Errorf("%s: the process said %q, want ErrCorrupt, then and later", role, said)
		}
		for _, what := range []string{"failed:", "stopped:", "closed:"} {
			if strings.Contains(said[what], "Hana") || !strings.Contains(said[what], dir+" is damaged") {
				t.Errorf("%s: %s %q, want the directory and no key", role, what, said[what])
			}
		}
	}
}

func rotValue(s *store.Store, read func(*store.Store) error) {
	logs, err := filepath.Glob(filepath.Join(os.Getenv(childDir), "*.vlog"))
	must(err)
	slices.Sort(logs)
	for _, path := range logs {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		must(err)
		if info, err := f.Stat(); err == nil && info.Size() > 2000 {
			_, err = f.WriteAt([]byte("damage"), 1000)
			must(err)
		}
		must(f.Close())
	}
	end(s, read(s))
}

func readSecret(s *store.Store) error {
	_, _, err := s.Get([]byte(secretKey))
	return err
}

func scanSecret(s *store.Store) error {
	return s.Scan(nil, nil, func(_, _ []byte) bool { fmt.Println("failed: a damaged value was yielded"); return true })
}

// A directory that is moved away while its store is in use is found gone before the next commit, also where
// another one takes its place.
func TestADirectoryThatGoes(t *testing.T) {
	for _, how := range []string{"gone", "replaced"} {
		dir := filepath.Join(t.TempDir(), "store")
		s := open(t, store.Options{Dir: dir})
		closeIt(t, s)
		said := whatIsSaid(t, how, dir)
		for _, what := range []string{"stopped:", "failed:", "closed:"} {
			if !strings.Contains(said[what], dir+" is gone: ") || !strings.Contains(said[what], "Put it back") {
				t.Errorf("%s: %s %q, want it to tell that the directory is gone", how, what, said[what])
			}
		}
	}
}

// A store that was closed well does not stop, whatever becomes of its directory.
func TestAClosedStoreDoesNotStop(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := open(t, store.Options{Dir: dir, OnStop: func(err error) { t.Errorf("OnStop(%v) after Close", err) }})
	closeIt(t, s)
	if err := os.Rename(dir, dir+"2"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Free(); err == nil {
		t.Error("Free() = nil, want that the directory is gone")
	}
}

func replace(s *store.Store) {
	dir := os.Getenv(childDir)
	must(errors.Join(os.Rename(dir, dir+"2"), os.Mkdir(dir, 0o700)))
	tellGone(s)
}

func goAway(s *store.Store) {
	must(os.Rename(os.Getenv(childDir), os.Getenv(childDir)+"2"))
	tellGone(s)
}

func tellGone(s *store.Store) {
	_, err := s.Free()
	fmt.Println("failed:", err)
	fmt.Println("refused:", s.Apply([]engine.Op{{Key: []byte("a")}}, false))
	fmt.Println("closed:", s.Close())
}
