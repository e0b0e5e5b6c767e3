package store_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/kehai-run/kehai/runtime/store"
)

const childHands = "KEHAI_TEST_HANDS"

// grasp dies with 7 and 9 in hand, not with 8, and with the work on 5 survived.
func grasp(path string) {
	h, err := store.OpenHands(path)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	h.Take(7)
	place := h.Take(8)
	h.Take(9)
	h.Drop(place)
	h.Survived(5)
	os.Exit(3)
}

func TestHandsOutliveTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "inhand")
	die := func() {
		t.Helper()
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childHands+"="+path)
		var exit *exec.ExitError
		if out, err := cmd.CombinedOutput(); !errors.As(err, &exit) || exit.ExitCode() != 3 {
			t.Fatalf("the process said %s and ended with %v, want exit code 3", out, err)
		}
	}
	left := func(want map[uint64]int) *store.Hands {
		t.Helper()
		h, err := store.OpenHands(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := h.Suspects(); !maps.Equal(got, want) {
			t.Errorf("Suspects() = %v, want %v", got, want)
		}
		return h
	}
	die()
	die()
	h := left(map[uint64]int{7: 2, 9: 2})
	h.Survived(9)
	h.Take(5) // this process is not closed: it counts as dead
	h = left(map[uint64]int{7: 2, 5: 1})
	h.Take(7)
	left(map[uint64]int{7: 3, 5: 1})
	die() // survives 5
	h = left(map[uint64]int{7: 4, 9: 1})
	h.Take(7)
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	h = left(map[uint64]int{}) // an orderly end blames nobody
	for n := range 600 {
		if place := h.Take(uint64(n + 1)); (place == 0) != (n >= 511) {
			t.Fatalf("Take() number %d = %d, want 511 places", n+1, place)
		}
	}
	h.Close()
	h.Drop(3) // a call that hung
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v, want 0600", info.Mode(), err)
	}
	if err := os.WriteFile(path, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	left(map[uint64]int{}).Close()
}

func BenchmarkHands(b *testing.B) {
	h, err := store.OpenHands(filepath.Join(b.TempDir(), "inhand"))
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			h.Drop(h.Take(42))
		}
	})
}
