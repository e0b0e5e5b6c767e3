package store_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
)

// killBatch is the nth batch of a writer: its number, some keys of its own,
// and every so often a set of keys that all carry the number and do not fit in
// one transaction.
func killBatch(n int) []engine.Op {
	value := fmt.Append(nil, n)
	ops := []engine.Op{{Key: []byte("last"), Value: value}}
	for i := range n%7 + 1 {
		ops = append(ops, engine.Op{Key: fmt.Appendf(nil, "own/%09d/%d", n, i), Value: bytes.Repeat(value, 20)})
	}
	if n%wideEvery == 0 {
		for i := range wideKeys {
			ops = append(ops, engine.Op{Key: fmt.Appendf(nil, "wide/%04d", i),
				Value: bytes.Repeat(fmt.Appendf(nil, "%09d", n), 800)})
		}
	}
	return ops
}

const (
	wideEvery = 60
	wideKeys  = 200
)

// writeForEver says the number of each batch that was acknowledged.
func writeForEver(s *store.Store, sync bool) {
	if !sync {
		store.FoldOften(s)
	}
	last, _, err := s.Get([]byte("last"))
	n, _ := strconv.Atoi(string(last))
	for ; err == nil; err = s.Apply(killBatch(n), sync) {
		fmt.Println(n)
		n++
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// TestKill kills a writer again and again and looks for what it said it wrote.
func TestKill(t *testing.T) {
	kills := 24
	if testing.Short() {
		kills = 6
	}
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	checked := 0
	for round := range kills {
		role := []string{"write", "write sync"}[round%2]
		c := startChild(t, role, dir)
		acknowledged := checked
		// Now and then the kill comes while the store is being opened.
		for range random.IntN(5) * random.IntN(300) {
			if !c.lines.Scan() {
				t.Fatalf("round %d: the writer stopped by itself after %d", round, acknowledged)
			}
			acknowledged, _ = strconv.Atoi(c.lines.Text())
		}
		if err := c.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for c.lines.Scan() {
			acknowledged, _ = strconv.Atoi(c.lines.Text())
		}
		c.cmd.Wait() // its error is the kill
		checked = checkKilled(t, dir, checked, acknowledged)
	}
	if checked < kills {
		t.Errorf("%d batches in %d lives, want more to trust this test", checked, kills)
	}
	t.Logf("%d kills, %d batches", kills, checked)
}

// checkKilled checks the batches after from, and returns the last one there.
func checkKilled(t *testing.T, dir string, from, acknowledged int) int {
	t.Helper()
	s := open(t, store.Options{Dir: dir})
	defer s.Close()
	text, _, err := s.Get([]byte("last"))
	last, _ := strconv.Atoi(string(text))
	if err != nil || last < acknowledged {
		t.Fatalf("Get(last) = %d, %v, want %d or more", last, err, acknowledged)
	}
	n, left := from, 0
	err = s.Scan([]byte("own/"), fmt.Appendf(nil, "own/%09d", from+1), func(k, v []byte) bool {
		if left == 0 {
			n++
			left = n%7 + 1
		}
		left--
		if want := fmt.Sprintf("own/%09d/", n); !bytes.HasPrefix(k, []byte(want)) ||
			!bytes.Equal(v, bytes.Repeat(fmt.Append(nil, n), 20)) {
			t.Fatalf("Scan yields %s, want a key of %s", k, want)
		}
		return true
	})
	if err != nil || n != last || left != 0 {
		t.Fatalf("Scan = up to batch %d with %d keys missing, %v, want all of %d", n, left, err, last)
	}
	wide := fmt.Appendf(nil, "%09d", last/wideEvery*wideEvery)
	n = 0
	err = s.Scan([]byte("wide/"), nil, func(k, v []byte) bool {
		n++
		if !bytes.HasPrefix(v, wide) {
			t.Fatalf("%s is of batch %s, want %s", k, v[:9], wide)
		}
		return true
	})
	if want := min(last/wideEvery, 1) * wideKeys; err != nil || n != want {
		t.Fatalf("Scan(wide/) = %d keys, %v, want %d", n, err, want)
	}
	return last
}
