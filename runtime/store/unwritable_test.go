package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
)

const nobody = 65534

// becomeNobody gives up root's rights, with which any file can be written.
func becomeNobody() {
	if os.Geteuid() != 0 {
		return
	}
	if err := errors.Join(syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// lose makes the directory of an open store read-only, then closes the store,
// which has something in memory.
func lose(s *store.Store) {
	fill(s, 1)
	forbid()
	fmt.Println("closed:", s.Close())
	select {
	case <-told: // OnStop runs beside Close
	case <-time.After(10 * time.Second):
	}
}

// told is closed when a child was told that its store has stopped.
var told = make(chan struct{})

// loseFull writes on until memory is full, which needs new files.
func loseFull(s *store.Store) {
	fill(s, 1)
	forbid()
	n, err := fill(s, 1000)
	fmt.Println("wrote:", n)
	fmt.Println("failed:", err)
	fmt.Println("unknown:", errors.Is(err, engine.ErrUnknown))
	_, _, err = s.Get([]byte("1"))
	fmt.Println("refused:", errors.Is(err, engine.ErrClosed), err)
	fmt.Println("closed:", s.Close())
}

func forbid() { must(os.Chmod(os.Getenv(childDir), 0o500)) }

// fill writes batches of 256 KiB, and returns how many.
func fill(s *store.Store, most int) (int, error) {
	for n := range most {
		if err := s.Apply([]engine.Op{{Key: fmt.Append(nil, n), Value: make([]byte, 256<<10)}}, false); err != nil {
			return n, err
		}
	}
	return most, nil
}

// whatIsSaid runs a child to its end, which must come soon, and returns the
// lines it wrote by their first words.
func whatIsSaid(t *testing.T, role, dir string) map[string]string {
	t.Helper()
	c := startChild(t, role, dir)
	late := time.AfterFunc(time.Minute, func() { c.cmd.Process.Kill() })
	said := map[string]string{}
	for c.lines.Scan() {
		what, text, _ := strings.Cut(c.lines.Text(), " ")
		said[what] = text
	}
	if err := c.cmd.Wait(); err != nil || !late.Stop() {
		t.Fatalf("the process said %q and ended with %v, want it to end by itself", said, err)
	}
	return said
}

// rot damages the tables of an open store.
func rot(s *store.Store) {
	err := s.Compact(context.Background())
	fmt.Println("whole:", err)
	damageTables()
	fmt.Println("damaged:", s.Compact(context.Background()))
	_, _, err = s.Get([]byte("a"))
	fmt.Println("refused:", errors.Is(err, engine.ErrCorrupt))
	fmt.Println("closed:", s.Close())
}

// rotScan reads everything before and after.
func rotScan(s *store.Store) {
	count := func() (n int, err error) {
		err = s.Scan(nil, nil, func(_, _ []byte) bool { n++; return true })
		return n, err
	}
	from := func(key string) error { // one key in the middle, for which nothing was read before
		return s.Scan(nil, []byte(key), func(_, _ []byte) bool { return false })
	}
	fmt.Println("middle:", from("00005000"))
	damageTables()
	n, err := count()
	fmt.Println("keys:", n)
	fmt.Println("scan:", err)
	_, _, err = s.Get([]byte("a"))
	fmt.Println("refused:", errors.Is(err, engine.ErrCorrupt))
	fmt.Println("closed:", s.Close())
}

// rotGet damages the newest table, then asks for one key after the other. Each has
// the newer of two values there.
func rotGet(s *store.Store) {
	tables := tablesOf()
	damage(tables[len(tables)-1:])
	fmt.Println("tables:", len(tables))
	end(s, rotten(s))
}

// rotten asks for one key after the other until one cannot be read.
func rotten(s *store.Store) (err error) {
	missing, old := 0, 0
	for _, op := range small(0, 10_000) {
		var value []byte
		var ok bool
		if value, ok, err = s.Get(op.Key); err != nil {
			break
		}
		if !ok {
			missing++
		} else if bytes.Equal(value, op.Value) {
			old++
		}
	}
	fmt.Println("missing:", missing)
	fmt.Println("old:", old)
	return err
}

func everyKey(s *store.Store) error {
	return s.Scan(nil, nil, func(_, _ []byte) bool { return true })
}

// oftenEveryKey gives Badger the time to fill its cache, which it does on the side.
func oftenEveryKey(s *store.Store) (err error) {
	for range 100 {
		err = errors.Join(err, everyKey(s))
	}
	return err
}

// end tells what a store says after a failed read.
func end(s *store.Store, err error) {
	fmt.Println("failed:", err)
	fmt.Println("corrupt:", errors.Is(err, engine.ErrCorrupt))
	_, _, err = s.Get([]byte("a"))
	fmt.Println("refused:", errors.Is(err, engine.ErrCorrupt))
	fmt.Println("closed:", s.Close())
}

// cutTables makes the tables shorter, which the system answers like a disk that cannot
// read: with a signal.
func cutTables(s *store.Store, read func(*store.Store) error) {
	for _, path := range tablesOf() {
		must(os.Truncate(path, 4096))
	}
	end(s, read(s))
}

// limit has the system refuse the next new file with an error of its own.
func limit(s *store.Store) {
	fill(s, 1)
	signal.Ignore(syscall.SIGXFSZ)
	must(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20}))
	n, err := fill(s, 1000)
	fmt.Println("wrote:", n)
	fmt.Println("failed:", err)
	fmt.Println("unknown:", errors.Is(err, engine.ErrUnknown))
	_, _, err = s.Get([]byte("1"))
	fmt.Println("refused:", errors.Is(err, engine.ErrClosed), err)
	fmt.Println("closed:", s.Close())
}

// rotBetween damages the tables between one work and another.
func rotBetween(s *store.Store, before, after func(*store.Store) error) {
	must(before(s))
	damageTables()
	end(s, after(s))
}

// rotBeside damages the tables and goes on, but reads nothing of what is damaged.
func rotBeside(s *store.Store, work func(*store.Store) error) {
	rotBetween(s, func(*store.Store) error { return nil }, work)
}

// traffic writes until there must have been a compaction.
func traffic(s *store.Store) error {
	for n := range 300 {
		value := make([]byte, 256<<10)
		if err := s.Apply([]engine.Op{{Key: fmt.Appendf(nil, "%08d", n), Value: value}}, false); err != nil {
			return err
		}
	}
	return nil
}

func purgeOne(s *store.Store) error {
	if err := s.PurgeLater(); err != nil {
		return err
	}
	if err := s.Apply([]engine.Op{{Key: small(0, 1)[0].Key, Delete: true}}, false); err != nil {
		return err
	}
	_, err := s.Purge(context.Background())
	return err
}

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// tablesOf lists the tables of a child's store, the newest last.
func tablesOf() []string {
	tables, _ := filepath.Glob(filepath.Join(os.Getenv(childDir), "*.sst"))
	slices.Sort(tables)
	return tables
}

func damageTables() { damage(tablesOf()) }

func damage(tables []string) {
	for _, path := range tables {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		must(err)
		_, err = f.WriteAt([]byte("damage"), 5000)
		must(errors.Join(err, f.Close()))
	}
}

// TestScanFindsDamage damages a store while it is open. A scan yields less then,
// and must not come to a good end.
func TestScanFindsDamage(t *testing.T) {
	dir := t.TempDir()
	s := open(t, store.Options{Dir: dir})
	mustApply(t, s, small(0, 10_000)...)
	closeIt(t, s)
	said := whatIsSaid(t, "rot scan", dir)
	if said["keys:"] == "10000" || said["middle:"] != "<nil>" || said["refused:"] != "true" {
		t.Errorf("the process said %q, want fewer keys than 10000 because of the damage, and ErrCorrupt after it", said)
	}
	for _, what := range []string{"stopped:", "scan:", "closed:"} {
		if !strings.Contains(said[what], dir+" is damaged: a checksum does not match") {
			t.Errorf("%s %q, want it to tell of the damage", what, said[what])
		}
	}
}

// TestGetFindsDamage damages a store while it is open. Badger's own Get answers then
// that the keys of a block are not there, or with what an older table holds.
func TestGetFindsDamage(t *testing.T) {
	dir := t.TempDir()
	s := open(t, store.Options{Dir: dir})
	mustApply(t, s, small(0, 10_000)...)
	closeIt(t, s)
	s = open(t, store.Options{Dir: dir})
	newer := small(0, 10_000)
	for i := range newer {
		newer[i].Value = []byte("newer")
	}
	mustApply(t, s, newer...)
	closeIt(t, s)
	said := whatIsSaid(t, "rot get", dir)
	// Two tables, unless a slow machine has merged them before they were damaged.
	if two := said["tables:"] == "2" || said["tables:"] == "1"; !two || said["missing:"] != "0" ||
		said["old:"] != "0" || said["corrupt:"] != "true" || said["refused:"] != "true" {
		t.Errorf("the process said %q, want ErrCorrupt of its tables, and neither a missing key nor an old value", said)
	}
	for _, what := range []string{"stopped:", "failed:", "closed:"} {
		if !strings.Contains(said[what], dir+" is damaged: a checksum does not match") {
			t.Errorf("%s %q, want it to tell of the damage", what, said[what])
		}
	}
}

// TestKnownBlocksFindDamage damages what was read before, in a table so small that Badger
// would keep all of its blocks in the cache.
func TestKnownBlocksFindDamage(t *testing.T) {
	dir := t.TempDir()
	s := open(t, store.Options{Dir: dir})
	mustApply(t, s, small(0, 100)...)
	closeIt(t, s)
	if said := whatIsSaid(t, "rot known", dir); said["corrupt:"] != "true" || said["refused:"] != "true" {
		t.Errorf("the process said %q, want ErrCorrupt", said)
	}
}

// TestCutFiles cuts the tables of an open store. Go ends the process for that.
func TestCutFiles(t *testing.T) {
	for _, role := range []string{"cut get", "cut scan"} {
		t.Run(role, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, store.Options{Dir: dir})
			mustApply(t, s, small(0, 10_000)...)
			closeIt(t, s)
			said := whatIsSaid(t, role, dir)
			if said["corrupt:"] != "true" || said["refused:"] != "true" {
				t.Errorf("the process said %q, want ErrCorrupt of a file that was cut", said)
			}
			for _, what := range []string{"stopped:", "failed:", "closed:"} {
				// Badger has words of its own where it meets the fault itself.
				if !strings.Contains(said[what], dir+" is damaged: a file ") {
					t.Errorf("%s %q, want it to tell of the file", what, said[what])
				}
			}
		})
	}
}

// TestMergesFindDamage damages a store in which nobody reads. Badger merges what it can
// read of a table, and deletes the table.
func TestMergesFindDamage(t *testing.T) {
	for _, role := range []string{"rot merge", "rot purge"} {
		t.Run(role, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, store.Options{Dir: dir})
			mustApply(t, s, small(0, 10_000)...)
			closeIt(t, s)
			said := whatIsSaid(t, role, dir)
			if said["refused:"] != "true" || said["failed:"] == "<nil>" {
				t.Errorf("the process said %q, want that nothing was written any more", said)
			}
			for _, what := range []string{"stopped:", "closed:"} {
				if !strings.Contains(said[what], dir+" is damaged: a checksum does not match") {
					t.Errorf("%s %q, want it to tell of the damage", what, said[what])
				}
			}
			if _, err := store.Open(store.Options{Dir: dir}); !errors.Is(err, engine.ErrCorrupt) {
				t.Errorf("Open() = %v, want ErrCorrupt: the damaged table is still there", err)
			}
		})
	}
}

// TestRot damages a store while it is open. Badger leaves out of a scan what it
// cannot read.
func TestRot(t *testing.T) {
	dir := t.TempDir()
	s := open(t, store.Options{Dir: dir})
	mustApply(t, s, small(0, 10_000)...)
	closeIt(t, s)
	said := whatIsSaid(t, "rot", dir)
	if said["whole:"] != "<nil>" || said["refused:"] != "true" {
		t.Errorf("the process said %q, want no fault before the damage and ErrCorrupt after it", said)
	}
	for _, what := range []string{"stopped:", "damaged:", "closed:"} {
		if !strings.Contains(said[what], dir+" is damaged: a checksum does not match") {
			t.Errorf("%s %q, want it to tell of the damage", what, said[what])
		}
	}
}

// TestUnwritable takes the right to make files from a process that has a store
// open, or has the system refuse them as a disk may. Badger then tries to write its
// memory for ever; the process must not.
func TestUnwritable(t *testing.T) {
	const denied = "permission denied. Check that the volume is there"
	for role, c := range map[string]struct {
		words []string
		why   string
	}{
		"lose": {[]string{"stopped:", "closed:"}, denied},
		// What is written when Badger has failed already is refused in other words.
		"lose full": {[]string{"stopped:", "closed:"}, denied},
		"limit": {[]string{"stopped:", "failed:", "closed:"},
			"file too large. Raise the limit of the size of a file"},
	} {
		why := "cannot be written and has stopped: " + c.why
		t.Run(role, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			base := filepath.Dir(dir)
			err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(base, 0o755), os.Chmod(filepath.Dir(base), 0o755))
			if err == nil && os.Geteuid() == 0 {
				err = os.Chown(dir, nobody, nobody)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Setenv(childUser, "yes")
			said := whatIsSaid(t, role, dir)
			for _, what := range c.words {
				if !strings.Contains(said[what], why) || !strings.Contains(said[what], dir) {
					t.Errorf("%s %q, want %q and the directory", what, said[what], why)
				}
			}
			if role != "lose" && !strings.HasPrefix(said["refused:"], "true ") {
				t.Errorf("Get after a failed write = %s, want ErrClosed", said["refused:"])
			}
			if role == "limit" && said["unknown:"] != "true" {
				t.Error("the error of a write that was cut short does not say that its outcome is unknown")
			}
			if err := errors.Join(os.Chmod(dir, 0o700), os.Chown(dir, os.Geteuid(), os.Getegid())); err != nil {
				t.Fatal(err)
			}
			wrote, _ := strconv.Atoi(said["wrote:"])
			s := open(t, store.Options{Dir: dir})
			defer s.Close()
			if n := len(everything(t, s)); n < max(wrote, 1) {
				t.Errorf("%d batches are found again, want the %d that were acknowledged", n, max(wrote, 1))
			}
		})
	}
}
