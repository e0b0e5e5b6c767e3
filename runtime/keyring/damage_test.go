package keyring

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Whatever happens to a list, and to a key beside it, whatever copies are restored then and in which order: a start
// either refuses, or goes on with the same list; nothing that was destroyed opens, and all else does.
func TestAnyDamageOfTheList(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 60 {
		dir := filepath.Join(t.TempDir(), "keys")
		live, gone, copies := lives(t, rng, dir)
		path := filepath.Join(dir, listFile)
		whole := read(t, path)
		bad := damaged(rng, whole)
		write(t, path, bad)
		check := func(when string) {
			r := Reader(dir)
			for _, row := range gone {
				if plain, err := r.Open([]byte("p"), row); err == nil {
					t.Fatalf("round %d, %s: what was destroyed says %q", round, when, plain)
				}
			}
			for subject, row := range live {
				if _, err := r.Open([]byte("p"), row); err != nil {
					t.Fatalf("round %d, %s: what is sealed for %s does not open: %v", round, when, subject, err)
				}
			}
		}
		if rng.IntN(3) == 0 { // a key is lost, too
			if err := os.Remove(filepath.Join(dir, nameOf(live["kept"]))); err != nil {
				t.Fatal(err)
			}
			delete(live, "kept")
		}
		same := func() bool { return bytes.Equal(mustList(t, read(t, path)).bytes(), mustList(t, whole).bytes()) }
		if _, err := Open(dir); err == nil && !same() {
			t.Errorf("round %d: a start went on with another list after\n%q became\n%q", round, whole, bad)
		}
		check("started")
		for range 3 {
			_, _ = Taking{KeepOthers: true}.Restore(dir, bytes.NewReader(copies[rng.IntN(len(copies))]))
			check("restored")
		}
	}
}

// lives makes keys, destroys some, and copies them in between.
func lives(t *testing.T, rng *rand.Rand, dir string) (live map[string][]byte, gone, copies [][]byte) {
	t.Helper()
	r := open(t, dir)
	live = map[string][]byte{"kept": seal(t, r, "kept", "p", "kept")}
	for range 2 + rng.IntN(14) {
		subject := fmt.Sprint("c-", rng.IntN(3))
		if row := live[subject]; row != nil && rng.IntN(2) == 0 {
			if err := r.Destroy(subject); err != nil {
				t.Fatal(err)
			}
			gone = append(gone, row)
			delete(live, subject)
		} else {
			live[subject] = seal(t, r, subject, "p", subject)
		}
		if rng.IntN(3) == 0 {
			copies = append(copies, backedUp(t, dir))
		}
		if rng.IntN(6) == 0 {
			r = open(t, dir)
		}
	}
	return live, gone, append(copies, backedUp(t, dir))
}

// damaged is a file of which bytes changed, or a part is gone, or zeros.
func damaged(rng *rand.Rand, whole []byte) []byte {
	bad, at := slices.Clone(whole), rng.IntN(len(whole))
	switch rng.IntN(4) {
	case 0:
		for range 1 + rng.IntN(6) {
			bad[rng.IntN(len(bad))] ^= byte(1 + rng.IntN(255))
		}
	case 1:
		bad = bad[:at]
	case 2:
		clear(bad[at:])
	case 3:
		clear(bad[at:min(len(bad), at+rng.IntN(200))])
	}
	return bad
}
