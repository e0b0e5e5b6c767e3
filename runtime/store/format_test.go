package store

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/runtime/engine"
)

var update = flag.Bool("update", false, "rewrite golden files")

// inside opens a store for a test that looks at its own keys.
func inside(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(Options{Dir: dir})
	if err != nil {
		t.Fatalf("Open = %v, want no error", err)
	}
	return s
}

func closed(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatalf("Close() = %v, want no error", err)
	}
}

// dump writes every key of the store, of whichever owner.
func dump(t *testing.T, s *Store) string {
	t.Helper()
	c, err := s.scan(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	var b strings.Builder
	for {
		k, v, ok, err := c.next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return b.String()
		}
		fmt.Fprintf(&b, "%q %q\n", k, v)
	}
}

// TestFormatGolden pins what is on disk. If it fails, old stores are misread:
// raise Format and read the older one too, then run with -update.
func TestFormatGolden(t *testing.T) {
	s := inside(t, t.TempDir())
	defer closed(t, s)
	ops := []engine.Op{{Key: []byte("a"), Value: []byte("1")}, {Key: []byte("b\xff")}, {Key: []byte("c"), Delete: true},
		{}}
	if err := s.Apply(ops, false); err != nil {
		t.Fatal(err)
	}
	if err := s.commitParts([]engine.Op{{Key: redoKey(7), Value: appendOps(nil, nil, ops)},
		{Key: redoEnd, Value: []byte("1")}}); err != nil {
		t.Fatal(err)
	}
	got := dump(t, s)
	if *update {
		if err := os.WriteFile("testdata/format.golden", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/format.golden")
	if err != nil || got != string(want) {
		t.Errorf("keys on disk =\n%swant (%v)\n%s", got, err, want)
	}
}

func TestFormatOfAnotherProgram(t *testing.T) {
	for value, want := range map[string]error{"1": nil, "2": nil, "3": nil, "4": nil, "5": engine.ErrNewer,
		"4000000000": engine.ErrNewer, "": engine.ErrCorrupt, "01": engine.ErrCorrupt, "x": engine.ErrCorrupt} {
		dir := t.TempDir()
		s := inside(t, dir)
		if err := s.write([]engine.Op{{Key: formatKey, Value: []byte(value)}}, true); err != nil {
			t.Fatal(err)
		}
		closed(t, s)
		s, err := Open(Options{Dir: dir})
		if err == nil {
			if now := dump(t, s); !strings.Contains(now, `"m/format" "4"`) {
				t.Errorf("after Open with format %q the store holds\n%swant format 4", value, now)
			}
			closed(t, s)
		}
		if !errors.Is(err, want) {
			t.Errorf("Open with format %q = %v, want %v", value, err, want)
		}
		if text := fmt.Sprint(err); value == "5" &&
			!strings.Contains(text, "written by format 5, this program knows 4. Upgrade") {
			t.Errorf("Open with format 5 = %q, want it to name both formats and to say what to do", text)
		}
	}
}

func TestNoFormat(t *testing.T) {
	dir := t.TempDir()
	s := inside(t, dir)
	remove := engine.Op{Key: formatKey, Delete: true}
	if err := s.write([]engine.Op{remove}, true); err != nil {
		t.Fatal(err)
	}
	closed(t, s)
	s = inside(t, dir) // a store that was killed before its first key
	if err := s.write([]engine.Op{remove, {Key: userKey([]byte("a"))}}, true); err != nil {
		t.Fatal(err)
	}
	closed(t, s)
	if _, err := Open(Options{Dir: dir}); !errors.Is(err, engine.ErrCorrupt) ||
		!strings.Contains(err.Error(), "its tables are damaged or missing. Restore a backup") ||
		!strings.Contains(err.Error(), "kehai restore FILE") {
		t.Errorf("Open of a store that lost its mark = %v, want ErrCorrupt and what to do", err)
	}
}

func FuzzParseFormat(f *testing.F) {
	for _, seed := range []string{"1", "0", "", "+1", " 1", "01", "4294967295", "4294967296", "1\n", "一"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := parseFormat(b)
		if err == nil && (n == 0 || !bytes.Equal(appendFormat(nil, n), b)) {
			t.Errorf("parseFormat(%q) = %d, which is written %q", b, n, appendFormat(nil, n))
		}
	})
}

func FuzzDecodeOps(f *testing.F) {
	f.Add(appendOps(nil, nil,
		[]engine.Op{{Key: []byte("a"), Value: []byte("1")}, {Key: []byte("b"), Delete: true}, {}}))
	f.Add([]byte{0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		ops, err := decodeOps(b)
		if err != nil {
			return
		}
		again, err := decodeOps(appendOps(nil, nil, ops))
		same := func(a, b engine.Op) bool {
			return a.Delete == b.Delete && bytes.Equal(a.Key, b.Key) && bytes.Equal(a.Value, b.Value)
		}
		if err != nil || !slices.EqualFunc(again, ops, same) {
			t.Errorf("decodeOps(appendOps(%v)) = %v, %v", ops, again, err)
		}
	})
}
