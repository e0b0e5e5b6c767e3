package datadir

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kehai-run/kehai/runtime/keyring"
)

// noise are bytes that do not compress.
func noise(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

func newIndex(t *testing.T) *Index {
	t.Helper()
	dir := t.TempDir()
	keys, err := keyring.Open(filepath.Join(dir, "keys"))
	if err != nil {
		t.Fatal(err)
	}
	return SavedIndex(dir, keys)
}

// What is saved comes back, whatever its size, and nobody else reads it.
func TestIndexIsSaved(t *testing.T) {
	x := newIndex(t)
	if _, ok := x.Load(); ok {
		t.Error("Load found an index that nobody has saved")
	}
	for _, n := range []int{0, 1, sealedPiece - 1, sealedPiece, sealedPiece + 1, 3*sealedPiece + 17} {
		data := noise(n)
		if err := x.Save(data); err != nil {
			t.Fatal(err)
		}
		if got, ok := x.Load(); !ok || !bytes.Equal(got, data) {
			t.Errorf("Load = %d bytes, %v, want the %d that were saved", len(got), ok, n)
		}
	}
	if err := x.Save([]byte("a canary")); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(x.path)
	info, _ := os.Stat(x.path)
	if err != nil || bytes.Contains(raw, []byte("canary")) || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %q, %v, %v, want it sealed and closed to others", raw, info.Mode(), err)
	}
}

// A file that was changed, cut, put together otherwise, or was saved before a conversation
// was forgotten, is none.
func TestIndexIsRefused(t *testing.T) {
	x := newIndex(t)
	if err := x.Save(noise(2*sealedPiece + 5)); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(x.path)
	if err != nil {
		t.Fatal(err)
	}
	piece := 4 + sealedPiece + x.keys.Overhead()
	head := len(sealedHead)
	for name, raw := range map[string][]byte{
		"cut at a piece": whole[:head+2*piece],
		"cut in a piece": whole[:head+piece+9],
		"a changed byte": append(bytes.Clone(whole[:99]), append([]byte{whole[99] ^ 1}, whole[100:]...)...),
		"pieces by turns": slices.Concat(whole[:head], whole[head+piece:head+2*piece],
			whole[head:head+piece]),
		"another version":    append([]byte("kehai-index\x02"), whole[head:]...),
		"a length of 4 GB":   append(bytes.Clone(whole[:head]), 0xff, 0xff, 0xff, 0xff),
		"more behind it":     append(bytes.Clone(whole), 0, 0, 0, 0),
		"nothing":            {},
		"a head and no more": whole[:head],
	} {
		if err := os.WriteFile(x.path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if data, ok := x.Load(); ok {
			t.Errorf("%s: Load = %d bytes, want that there is none", name, len(data))
		}
	}
	if err := x.Destroy(); err != nil {
		t.Fatal(err)
	}
	if err := x.Save([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if got, ok := x.Load(); !ok || string(got) != "new" {
		t.Errorf("Load = %q, %v, want what was saved after it was destroyed", got, ok)
	}
	if err := os.WriteFile(x.path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok := x.Load(); ok {
		t.Error("an index was read whose key is destroyed")
	}
	if err := x.Destroy(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(x.path); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
}

func FuzzIndex(f *testing.F) {
	dir := f.TempDir()
	keys, err := keyring.Open(filepath.Join(dir, "keys"))
	if err != nil {
		f.Fatal(err)
	}
	x := SavedIndex(dir, keys)
	if err := x.Save([]byte("whole")); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(x.path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(sealedHead + "\x00\x00\x00\x01x"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := os.WriteFile(x.path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok := x.Load(); ok != bytes.Equal(raw, whole) || ok && string(got) != "whole" {
			t.Fatalf("Load(%q) = %q, %v", raw, got, ok)
		}
	})
}
