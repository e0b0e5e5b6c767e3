package store_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
)

const childKey = "KEHAI_STORE_TEST_KEY"

// badgerAlone opens a directory with Badger and the strictest of its own
// checks, reads all there is, and says what came of it.
func badgerAlone() {
	o := store.BadgerOptions(store.Options{Dir: os.Getenv(childDir), Key: []byte(os.Getenv(childKey))})
	db, err := badger.Open(o.WithLogger(nil).WithChecksumVerificationMode(options.OnTableAndBlockRead))
	if err != nil {
		fmt.Println("refused:", err)
		return
	}
	sum := sha256.New()
	err = db.VerifyChecksum()
	if err == nil {
		err = db.View(func(txn *badger.Txn) error {
			it := txn.NewIterator(badger.DefaultIteratorOptions)
			defer it.Close()
			for it.Rewind(); it.Valid(); it.Next() {
				v, err := it.Item().ValueCopy(nil)
				if err != nil {
					return err
				}
				fmt.Fprintf(sum, "%q=%q\n", it.Item().Key(), v)
			}
			return nil
		})
	}
	if err != nil {
		fmt.Println("refused:", err)
		return
	}
	fmt.Printf("opened: %x\n", sum.Sum(nil))
}

// badgerMerges damages the tables of an open Badger, and has it merge them with a newer one that
// reaches from the first key to the last and changes nothing.
func badgerMerges() {
	o := store.BadgerOptions(store.Options{Dir: os.Getenv(childDir)}).WithLogger(nil).WithNumCompactors(0)
	old := tablesOf()
	db, err := badger.Open(o)
	must(err)
	must(db.Update(func(txn *badger.Txn) error {
		for _, reverse := range []bool{false, true} {
			o := badger.DefaultIteratorOptions
			o.Reverse = reverse
			it := txn.NewIterator(o)
			it.Rewind()
			v, err := it.Item().ValueCopy(nil)
			if err == nil {
				err = txn.Set(it.Item().KeyCopy(nil), v)
			}
			it.Close()
			if err != nil {
				return err
			}
		}
		return nil
	}))
	must(db.Close()) // writes the newer table
	db, err = badger.Open(o)
	must(err)
	damage(old)
	must(db.Flatten(1))
	must(db.Close())
}

// alone runs badgerAlone in a process of its own, which may die.
func alone(t *testing.T, dir, key string) string {
	t.Helper()
	t.Setenv(childKey, key)
	c := startChild(t, "badger alone", dir)
	c.cmd.Stderr = nil
	said := ""
	for c.lines.Scan() {
		if line := c.lines.Text(); strings.HasPrefix(line, "refused:") || strings.HasPrefix(line, "opened:") {
			said = line
		}
	}
	if err := c.cmd.Wait(); err != nil {
		return "died"
	}
	return said
}

// TestBadgerAlone says for each part of the examination what Badger does
// without it. If a newer Badger refuses by itself what it loses or dies of now,
// that part can go.
func TestBadgerAlone(t *testing.T) {
	const aes = "0123456789abcdef"
	whole := alone(t, copyDir(t, sample(t, nil).closed), "")
	cases := []struct {
		part   string // of the examination
		key    string
		killed bool
		file   string
		change func([]byte) []byte // nil: remove
		does   string              // Badger
		opens  bool                // with the examination
	}{
		{"fresh", "", false, "MANIFEST", nil, "loses", false},
		// It refuses if the record that is cut off was a compaction's: then tables that
		// are listed again are gone. Which one it is depends on the machine.
		{"strangers", "", false, "MANIFEST", func(b []byte) []byte { return b[:len(b)-1] }, "loses or refused", false},
		{"checkKeys", aes, false, "KEYREGISTRY", cut(0.4), "died", false},
		{"checkTable", "", false, "*.sst", flip(0.5), "died", false},
		{"checkTable", aes, false, "*.sst", flip(0.97), "died", false},
		{"checkTable", "", false, "*.sst", lastBytes(4, 0xff), "died", false},
		{"checkLog", "", true, "*.mem", flip(40.0 / (12 << 20)), "loses", false},
		{"checkLog", aes, true, "*.mem", flip(40.0 / (12 << 20)), "loses", false},
		{"checkLog", "", false, "*.vlog", flip(0.5), "loses", false},
		{"dropEmpty", "", true, "*.mem", cut(0), "refused", true},
		{"dropEmpty", "", false, "*.vlog", cut(0), "refused", true},
		// These need no part of ours.
		{"none", "", false, "MANIFEST", flip(0.3), "refused", false},
		{"none", aes, false, "KEYREGISTRY", flip(0.9), "refused", false},
		{"none", "", false, "*.sst", nil, "refused", false},
		{"none", "", false, "DISCARD", cut(0.5), "opens", true},
	}
	if testing.Short() { // it is Badger that computes, in processes of its own
		cases = cases[:2]
	}
	for _, c := range cases {
		t.Run(strings.Join([]string{c.part, filepath.Base(c.file)}, " "), func(t *testing.T) {
			from := sample(t, []byte(c.key)).closed
			if c.killed {
				from = sample(t, []byte(c.key)).killed
			}
			spoilt := func() string {
				dir := copyDir(t, from)
				for _, path := range files(t, dir, "*") { // the log that is not begun
					if info, err := os.Stat(path); err == nil && info.Size() == 0 {
						must(os.Remove(path))
					}
				}
				path := first(t, dir, c.file)
				if c.change != nil {
					edit(t, path, c.change)
				} else if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
				return dir
			}
			got := alone(t, spoilt(), c.key)
			switch {
			case got == whole:
				got = "opens"
			case strings.HasPrefix(got, "opened:"):
				got = "loses"
			case strings.HasPrefix(got, "refused:"):
				got = "refused"
			}
			if !slices.Contains(strings.Split(c.does, " or "), got) {
				t.Errorf("Badger %s, want it to be as when the examination was written: %s", got, c.does)
			}
			o := store.Options{Dir: spoilt(), Key: []byte(c.key)}
			if c.opens {
				closeIt(t, open(t, o))
				return
			}
			wantFault(t, o, engine.ErrCorrupt)
		})
	}
	t.Run("verify *.sst", func(t *testing.T) { // what it is with us: TestMergesFindDamage
		dir := copyDir(t, sample(t, nil).closed)
		c := startChild(t, "badger merges", dir)
		if err := c.cmd.Wait(); err != nil {
			t.Fatalf("Badger does not merge damaged tables: %v", err)
		}
		if got := alone(t, dir, ""); got == whole || !strings.HasPrefix(got, "opened:") {
			t.Errorf("after a merge of damaged tables Badger says %q, want it to have lost without a word", got)
		}
	})
}

// TestBadgerVersion fails on an upgrade of Badger, whose files we read.
func TestBadgerVersion(t *testing.T) {
	const known = "github.com/dgraph-io/badger/v4 v4.9.6"
	b, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil || !strings.Contains(string(b), known) {
		t.Errorf("go.mod does not say %q (%v): see that the tests of this package pass with the newer one, and that "+
			"these still describe it: readlog.go its logs, durable.go when it begins a file and syncs one, room.go "+
			"what it writes through maps, verify.go the fields that hold its tables, logger.go its messages of a "+
			"failed flush, of a compaction and of a merge; then change this test", known, err)
	}
}
